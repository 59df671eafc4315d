// The whole of it with Debian's BIND (10.6, 16.9): pods of the process runtime on the embedded server, the operator, and dig.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import { type Condition, type KindRef, type KubeObject, toCrd } from "@telltale/kinds";
import { Namespace, Pod } from "@telltale/kinds/builtin";
import { manager } from "@telltale/runtime";
import { processRuntime, workloads } from "@telltale/workloads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindFor } from "../../../tools/bind/bind.ts";
import { bindcarClient } from "../src/bindcar/client.ts";
import { httpWire } from "../src/bindcar/http-wire.ts";
import { fixedToken } from "../src/bindcar/token.ts";
import { bindyOperator, standardConfig } from "../src/index.ts";
import { Bind9Cluster, Bind9GlobalCluster, Bind9Instance, DNSZone, recordKinds } from "../src/kinds/index.ts";
import { annotateEndpoints } from "../src/local-pods/endpoints.ts";
import { type LocalPods, localPods } from "../src/local-pods/local-pods.ts";
import { annotations } from "../src/names.ts";
import { dnsZone, record } from "./zone-objects.ts";

const path = bindFor("operators/bindy: end to end");
const run = promisify(execFile);
const token = "a-token-of-the-end-to-end-suite";
const namespace = "dns";

