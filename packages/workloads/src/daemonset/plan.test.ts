import { type Instant, plus } from "@telltale/kinds";
import type { DaemonSet, Node, Pod } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { daemon, node, nodes, now, podOn, rolling, viewOf } from "../../test/daemons.ts";
import { heldUntil, plan } from "./plan.ts";

const never = () => undefined;

/** `+a`: a pod is made for node a. `-a unwanted`: one there is removed. */
function does(
  set: DaemonSet,
  on: readonly Node[],
  pods: readonly Pod[],
  held: (node: string) => Instant | undefined = never,
) {
  const found = plan(viewOf(set, on, pods), now, held);
  const removed = found?.remove.map(({ node: from, because }) => `-${from} ${because}`) ?? [];
  return [...(found?.create.map((to) => `+${to}`) ?? []), ...removed];
}

const [a, b] = [node("a"), node("b")];
const unfit = node("a", { taints: [{ key: "x", effect: "NoExecute" }] });
const refuge = node("a", { taints: [{ key: "x", effect: "NoSchedule" }] });

describe("every node that is a home", () => {
  it("gets a pod, and no second one", () => {
    expect(does(daemon(), [a, b], [])).toEqual(["+a", "+b"]);
    expect(does(daemon(), [a, b], [podOn("a", "Pending")])).toEqual(["+b"]);
    expect(does(daemon(), [a, b], [podOn("a"), podOn("b")])).toEqual([]);
    expect(does(daemon(), [], [])).toEqual([]);
  });

  it("keeps the oldest of several, and one that is there before one that is not", () => {
    const [older, younger] = [podOn("a"), podOn("a")];
    const kept = (pods: Pod[]) => plan(viewOf(daemon(), [a], pods), now, never)?.remove.map(({ pod }) => pod);
    expect(kept([younger, older])).toEqual([younger]);
    const waiting = podOn("a", "Pending");
    expect(kept([waiting, podOn("a")])).toEqual([waiting]);
  });

  it("waits for a pod that is going, but not for one that has ended", () => {
    expect(does(daemon(), [a], [podOn("a", "Leaving")])).toEqual([]);
    expect(does(daemon(), [a], [podOn("a", "Gone")])).toEqual(["+a"]);
  });

  it("loses a pod that has ended, well or not", () => {
    expect(does(daemon(), [a], [podOn("a", "Failed")])).toEqual(["-a failed"]);
    expect(does(daemon(), [a], [podOn("a", "Succeeded")])).toEqual(["-a succeeded"]);
  });
});

describe("a node that is no home", () => {
  it("gets none, and loses what is there unless it may stay", () => {
    expect(does(daemon(), [unfit], [])).toEqual([]);
    expect(does(daemon(), [unfit], [podOn("a"), podOn("a", "Leaving")])).toEqual(["-a unwanted"]);
    expect(does(daemon(), [refuge], [])).toEqual([]);
    expect(does(daemon(), [refuge], [podOn("a")])).toEqual([]);
    expect(does(daemon(), [refuge], [podOn("a", "Failed")])).toEqual(["-a failed"]);
  });

  it("because it is gone loses the pods that never got there", () => {
    expect(does(daemon(), [], [podOn("a", "Pending"), podOn("a", "Ready")])).toEqual(["- unwanted"]);
  });
});

describe("a pod that fails again", () => {
  const later = plus(now, 5_000);

  it("stays for a while, and nothing is made beside it", () => {
    expect(does(daemon(), [a], [podOn("a", "Failed")], () => later)).toEqual([]);
    expect(does(daemon(), [a], [podOn("a", "Failed")], () => now)).toEqual(["-a failed"]);
  });

  it("is looked at again when that is over", () => {
    const held = (on: string) => (on === "a" ? later : plus(now, 1_000));
    const failed = viewOf(daemon(), [a, b], [podOn("a", "Failed"), podOn("b")]);
    expect(heldUntil(failed, held, now)).toBe(later);
    expect(heldUntil(viewOf(daemon(), [a, b], [podOn("a")]), held, now)).toBeUndefined();
    expect(heldUntil(viewOf(daemon(), [unfit], [podOn("a", "Failed")]), held, now)).toBeUndefined();
  });
});

