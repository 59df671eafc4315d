// ClusterRoles that are sums of others, on the embedded server.
import { ClusterRole } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { aggregatedRoles } from "../src/roles/aggregate.ts";
import { type Cluster, cluster } from "./cluster.ts";

let it: Cluster;
afterEach(() => it.end());

const label = "rbac.authorization.k8s.io/aggregate-to-view";
const rules = [{ apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get"] }];
const widgets = async (name: string) => {
  const role = await it.client.get(ClusterRole, name);
  return (role.rules ?? []).filter(({ apiGroups }) => apiGroups?.includes("example.com")).length;
};

test("a new part reaches every sum, through sums of sums, and leaves them again", async () => {
  it = await cluster([aggregatedRoles()]);
  expect((await it.client.get(ClusterRole, "view")).rules?.length).toBeGreaterThan(0);
  await it.client.create(ClusterRole, { metadata: { name: "widgets", labels: { [label]: "true" } }, rules });
  await it.pass(1000);
  expect(await Promise.all(["view", "edit", "admin"].map(widgets))).toEqual([1, 1, 1]);
  await it.client.patch(ClusterRole, { name: "widgets" }, { merge: { metadata: { labels: { [label]: null } } } });
  await it.pass(1000);
  expect(await Promise.all(["view", "edit", "admin"].map(widgets))).toEqual([0, 0, 0]);
});

test("sums that select each other come to rest", async () => {
  it = await cluster([aggregatedRoles()]);
  const sum = (name: string, to: string, from: string) => ({
    metadata: { name, labels: { to } },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: from } }] },
  });
  await it.client.create(ClusterRole, sum("a", "a", "b"));
  await it.client.create(ClusterRole, sum("b", "b", "a"));
  await it.client.create(ClusterRole, { metadata: { name: "part", labels: { to: "a" } }, rules });
  await it.pass(10_000);
  expect(await Promise.all(["a", "b"].map(widgets))).toEqual([1, 1]);
  it.passes();
  await it.pass(3_600_000);
  expect(it.passes()).toBe(0);
});

test("a sum that somebody rewrites is put right; a restart writes nothing", async () => {
  it = await cluster([aggregatedRoles()]);
  await it.client.patch(ClusterRole, { name: "view" }, { merge: { rules } });
  await it.pass(1000);
  expect(await widgets("view")).toBe(0);
  it.writes();
  await it.restart([aggregatedRoles()]);
  await it.pass(1000);
  expect(it.writes()).toEqual([]);
});