describe.skipIf(path === undefined)("a cluster of real nameservers", () => {
  const stop = new AbortController();
  let server: ApiServer;
  let client: Client;
  let pods: LocalPods;
  let running: Promise<unknown>;

  beforeAll(async () => {
    pods = localPods({ path: path ?? "", as: "real", access: { by: "shared secret", token } });
    const runtime = processRuntime({ ...pods.runtime });
    const kinds = [Bind9GlobalCluster, Bind9Cluster, Bind9Instance, DNSZone, ...recordKinds];
    server = await startApiServer({
      serviceAccounts: true,
      objects: kinds.map((kind) => toCrd(kind)),
      ...(runtime.access && { pods: runtime.access }),
    });
    const transport = inProcessTransport(server.client);
    const clock = systemClock;
    const random = systemRandom;
    client = createClient({ transport, clock, random });
    await client.create(Namespace, { metadata: { name: namespace } });
    const bindcar = bindcarClient({ wire: httpWire({ clock }), token: fixedToken(token), clock, random });
    const controllers = bindyOperator({
      config: standardConfig,
      transport: inProcessTransport(server.client),
      bindcar,
    });
    const cluster = workloads({ transport, runtime, rootCertificate: server.ca });
    const operator = manager({
      name: "bindy",
      transport: inProcessTransport(server.client),
      controllers,
      events: "v1",
    });
    running = Promise.all([
      cluster.run(stop.signal),
      operator.run(stop.signal),
      annotateEndpoints({ client, clock }, stop.signal),
    ]);
  });

  afterAll(async () => {
    stop.abort();
    await running;
    await server.stop();
    pods.remove();
  });

  const wait = { timeout: 120_000, interval: 500 };
  const said = (conditions: readonly Condition[] | undefined, type: string): string => {
    const found = conditions?.find((it) => it.type === type);
    return `${found?.status} ${found?.reason}`;
  };
  const ready = async () => said((await client.get(Bind9Cluster, "dns", { namespace })).status?.conditions, "Ready");
  const globalReady = async () => said((await client.get(Bind9GlobalCluster, "dns")).status?.conditions, "Ready");
  const zoneReady = async () =>
    said((await client.get(DNSZone, "example-com", { namespace })).status?.conditions, "Ready");
  const podReady = async (instance: string) =>
    said((await client.get(Bind9Instance, instance, { namespace })).status?.conditions, "Pod-0");

  async function podsOf(): Promise<readonly Pod[]> {
    const { items } = await client.list(Pod, { namespace, labelSelector: "app=bind9" });
    return items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  }

  async function dig(pod: Pod, ...words: readonly string[]): Promise<string> {
    const [host = "", port = ""] = (pod.metadata?.annotations?.[annotations.endpointDns] ?? "").split(":");
    const place = ["-r", `@${host}`, "-p", port, "+norec", "+time=1", "+tries=1"];
    return (
      await run("dig", [...place, ...words], { env: { PATH: path ?? "" } }).catch(() => ({ stdout: "" }))
    ).stdout.trim();
  }

  async function everywhere(...words: readonly string[]): Promise<readonly string[]> {
    return Promise.all((await podsOf()).map((pod) => dig(pod, "+short", ...words)));
  }

  it("A-100 A-120 one primary and two secondaries serve a zone with each kind of record", async () => {
    await client.create(Bind9GlobalCluster, {
      apiVersion: Bind9GlobalCluster.apiVersion,
      kind: Bind9GlobalCluster.kind,
      metadata: { name: "dns" },
      spec: { namespace, primary: { replicas: 1 }, secondary: { replicas: 2 } },
    });
    await client.create(DNSZone, dnsZone());
    const objects = [
      record("A", { name: "www", ipv4Addresses: ["192.0.2.10"], ttl: 300 }),
      record("AAAA", { name: "www", ipv6Addresses: ["2001:db8::10"] }),
      record("TXT", { name: "@", text: ["v=spf1 -all"] }),
      record("CNAME", { name: "alias", target: "www.example.com." }),
      record("MX", { name: "@", priority: 10, mailServer: "mail.example.org." }),
      record("NS", { name: "sub", nameserver: "ns.example.org." }),
      record("SRV", { name: "_sip._tcp", priority: 1, weight: 2, port: 5060, target: "www.example.com." }),
      record("CAA", { name: "@", flags: 0, tag: "issue", value: "letsencrypt.org" }),
    ];
    for (const { apiVersion, kind, metadata, spec } of objects) {
      const { name, labels } = metadata;
      // Each is of one of eight kinds: the client takes it by its shape.
      const of = recordKinds.find((it) => it.kind === kind) as unknown as KindRef<KubeObject>;
      await client.create(of, { apiVersion, kind, metadata: { name, namespace, labels }, spec } as KubeObject);
    }
    await expect.poll(ready, wait).toBe("True AllReady");
    await expect.poll(globalReady, wait).toBe("True ClustersReady");
    await expect.poll(zoneReady, wait).toBe("True ReconcileSucceeded");
    const three = (text: string) => [text, text, text];
    await expect.poll(() => everywhere("www.example.com", "A"), wait).toEqual(three("192.0.2.10"));
    await expect.poll(() => everywhere("www.example.com", "AAAA"), wait).toEqual(three("2001:db8::10"));
    await expect.poll(() => everywhere("example.com", "TXT"), wait).toEqual(three('"v=spf1 -all"'));
    await expect.poll(() => everywhere("example.com", "MX"), wait).toEqual(three("10 mail.example.org."));
    await expect
      .poll(() => everywhere("_sip._tcp.example.com", "SRV"), wait)
      .toEqual(three("1 2 5060 www.example.com."));
    await expect.poll(() => everywhere("example.com", "CAA"), wait).toEqual(three('0 issue "letsencrypt.org"'));
    await expect.poll(async () => (await everywhere("alias.example.com", "CNAME"))[0], wait).toBe("www.example.com.");
    const whole = await Promise.all((await podsOf()).map((pod) => dig(pod, "www.example.com", "A")));
    for (const answer of whole) expect(answer).toMatch(/flags: qr aa/);
    expect(new Set(await everywhere("example.com", "SOA")).size).toBe(1);
    const delegation = await Promise.all((await podsOf()).map((pod) => dig(pod, "sub.example.com", "NS")));
    for (const answer of delegation) expect(answer).toContain("ns.example.org.");
  }, 400_000);

  it("A-102 A-121 a killed pod shows on every level, and comes back without ever saying NXDOMAIN", async () => {
    const instance = "dns-primary-0";
    const mine = async () => (await podsOf()).find(({ metadata }) => metadata?.labels?.["instance"] === instance);
    const first = await mine();
    const uid = first?.metadata?.uid ?? "";
    const answers = new Set<string>();
    const watching = new AbortController();
    const watched = (async () => {
      while (!watching.signal.aborted) {
        for (const pod of await podsOf())
          answers.add(/status: (\w+)/.exec(await dig(pod, "www.example.com", "A"))?.[1] ?? "none");
        await sleep(systemClock, 100);
      }
    })();
    const seen: string[] = [];
    const note = async () => void seen.push(await podReady(instance), await ready(), await globalReady());
    await client.delete(Pod, { name: first?.metadata?.name ?? "", namespace }, { propagation: "Background" });
    await expect
      .poll(async () => {
        await note();
        return (await globalReady()).startsWith("False");
      }, wait)
      .toBe(true);
    await expect.poll(async () => (await mine())?.metadata?.uid !== uid && (await ready()), wait).toBe("True AllReady");
    await expect
      .poll(() => everywhere("www.example.com", "A"), wait)
      .toEqual(["192.0.2.10", "192.0.2.10", "192.0.2.10"]);
    await expect.poll(globalReady, wait).toBe("True ClustersReady");
    watching.abort();
    await watched;
    expect([...answers]).not.toContain("NXDOMAIN");
    expect(seen.filter((it) => it.startsWith("False ")).length).toBeGreaterThan(2);
  }, 400_000);

  it("A-103 a stopped Bindcar shows as BindcarUnreachable, and DNS still answers", async () => {
    const instance = "dns-secondary-1";
    const pod = (await podsOf()).find(({ metadata }) => metadata?.labels?.["instance"] === instance);
    const pid = processOf(pod?.metadata?.uid ?? "", "api");
    process.kill(pid, "SIGSTOP");
    try {
      await expect.poll(() => podReady(instance), wait).toBe("False BindcarUnreachable");
      if (pod !== undefined) expect(await dig(pod, "+short", "www.example.com", "A")).toBe("192.0.2.10");
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await expect.poll(() => podReady(instance), wait).toBe("True Ready");
    await expect.poll(ready, wait).toBe("True AllReady");
  }, 400_000);
});

/** The process of a container, by the variables that the runtime marks it with. */
function processOf(uid: string, container: string): number {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const env = environmentOf(pid);
    const isOf = env.some((it) => it.startsWith("TELLTALE_ROOT=") && it.includes(`/containers/${container}/`));
    if (isOf && env.includes(`TELLTALE_POD_UID=${uid}`)) return Number(pid);
  }
  throw new Error(`no process of container ${container}`);
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