describe("an update", () => {
  const old = (on: string, state: Parameters<typeof podOn>[1] = "Ready") => podOn(on, state, "old");
  const three = nodes(3);
  const all = (make: (on: string) => Pod) => three.map(({ metadata }) => make(metadata?.name ?? ""));

  it("removes as many old pods as may be missing", () => {
    expect(does(daemon(), three, all(old))).toEqual(["-node-1 unwanted"]);
    expect(does(daemon({ updateStrategy: rolling(2) }), three, all(old))).toEqual([
      "-node-1 unwanted",
      "-node-2 unwanted",
    ]);
    expect(does(daemon({ updateStrategy: rolling("50%") }), three, all(old))).toHaveLength(2);
    expect(does(daemon({ updateStrategy: rolling("0%") }), three, all(old))).toHaveLength(1);
  });

  it("waits for what is missing, and for a new pod that does not work yet", () => {
    expect(does(daemon(), three, [podOn("node-1", "Unready"), old("node-2"), old("node-3")])).toEqual([]);
    expect(does(daemon(), three, [podOn("node-1"), old("node-2", "Leaving"), old("node-3")])).toEqual([]);
    expect(does(daemon(), three, [podOn("node-1"), old("node-2"), old("node-3")])).toEqual(["-node-2 unwanted"]);
    expect(
      does(daemon({ minReadySeconds: 7200 }), three, [podOn("node-1"), old("node-2"), old("node-3")]),
    ).toHaveLength(2);
  });

  it("counts a node as missing where a failed pod is left alone beside the new one", () => {
    const pods = [old("node-1", "Failed"), podOn("node-1"), old("node-2"), old("node-3")];
    expect(does(daemon(), three, pods, () => plus(now, 1_000))).toEqual([]);
  });

  it("removes old pods that do not work whatever is missing, and counts them as missing", () => {
    const pods = [old("node-1", "Unready"), old("node-2", "Unready"), old("node-3")];
    expect(does(daemon(), three, pods)).toEqual(["-node-1 unwanted", "-node-2 unwanted"]);
  });

  it("begins only when every node has its pod", () => {
    expect(does(daemon(), three, [old("node-1"), old("node-2")])).toEqual(["+node-3"]);
  });

  it("is by hand where pods are updated when deleted", () => {
    expect(does(daemon({ updateStrategy: { type: "OnDelete" } }), three, all(old))).toEqual([]);
  });

  describe("with surge", () => {
    const set = daemon({ updateStrategy: rolling(0, 1) });

    it("puts new pods beside old ones, as many as may be too much", () => {
      expect(does(set, three, all(old))).toEqual(["+node-1"]);
      expect(does(daemon({ updateStrategy: rolling(0, "60%") }), three, all(old))).toEqual(["+node-1", "+node-2"]);
      expect(does(set, three, [...all(old), podOn("node-1", "Unready")])).toEqual([]);
    });

    it("removes the old one when the new one works, or when it no longer works itself", () => {
      expect(does(set, three, [...all(old), podOn("node-1")])).toEqual(["-node-1 unwanted"]);
      const pods = [old("node-1", "Unready"), podOn("node-1", "Unready"), old("node-2"), old("node-3")];
      expect(does(set, three, pods)).toEqual(["-node-1 unwanted"]);
    });

    it("replaces old pods that do not work without counting them", () => {
      const pods = [old("node-1", "Unready"), old("node-2", "Unready"), old("node-3")];
      expect(does(set, three, pods)).toEqual(["+node-1", "+node-2", "+node-3"]);
    });

    it("leaves no node without a pod that stays", () => {
      expect(does(set, [a], [podOn("a", "Leaving")])).toEqual(["+a"]);
      expect(does(daemon(), [a], [podOn("a", "Leaving")])).toEqual([]);
    });

    it("has at most two pods on a node", () => {
      const pods = [old("a"), old("a"), podOn("a", "Unready"), podOn("a", "Unready")];
      expect(does(set, [a], pods)).toEqual(["-a unwanted", "-a unwanted"]);
    });

    it("takes a pod off a node that is no home only when enough others work", () => {
      const pods = [old("a"), podOn("b", "Unready")];
      expect(does(set, [refuge, b], pods)).toEqual([]);
      expect(does(set, [refuge, b], [old("a"), podOn("b")])).toEqual(["-a unwanted"]);
      expect(does(set, [refuge, b], [old("a", "Unready"), podOn("b", "Unready")])).toEqual(["-a unwanted"]);
    });
  });
});
