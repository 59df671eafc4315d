import { instant } from "@telltale/kinds";
import { expect, test } from "vitest";
import { object } from "../../test/objects.ts";
import { find, forest, nodesOf, type TreeNode, vocabularyOf } from "./forest.ts";

const now = instant(0);
const nobody = vocabularyOf([]);
const shape = (node: TreeNode): unknown => [node.name, ...node.children.map(shape)];

test("owners have what they own below them, in the order of names", () => {
  const deployment = object("apps/v1 Deployment", { name: "web" });
  const set = object("apps/v1 ReplicaSet", { name: "web-1", owner: deployment });
  const pods = ["b", "a"].map((name) => object("v1 Pod", { name, owner: set }));
  expect(forest([...pods, set, deployment], nobody, now).map(shape)).toEqual([["web", ["web-1", ["a"], ["b"]]]]);
});

test("who has lost its owner stands alone", () => {
  const gone = object("apps/v1 ReplicaSet", { name: "gone" });
  expect(forest([object("v1 Pod", { name: "a", owner: gone })], nobody, now).map(shape)).toEqual([["a"]]);
});

test("one of several owners controls, and has it", () => {
  const [first, second] = [object("a.com/v1 A", { name: "first" }), object("a.com/v1 A", { name: "second" })];
  const child = object("v1 Pod", { name: "pod", owner: second });
  const other = { apiVersion: "a.com/v1", kind: "A", name: "first", uid: first.metadata?.uid ?? "" };
  const shared = {
    ...child,
    metadata: { ...child.metadata, ownerReferences: [other, ...(child.metadata?.ownerReferences ?? [])] },
  };
  expect(forest([first, second, shared], nobody, now).map(shape)).toEqual([["first"], ["second", ["pod"]]]);
});

test("one that owns itself is still there, and two that own each other end nowhere", () => {
  const it = object("a.com/v1 A", { name: "self" });
  const self = object("a.com/v1 A", { name: "self", owner: it });
  expect(forest([self], nobody, now).map(shape)).toEqual([["self"]]);
  const [a, b] = [object("a.com/v1 A", { name: "a" }), object("a.com/v1 A", { name: "b" })];
  const both = [object("a.com/v1 A", { name: "a", owner: b }), object("a.com/v1 A", { name: "b", owner: a })];
  expect(() => forest(both, nobody, now)).not.toThrow();
});

test("a node is found wherever it is", () => {
  const owner = object("a.com/v1 A", { name: "a" });
  const trees = forest([owner, object("v1 Pod", { name: "p", owner })], nobody, now);
  expect(find(trees, ({ kind }) => kind === "Pod")?.name).toBe("p");
  expect([...nodesOf(trees[0] as TreeNode)]).toHaveLength(2);
});
