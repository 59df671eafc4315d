import { describe, expect, it } from "vitest";
import { dnsZone } from "../../test/zone-objects.ts";
import { type Bind9Cluster, type Bind9GlobalCluster, type Bind9Instance, DNSZone, specOf } from "../kinds/index.ts";
import { type Tenancy, targetsOf } from "./targets.ts";

function instance(
  name: string,
  more: { readonly namespace?: string; readonly role?: string; readonly clusterRef?: string } & object = {},
): Bind9Instance {
  const { namespace = "dns", role = "primary", clusterRef = "dns", ...metadata } = more;
  const it = {
    kind: "Bind9Instance",
    metadata: { name, namespace, uid: `${namespace}/${name}`, ...metadata },
    spec: { role, clusterRef },
  };
  return it as unknown as Bind9Instance; // as the server would give it back
}

const global = (annotations: object = {}) =>
  ({ metadata: { name: "all", uid: "g", annotations } }) as unknown as Bind9GlobalCluster;
const managed = {
  metadata: { name: "all", ownerReferences: [{ uid: "g", controller: true }] },
} as unknown as Bind9Cluster;

const tenancy = (annotations?: object): Tenancy => ({
  globalCluster: (name) => (name === "all" ? global(annotations) : undefined),
  cluster: (_namespace, name) => (name === "all" ? managed : undefined),
});

function targets(spec: object, instances: readonly Bind9Instance[], annotations?: object) {
  const zone = dnsZone("z", spec, { namespace: "dns" });
  const { primaries, secondaries, refused } = targetsOf(zone, specOf(DNSZone, zone), instances, tenancy(annotations));
  const named = (list: readonly Bind9Instance[]) => list.map(({ metadata }) => metadata.name);
  return { primaries: named(primaries), secondaries: named(secondaries), refused };
}

const allow = (namespaces: string) => ({ "bindy.firestoned.io/allow-zone-namespaces": namespaces });

describe("the targets of a zone", () => {
  it("L-45 are the instances of its cluster, in the order of their numbers, without those that go", () => {
    const all = [
      instance("dns-primary-10"),
      instance("dns-primary-2"),
      instance("dns-secondary-0", { role: "secondary" }),
      instance("gone", { deletionTimestamp: "2026-01-01T00:00:00Z" } as object),
      instance("elsewhere", { namespace: "t" }),
      instance("other", { clusterRef: "x" }),
    ];
    expect(targets({ clusterRef: "dns" }, all)).toEqual({
      primaries: ["dns-primary-2", "dns-primary-10"],
      secondaries: ["dns-secondary-0"],
      refused: 0,
    });
  });

  it("are those of every cluster of a global one, unless that one names other namespaces", () => {
    const all = [
      instance("a", { namespace: "one", clusterRef: "all" }),
      instance("b", { namespace: "two", clusterRef: "x" }),
    ];
    const spec = { clusterRef: null, globalClusterRef: "all" };
    expect(targets(spec, all).primaries).toEqual(["a"]);
    expect(targets(spec, all, allow("x, dns")).primaries).toEqual(["a"]);
    expect(targets(spec, all, allow("*")).primaries).toEqual(["a"]);
    expect(targets(spec, all, allow("x"))).toMatchObject({ primaries: [], refused: 1 });
    expect(targets({ clusterRef: null, globalClusterRef: "unknown" }, all)).toMatchObject({
      primaries: [],
      refused: 0,
    });
  });

  it("A-133 are those with its labels: elsewhere only where the instance allows it", () => {
    const labels = { shared: "yes" };
    const bind9InstancesFrom = [{ selector: { matchLabels: labels } }];
    const all = [
      instance("here", { labels } as object),
      instance("there", { namespace: "p", labels } as object),
      instance("open", { namespace: "p", labels, annotations: allow("dns") } as object),
    ];
    expect(targets({ clusterRef: null, bind9InstancesFrom }, all)).toEqual({
      primaries: ["here", "open"],
      secondaries: [],
      refused: 1,
    });
  });

  it("are each there once, in whatever ways they are asked for", () => {
    const labels = { shared: "yes" };
    const spec = { clusterRef: "dns", bind9InstancesFrom: [{ selector: { matchLabels: labels } }] };
    expect(targets(spec, [instance("a", { labels } as object)]).primaries).toEqual(["a"]);
  });
});
