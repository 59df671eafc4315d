// Clusters of nameservers in the simulation, with a zone and records: one that is made, one that is scaled, one whose pods crash and
// vanish, one whose Bindcar goes wrong in each way that there is, one that is deleted, and one with two zones.
import type { Clock, Random } from "@telltale/clock";
import type { Condition, KindRef, KubeObject } from "@telltale/kinds";
import { ConfigMap, Deployment, Pod, Secret, Service, ServiceAccount } from "@telltale/kinds/builtin";
import type { Deed, Ended, Fault, Look, Scenario } from "@telltale/simulation";
import { presets } from "../src/bindcar-simulated/faults.ts";
import { type Config, standardConfig } from "../src/config.ts";
import {
  ARecord,
  Bind9Cluster,
  Bind9GlobalCluster,
  Bind9Instance,
  CNAMERecord,
  DNSZone,
  recordKinds,
} from "../src/kinds/index.ts";
import { labels } from "../src/names.ts";
import { bindyOperator } from "../src/operator.ts";
import { garbledNames, SimulatedMachines } from "./machines.ts";
import { crashes, faultOn, madeOf, quickCluster } from "./quick-cluster.ts";
import { fewDown, safety, waitsForOthers } from "./safety.ts";
import { zoneSpec } from "./zone-objects.ts";

const namespace = "default";
const second = 1_000;

const of = (kind: KindRef, name: string, spec: object, zoneName = "example.com"): KubeObject =>
  ({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace, labels: { zone: zoneName } },
    spec,
  }) as KubeObject;

const cluster = (secondaries: number): KubeObject =>
  of(Bind9Cluster, "dns", { primary: { replicas: 1 }, secondary: { replicas: secondaries } });

const zone = of(DNSZone, "example-com", zoneSpec);
const www = of(ARecord, "www", { name: "www", ipv4Addresses: ["192.0.2.10"] });
const net = "example.net";
const otherZone = of(
  DNSZone,
  "example-net",
  { ...zoneSpec, zoneName: net, recordsFrom: [{ selector: { matchLabels: { zone: net } } }] },
  net,
);
const otherWww = of(ARecord, "www-net", { name: "www", ipv4Addresses: ["192.0.2.20"] }, net);
const alias = of(CNAMERecord, "alias", { name: "alias", target: "www.example.com." });

const base: Omit<Scenario<SimulatedMachines>, "name"> = {
  apply: [cluster(2), zone, www],
  kinds: [Bind9GlobalCluster, Bind9Cluster, Bind9Instance, DNSZone, ...recordKinds],
  operator: operatorWith(standardConfig),
  others: ({ backend }) => [...quickCluster(backend), backend.flapping.onlooker()],
  backend: ({ clock, random }) => new SimulatedMachines(clock, random),
  // One that asks for nothing.
  crowd: (i) => of(Bind9Cluster, `crowd-${i}`, {}),
  // Longer than anybody waits for their turn, and than an instance counts as young.
  quiet: 610 * second,
  promise,
  leftovers,
  safety,
  // Whose servers are all gone but one: that one's pods still need it.
  outlives: ({ kind }) => kind === ServiceAccount.kind,
  differs,
  // What chance gives, addresses, how a pod has fared, how often a zone was published, and which generation of its cluster an instance has last seen.
  free: [
    "DNSZone *.status.serial",
    "Secret *.data.secret",
    "Secret *.data.rndc.key",
    "Pod *.status.podIP",
    "Pod *.status.containerStatuses",
    `Pod *.metadata.annotations.${madeOf}`,
    `Pod *.metadata.annotations.${crashes}`,
    "Bind9Instance *.status.serviceAddress",
    "Bind9Instance *.status.observedParentGeneration",
  ],
  end: ({ backend }) => answersOf(backend, 3),
};

function operatorWith(config: Config): Scenario<SimulatedMachines>["operator"] {
  return ({ clock, random, transport, backend }) =>
    bindyOperator({
      config,
      transport,
      clock,
      random,
      bindcar: backend.bindcar(clock, random),
      updates: backend.updates(clock),
    });
}

/** So many servers answer, and none was said to fail or to be well without a cause. */
function answersOf(
  machines: SimulatedMachines,
  count: number,
  address = "192.0.2.10",
  name = "www.example.com.",
): void {
  const said = machines.answers(name, "A").join(", ");
  const wanted = Array.from({ length: count }, () => address).join(", ");
  if (said !== wanted) throw new Error(`servers answer ${said} for ${name}, not ${wanted}`);
  const [flap] = machines.flapping.found;
  if (flap !== undefined) throw new Error(flap);
}

