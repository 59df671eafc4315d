import type { KubeObject } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { cluster, network, plane } from "../test/worlds.ts";
import { clusterOf, gateOf, ownerOf, passageOf } from "./gate.ts";
import type { Cluster } from "./kinds/cluster.ts";
import { ClusterV1beta2 } from "./kinds/cluster.ts";
import { annotations, labels } from "./names.ts";

const owner = (more: object = {}) => ({
  ownerReferences: [{ apiVersion: "cluster.x-k8s.io/v1beta1", kind: "Cluster", name: "demo", uid: "c", ...more }],
});
const with_ = (metadata: object, of: KubeObject = network()): KubeObject =>
  ({ ...of, metadata: { ...of.metadata, ...owner(), ...metadata } }) as KubeObject;
const infrastructure = { isInfrastructure: true };
const leaving = { deletionTimestamp: "2026-01-01T00:00:00Z" };

describe("3.6.1 who is left alone", () => {
  it("G2 is one without the label of the watch filter", () => {
    const filtered = { ...infrastructure, watchFilter: "mine" };
    expect(passageOf(with_({}), cluster(), filtered).as).toBe("ignored");
    expect(passageOf(with_({ labels: { [labels.watchFilter]: "mine" } }), cluster(), filtered).as).toBe("open");
  });

  it("G3 AS-10 is one that somebody else manages, by annotation or label, and only of infrastructure", () => {
    for (const mark of [{ annotations: { [annotations.managedBy]: "" } }, { labels: { [labels.managedBy]: "x" } }]) {
      expect(passageOf(with_(mark), cluster(), infrastructure).as).toBe("ignored");
      expect(passageOf(with_({ ...mark, ...leaving }), cluster(), infrastructure).as).toBe("ignored");
      expect(passageOf(with_(mark, plane()), cluster(), { isInfrastructure: false }).as).toBe("open");
    }
  });

  it("G4 CC-1 CP-1 is one without an owner, unless it goes away", () => {
    const alone = { ...network(), metadata: { ...network().metadata } };
    expect(passageOf(alone, undefined, infrastructure)).toEqual({ as: "ignored" });
    const going = { ...alone, metadata: { ...alone.metadata, ...leaving } };
    expect(passageOf(going, undefined, infrastructure)).toEqual({ as: "open" });
  });

  it("G5 is one whose Cluster is not there, and is looked at again", () => {
    expect(passageOf(with_({}), undefined, infrastructure)).toEqual({ as: "put off", again: 10_000 });
  });

  it("G6 is a paused one, even when it goes away, with all the reasons", () => {
    const paused = cluster({ paused: true });
    expect(passageOf(with_(leaving), paused, infrastructure)).toEqual({
      as: "paused",
      why: "Cluster spec.paused is true",
    });
    const both = with_({ annotations: { [annotations.paused]: "" } });
    expect(passageOf(both, paused, infrastructure)).toEqual({
      as: "paused",
      why: "Cluster spec.paused is true, CAPTCluster has the cluster.x-k8s.io/paused annotation",
    });
  });

  it("G7b is one whose Cluster goes away, until it does itself", () => {
    const going = { ...cluster(), metadata: { ...cluster().metadata, ...leaving } } as Cluster;
    expect(passageOf(with_({}), going, infrastructure)).toEqual({ as: "put off", again: 10_000 });
    expect(passageOf(with_(leaving), going, infrastructure).as).toBe("open");
  });

  it("is one without a spec, which got past admission", () => {
    const { spec: _none, ...bare } = with_({}) as KubeObject & { spec?: unknown };
    expect(passageOf(bare, cluster(), infrastructure).as).toBe("ignored");
  });
});

describe("the owner of an object", () => {
  const look = (found: Cluster | undefined) => ({ get: () => found as never });

  it("CC-2 CP-2 is found by its reference, never by a name that is the same", () => {
    const stranger = { ...network(), metadata: { ...network().metadata, name: "demo" } };
    expect(ownerOf(stranger)).toBeUndefined();
    expect(clusterOf(stranger, look(cluster()), ClusterV1beta2 as never)).toBeUndefined();
    const other = with_({ ownerReferences: [{ apiVersion: "v1", kind: "Cluster", name: "demo", uid: "c" }] });
    expect(ownerOf(other)).toBeUndefined();
  });

  it("CC-3 CP-3 may be named in any version of its group", () => {
    for (const version of ["v1beta1", "v1beta2", "v9"]) {
      expect(ownerOf(with_(owner({ apiVersion: `cluster.x-k8s.io/${version}` })))?.name).toBe("demo");
    }
  });

  it("G5 is only the one with its very uid", () => {
    expect(clusterOf(with_({}), look(cluster()), ClusterV1beta2 as never)?.metadata.uid).toBe("c");
    expect(clusterOf(with_(owner({ uid: "another" })), look(cluster()), ClusterV1beta2 as never)).toBeUndefined();
  });
});

it("each passage is a gate: paused ones say so, and only open ones are gone through", () => {
  const hold = (why: string) => ({ only: why }) as never;
  expect(gateOf({ as: "ignored" }, hold)).toBe("ignore");
  expect(gateOf({ as: "put off", again: 7 as never }, hold)).toEqual({ again: 7 });
  expect(gateOf({ as: "paused", why: "because" as never }, hold)).toEqual({ only: "because" });
  expect(gateOf({ as: "open" }, hold)).toBe("go");
});

it("one of a namespace is not that of another one, and without labels it does not pass a filter", () => {
  const filtered = { isInfrastructure: true, watchFilter: "mine" };
  expect(passageOf(with_({ labels: undefined }), cluster(), filtered).as).toBe("ignored");
  expect(passageOf(with_({ labels: { other: "mine" } }), cluster(), { isInfrastructure: true }).as).toBe("open");
  const asked: unknown[] = [];
  const get = (_kind: unknown, name: unknown) => void asked.push(name);
  clusterOf(with_({ namespace: "t7" }), { get: get as never }, ClusterV1beta2 as never);
  expect(asked).toEqual([{ namespace: "t7", name: "demo" }]);
  expect(ownerOf(with_(owner({ kind: "Other" })))).toBeUndefined();
});
