// 16.4: what a global cluster says, given its clusters. And the rows of 7.5, each by its id.
import { text } from "@telltale/status";
import { describe, expect, test } from "vitest";
import { childView, globalConditions, saying, says } from "../../test/views.ts";
import type { ChildView } from "./child-view.ts";
import { calculateGlobalStatus, type GlobalClusterView } from "./global-cluster.ts";

const at = (namespace: string, more: Partial<ChildView> = {}) => childView("production-dns", { namespace, ...more });

function view(clusters: readonly ChildView[], more: Partial<GlobalClusterView> = {}): GlobalClusterView {
  return {
    name: "production-dns",
    isLeaving: false,
    targets: clusters.map(({ namespace }) => namespace),
    clusters,
    blocked: [],
    ...more,
  };
}
const ready = (of: GlobalClusterView) => says(globalConditions(of), "Ready");

describe("16.4 scenarios", () => {
  test("A-60 all ready, by name, and exactly one condition", () => {
    const both = view([at("production"), at("dns-system")]);
    expect(ready(both)).toBe(
      "True ClustersReady All 2 clusters are ready (dns-system/production-dns, production/production-dns)",
    );
    expect(globalConditions(both)).toHaveLength(1);
    expect(calculateGlobalStatus(both)).toMatchObject({
      instanceCount: 2,
      readyInstances: 2,
      instances: ["dns-system/production-dns", "production/production-dns"],
    });
  });

  test("A-61 one that is scaling", () => {
    expect(ready(view([at("dns-system"), at("production", saying("InstancesScaling"))]))).toBe(
      "False ClustersProgressing 1/2 clusters are ready (not ready: production/production-dns)",
    );
  });

  test("A-62 none ready", () => {
    expect(ready(view([at("dns-system", saying("NotReady")), at("production", saying("NotReady"))]))).toBe(
      "False NotReady No clusters are ready (dns-system/production-dns, production/production-dns)",
    );
  });

  test("A-63 none ready, and one that has not said anything yet", () => {
    expect(ready(view([at("dns-system", saying("NotReady")), at("production", { ready: undefined })]))).toBe(
      "False ClustersProgressing 0/2 clusters are ready (not ready: dns-system/production-dns, production/production-dns)",
    );
  });

  test("A-64 of eight the first five are named", () => {
    const eight = Array.from({ length: 8 }, (_, n) => at(`ns-${n}`, saying("NotReady")));
    const named = [0, 1, 2, 3, 4].map((n) => `ns-${n}/production-dns`).join(", ");
    expect(ready(view(eight))).toBe(`False NotReady No clusters are ready (${named}, and 3 more)`);
  });

  test("A-65 a namespace that is not there", () => {
    const none = view([], { targets: ["nowhere"], blocked: [blocked("nowhere")] });
    expect(ready(none)).toBe("False NoChildren No clusters found for this global cluster: it is not there");
    const one = view([at("dns-system")], { targets: ["dns-system", "nowhere"], blocked: [blocked("nowhere")] });
    expect(ready(one)).toBe(
      "False ClustersProgressing 1/2 clusters are ready (not ready: nowhere/production-dns): it is not there",
    );
  });

  test("an API server that does not answer has refused nothing: the cluster may be there by now", () => {
    const one = view([], { targets: ["nowhere"], blocked: [blocked("nowhere", false)] });
    expect(ready(one)).toBe(
      "False ClustersProgressing 0/1 clusters are ready (not ready: nowhere/production-dns): it is not there",
    );
  });
});

const blocked = (namespace: string, isRefused = true) => ({ namespace, isRefused, cause: text`it is not there` });

describe("7.5 each row by its id", () => {
  const bad = { path: "metadata.name", problem: text`no` };
  const two = [at("a"), at("b")];
  const rows: readonly [string, GlobalClusterView][] = [
    ["G-1", view(two, { isLeaving: true, invalid: bad })],
    ["G-2", view(two, { invalid: bad })],
    ["G-4", view([], { targets: ["a"], blocked: [blocked("a")] })],
    ["G-5", view(two)],
    ["G-5", view([...two, at("old", saying("NotReady"))], { targets: ["a", "b"] })],
    ["G-6", view([], { targets: ["a"] })],
    ["G-8", view([at("a", { freshness: "stale" })])],
    ["G-8", view([at("a"), at("b", saying("NotReady", "Unknown"))])],
    [
      "G-6",
      view([at("a", saying("NotReady", "Unknown")), at("b", saying("NoChildren"))], { targets: ["a", "b", "c"] }),
    ],
    ["G-6", view([at("a"), at("b", saying("NotReady"))])],
    ["G-6", view([at("a", saying("PartiallyReady"))])],
    ["G-7", view([at("a", saying("NotReady")), at("b", saying("NoChildren"))])],
  ];
  test.each(rows)("%s", (id, of) => expect(calculateGlobalStatus(of).ready.row).toBe(id));
});
