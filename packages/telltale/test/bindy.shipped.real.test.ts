// Bindy as it is shipped, on a real kube-apiserver: with nothing behind its objects, with Debian's BIND and a Bindcar in each pod, and
// with both gone. What it says is read against the servers themselves.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { annotateEndpoints, Bind9Instance, DNSZone, localPods } from "@telltale/bindy";
import { findConnection, httpTransport, type Transport } from "@telltale/client";
import { systemClock as clock, sleep } from "@telltale/clock";
import { Namespace, Pod } from "@telltale/kinds/builtin";
import { processRuntime, workloads } from "@telltale/workloads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bindFor } from "../../../tools/bind/bind.ts";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { type ShippedOperator, startShipped } from "./shipped.ts";

const assets = assetsFor("bindy as it is shipped");
const bind = bindFor("bindy as it is shipped");
const samples = ["bind9-cluster.yaml", "bind9-instance.yaml", "bind9-globalcluster.yaml", "zone.yaml"];
const run = promisify(execFile);

describe.skipIf(assets === undefined || bind === undefined)("bindy as it is shipped", () => {
  let bindy: ShippedOperator;
  let servers: { stop(): Promise<void> } | undefined;
  beforeAll(async () => {
    bindy = await startShipped({ assets: assets ?? "", operator: "bindy" });
  }, 240_000);
  afterAll(async () => {
    await servers?.stop();
    await bindy?.stop();
  });

  const readiness = (lines: readonly string[]) =>
    lines.filter((line) => / (Ready|Pod-\d+|Bind9Instance-\d+)=/.test(line));
  const own = async () => (await bindy.eventLines()).filter((line) => /(Bind9\w+|DNSZone|[A-Z]+Record)\//.test(line));
  const zoneOf = async () => (await bindy.client.get(DNSZone, "example-com", { namespace: "default" })).status;
  const pods = async () => (await bindy.client.list(Pod, { namespace: "default", labelSelector: "app=bind9" })).items;
  const dig = async (pod: Pod, ...words: readonly string[]) => {
    const [host = "", port = ""] = (pod.metadata?.annotations?.["bindy.firestoned.io/endpoint-dns"] ?? "").split(":");
    const args = ["-r", `@${host}`, "-p", port, "+norec", "+time=1", "+tries=1", ...words];
    return (await run("dig", args, { env: { PATH: bind ?? "" } }).catch(() => ({ stdout: "" }))).stdout.trim();
  };
  const instanceOf = ({ metadata }: Pod) => metadata?.labels?.["instance"] ?? "";

  test("with nothing behind them nothing is ready, and parents name what is forbidden or missing", async () => {
    await bindy.applySamples(...samples);
    const gone = 'No cluster in namespace dns-system: 404 NotFound: namespaces "dns-system" not found';
    await bindy.until("the global cluster names the missing namespace", (lines) =>
      lines.some((line) => line.startsWith("Bind9GlobalCluster ") && line.endsWith(gone)),
    );
    await bindy.client.create(Namespace, { metadata: { name: "dns-system" } });
    const forbidden =
      /Bind9Cluster dns-system\/production-dns Ready=False \w+: .*may not (create|read) secrets in namespace dns-system$/;
    await bindy.until("the cluster names what is forbidden", (lines) => lines.some((line) => forbidden.test(line)));
    const lines = await bindy.quiet(3_000);
    expect(readiness(lines).filter((line) => !line.includes("=False "))).toEqual([]);
    expect(lines.filter((line) => /DNSZone .* (Progressing|Degraded)=False/.test(line))).toEqual([]);
    expect((await own()).filter((line) => line.startsWith("Normal "))).toEqual([]);
    const { items } = await bindy.client.list(Bind9Instance, {});
    expect(items.map(({ status }) => [status?.readyReplicas, status?.zonesCount])).toEqual(items.map(() => [0, 0]));
    const standings = (await zoneOf())?.bind9Instances?.map(({ status, reason }) => `${status} ${reason}`);
    expect(standings).toEqual(["Claimed WaitingForPod", "Claimed WaitingForPod", "Claimed WaitingForPod"]);
    expect((await zoneOf())?.serial).toBeUndefined();
  }, 240_000);

  test("with servers behind them everything that is said is what the servers answer", async () => {
    servers = await startServers(bindy, bind ?? "");
    // All that can become ready: 4 instances, of which one has two pods, their cluster, the zone and its 8 records.
    const isWhole = (lines: readonly string[]) => {
      const here = lines.filter((line) => /^\w+ default\/\S+ (Ready|Pod-\d+)=/.test(line));
      return here.length === 4 + 5 + 1 + 1 + 8 && here.every((line) => line.includes("=True "));
    };
    await bindy.until("all in namespace default is ready", isWhole, 240_000);
    const lines = await bindy.quiet(2_000);
    const status = await zoneOf();
    for (const pod of await pods()) {
      const [instance, name] = [instanceOf(pod), pod.metadata?.name ?? ""];
      const said = lines.filter((line) => line.includes(` Pod-`) && line.includes(` ${name} `));
      const isServing = (await dig(pod, "version.bind", "CH", "TXT")).includes("status: NOERROR");
      expect([name, said.map((line) => line.includes("=True "))]).toEqual([name, [isServing]]);
      if (!isServing) continue;
      const { status: of } = await bindy.client.get(Bind9Instance, instance, { namespace: "default" });
      const serial = (await dig(pod, "+short", "example.com", "SOA")).split(" ")[2];
      expect([name, of?.zonesCount, serial]).toEqual(
        instance === "edge-dns" ? [name, 0, undefined] : [name, 1, String(status?.serial)],
      );
      if (instance === "edge-dns") continue;
      expect((await dig(pod, "+short", "www.example.com", "A")).split("\n").sort()).toEqual([
        "192.0.2.10",
        "192.0.2.11",
      ]);
      expect(await dig(pod, "+short", "example.com", "MX")).not.toBe("");
    }
    const records = lines.filter((line) => / default\/\w+ Ready=/.test(line) && line.includes("Record "));
    expect(records.filter((line) => !line.includes("Ready=True ReconcileSucceeded"))).toEqual([]);
    expect(records).toHaveLength(8);
    expect(status?.bind9Instances?.map((one) => one.status)).toEqual(["Configured", "Configured", "Configured"]);
    // Where nobody was allowed to make servers, there are none.
    const forbidden = lines.filter((line) => /(Bind9\w+ dns-system\/|Bind9GlobalCluster )/.test(line));
    expect(forbidden.filter((line) => line.includes("=True"))).toEqual([]);
  }, 400_000);

  test("with the servers gone nothing is ready any more, and what nobody can tell is Unknown", async () => {
    await servers?.stop();
    servers = undefined;
    // What a cluster does when it does not hear of a node for 40 s.
    for (const { metadata, status } of await pods()) {
      const conditions = status?.conditions?.map((one) =>
        one.type === "Ready" && one.status === "True"
          ? { ...one, status: "Unknown", reason: "NodeStatusUnknown" }
          : one,
      );
      const { name = "", namespace = "" } = metadata ?? {};
      await bindy.client.status.patch(Pod, { name, namespace }, { merge: { status: { conditions } } });
    }
    await bindy.until("nothing is ready", (all) => readiness(all).every((line) => !line.includes("=True ")), 240_000);
    const lines = await bindy.quiet(3_000);
    expect(lines.filter((line) => line.includes("=True "))).toEqual([]);
    const unknown = [
      "Bind9Cluster default/production-dns Ready=Unknown NotReady: ",
      "Bind9Instance default/production-dns-primary-0 Ready=Unknown NotReady: ",
      "DNSZone default/example-com Ready=Unknown BindcarUnreachable: ",
      "DNSZone default/example-com Degraded=Unknown BindcarUnreachable: ",
      "ARecord default/www Ready=Unknown BindcarUnreachable: ",
    ];
    for (const start of unknown) expect(lines.filter((line) => line.startsWith(start))).toHaveLength(1);
    const rows = bindy.kubectl("get", "b9c,b9,dnszones,arecords", "--no-headers").split("\n");
    expect(rows.filter((row) => /\bTrue\b/.test(row))).toEqual([]);
    for (const pod of await pods()) expect(await dig(pod, "example.com", "SOA")).not.toContain("status:");
  }, 400_000);
});

/** Controllers, a node, and named with a Bindcar as processes for each pod. Bindcar asks nobody who asks it: the program has no token here. */
async function startServers(bindy: ShippedOperator, path: string): Promise<{ stop(): Promise<void> }> {
  const transport: Transport = httpTransport(
    await findConnection({ clock, path: bindy.controlPlane.kubeconfig, env: {} }),
  );
  const local = localPods({ path, as: "real", access: { by: "shared secret", token: "not asked for" } });
  const images = Object.fromEntries(
    Object.entries(local.runtime.images).map(([name, program]) => [
      name,
      { ...program, env: { ...program.env, DISABLE_AUTH: "true" } },
    ]),
  );
  const stop = new AbortController();
  const runtime = processRuntime({ ...local.runtime, images });
  const running = Promise.all([
    workloads({ transport, runtime, rootCertificate: bindy.controlPlane.ca }).run(stop.signal),
    annotateEndpoints({ client: bindy.client, clock }, stop.signal),
  ]);
  return {
    async stop() {
      stop.abort();
      await running;
      await transport.close();
      local.remove();
      await sleep(clock, 0);
    },
  };
}
