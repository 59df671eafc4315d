import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { Catalogue } from "../registry/catalogue.ts";
import type { Resource } from "../registry/resource.ts";
import type { Attributes } from "./admission.ts";
import { type Criteria, isExempt, matchedResource, resourceMatches } from "./match.ts";

function resource(group: string, version: string, name: string, more: Partial<Resource> = {}): Resource {
  const storage = { group, resource: name };
  return { group, version, resource: name, namespaced: true, storage, ...more } as Resource;
}
const pods = resource("", "v1", "pods");
const namespaces = resource("", "v1", "namespaces", { namespaced: false });
const nodes = resource("", "v1", "nodes", { namespaced: false });
const [widgets1, widgets2] = [resource("example.com", "v1", "widgets"), resource("example.com", "v2", "widgets")];
const catalogue = new Catalogue([pods, namespaces, nodes, widgets1, widgets2], ["", "example.com"]);

const labels = (given: Record<string, string>): JsonObject => ({ metadata: { labels: given } });
const request = (r: Resource, more: Partial<Attributes> = {}): Attributes =>
  ({
    operation: "CREATE",
    resource: r,
    subresource: "",
    namespace: r.namespaced ? "ns" : "",
    name: "a",
    object: labels({}),
    oldObject: undefined,
    ...more,
  }) as Attributes;

const everything = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };
const criteria = (rule: JsonObject = {}, more: Partial<Criteria> = {}): Criteria => ({
  rules: [{ ...everything, ...rule }],
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  ...more,
});
const match = (c: Criteria, a: Attributes) => matchedResource(c, a, catalogue, (name) => ({ name, team: "x" }));

test.for([
  ["pods", "", true],
  ["pods", "status", false],
  ["pods/status", "status", true],
  ["pods/status", "", false],
  ["pods/*", "", true],
  ["pods/*", "exec", true],
  ["nodes/*", "", false],
  ["*", "", true],
  ["*", "status", false],
  ["*/*", "", true],
  ["*/*", "status", true],
  ["*/scale", "scale", true],
  ["*/scale", "", false],
] as const)("W08 a rule for %s asked about pods/%s: %s", ([pattern, subresource, matches]) => {
  expect(resourceMatches(pattern, "pods", subresource)).toBe(matches);
});

test.for<[string, JsonObject, Attributes, boolean]>([
  ["another operation", { operations: ["UPDATE"] }, request(pods), false],
  ["the operation", { operations: ["UPDATE", "CREATE"] }, request(pods), true],
  ["the core group", { apiGroups: [""] }, request(pods), true],
  ["another group", { apiGroups: ["apps"] }, request(pods), false],
  ["another version", { apiVersions: ["v2"] }, request(pods), false],
  ["only what is in namespaces", { scope: "Namespaced" }, request(nodes), false],
  ["only what is in no namespace", { scope: "Cluster" }, request(pods), false],
  ["a namespace is in no namespace", { scope: "Cluster" }, request(namespaces, { namespace: "a" }), true],
  ["a namespace is not in itself", { scope: "Namespaced" }, request(namespaces, { namespace: "a" }), false],
  ["a name", { resourceNames: ["a"] }, request(pods), true],
  ["another name", { resourceNames: ["b"] }, request(pods), false],
])("a rule with %s", ([, rule, a, matches]) => {
  expect(match(criteria(rule), a) !== undefined).toBe(matches);
});

describe("selectors", () => {
  const ofTeam = (team: string) => ({ matchLabels: { team } });

  test.for<[string, Attributes, string, boolean]>([
    ["the namespace of the object", request(pods), "x", true],
    ["the namespace of the object, of another team", request(pods), "y", false],
    ["nothing, for what is in no namespace", request(nodes), "y", true],
    ["a namespace by its own labels", request(namespaces, { object: labels({ team: "y" }) }), "y", true],
    [
      "a namespace that goes by its labels as they are",
      request(namespaces, { operation: "DELETE", object: undefined }),
      "x",
      true,
    ],
  ])("of namespaces look at %s", ([, a, team, matches]) => {
    expect(match(criteria({}, { namespaceSelector: ofTeam(team) }), a) !== undefined).toBe(matches);
  });

  test.for<[string, Partial<Attributes>, boolean]>([
    ["after", { object: labels({ team: "x" }), oldObject: labels({}) }, true],
    ["before", { object: labels({}), oldObject: labels({ team: "x" }) }, true],
    ["neither before nor after", { object: labels({}), oldObject: labels({}) }, false],
    ["nowhere, as it has no labels at all", { operation: "CONNECT", object: { kind: "PodExecOptions" } }, false],
  ])("of objects match with the label %s", ([, more, matches]) => {
    expect(match(criteria({}, { objectSelector: ofTeam("x") }), request(pods, more)) !== undefined).toBe(matches);
  });
});

describe("W09 other versions of the same objects", () => {
  test("are tried where the request's own does not match", () => {
    expect(match(criteria({ apiVersions: ["v1"] }), request(widgets2))).toBe(widgets1);
  });
  test("are not where it does", () => {
    expect(match(criteria(), request(widgets2))).toBe(widgets2);
  });
  test("are not for Exact", () => {
    expect(match(criteria({ apiVersions: ["v1"] }, { matchPolicy: "Exact" }), request(widgets2))).toBeUndefined();
  });
  test("are left out together", () => {
    const c = criteria({}, { excludeRules: [{ ...everything, apiVersions: ["v1"] }] });
    expect(match(c, request(widgets2))).toBeUndefined();
  });
});

test.for([
  ["admissionregistration.k8s.io", "mutatingwebhookconfigurations", true],
  ["admissionregistration.k8s.io", "validatingadmissionpolicybindings", true],
  ["authorization.k8s.io", "subjectaccessreviews", true],
  ["authentication.k8s.io", "tokenreviews", true],
  ["rbac.authorization.k8s.io", "clusterroles", false],
] as const)("W17 nobody is asked about %s %s: %s", ([group, name, exempt]) => {
  expect(isExempt(resource(group, "v1", name))).toBe(exempt);
});
