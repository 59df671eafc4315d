// 16.3: what a cluster says, given its instances. And the rows of 7.4, each by its id.
import type { Condition } from "@telltale/kinds";
import { text } from "@telltale/status";
import { describe, expect, test } from "vitest";
import { child, clusterConditions, clusterView, later, saying, says } from "../../test/views.ts";
import { toYaml } from "../manifests/yaml.ts";
import { type ClusterView, calculateClusterStatus, type InstanceChild } from "./cluster.ts";

const three = (more: readonly Partial<InstanceChild>[] = []) => [
  child("production-dns-primary-0", 0, { pods: { ready: 2, total: 2 }, ...more[0] }),
  child("production-dns-primary-1", 1, { pods: { ready: 2, total: 2 }, ...more[1] }),
  child("production-dns-secondary-0", 2, { pods: { ready: 2, total: 2 }, ...more[2] }),
];
const fresh = { ready: undefined, pods: { ready: 0, total: 1 } };
const old = later(601_000);

describe("16.3 scenarios", () => {
  test("A-40 a condition for the whole and one for each instance", () => {
    const types = clusterConditions(clusterView(three())).map(({ type }) => type);
    expect(types).toEqual(["Ready", "Bind9Instance-0", "Bind9Instance-1", "Bind9Instance-2"]);
  });

  test("A-41 all ready is AllReady, and each child tells its pods", () => {
    const said = clusterConditions(clusterView(three()));
    expect(says(said, "Ready")).toBe("True AllReady All 3 instances are ready");
    expect(says(said, "Bind9Instance-0")).toBe("True Ready Instance production-dns-primary-0 is ready (2/2 pods)");
  });

  test("A-42 two of three are PartiallyReady", () => {
    const view = clusterView(three([{}, saying("NotReady")]));
    expect(says(clusterConditions(view), "Ready")).toBe("False PartiallyReady 2/3 instances are ready");
    expect(calculateClusterStatus(view, old)).toMatchObject({ instanceCount: 3, readyInstances: 2 });
  });

  test("A-43 an instance with one of two pods is progressing", () => {
    const part = { ready: { status: "False", reason: "PartiallyReady" }, pods: { ready: 1, total: 2 } } as const;
    expect(says(clusterConditions(clusterView(three([{}, {}, part]))), "Bind9Instance-2")).toBe(
      "False PartiallyReady Instance production-dns-secondary-0 is progressing (1/2 pods)",
    );
  });

  test("A-44 A-45 created, then one by one ready, then all", () => {
    const first = clusterConditions(clusterView(three([fresh, fresh, fresh]), { hasActed: true }));
    expect(says(first, "Ready")).toBe("False InstancesCreated Created 3 instances, waiting for them to become ready");
    const one = clusterConditions(clusterView(three([{}, fresh, fresh]), { previous: "InstancesCreated" }), first);
    expect(says(one, "Ready")).toBe("False PartiallyReady 1/3 instances are ready");
    const all = clusterConditions(clusterView(three(), { previous: "PartiallyReady" }), one);
    expect(says(all, "Ready")).toBe("True AllReady All 3 instances are ready");
  });

  test("A-46 scaling up is told until the new ones are ready", () => {
    const names = [0, 1, 2, 3].map((n) => child(`x-primary-${n}`, n, n < 2 ? {} : fresh));
    const begun = clusterView(names, { previous: "AllReady", hasActed: true });
    expect(says(clusterConditions(begun), "Ready")).toBe(
      "False InstancesScaling Scaling instances to 4: 2/4 instances are ready",
    );
    const going = clusterView(names, { previous: "InstancesScaling" });
    expect(says(clusterConditions(going), "Ready")).toMatch(/^False InstancesScaling/);
    const done = clusterView(
      names.map((it) => ({ ...it, ready: { status: "True" as const, reason: "AllReady" } })),
      { previous: "InstancesScaling" },
    );
    expect(says(clusterConditions(done), "Ready")).toBe("True AllReady All 4 instances are ready");
  });

  test("A-47 scaling down stays True, with one time throughout", () => {
    const four = [0, 1, 2, 3].map((n) => child(`x-primary-${n}`, n));
    const before = clusterConditions(clusterView(four));
    const leaving = four.map((it, n) => ({ ...it, isLeaving: n > 1 }));
    const during = clusterConditions(clusterView(leaving, { previous: "AllReady" }), before, later(60_000));
    expect(says(during, "Ready")).toBe("True InstancesScaling Scaling instances to 2: 2/2 instances are ready");
    expect(says(during, "Bind9Instance-3")).toBe("False Progressing Instance x-primary-3 is being deleted");
    const two = clusterView(four.slice(0, 2), { previous: "InstancesScaling" });
    const after = clusterConditions(two, during, later(90_000));
    expect(says(after, "Ready")).toBe("True AllReady All 2 instances are ready");
    const times = [before, during, after].map((it) => it[0]?.lastTransitionTime);
    expect(new Set(times).size).toBe(1);
    expect(calculateClusterStatus(clusterView(leaving), later(0)).instanceCount).toBe(2);
  });

  test("A-48 the message of every child names it", () => {
    const words = [
      "AllReady",
      "PartiallyReady",
      "Progressing",
      "NotReady",
      "PodsPending",
      "PodsCrashing",
      "NoChildren",
      "ProgressDeadlineExceeded",
      "ConfigurationInvalid",
      "BindcarUnreachable",
      "SomethingElse",
    ];
    const children = words.map((reason, slot) => child(`i-${slot}`, slot, saying(reason)));
    const said = calculateClusterStatus(clusterView(children), old).children;
    expect(said.map(({ message }) => message.split(" ").slice(0, 2).join(" "))).toEqual(
      children.map(({ name }) => `Instance ${name}`),
    );
  });

  test("A-49 none ready, and none young any more", () => {
    const view = clusterView(three([saying("NotReady"), saying("NotReady"), saying("Progressing")]));
    expect(says(clusterConditions(view, [], old), "Ready")).toBe("False NotReady No instances are ready");
  });

  test("A-50 nothing wanted and nothing there", () => {
    expect(says(clusterConditions(clusterView([])), "Ready")).toBe(
      "False NoChildren No instances found for this cluster",
    );
  });

  test("A-51 nothing could be created", () => {
    const view = clusterView([], { wanted: ["x-primary-0", "x-primary-1"] });
    expect(says(clusterConditions(view), "Ready")).toBe(
      "False InstancesPending Waiting for 2 of 2 instances to be created",
    );
  });

  test("A-52 a stale child keeps its word for a while, then it counts for nothing", () => {
    const graced = clusterConditions(clusterView(three([{ freshness: "graced" }])));
    expect(says(graced, "Ready")).toBe("True AllReady All 3 instances are ready");
    const stale = clusterConditions(clusterView(three([{ freshness: "stale", generation: 7 }])), [], old);
    expect(says(stale, "Ready")).toBe("Unknown NotReady 2/3 instances are ready, 1 unknown");
    expect(says(stale, "Bind9Instance-0")).toBe(
      "Unknown Progressing Instance production-dns-primary-0 is progressing (2/2 pods, waiting for generation 7)",
    );
  });

  test("A-53 an instance's trouble with Bindcar is told in its pod's words", () => {
    const cut = { ...saying("BindcarUnreachable"), phrase: text`cannot connect to Bindcar API` };
    expect(says(clusterConditions(clusterView([child("x", 0, cut)])), "Bind9Instance-0")).toBe(
      "False BindcarUnreachable Instance x cannot connect to Bindcar API (0/1 pods)",
    );
  });

  test("A-55 what a person made counts as well", () => {
    const mine = child("mine", 2, { isManaged: false });
    const view = clusterView([child("x-primary-0", 0), child("x-primary-1", 1), mine]);
    expect(says(clusterConditions(view), "Ready")).toBe("True AllReady All 3 instances are ready");
  });

  test("A-56 twelve instances: thirteen conditions, by number, the same through JSON, and texts in YAML", () => {
    const twelve = Array.from({ length: 12 }, (_, n) => child(`x-primary-${n}`, n)).reverse();
    const said = clusterConditions(clusterView(twelve));
    expect(said.map(({ type }) => type)).toEqual([
      "Ready",
      ...Array.from({ length: 12 }, (_, n) => `Bind9Instance-${n}`),
    ]);
    expect(JSON.parse(JSON.stringify(said))).toEqual(said);
    const yaml = toYaml(said);
    expect(yaml.match(/^ {2}status: "True"$/gm)).toHaveLength(13);
    expect(yaml.match(/^ {2}lastTransitionTime: "[^"]+Z"$/gm)).toHaveLength(13);
  });
});

describe("7.4 each row by its id", () => {
  const bad = { path: "spec.acls", problem: text`no` };
  const leaving = [child("x-primary-0", 0, { isLeaving: true })];
  const rows: readonly [string, ClusterView][] = [
    ["C-1", clusterView(three(), { isLeaving: true, invalid: bad })],
    ["C-2", clusterView(three(), { invalid: bad })],
    ["C-4", clusterView([])],
    ["C-5", clusterView(leaving, { wanted: ["x-primary-0"] })],
    ["C-6", clusterView(three([fresh, fresh, fresh]), { previous: "InstancesPending" })],
    ["C-7", clusterView(leaving)],
    ["C-7", clusterView(three([fresh, fresh, fresh]), { previous: "InstancesScaling" })],
    ["C-7", clusterView(three(), { wanted: ["production-dns-primary-0"] })],
    ["C-8", clusterView(three(), { previous: "InstancesScaling" })],
    ["C-9", clusterView(three([fresh]))],
    ["C-9", clusterView(three([saying("NotProbed", "Unknown"), saying("PodsCrashing")]))],
    ["C-11", clusterView(three([saying("NotProbed", "Unknown")]))],
    ["C-9", clusterView(three([saying("ConfigurationInvalid")]), { previous: "InstancesScaling" })],
    ["C-10", clusterView(three([saying("ConfigurationInvalid"), fresh, fresh]))],
    ["C-10", clusterView(three([fresh, fresh, fresh]), { previous: "PartiallyReady" })],
  ];
  test.each(rows)("%s", (id, view) => expect(calculateClusterStatus(view, later(1000)).ready.row).toBe(id));

  test("C-7 a scale-up that is stuck is not scaling any more after ten minutes", () => {
    const stuck = clusterView(three([fresh]), { previous: "InstancesScaling" });
    expect(calculateClusterStatus(stuck, later(599_000)).ready.reason).toBe("InstancesScaling");
    expect(calculateClusterStatus(stuck, old).ready.reason).toBe("PartiallyReady");
    expect(calculateClusterStatus(stuck, later(0)).wakeAt).toBe(later(600_000));
  });

  test("C-7 down to nothing is False, then NoChildren", () => {
    const going = clusterView([child("x-primary-0", 0, { isLeaving: true })], { previous: "AllReady" });
    expect(says(clusterConditions(going), "Ready")).toBe(
      "False InstancesScaling Scaling instances to 0: 0/0 instances are ready",
    );
  });

  test("7.6 the same instance twice counts once", () => {
    const [first] = three();
    const twice = first === undefined ? [] : [first, first];
    expect(calculateClusterStatus(clusterView(twice), later(0)).instanceCount).toBe(1);
  });
});

describe("16.5 times", () => {
  const said = (reason: "AllReady" | "NotReady", before: readonly Condition[], at: number) =>
    clusterConditions(clusterView(three([reason === "AllReady" ? {} : saying(reason)])), before, later(at));

  test("A-70 another reason alone keeps the time", () => {
    const scaling = clusterConditions(clusterView(three([fresh]), { hasActed: true }));
    const partly = said("NotReady", scaling, 60_000);
    expect([scaling, partly].map((it) => it[0]?.reason)).toEqual(["InstancesScaling", "PartiallyReady"]);
    expect(partly[0]?.lastTransitionTime).toBe("2025-01-18T10:00:00Z");
  });

  test("A-71 another status moves it", () => {
    const partly = said("NotReady", [], 0);
    expect(said("AllReady", partly, 60_000)[0]?.lastTransitionTime).toBe("2025-01-18T10:01:00Z");
  });

  test("A-73 what others wrote is kept, and comes last", () => {
    const custom = { type: "Custom", status: "True", reason: "Mine", message: "", lastTransitionTime: "x" } as const;
    expect(said("AllReady", [custom], 0).at(-1)).toEqual(custom);
  });
});
