import type { ClusterRole } from "@telltale/kinds/builtin";
import { expect, it } from "vitest";
import { sumOf } from "./aggregate.ts";

const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
const role = (name: string, to: string, ...rules: ReturnType<typeof rule>[]): ClusterRole => ({
  metadata: { name, uid: name, labels: { to } },
  rules,
});
const sum = (...to: string[]): ClusterRole => ({
  ...role("sum", "a", rule("itself")),
  aggregationRule: { clusterRoleSelectors: to.map((it) => ({ matchLabels: { to: it } })) },
});

it("a sum has the rules of those that it selects, in order, each once, and not its own", () => {
  const others = [
    role("x", "a", rule("pods"), rule("nodes")),
    role("y", "b", rule("secrets")),
    role("z", "a", rule("pods")),
  ];
  expect(sumOf({ role: sum("b", "a"), others: [...others, sum("a")] })).toEqual([
    rule("secrets"),
    rule("pods"),
    rule("nodes"),
  ]);
});

it("of nothing it is nothing", () => {
  expect(sumOf({ role: sum("nobody"), others: [role("x", "a", rule("pods"))] })).toEqual([]);
});
