// Zones on servers with upstream's Bindcar, which can neither list nor change RRsets: they are changed in place, and nobody who
// asks meanwhile sees anything of it but the new data.
import { sleep, systemClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { type Pod, Secret } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindFor } from "../../../tools/bind/bind.ts";
import { bindcarFor, bindcarIn, bindcarVersions } from "../../../tools/bindcar/bindcar.ts";
import { ARecord, Bind9Cluster, DNSZone } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { type DnsProber, dnsProber } from "./dns-prober.ts";
import { namespace, type RealCluster, realCluster } from "./real-cluster.ts";
import { dnsZone } from "./zone-objects.ts";

const path = bindFor("operators/bindy: changes with upstream's Bindcar");
const folder = path === undefined ? undefined : bindcarFor("operators/bindy: changes with upstream's Bindcar");

const zones = ["one", "two", "three", "four"];
const hosts = ["a", "b", "c", "d", "e"];
const rounds = 10;
const restartAfter = [1, 3, 5, 7, 9];

describe.skipIf(folder === undefined).each(bindcarVersions)("changes with upstream's Bindcar %s", (version) => {
  let on: RealCluster;
  const probers: DnsProber[] = [];
  // The older one takes no ports, by which servers on one machine are told apart.
  const secondaries = version === "0.7.2" ? 0 : 1;
  beforeAll(async () => {
    on = await realCluster(path ?? "", { upstream: bindcarIn(folder ?? "", version) });
  });
  afterAll(async () => {
    await Promise.all(probers.map((it) => it.stop()));
    await on?.end();
  });

  const names = zones.flatMap((zone) => hosts.map((host) => ({ zone, host, dns: `${host}.${zone}.example` })));
  const addressIn = (round: number, i: number) => `10.0.${round}.${i + 1}`;

  const portOf = (pod: Pod | undefined) => Number(pod?.metadata?.annotations?.[annotations.endpointDns]?.split(":")[1]);

  const make = (of: { readonly apiVersion: string; readonly kind: string }, name: string, spec: object, labels = {}) =>
    on.make({ apiVersion: of.apiVersion, kind: of.kind, metadata: { name, namespace, labels }, spec } as KubeObject);
  const isAcknowledged = async ({ host, zone }: { readonly host: string; readonly zone: string }) => {
    const { metadata, status } = await on.client.get(ARecord, `${host}-${zone}`, { namespace });
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    return ready?.status === "True" && status?.observedGeneration === metadata.generation;
  };
  const acknowledged = async (which: (typeof names)[number]) => {
    while (!(await isAcknowledged(which))) await sleep(systemClock, 20);
  };

  it("a cluster serves its zones", async () => {
    await make(Bind9Cluster, "dns", { primary: { replicas: 1 }, secondary: { replicas: secondaries } });
    for (const zone of zones) {
      const { apiVersion, kind, spec } = dnsZone(zone, {
        zoneName: `${zone}.example`,
        recordsFrom: [{ selector: { matchLabels: { zone } } }],
        soaRecord: { ...dnsZone().spec.soaRecord, primaryNs: `ns1.${zone}.example.` },
        nameServers: [{ hostname: `ns1.${zone}.example.`, ipv4Address: "192.0.2.1" }],
      });
      await make({ apiVersion, kind }, zone, spec);
    }
    for (const [i, { host, zone }] of names.entries())
      await make(ARecord, `${host}-${zone}`, { name: host, ipv4Addresses: [addressIn(0, i)], ttl: 60 }, { zone });
    await Promise.all(names.map(acknowledged));
    const says = () => Promise.all(zones.map((zone) => on.says(DNSZone, zone)));
    await expect
      .poll(says, { timeout: 60_000, interval: 100 })
      .toEqual(zones.map(() => expect.stringContaining("True ReconcileSucceeded")));
  });

  it("200 changes and 5 restarts of the operator are seen as new data and nothing else", async () => {
    const dnsNames = names.map(({ dns }) => dns);
    const asking = await dnsProber(portOf(await on.podOf("dns-primary-0")), dnsNames);
    probers.splice(0, probers.length, asking);
    const followers = (await on.pods()).filter((it) => it.metadata?.labels?.["instance"] !== "dns-primary-0");
    // When they have what is new is not said by records: that they have it is.
    for (const it of followers) probers.push(await dnsProber(portOf(it), dnsNames));
    const before = on.asked.length;
    for (let round = 1; round <= rounds; round += 1) {
      const restarting = restartAfter.includes(round) ? on.restart() : Promise.resolve();
      await Promise.all(
        names.map(async ({ host, zone, dns }, i) => {
          const address = addressIn(round, i);
          await on.edit(ARecord, `${host}-${zone}`, { spec: { ipv4Addresses: [address] } });
          await acknowledged({ host, zone, dns });
          asking.know(dns, address);
        }),
      );
      await restarting;
    }
    for (const { wrong, count } of await Promise.all(probers.map((it) => it.stop())))
      expect([wrong, count > 1_000]).toEqual([[], true]);
    const asked = on.asked.slice(before);
    expect(asked.filter((line) => line.startsWith("DELETE") || line === "POST /zones")).toEqual([]);
  });

  it("every server ends with the same data", async () => {
    for (const [i, { dns }] of names.entries())
      await expect
        .poll(() => on.everywhere(dns, "A"), { timeout: 60_000, interval: 200 })
        .toEqual(Array.from({ length: 1 + secondaries }, () => addressIn(rounds, i)));
  });

  it("the key that updates are signed with is in nothing that the operator logged", async () => {
    const { data = {} } = await on.client.get(Secret, "dns-primary-0-rndc-key", { namespace });
    const key = Buffer.from(data["secret"] ?? "", "base64").toString("utf8");
    expect(key.length).toBeGreaterThan(40);
    expect(on.lines.filter((line) => line.includes(key))).toEqual([]);
  });
});
