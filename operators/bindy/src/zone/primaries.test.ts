import { instant } from "@telltale/kinds";
import { expect, test } from "vitest";
import { dnsZone, record } from "../../test/zone-objects.ts";
import type { Bindcar, BindcarPod } from "../bindcar/client.ts";
import type { RRset, RRsetChange } from "../bindcar/contract.ts";
import type { Trouble } from "../bindcar/outcome.ts";
import type { Updates } from "../dns-update/client.ts";
import { DNSZone, specOf } from "../kinds/index.ts";
import { type Content, compile } from "./compile.ts";
import { keyOf } from "./difference.ts";
import { Memory } from "./memory.ts";
import { type Published, publish } from "./primaries.ts";

const zone = { namespace: "dns", name: "example-com" };
const www = (address: string) => record("A", { name: "www", ipv4Addresses: [address] }, { name: "www" });

function content(address: string): Content {
  const it = compile({ zone, spec: specOf(DNSZone, dnsZone()), addresses: [], records: [www(address)] });
  if (it.is === "refused") throw new Error(it.why);
  return it;
}

const isWww = ({ name }: { readonly name: string }): boolean => name.startsWith("www.");

/** A server whose Bindcar does what it likes with what it is sent. `takes`: what of it comes about. */
class Server {
  zone: { serial: number; rrsets: readonly RRset[] } | undefined;
  takes: (change: { readonly name: string; readonly type: string }) => boolean = () => true;
  /** What it answers to changes. Undefined: yes. */
  trouble: Trouble | undefined;
  readonly puts: number[] = [];

  readonly pod = {
    zoneStatus: async () =>
      this.zone === undefined
        ? no(404)
        : { ok: true, value: { type: "primary", serial: this.zone.serial, dynamic: true, frozen: false } },
    rrsets: async () => (this.zone === undefined ? no(404) : { ok: true, value: this.zone }),
    zone: async () => ({ ok: true, value: {} }),
    modifyZone: async () => ({ ok: true, value: undefined }),
    putRRsets: async (_zone: string, { serial, changes }: { serial: number; changes: readonly RRsetChange[] }) => {
      this.puts.push(serial);
      const taken = changes.filter(this.takes);
      const gone = new Set(taken.map(keyOf));
      const rest = (this.zone?.rrsets ?? []).filter((it) => !gone.has(keyOf(it)));
      this.zone = { serial, rrsets: [...rest, ...taken.filter(({ values }) => values.length > 0)] };
      return this.trouble === undefined
        ? { ok: true, value: { serial, applied: taken.length } }
        : { ok: false, trouble: this.trouble };
    },
    createZone: async ({ zoneConfig }: { readonly zoneConfig?: { readonly soa?: { readonly serial?: number } } }) => {
      const all: readonly RRset[] = [soa(zoneConfig?.soa?.serial ?? 1), ...content("192.0.2.1").rrsets];
      this.zone = { serial: zoneConfig?.soa?.serial ?? 1, rrsets: all.filter(this.takes) };
      return { ok: true, value: "created" };
    },
  };
}

const no = (status: number) => ({ ok: false, trouble: { at: "answered", status } }) as const;
const soa = (serial: number): RRset => ({
  name: "example.com.",
  type: "SOA",
  ttl: 3600,
  values: [`ns1.example.com. admin.example.com. ${serial} 3600 600 604800 86400`],
});

async function published(server: Server, address: string): Promise<ReturnType<Published["results"]["get"]>> {
  const on = { uid: "pod-1", name: "p", namespace: "dns", http: "10.0.0.1:8080", dns: "10.0.0.1:53", keyName: "k" };
  const task = {
    zone: { uid: "zone-1" },
    content: content(address),
    before: [],
    least: 1,
    stored: undefined,
    transfers: { alsoNotify: [], allowTransfer: [] },
    servers: [on],
    followers: [],
  };
  const { results } = await publish(task, {
    bindcar: { at: () => server.pod as unknown as BindcarPod } satisfies Bindcar,
    updates: {} as Updates,
    now: instant(0),
    memory: new Memory(),
    signal: new AbortController().signal,
    report: () => {},
  });
  return results.get("pod-1");
}

test("what a server is sent is served once it is read back there", async () => {
  const server = new Server();
  expect(await published(server, "192.0.2.1")).toMatchObject({ is: "served" });
  expect(await published(server, "192.0.2.2")).toMatchObject({ is: "served" });
  expect(server.zone?.rrsets.find(isWww)?.values).toEqual(["192.0.2.2"]);
  expect(server.puts).toHaveLength(1);
});

test("a yes to a new zone is not believed: what it lacks is not served", async () => {
  const server = new Server();
  server.takes = (it) => !isWww(it);
  const result = await published(server, "192.0.2.1");
  expect(result).toMatchObject({ is: "differs", left: [{ name: "www.example.com.", values: ["192.0.2.1"] }] });
});

test("a yes to changes is not believed: what did not come about is not served", async () => {
  const server = new Server();
  await published(server, "192.0.2.1");
  server.takes = (it) => !isWww(it);
  const result = await published(server, "192.0.2.2");
  expect(result).toMatchObject({ is: "differs", left: [{ name: "www.example.com.", values: ["192.0.2.2"] }] });
});

test("a 409 is no trouble: what came about in spite of it is read back, and served", async () => {
  const server = new Server();
  await published(server, "192.0.2.1");
  server.trouble = { at: "answered", status: 409 };
  expect(await published(server, "192.0.2.2")).toMatchObject({ is: "served" });
  server.takes = (it) => !isWww(it);
  expect(await published(server, "192.0.2.3")).toMatchObject({ is: "differs", left: [{ values: ["192.0.2.3"] }] });
});

test("any other refusal is trouble, whatever came about", async () => {
  const server = new Server();
  await published(server, "192.0.2.1");
  server.trouble = { at: "answered", status: 400 };
  expect(await published(server, "192.0.2.2")).toEqual({ is: "trouble", trouble: { at: "answered", status: 400 } });
});
