import type { Node, Pod } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { misfitReasons, misfits, type Taint, type Toleration, tolerates } from "./fit.ts";

type Spec = Partial<NonNullable<Pod["spec"]>>;
const pod = (spec: Spec = {}) => ({ spec: { containers: [], ...spec } });
const node = (spec: Node["spec"] = {}, labels: Record<string, string> = {}): Node => ({
  metadata: { name: "node-1", labels },
  spec,
});
type Terms = { matchExpressions?: Requirement[]; matchFields?: Requirement[] }[];
type Requirement = { key: string; operator: string; values?: string[] };
const wanting = (nodeSelectorTerms: Terms) =>
  pod({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } });
const asks = (key: string, operator: string, ...values: string[]): Requirement => ({
  key,
  operator,
  ...(values.length === 0 ? {} : { values }),
});
const nodeFits = (it: Pick<Pod, "spec">, on: Node): boolean => misfits(it, on).length === 0;
const whys = (it: Pick<Pod, "spec">, on: Node) => misfits(it, on).map(({ why }) => why);

describe("a pod and a node", () => {
  it("fit when neither says anything", () => {
    expect(nodeFits(pod(), node())).toBe(true);
    expect(nodeFits({}, {})).toBe(true);
  });

  it("do not fit when the pod names another node", () => {
    expect(whys(pod({ nodeName: "node-2" }), node())).toEqual(["name"]);
    expect(nodeFits(pod({ nodeName: "node-1" }), node())).toBe(true);
  });

  it("fit by the labels that a node selector names", () => {
    const it = pod({ nodeSelector: { disk: "ssd", zone: "a" } });
    expect(nodeFits(it, node({}, { disk: "ssd", zone: "a", more: "" }))).toBe(true);
    expect(whys(it, node({}, { disk: "ssd" }))).toEqual(["affinity"]);
  });

  it("say everything that speaks against it", () => {
    const on = node({ unschedulable: true, taints: [{ key: "a", effect: "NoSchedule" }] });
    const found = misfits(pod({ nodeName: "node-2", nodeSelector: { a: "b" } }), on);
    expect(found.map(({ why }) => why)).toEqual(["name", "affinity", "unschedulable", "taint"]);
    expect(found.map(({ why }) => misfitReasons[why])).toContain("node(s) had untolerated taint(s)");
    expect(found[3]).toEqual({ why: "taint", taint: { key: "a", effect: "NoSchedule" } });
  });
});