function differs({ p, again, then, on, at, kind, how }: Fault, all: readonly Fault[]): boolean {
  // A cluster, a zone or a record that is gone for good nobody puts back, and the others say so. Of which it is, the fault tells nothing.
  if (p === "P18") return again === false;
  // Servers are numbered in the order in which they are asked for: primaries that come later have later numbers.
  if (p === "P22" || p === "P33")
    return String(on).includes("/bind9clusters/") && /^\/primary(\/replicas)?$/.test(String(at));
  // All servers go with their definition, or with their cluster's. Beside other faults their names are free again in any order.
  if (p === "P26")
    return all.length > 1 && how === "recreated" && (kind === Bind9Cluster.kind || kind === Bind9Instance.kind);
  if (p !== "P28") return false;
  // As P18. An instance its cluster makes again.
  const isInstance = String(on).includes("/bind9instances/");
  if (then === "gone") return !isInstance;
  // Beside other faults: as P26; and where a person is faster than the cluster, an instance is that person's.
  return all.length > 1 && (isInstance || String(on).includes("/bind9clusters/"));
}

/** What `Ready` promises. */
function promise(object: KubeObject, look: Look): boolean {
  const { name = "", namespace: place } = object.metadata ?? {};
  const here = <T extends KubeObject>(kind: KindRef<T>) =>
    look.list(kind).filter(({ metadata }) => metadata?.namespace === place);
  switch (object.kind) {
    case Bind9Cluster.kind: {
      const { primary: p, secondary: s } = (object as Bind9Cluster).spec;
      // One that it made stays its own, also where somebody has it name another one.
      const isIts = ({ metadata, spec }: Bind9Instance) =>
        spec.clusterRef === name ||
        (metadata.ownerReferences?.some(({ uid }) => uid === object.metadata?.uid) ?? false);
      const ready = here(Bind9Instance).filter((it) => isIts(it) && isReady(it));
      const count = (role: string) => ready.filter(({ spec }) => spec.role === role).length;
      return count("primary") >= (p?.replicas ?? 0) && count("secondary") >= (s?.replicas ?? 0);
    }
    case Bind9Instance.kind:
      return here(Pod).some((it) => it.metadata?.labels?.[labels.appInstance] === name && isReady(it));
    case DNSZone.kind:
      return here(Bind9Instance).some(({ spec }) => spec.role === "primary");
    default:
      return here(DNSZone).length > 0;
  }
}

const isReady = (object: KubeObject): boolean => {
  const { status } = object as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
};

/** What must be gone before an object may go. */
function leftovers(object: KubeObject, machines: SimulatedMachines, look: Look): string | undefined {
  const { kind, metadata } = object;
  if (kind === DNSZone.kind) {
    const { zoneName } = (object as DNSZone).spec;
    // Who has no pod any more only has not heard of it yet, and who is told that there is no such zone takes it for gone (8.5).
    const asked = look.list(Pod).map((it) => it.metadata?.uid ?? "");
    const pods = new Set(asked.filter((it) => !machines.denies(it)));
    const still = machines.answers(`${zoneName}.`, "SOA", pods).filter((it) => it !== "REFUSED");
    return still.length === 0 ? undefined : `the zone on ${still.length} server(s)`;
  }
  const parts = kind === Bind9Cluster.kind ? [Bind9Instance] : kind === Bind9Instance.kind ? made : [];
  const left = parts
    .flatMap((it: KindRef) => look.list(it))
    .find((it) => it.metadata?.ownerReferences?.some(({ uid }) => uid === metadata?.uid));
  return left === undefined || left.metadata?.deletionTimestamp !== undefined
    ? undefined
    : `${left.kind} ${left.metadata?.name}`;
}

const made = [Deployment, Service, ConfigMap, Secret];

const patched = (at: number, what: string, kind: KindRef, name: string, merge: object): Deed => ({
  at,
  what,
  act: (client) => client.patch(kind, { namespace, name }, { merge }),
});

const scale = (at: number, secondaries: number): Deed =>
  patched(at, `asks for ${secondaries} secondaries`, Bind9Cluster, "dns", {
    spec: { secondary: { replicas: secondaries } },
  });

const mark = (at: number, what: string, pod: string, annotations: object): Deed =>
  patched(at, `${what} ${pod}`, Pod, pod, { metadata: { annotations } });

const gone = (at: number, kind: KindRef, name: string): Deed => ({
  at,
  what: `deletes the ${kind.kind} ${name}`,
  act: (client) => client.delete(kind, { namespace, name }, { propagation: "Background" }),
});

