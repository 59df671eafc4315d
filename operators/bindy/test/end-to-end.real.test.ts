// The whole of it with Debian's BIND (10.6, 16.9): pods of the process runtime on the embedded server, the operator, and dig.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sleep, systemClock } from "@telltale/clock";
import { Pod, Secret } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindFor } from "../../../tools/bind/bind.ts";
import {
  AAAARecord,
  ARecord,
  Bind9Cluster,
  Bind9GlobalCluster,
  Bind9Instance,
  CNAMERecord,
  DNSZone,
  NSRecord,
} from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { containerOf, namespace, type RealCluster, realCluster, signingKeys, token } from "./real-cluster.ts";
import { dnsZone, record } from "./zone-objects.ts";

const path = bindFor("operators/bindy: end to end");

describe.skipIf(path === undefined)("a cluster of real nameservers", () => {
  let on: RealCluster;
  beforeAll(async () => {
    on = await realCluster(path ?? "", { namespaces: ["t"] });
  });
  afterAll(() => on?.end());

  const wait = { timeout: 120_000, interval: 250 };
  const three = (text: string) => [text, text, text];
  const reason = async (...of: Parameters<RealCluster["says"]>) => (await on.says(...of)).split(" ", 2).join(" ");
  const ready = () => reason(Bind9Cluster, "dns");
  const globalReady = () => reason(Bind9GlobalCluster, "dns");
  const zoneReady = () => reason(DNSZone, "example-com");
  const podReady = (instance: string) => reason(Bind9Instance, instance, "Pod-0");
  const instances = ["dns-primary-0", "dns-secondary-0", "dns-secondary-1"];

  /** A record, named after its type and what it is for. */
  const named = (name: string, type: Parameters<typeof record>[0], spec: object, within = namespace) => {
    const { apiVersion, kind, metadata } = record(type, spec);
    return on.make({
      apiVersion,
      kind,
      metadata: { name, namespace: within, labels: metadata.labels ?? {} },
      spec,
    } as object);
  };

  it("A-100 A-120 one primary and two secondaries serve a zone with each kind of record", async () => {
    await on.make({
      apiVersion: Bind9GlobalCluster.apiVersion,
      kind: Bind9GlobalCluster.kind,
      metadata: { name: "dns" },
      spec: { namespace, primary: { replicas: 1 }, secondary: { replicas: 2 } },
    } as object);
    await on.make(dnsZone());
    await named("www-a", "A", { name: "www", ipv4Addresses: ["192.0.2.10"], ttl: 300 });
    await named("www-aaaa", "AAAA", { name: "www", ipv6Addresses: ["2001:db8::10"] });
    await named("spf", "TXT", { name: "@", text: ["v=spf1 -all"] });
    await named("alias", "CNAME", { name: "alias", target: "www.example.com." });
    await named("mail", "MX", { name: "@", priority: 10, mailServer: "mail.example.org." });
    await named("sub", "NS", { name: "sub", nameserver: "ns.example.org." });
    await named("sip", "SRV", { name: "_sip._tcp", priority: 1, weight: 2, port: 5060, target: "www.example.com." });
    await named("caa", "CAA", { name: "@", flags: 0, tag: "issue", value: "letsencrypt.org" });
    await expect.poll(ready, wait).toBe("True AllReady");
    await expect.poll(globalReady, wait).toBe("True ClustersReady");
    await expect.poll(zoneReady, wait).toBe("True ReconcileSucceeded");
    await expect.poll(() => on.everywhere("www.example.com", "A"), wait).toEqual(three("192.0.2.10"));
    await expect.poll(() => on.everywhere("www.example.com", "AAAA"), wait).toEqual(three("2001:db8::10"));
    await expect.poll(() => on.everywhere("example.com", "TXT"), wait).toEqual(three('"v=spf1 -all"'));
    await expect.poll(() => on.everywhere("example.com", "MX"), wait).toEqual(three("10 mail.example.org."));
    await expect
      .poll(() => on.everywhere("_sip._tcp.example.com", "SRV"), wait)
      .toEqual(three("1 2 5060 www.example.com."));
    await expect.poll(() => on.everywhere("example.com", "CAA"), wait).toEqual(three('0 issue "letsencrypt.org"'));
    await expect.poll(() => on.everywhere("alias.example.com", "CNAME"), wait).toEqual(three("www.example.com."));
    const whole = await Promise.all((await on.pods()).map((pod) => on.dig(pod, "www.example.com", "A")));
    for (const answer of whole) expect(answer).toMatch(/flags: qr aa/);
    expect(new Set(await on.everywhere("example.com", "SOA")).size).toBe(1);
    const delegation = await Promise.all((await on.pods()).map((pod) => on.dig(pod, "sub.example.com", "NS")));
    for (const answer of delegation) expect(answer).toContain("ns.example.org.");
  }, 400_000);

  it("A-126 a record that no zone selects any more leaves the servers, then its zone", async () => {
    await on.edit(AAAARecord, "www-aaaa", { metadata: { labels: { zone: "other" } } });
    await expect
      .poll(() => on.says(AAAARecord, "www-aaaa"), wait)
      .toBe("False NotSelected Record not selected by any DNSZone recordsFrom selector");
    const { status } = await on.client.get(AAAARecord, "www-aaaa", { namespace });
    expect(status?.zoneRef).toBeUndefined();
    await expect.poll(() => on.everywhere("www.example.com", "AAAA"), wait).toEqual(three(""));
    expect(await on.everywhere("www.example.com", "A")).toEqual(three("192.0.2.10"));
  }, 400_000);

  it("A-124 of an address and a younger alias the address is served", async () => {
    await named("late", "CNAME", { name: "www", target: "other.example.net." });
    await expect
      .poll(() => on.says(CNAMERecord, "late"), wait)
      .toBe("False RecordConflict CNAME record www.example.com. conflicts with ARecord dns/www-a");
    expect(await on.everywhere("www.example.com", "A")).toEqual(three("192.0.2.10"));
    await on.remove(CNAMERecord, "late");
  }, 400_000);

  it("A-127 a server in the zone without an address is turned away, and the zone stays whole", async () => {
    const before = await on.everywhere("example.com", "NS");
    await named("lost", "NS", { name: "@", nameserver: "ns9.example.com." });
    await expect.poll(() => on.says(NSRecord, "lost"), wait).toMatch(/^False InvalidRecordData Invalid record data: /);
    expect(await on.everywhere("example.com", "NS")).toEqual(before);
    expect(await on.everywhere("www.example.com", "A")).toEqual(three("192.0.2.10"));
    expect(await zoneReady()).toBe("True ReconcileSucceeded");
    await on.remove(NSRecord, "lost");
  }, 400_000);

  const net = (within: string, more: object) => {
    const spec = { zoneName: "example.net", recordsFrom: [{ selector: { matchLabels: { zone: "net" } } }], ...more };
    const glue = [{ hostname: "ns1.example.net.", ipv4Address: within === "t" ? "192.0.2.1" : "192.0.2.2" }];
    const soaRecord = { ...dnsZone().spec.soaRecord, primaryNs: "ns1.example.net." };
    return on.make(dnsZone("example-net", { ...spec, nameServers: glue, soaRecord }, { namespace: within }));
  };

  it("A-133 instances elsewhere are used once they allow the zone's namespace", async () => {
    const bind9InstancesFrom = [{ selector: { matchLabels: { "bindy.firestoned.io/cluster": "dns" } } }];
    await net("t", { clusterRef: null, bind9InstancesFrom });
    await expect.poll(() => reason(DNSZone, "example-net", "Ready", "t"), wait).toBe("False NoTargets");
    expect(await on.codes("ns1.example.net", "A")).toEqual(three("REFUSED"));
    const allow = { metadata: { annotations: { [annotations.allowZoneNamespaces]: "t" } } };
    for (const instance of instances) await on.edit(Bind9Instance, instance, allow);
    await expect.poll(() => reason(DNSZone, "example-net", "Ready", "t"), wait).toBe("True ReconcileSucceeded");
    await expect.poll(() => on.everywhere("ns1.example.net", "A"), wait).toEqual(three("192.0.2.1"));
  }, 400_000);

  it("A-132 of two zones with one name the older is served, and the other follows when it is gone", async () => {
    await net(namespace, {});
    await expect
      .poll(() => on.says(DNSZone, "example-net"), wait)
      .toBe("False DuplicateZone Zone 'example.net' is already claimed by: t/example-net");
    expect(await on.everywhere("ns1.example.net", "A")).toEqual(three("192.0.2.1"));
    await on.remove(DNSZone, "example-net", "t");
    await expect.poll(() => on.everywhere("ns1.example.net", "A"), wait).toEqual(three("192.0.2.2"));
    await expect.poll(() => reason(DNSZone, "example-net"), wait).toBe("True ReconcileSucceeded");
  }, 400_000);

  it("A-131 a deleted zone is REFUSED on every pod, its files are gone, and then its object", async () => {
    const files = async () => {
      const roots = (await on.pods()).map((pod) => containerOf(pod, "api").root);
      const all = roots.flatMap((root) => readdirSync(join(root, "var/cache/bind")));
      return all.filter((name) => name.includes("example.net"));
    };
    expect((await files()).length).toBeGreaterThan(0);
    await on.remove(DNSZone, "example-net");
    await expect.poll(() => on.codes("ns1.example.net", "A"), wait).toEqual(three("REFUSED"));
    await expect.poll(() => on.says(DNSZone, "example-net"), wait).toBe("undefined undefined undefined");
    expect(await files()).toEqual([]);
    expect(await on.everywhere("www.example.com", "A")).toEqual(three("192.0.2.10"));
  }, 400_000);

  it("3.4 8.4 zones are signed with the keys of a Secret, by a policy of their own, until the zone says none", async () => {
    const { keys, tag, anchor } = await signingKeys(path ?? "", "example.org");
    await on.client.create(Secret, { metadata: { name: "bindy-keys", namespace: "t" }, stringData: { ...keys } });
    const keysFrom = { secretRef: { name: "bindy-keys" } };
    const signing = { enabled: true, policy: "strict", nsec3: true, keysFrom };
    const metadata = { name: "signed", namespace: "t" };
    const { apiVersion, kind } = Bind9Cluster;
    await on.make({
      apiVersion,
      kind,
      metadata,
      spec: { primary: { replicas: 1 }, global: { dnssec: { signing } } },
    } as object);
    const soaRecord = { ...dnsZone().spec.soaRecord, primaryNs: "ns1.example.org." };
    const nameServers = [{ hostname: "ns1.example.org.", ipv4Address: "192.0.2.1" }];
    const spec = { zoneName: "example.org", clusterRef: "signed", soaRecord, nameServers, recordsFrom: [] };
    await on.make(dnsZone("example-org", spec, { namespace: "t" }));
    await expect.poll(() => on.says(Bind9Cluster, "signed", "Ready", "t"), wait).toMatch(/^True AllReady/);
    const zone = () => on.client.get(DNSZone, "example-org", { namespace: "t" });
    await expect.poll(async () => (await zone()).status?.dnssec, wait).toMatchObject({ signed: true, keyTag: tag });
    const [pod] = (await on.client.list(Pod, { namespace: "t" })).items;
    if (pod === undefined) throw new Error("no pod");
    expect(await on.dig(pod, "example.org", "NSEC3PARAM", "+short")).toMatch(/^1 0 0 [0-9A-F]{32}$/);
    const validated = () => on.delv(pod, anchor, "example.org", "ns1.example.org", "A");
    await expect.poll(validated, wait).toContain("; fully validated");
    await on.edit(DNSZone, "example-org", { spec: { dnssecPolicy: "none" } }, "t");
    await expect.poll(() => on.dig(pod, "example.org", "DNSKEY", "+short"), wait).toBe("");
    await expect.poll(() => on.dig(pod, "ns1.example.org", "A", "+short"), wait).toBe("192.0.2.1");
    await expect.poll(async () => (await zone()).status?.dnssec, wait).toBeUndefined();
    expect(await reason(DNSZone, "example-org", "Ready", "t")).toBe("True ReconcileSucceeded");
  }, 400_000);

  it("A-134 a secondary that comes back elsewhere is let in by the primary, and follows it", async () => {
    const instance = "dns-secondary-0";
    const where = async () => (await on.podOf(instance))?.metadata?.annotations?.[annotations.endpointDns];
    const before = await where();
    await on.remove(Pod, (await on.podOf(instance))?.metadata?.name ?? "");
    await expect.poll(async () => [undefined, before].includes(await where()), wait).toBe(false);
    await expect.poll(ready, wait).toBe("True AllReady");
    const http = (await on.podOf("dns-primary-0"))?.metadata?.annotations?.[annotations.endpointHttp] ?? "";
    const info = async () => {
      const read = await on.bindcar.at(http).zone("example.com");
      return read.ok ? read.value : undefined;
    };
    await expect.poll(async () => (await info())?.alsoNotify, wait).toContain(await where());
    expect((await info())?.alsoNotify).not.toContain(before);
    expect((await info())?.allowTransfer).toContain("127.0.0.1");
    await on.edit(ARecord, "www-a", { spec: { ipv4Addresses: ["192.0.2.11"] } });
    await expect.poll(() => on.everywhere("www.example.com", "A"), wait).toEqual(three("192.0.2.11"));
  }, 400_000);

  it("A-102 A-121 a killed pod shows on every level, and comes back without ever saying NXDOMAIN", async () => {
    const instance = "dns-primary-0";
    const first = await on.podOf(instance);
    const before = await on.everywhere("www.example.com", "A");
    const uid = first?.metadata?.uid ?? "";
    const answers = new Set<string>();
    const watching = new AbortController();
    const watched = (async () => {
      while (!watching.signal.aborted) {
        for (const code of await on.codes("www.example.com", "A")) answers.add(code);
        await sleep(systemClock, 100);
      }
    })();
    const seen = { pod: new Set<string>(), cluster: new Set<string>(), globalCluster: new Set<string>() };
    const note = async () => {
      seen.pod.add((await podReady(instance)).split(" ")[0] ?? "");
      seen.cluster.add((await ready()).split(" ")[0] ?? "");
      seen.globalCluster.add((await globalReady()).split(" ")[0] ?? "");
    };
    await on.remove(Pod, first?.metadata?.name ?? "");
    await expect
      .poll(async () => {
        await note();
        return (await globalReady()).startsWith("False");
      }, wait)
      .toBe(true);
    const isNew = async () => (await on.podOf(instance))?.metadata?.uid !== uid;
    await expect
      .poll(async () => {
        await note();
        return (await isNew()) && (await ready());
      }, wait)
      .toBe("True AllReady");
    await expect.poll(() => on.everywhere("www.example.com", "A"), wait).toEqual(before);
    await expect.poll(globalReady, wait).toBe("True ClustersReady");
    watching.abort();
    await watched;
    expect([...answers]).not.toContain("NXDOMAIN");
    for (const level of Object.values(seen)) expect(level).toContain("False");
  }, 400_000);

  it("A-103 a stopped Bindcar shows as BindcarUnreachable, and DNS still answers", async () => {
    const instance = "dns-secondary-1";
    const pod = await on.podOf(instance);
    const { pid } = containerOf(pod, "api");
    const answer = await on.everywhere("www.example.com", "A");
    process.kill(pid, "SIGSTOP");
    try {
      await expect.poll(() => podReady(instance), wait).toBe("False BindcarUnreachable");
      if (pod !== undefined) expect(await on.dig(pod, "+short", "www.example.com", "A")).toBe(answer[0]);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await expect.poll(() => podReady(instance), wait).toBe("True Ready");
    await expect.poll(ready, wait).toBe("True AllReady");
  }, 400_000);

  it("A-144 neither keys nor the token are in what the operator logged, told, counted or wrote", async () => {
    const keys = (await on.client.list(Secret, { namespace })).items.flatMap(({ data }) => Object.values(data ?? {}));
    const plain = keys.flatMap((it) => [it, Buffer.from(it, "base64").toString("utf8")]).filter((it) => it.length > 20);
    expect(plain.length).toBeGreaterThan(5);
    const kinds = [Bind9GlobalCluster, Bind9Cluster, Bind9Instance, DNSZone, ARecord, Pod];
    const objects = await Promise.all(kinds.map((kind) => on.client.list(kind as typeof Pod, {})));
    const metrics = await on.metrics();
    const all = JSON.stringify([on.lines, await on.events(), objects.map(({ items }) => items), metrics]);
    for (const secret of [token, ...plain]) expect(all.includes(secret)).toBe(false);
    for (const line of [
      'condition_status{kind="Bind9Cluster",namespace="dns",name="dns",type="Ready",reason="AllReady"} 1',
      'resources_active{resource_type="bind9globalcluster"} 1',
      'probe_failures_total{reason="BindcarUnreachable"}',
      'bindcar_requests_total{code="200"}',
    ])
      expect(metrics).toContain(`bindy_firestoned_io_${line}`);
  });
});
