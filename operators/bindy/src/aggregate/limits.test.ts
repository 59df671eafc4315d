// 5.4, A-105 and A-107: how large a status becomes, and how long it takes to make one.
import { expect, test } from "vitest";
import { child, clusterConditions, clusterView, later, saying } from "../../test/views.ts";
import { calculateClusterStatus } from "./cluster.ts";

const many = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => child(`production-dns-secondary-${n}`, n, more));

test("A-105 a hundred children fit into 32 KiB", () => {
  const size = JSON.stringify(clusterConditions(clusterView(many(100)))).length;
  expect(size).toBeLessThanOrEqual(32 * 1024);
});

test("A-107 two hundred children with messages as long as may be fit into 256 KiB", () => {
  const long = { ...saying("BindcarUnreachable"), phrase: "x".repeat(5000) };
  const size = JSON.stringify(clusterConditions(clusterView(many(200, long)))).length;
  expect(size).toBeLessThanOrEqual(256 * 1024);
});

test("15 the status of two hundred children is the same each time", () => {
  const view = clusterView(many(200));
  const first = JSON.stringify(calculateClusterStatus(view, later(0)));
  for (let i = 0; i < 100; i += 1) expect(JSON.stringify(calculateClusterStatus(view, later(0)))).toBe(first);
});
