import type { Node } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { at, pod } from "../../test/pod-parts.ts";
import { staysUntil, taintsOf } from "./taints.ts";

const node = (conditions: Record<string, string>, spec: Node["spec"] = {}): Node => ({
  spec,
  status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
});
const shown = (it: Node) =>
  taintsOf(it, at(5)).map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")} ${effect}`);

describe("the taints of a node", () => {
  test.each([
    [{ Ready: "True" }, []],
    [{ Ready: "False" }, ["not-ready NoSchedule", "not-ready NoExecute"]],
    [{ Ready: "Unknown" }, ["unreachable NoSchedule", "unreachable NoExecute"]],
    [{ Ready: "True", MemoryPressure: "True" }, ["memory-pressure NoSchedule"]],
    [
      { Ready: "True", DiskPressure: "True", PIDPressure: "True" },
      ["disk-pressure NoSchedule", "pid-pressure NoSchedule"],
    ],
    [{ Ready: "True", NetworkUnavailable: "True" }, ["network-unavailable NoSchedule"]],
    [{}, []],
  ])("%j: %j", (conditions, taints) => expect(shown(node(conditions))).toEqual(taints));

  test("one that takes no more pods has one for it", () => {
    expect(shown(node({ Ready: "True" }, { unschedulable: true }))).toEqual(["unschedulable NoSchedule"]);
  });

  test("others' stay, ours go when their reason does, and a list that is right is the very same", () => {
    const own = { key: "gpu", effect: "NoSchedule" };
    const kept = { key: "node.kubernetes.io/unreachable", effect: "NoExecute", timeAdded: "2026-01-01T00:00:01Z" };
    const lost = node({ Ready: "Unknown" }, { taints: [own, kept] });
    const after = taintsOf(lost, at(5));
    expect(after[0]).toBe(own);
    expect(after[1]).toBe(kept);
    expect(after[2]).toEqual({
      key: "node.kubernetes.io/unreachable",
      effect: "NoSchedule",
      timeAdded: "2026-01-01T00:00:05Z",
    });
    const back = node({ Ready: "True" }, { taints: [...after] });
    expect(taintsOf(back, at(9))).toEqual([own]);
    const right = node({ Ready: "True" }, { taints: [own] });
    expect(taintsOf(right, at(9))).toBe(right.spec?.taints);
  });

  test("a taint with such a key and another effect is not ours", () => {
    const strange = { key: "node.kubernetes.io/memory-pressure", effect: "NoExecute" };
    expect(taintsOf(node({ Ready: "True" }, { taints: [strange] }), at(0))).toEqual([strange]);
  });
});

describe("how long a pod stays", () => {
  const taint = { key: "lost", effect: "NoExecute", timeAdded: "2026-01-01T00:00:10Z" };
  const tolerating = (...tolerations: object[]) => pod({ tolerations });

  test("not at all without a toleration, for ever with one that has no end", () => {
    expect(staysUntil(pod(), [taint], at(0))).toBe(0);
    expect(staysUntil(tolerating({ key: "lost", operator: "Exists" }), [taint], at(0))).toBeUndefined();
    expect(staysUntil(pod(), [], at(0))).toBeUndefined();
  });

  test("as long as the shortest of its tolerations, from the moment of the taint", () => {
    const some = (tolerationSeconds: number) => ({ key: "lost", operator: "Exists", tolerationSeconds });
    expect(staysUntil(tolerating(some(300), some(60)), [taint], at(0))).toBe(at(70));
    expect(staysUntil(tolerating(some(300), { operator: "Exists" }), [taint], at(0))).toBe(at(310));
    expect(staysUntil(tolerating(some(-5)), [taint], at(0))).toBe(at(10));
  });

  test("one taint that it cannot bear is enough", () => {
    const other = { key: "fire", effect: "NoExecute" };
    expect(staysUntil(tolerating({ key: "lost", operator: "Exists" }), [taint, other], at(0))).toBe(0);
  });
});
