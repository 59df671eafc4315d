// Each row of the table of observations: the True goes when the observation does.
import { type Condition, childType, type KindRef, type KubeObject } from "@telltale/kinds";
import { Pod } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Bind9GlobalCluster, Bind9Instance, DNSZone, recordKinds } from "../src/kinds/index.ts";
import { bindyKinds } from "../src/manifests/index.ts";
import { type Observation, type ObservationId, observations } from "../src/observations.ts";
import { zoneSpec } from "./zone-objects.ts";
import { namespace, type ZoneStage, zoneStage } from "./zone-stage.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let it: ZoneStage;

const specs = {
  ARecord: { name: "a", ipv4Addresses: ["192.0.2.10"] },
  AAAARecord: { name: "aaaa", ipv6Addresses: ["2001:db8::10"] },
  TXTRecord: { name: "txt", text: ["one"] },
  CNAMERecord: { name: "cname", target: "a.example.com." },
  MXRecord: { name: "mx", priority: 10, mailServer: "mail.example.net." },
  NSRecord: { name: "ns", nameserver: "ns.example.net." },
  SRVRecord: { name: "_sip._tcp", priority: 1, weight: 2, port: 5060, target: "a.example.com." },
  CAARecord: { name: "caa", flags: 0, tag: "issue", value: "ca.example" },
};

/** A primary and a secondary by a global cluster, a zone on both, and a record of each kind. */
async function begin(): Promise<void> {
  it = await zoneStage();
  const { apiVersion, kind } = Bind9GlobalCluster;
  const spec = { namespace, primary: { replicas: 1 }, secondary: { replicas: 1 } };
  await it.client.create(Bind9GlobalCluster, { apiVersion, kind, metadata: { name: "dns" }, spec });
  await it.pass(40_000);
  await it.make(DNSZone, "example-com", zoneSpec);
  for (const record of recordKinds) await it.make(record, "one", specs[record.kind as keyof typeof specs]);
  await it.pass(40_000);
}

const primary = "dns-primary-0";
const secondary = "dns-secondary-0";

const stop = async (instance: string) => (await it.bindcar(instance)).stop();

const behind = async () => {
  (await it.bindcar(secondary)).nameserver.pin("example.com", 5);
  await it.pass(430_000);
};

/** What has to be for the condition to be True, where that is not so anyway; and how the observation is taken away. */
const steps: Readonly<
  Record<ObservationId, { readonly before?: () => Promise<void>; readonly take: () => Promise<unknown> }>
> = {
  kubelet: {
    async take() {
      await it.stopKubelets();
      // What a cluster says of the pods of a node that it does not hear of.
      const [pod] = await it.pods(primary);
      const conditions = pod?.status?.conditions?.map((one) =>
        one.type === "Ready" ? { ...one, status: "Unknown", reason: "NodeStatusUnknown" } : one,
      );
      const name = pod?.metadata?.name ?? "";
      await it.client.status.patch(Pod, { namespace, name }, { merge: { status: { conditions } } });
    },
  },
  reachable: { take: () => stop(primary) },
  answer: { take: async () => (await it.bindcar(primary)).faults.add("http-429") },
  zoneRead: {
    take: async () =>
      (await it.bindcar(primary)).faults.add({ match: { path: "/zones/" }, action: { type: "status", code: 403 } }),
  },
  secondarySerial: { before: behind, take: () => stop(secondary) },
  missingPod: {
    async before() {
      await it.edit(Bind9Instance, primary, { spec: { replicas: 0 } });
      await it.pass(20_000);
    },
    async take() {
      await it.edit(Bind9Instance, primary, { spec: { replicas: 1 } });
      await it.pass(500);
      (await it.bindcar(primary)).faults.add("http-403");
    },
  },
  zoneResult: { take: () => stop(primary) },
  zoneObject: { take: () => it.remove(DNSZone, "example-com") },
};

afterEach(() => it?.end(), 60_000);

const kindOf = (name: string): KindRef<Reported> => {
  const found = bindyKinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`there is no kind ${name}`);
  return found as KindRef<Reported>;
};

/** `Ready`, or the first child. */
const typeOf = (condition: string): string =>
  condition.endsWith("-{i}") ? childType(condition.slice(0, -"-{i}".length), 0) : condition;

const objects: Readonly<Record<string, string>> = {
  Bind9GlobalCluster: "dns",
  Bind9Cluster: "dns",
  Bind9Instance: primary,
  DNSZone: "example-com",
};

interface Reported extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

async function statusOf({ kind, condition }: Observation): Promise<string> {
  const of = kindOf(kind);
  const found = await it.get<Reported>(of, objects[kind] ?? "one");
  const conditions = found?.status?.conditions ?? [];
  return conditions.find(({ type }) => type === typeOf(condition))?.status ?? "absent";
}

test("the table has every condition that can be True, and no other", () => {
  const declared = bindyKinds.flatMap(({ kind, conditions }) =>
    Object.entries(conditions.types).flatMap(([type, { reasons, form }]) =>
      Object.values(reasons).some(({ on }) => on.includes("True"))
        ? [`${kind} ${type}${form === "family" ? "-{i}" : ""}`]
        : [],
    ),
  );
  const listed = new Set(observations.map(({ kind, condition }) => `${kind} ${condition}`));
  expect([...listed].sort()).toEqual(declared.sort());
});

describe.each(Object.keys(steps) as ObservationId[])("without the observation %s", (id) => {
  const rows = observations.filter((row) => row.id === id);

  test(`${rows.length} condition(s) are not True any more within their times`, async () => {
    await begin();
    await steps[id].before?.();
    for (const row of rows) expect([row, await statusOf(row)]).toEqual([row, "True"]);
    await steps[id].take();
    let passed = 0;
    for (const row of rows.toSorted((a, b) => a.maxAgeMs - b.maxAgeMs)) {
      await it.pass(row.maxAgeMs - passed);
      passed = row.maxAgeMs;
      expect([row, await statusOf(row)]).not.toEqual([row, "True"]);
    }
  });
});
