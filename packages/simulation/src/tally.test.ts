import type { KubeObject } from "@telltale/kinds";
import { expect, test } from "vitest";
import type { Change } from "./history.ts";
import { isAlike, tally } from "./tally.ts";

const map = (more: object = {}): KubeObject => ({
  kind: "ConfigMap",
  metadata: { name: "a", resourceVersion: "1" },
  ...more,
});
const change = (it: Partial<Change>): Change => ({
  revision: 1,
  at: 0 as Change["at"],
  type: "MODIFIED",
  key: "//configmaps/default/a",
  after: map(),
  says: "",
  ...it,
});

test("what was made and deleted is counted by whose it is", () => {
  const { made, deleted, writes, theirs } = tally([
    change({ type: "ADDED", author: "operator-1" }),
    change({ type: "ADDED" }),
    change({ type: "DELETED", before: map(), author: "operator-1" }),
    change({ type: "DELETED", before: map() }),
    change({ type: "ADDED", key: "//events/default/e", author: "operator-1" }),
  ]);
  expect([...made, ...deleted]).toEqual([
    ["/configmaps", 1],
    ["/configmaps", 1],
  ]);
  expect([writes, theirs.all, [...theirs.made], [...theirs.deleted]]).toEqual([
    2,
    2,
    [["/configmaps", 1]],
    [["/configmaps", 1]],
  ]);
});

test("an end that takes two steps is one end", () => {
  const leaving = map({ metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" } });
  const { theirs } = tally([change({ before: map(), after: leaving }), change({ type: "DELETED", before: leaving })]);
  expect([...theirs.deleted]).toEqual([["/configmaps", 1]]);
});

test("a status is no edit of what is wanted", () => {
  const edits = (after: KubeObject) => [...tally([change({ before: map(), after })]).theirs.edits];
  expect([edits(map({ status: { x: 1 } })), edits(map({ data: { x: "1" } }))]).toEqual([[], [["/configmaps", 1]]]);
});

test("two runs are alike where others did the same to what is declared", () => {
  const one = tally([change({ type: "ADDED", key: "/example.com/shops/default/a" })]);
  const child = tally([...[change({ type: "ADDED", key: "/example.com/shops/default/a" })], change({ type: "ADDED" })]);
  const declared = ["example.com/shops"];
  expect([isAlike(one, child, declared), isAlike(one, tally([]), declared)]).toEqual([true, false]);
});

test("two runs are not alike where others edited something else, as often as it may be", () => {
  const edit = (key: string) => tally([change({ key, before: map(), after: map({ data: { x: "1" } }) })]);
  const [shop, pod] = [edit("/example.com/shops/default/a"), edit("//pods/default/a")];
  expect([isAlike(shop, shop, []), isAlike(shop, pod, [])]).toEqual([true, false]);
});

test("two runs are not alike where others asked for something else from the beginning", () => {
  const key = "/example.com/shops/default/a";
  const asks = (size: number) => tally([change({ type: "ADDED", key, after: map({ spec: { size } }) })]);
  const declared = ["example.com/shops"];
  expect([isAlike(asks(1), asks(1), declared), isAlike(asks(1), asks(2), declared)]).toEqual([true, false]);
  expect(isAlike(asks(1), asks(2), [])).toBe(true);
});
