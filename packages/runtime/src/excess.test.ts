import { describe, expect, test } from "vitest";
import { excess } from "./excess.ts";
import type { PolicyRule } from "./rbac.ts";

describe("the comparison of rights", () => {
  const rule = (group: string, resource: string, verb: string, ...names: string[]): PolicyRule => ({
    apiGroups: [group],
    resources: [resource],
    verbs: [verb],
    ...(names.length > 0 && { resourceNames: names }),
  });

  test("takes a wildcard for more than any list", () => {
    expect(excess([rule("", "pods", "*")], [rule("", "pods", "get")])).toEqual(["* pods"]);
    expect(excess([rule("", "*", "get")], [rule("", "pods", "get")])).toEqual(["get *"]);
    expect(excess([rule("batch", "jobs", "get")], [rule("*", "*", "*")])).toEqual([]);
  });

  test("takes all objects for more than named ones", () => {
    const one = rule("", "pods", "get", "a");
    expect(excess([one], [rule("", "pods", "get")])).toEqual([]);
    expect(excess([rule("", "pods", "get")], [one])).toEqual(["get pods"]);
    expect(excess([rule("", "pods", "get", "a", "b")], [one])).toEqual(["get pods b"]);
  });

  test("tells a resource from its subresources and from the same name in another group", () => {
    expect(excess([rule("", "pods/log", "get")], [rule("", "pods", "get")])).toEqual(["get pods/log"]);
    expect(excess([rule("events.k8s.io", "events", "get")], [rule("", "events", "get")])).toEqual([
      "get events.events.k8s.io",
    ]);
  });
});