const primary = "dns-primary-0-1-0";
const secondary = "dns-secondary-0-1-0";

export const created: Scenario<SimulatedMachines> = {
  ...base,
  name: "created",
  apply: [...base.apply, alias],
};

export const scaled: Scenario<SimulatedMachines> = {
  ...base,
  name: "scaled",
  apply: [cluster(1), zone, www],
  people: [scale(20 * second, 2), scale(40 * second, 1)],
  end: ({ backend }) => answersOf(backend, 2),
};

export const crashing: Scenario<SimulatedMachines> = {
  ...base,
  name: "crashing",
  people: [mark(20 * second, "crashes", primary, { [crashes]: "1" }), gone(50 * second, Pod, secondary)],
};

export const deleted: Scenario<SimulatedMachines> = {
  ...base,
  name: "deleted",
  people: [
    gone(20 * second, ARecord, "www"),
    gone(20.5 * second, DNSZone, "example-com"),
    gone(21 * second, Bind9Cluster, "dns"),
  ],
  end: ({ backend }: Ended<SimulatedMachines>) => answersOf(backend, 0),
};

/** Both join at once, both are edited at once, and one leaves while the other is edited: neither may undo what the other says. */
export const twoZones: Scenario<SimulatedMachines> = {
  ...base,
  name: "two-zones",
  apply: [cluster(1), zone, otherZone, www, otherWww],
  people: [
    patched(20 * second, "edits the record", ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.11"] } }),
    patched(20 * second, "edits the other's", ARecord, "www-net", { spec: { ipv4Addresses: ["192.0.2.21"] } }),
    gone(60 * second, DNSZone, "example-net"),
    gone(60 * second, ARecord, "www-net"),
    patched(60 * second, "edits the record again", ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.12"] } }),
  ],
  end({ backend }) {
    answersOf(backend, 2, "192.0.2.12");
    answersOf(backend, 2, "REFUSED", "www.example.net.");
  },
};

/** The Bindcar of the primary goes wrong for a while, and meanwhile somebody edits a record. Pods have no gate: others have. */
export const faulty = (fault: string): Scenario<SimulatedMachines> => ({
  ...base,
  operator: operatorWith({ ...standardConfig, zoneReadinessGate: false }),
  name: `bindcar-${fault}`,
  people: [
    mark(20 * second, `Bindcar begins to fail (${fault}) in`, primary, { [faultOn]: fault }),
    patched(60 * second, "edits the record", ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.11"] } }),
    mark(140 * second, "Bindcar is well again in", primary, { [faultOn]: null }),
  ],
  end: ({ backend }) => answersOf(backend, 3, "192.0.2.11"),
});

export const faults: readonly Scenario<SimulatedMachines>[] = [...Object.keys(presets), ...garbledNames].map(faulty);

const upstreams = ({ clock, random }: { readonly clock: Clock; readonly random: Random }) =>
  new SimulatedMachines(clock, random, "0.9.0");

/** Upstream's Bindcar is in the pods: zones are changed at the DNS port. */
export const upstream: Scenario<SimulatedMachines> = {
  ...base,
  name: "upstream",
  backend: upstreams,
  apply: [cluster(1), zone, www, alias],
  people: [
    patched(20 * second, "edits the record", ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.11"] } }),
    patched(40 * second, "edits it again", ARecord, "www", { spec: { ipv4Addresses: ["192.0.2.12"] } }),
    gone(40 * second, CNAMERecord, "alias"),
  ],
  end({ backend }) {
    answersOf(backend, 2, "192.0.2.12");
    answersOf(backend, 2, "NXDOMAIN", "alias.example.com.");
  },
};

/** Its updates go wrong for a while. */
export const upstreamFaults = ["update-lost", "update-reset"].map(
  (fault): Scenario<SimulatedMachines> => ({ ...faulty(fault), name: `upstream-${fault}`, backend: upstreams }),
);

/**
 * All servers are replaced, one after the other. Other scenarios take objects away and edit them: here each server that does not answer
 * is being replaced.
 */
export const rolled: Scenario<SimulatedMachines> = {
  ...base,
  name: "rolled",
  others: ({ backend }) => [...quickCluster(backend, { unavailable: true }), backend.flapping.onlooker()],
  people: [patched(30 * second, "wants another version", Bind9Cluster, "dns", { spec: { version: "9.16" } })],
  unsuited: ["P18", "P22", "P26", "P27", "P28", "P30", "P31", "P33", "P34"],
  safety: [...safety, fewDown],
  guards: [waitsForOthers((around) => base.operator(around))],
};
