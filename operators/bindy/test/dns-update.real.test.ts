import { systemClock } from "@telltale/clock";
import { Secret } from "@telltale/status";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindFor } from "../../../tools/bind/bind.ts";
import { dnsUpdates, type UpdateServer } from "../src/dns-update/client.ts";
import type { Change, Prerequisite } from "../src/dns-update/message.ts";
import { tcpWire } from "../src/dns-update/tcp.ts";
import { primary } from "./bindcar-conformance.ts";
import { ask, type RealPod, startPod } from "./real-named.ts";

const path = bindFor("operators/bindy: dynamic updates of a real BIND");

describe.skipIf(path === undefined)("dynamic updates of a real BIND", () => {
  let pod: RealPod;
  beforeAll(async () => {
    pod = await startPod({ path: path ?? "" });
    await ask(pod, "POST", "/zones", primary("update.example"));
    const { updateKeyName: _, ...closed } = primary("closed.example") as Readonly<Record<string, unknown>>;
    await ask(pod, "POST", "/zones", closed);
  });
  afterAll(() => pod?.stop());

  const keyName = "bindy-operator";
  const updatesWith = (secret: string, now = () => systemClock.now()) =>
    dnsUpdates({
      wire: tcpWire({ clock: systemClock }),
      keys: { get: async () => ({ name: keyName, algorithm: "hmac-sha256", secret: new Secret(secret) }), forget() {} },
      clock: { ...systemClock, now, after: systemClock.after.bind(systemClock), uptime: () => systemClock.uptime() },
    });
  const server = (): UpdateServer => ({
    dns: `127.0.0.1:${pod.dns.port}`,
    key: { namespace: "dns", secret: "key", field: "secret", name: keyName, algorithm: "hmac-sha256" },
  });
  const send = (changes: readonly Change[], prerequisites: readonly Prerequisite[] = [], zone = "update.example") =>
    updatesWith(pod.secret).send(server(), { zone, prerequisites, changes });
  const serial = async () => Number((await pod.dig("+short", "update.example", "SOA")).split(" ")[2]);
  const done = { ok: true, value: "done" };

  const all = [
    ["A", "a", ["192.0.2.1", "192.0.2.2"]],
    ["AAAA", "a", ["2001:db8::1", "::ffff:192.0.2.7"]],
    ["CNAME", "c", ["www.update.example."]],
    ["PTR", "p", ["www.update.example."]],
    ["NS", "sub", ["ns.example.net."]],
    ["MX", "m", ["10 mail.example.net."]],
    ["SRV", "_sip._tcp", ["1 2 5060 sip.example.net.", "1 2 5061 ."]],
    ["TXT", "*.t", ['"a \\"b\\" \\\\ c;" "b\\195\\188cher"']],
    ["CAA", "a", ['0 issue "ca.example; x=\\"y\\""']],
  ] as const;
  const rrsets = all.map(([rrtype, owner, values]) => ({ rrtype, name: `${owner}.update.example.`, values }));
  const replaced = rrsets.flatMap(({ rrtype, name, values }): Change[] => [
    { type: "deleteRRset", name, rrtype },
    ...values.map((value): Change => ({ type: "add", name, rrtype, ttl: 60, value })),
  ]);

  it("writes each type as Bindcar reads it, and changes nothing the second time", async () => {
    expect(await send(replaced)).toEqual(done);
    const { body } = await ask(pod, "GET", "/zones/update.example/rrsets");
    const there = body["rrsets"] as readonly { name: string; type: string; values: readonly string[] }[];
    for (const { rrtype, name, values } of rrsets) {
      const found = there.find((rrset) => rrset.name === name && rrset.type === rrtype);
      expect([name, rrtype, found?.values.toSorted()]).toEqual([name, rrtype, values.toSorted()]);
    }
    const before = await serial();
    expect(await send(replaced)).toEqual(done);
    expect(await serial()).toBe(before);
    const ttl = replaced.map((change): Change => (change.type === "add" ? { ...change, ttl: 61 } : change));
    expect(await send(ttl)).toEqual(done);
    expect(await serial()).toBe(before + 1);
  });

  it("tells exactly what is there, also behind a delegation and a wildcard", async () => {
    const exactly = rrsets.map((rrset): Prerequisite => ({ type: "exactly", ...rrset }));
    const soa = await pod.dig("+short", "update.example", "SOA");
    const own: Prerequisite = { type: "exactly", name: "update.example.", rrtype: "SOA", values: [soa] };
    expect(await send([], [...exactly, own])).toEqual(done);
    const unmet = { ok: true, value: "unmet" };
    const fewer: Prerequisite = { type: "exactly", name: "a.update.example.", rrtype: "A", values: ["192.0.2.1"] };
    expect(await send([], [fewer])).toEqual(unmet);
    const hidden = { name: "x.t.update.example.", rrtype: "TXT" } as const;
    expect(await send([], [{ type: "absent", ...hidden }])).toEqual(done);
    const below: Change = { type: "add", name: "ns.sub.update.example.", rrtype: "A", ttl: 60, value: "192.0.2.9" };
    expect(await send([below])).toEqual(done);
    expect(await send([], [{ type: "absent", name: below.name, rrtype: "A" }])).toEqual(unmet);
    const old = { ...own, values: [soa.replace(/ \d+ /, " 1 ")] };
    expect(await send([], [old])).toEqual(unmet);
  });

  it("says what named refused, and why", async () => {
    const add: Change = { type: "add", name: "x.update.example.", rrtype: "A", ttl: 60, value: "192.0.2.1" };
    const update = { zone: "update.example", prerequisites: [], changes: [add] };
    const refused = (why: string, by = server()) => ({ ok: false, trouble: { at: "update", why, key: by.key } });
    expect(await updatesWith("AAAA").send(server(), update)).toEqual(refused("key refused"));
    const late = updatesWith(pod.secret, () => (systemClock.now() - 3_600_000) as ReturnType<typeof systemClock.now>);
    expect(await late.send(server(), update)).toEqual(refused("key refused"));
    expect(await send([add], [], "elsewhere.example")).toEqual(refused("not authoritative"));
    expect(await send([{ ...add, name: "x.closed.example." }], [], "closed.example")).toEqual(refused("not allowed"));
    expect(await updatesWith(pod.secret).send({ dns: server().dns }, update)).toEqual({
      ok: false,
      trouble: { at: "update", why: "no key" },
    });
    const nobody = { ...server(), dns: "127.0.0.1:9" };
    expect(await updatesWith(pod.secret).send(nobody, update)).toEqual(refused("refused"));
    expect(await pod.dig("x.update.example", "A")).toContain("NXDOMAIN");
  });

  it("reads what a zone says of itself", async () => {
    const soa = await pod.dig("+short", "update.example", "SOA");
    expect(await updatesWith(pod.secret).apex(server(), "update.example")).toEqual({
      ok: true,
      value: {
        soa: { name: "update.example.", type: "SOA", ttl: 3600, values: [soa] },
        rrsets: [{ name: "update.example.", type: "NS", ttl: 3600, values: ["ns1.update.example."] }],
      },
    });
    expect(await updatesWith(pod.secret).apex(server(), "elsewhere.example")).toEqual({ ok: true, value: undefined });
  });
});
