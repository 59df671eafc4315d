import type { Pod, ReplicaSet } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { claim } from "./claim.ts";

const selector = { matchLabels: { app: "web" } };
const owner: ReplicaSet = { metadata: { name: "web", uid: "u1" } };
const reference = (uid: string) => ({ apiVersion: "apps/v1", kind: "ReplicaSet", name: "x", uid, controller: true });
const pod = (name: string, more: Partial<NonNullable<Pod["metadata"]>>): Pod => ({ metadata: { name, ...more } });
const labels = { app: "web" };

test("what it owns and selects is its own, what nobody owns is taken in, what it no longer selects is let go", () => {
  const mine = pod("mine", { labels, ownerReferences: [reference("u1")] });
  const lost = pod("lost", { labels: { app: "other" }, ownerReferences: [reference("u1")] });
  const orphan = pod("orphan", { labels });
  const stranger = pod("stranger", { labels: { app: "other" } });
  expect(claim(owner, selector, [mine, lost], [orphan, stranger])).toEqual({
    mine: [mine, orphan],
    adopt: [orphan],
    release: [lost],
  });
});

test("an object that another controller manages is not its own, even where it is among the owners", () => {
  const shared = pod("shared", {
    labels,
    ownerReferences: [{ ...reference("u1"), controller: false }, reference("u2")],
  });
  expect(claim(owner, selector, [shared], []).mine).toEqual([]);
});

test("an orphan on its way out is not taken in", () => {
  const leaving = pod("leaving", { labels, deletionTimestamp: "2026-01-01T00:00:00Z" });
  expect(claim(owner, selector, [], [leaving]).adopt).toEqual([]);
});

test("an owner on its way out neither takes in nor lets go", () => {
  const leaving = { metadata: { ...owner.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const lost = pod("lost", { labels: {}, ownerReferences: [reference("u1")] });
  expect(claim(leaving, selector, [lost], [pod("orphan", { labels })])).toEqual({ mine: [], adopt: [], release: [] });
});

test("who asks for more than labels takes in and keeps only what has it", () => {
  const [one, two] = [pod("web-1", { labels }), pod("other", { labels, ownerReferences: [reference("u1")] })];
  const found = claim(owner, selector, [two], [one, pod("third", { labels })], (it) => it.metadata?.name === "web-1");
  expect(found).toEqual({ mine: [one], adopt: [one], release: [two] });
});