describe("required node affinity", () => {
  const on = node({}, { zone: "a", cores: "8", odd: "eight" });
  const cases: [Requirement, boolean][] = [
    [asks("zone", "In", "b", "a"), true],
    [asks("zone", "In", "b"), false],
    [asks("none", "In", "a"), false],
    [asks("zone", "NotIn", "b"), true],
    [asks("zone", "NotIn", "a"), false],
    [asks("none", "NotIn", "a"), true],
    [asks("zone", "Exists"), true],
    [asks("none", "Exists"), false],
    [asks("zone", "DoesNotExist"), false],
    [asks("none", "DoesNotExist"), true],
    [asks("cores", "Gt", "7"), true],
    [asks("cores", "Gt", "8"), false],
    [asks("cores", "Lt", "9"), true],
    [asks("cores", "Lt", "8"), false],
    [asks("cores", "Lt", "10"), true],
    [asks("cores", "Gt", "7", "6"), false],
    [asks("odd", "Gt", "1"), false],
    [asks("none", "Lt", "1"), false],
    [asks("cores", "Gt", "lots"), false],
    [asks("zone", "Like", "a"), false],
  ];
  for (const [requirement, fits] of cases) {
    const { key, operator, values = [] } = requirement;
    it(`${key} ${operator} ${values.join(",")} ${fits ? "matches" : "does not match"}`, () => {
      expect(nodeFits(wanting([{ matchExpressions: [requirement] }]), on)).toBe(fits);
    });
  }

  it("needs one term, and of a term everything", () => {
    const [yes, no] = [asks("zone", "In", "a"), asks("zone", "In", "b")];
    expect(nodeFits(wanting([{ matchExpressions: [no] }, { matchExpressions: [yes] }]), on)).toBe(true);
    expect(nodeFits(wanting([{ matchExpressions: [yes, no] }]), on)).toBe(false);
    const both = { matchExpressions: [no], matchFields: [asks("metadata.name", "In", "node-1")] };
    expect(nodeFits(wanting([both]), on)).toBe(false);
  });

  it("matches nothing where a term asks for nothing, or there is no term", () => {
    expect(nodeFits(wanting([{}]), on)).toBe(false);
    expect(nodeFits(wanting([]), on)).toBe(false);
  });

  it("knows the name of a node as a field, and no other field", () => {
    const byField = (...of: [string, string, string]) => wanting([{ matchFields: [asks(...of)] }]);
    expect(nodeFits(byField("metadata.name", "In", "node-1"), on)).toBe(true);
    expect(nodeFits(byField("metadata.name", "In", "node-2"), on)).toBe(false);
    expect(nodeFits(byField("metadata.name", "NotIn", "node-2"), on)).toBe(true);
    expect(nodeFits(byField("metadata.uid", "NotIn", "x"), on)).toBe(false);
  });

  it("comes on top of the node selector", () => {
    const { spec } = wanting([{ matchExpressions: [asks("zone", "Exists")] }]);
    expect(whys({ spec: { ...spec, nodeSelector: { zone: "b" } } }, on)).toEqual(["affinity"]);
  });
});

describe("a taint", () => {
  const taint: Taint = { key: "gpu", value: "3", effect: "NoSchedule" };
  const cases: [string, Toleration, boolean][] = [
    ["the same key, value and effect", { key: "gpu", operator: "Equal", value: "3", effect: "NoSchedule" }, true],
    ["no operator", { key: "gpu", value: "3" }, true],
    ["another value", { key: "gpu", operator: "Equal", value: "4" }, false],
    ["any value", { key: "gpu", operator: "Exists" }, true],
    ["another key", { key: "cpu", operator: "Exists" }, false],
    ["another effect", { key: "gpu", operator: "Exists", effect: "NoExecute" }, false],
    ["everything", { operator: "Exists" }, true],
    ["everything for a while", { operator: "Exists", tolerationSeconds: 1 }, true],
    ["less than four", { key: "gpu", operator: "Lt", value: "4" }, true],
    ["more than four", { key: "gpu", operator: "Gt", value: "4" }, false],
    ["an operator that nobody knows", { key: "gpu", operator: "Like", value: "3" }, false],
  ];
  for (const [what, toleration, yes] of cases) {
    it(`is ${yes ? "" : "not "}tolerated by a toleration of ${what}`, () => {
      expect(tolerates([{ key: "other" }, toleration], taint)).toBe(yes);
      expect(nodeFits(pod({ tolerations: [toleration] }), node({ taints: [taint] }))).toBe(yes);
    });
  }

  it("keeps away or drives away; a preference does neither", () => {
    for (const effect of ["NoSchedule", "NoExecute"])
      expect(whys(pod(), node({ taints: [{ ...taint, effect }] }))).toEqual(["taint"]);
    expect(nodeFits(pod(), node({ taints: [{ ...taint, effect: "PreferNoSchedule" }] }))).toBe(true);
  });

  it("without a value equals a toleration without one", () => {
    expect(tolerates([{ key: "gpu" }], { key: "gpu", effect: "NoSchedule" })).toBe(true);
  });
});

it("a node that takes no more pods takes those that tolerate it", () => {
  const on = node({ unschedulable: true });
  expect(whys(pod(), on)).toEqual(["unschedulable"]);
  const key = "node.kubernetes.io/unschedulable";
  expect(nodeFits(pod({ tolerations: [{ key, operator: "Exists", effect: "NoSchedule" }] }), on)).toBe(true);
});
