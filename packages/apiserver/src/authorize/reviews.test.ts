import { generateKeyPairSync } from "node:crypto";
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { Instant } from "@telltale/kinds";
import { expect, it } from "vitest";
import { authenticator } from "../authenticate/authenticate.ts";
import { issuer, readToken } from "../authenticate/service-account.ts";
import { at, type JsonObject, text } from "../json.ts";
import type { User } from "../request.ts";
import { type Authorizer, alwaysAllow, rbacAuthorizer } from "./authorizer.ts";
import { type ReviewContext, review } from "./reviews.ts";
import { type TokenIssuer, tokenRequest } from "./token-request.ts";

const clock = new VirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5) as Instant);
const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const bench: User = { username: "bench", uid: "1", groups: ["system:masters", "system:authenticated"], extra: {} };
const account: JsonObject = { metadata: { name: "default", namespace: "ns", uid: "u1" } };
const pod: JsonObject = { metadata: { name: "p", uid: "p1" }, spec: { serviceAccountName: "default" } };
const stored = new Map([
  ["serviceaccounts/ns/default", account],
  ["pods/ns/p", pod],
]);
const context: ReviewContext = {
  user: bench,
  authorizer: alwaysAllow,
  authenticator: authenticator({
    clock,
    tokens: new Map([["benchtoken", bench]]),
    tokenKey: () => key,
    anonymous: true,
    find: (resource, namespace, name) => stored.get(`${resource}/${namespace}/${name}`),
  }),
  clock,
  namespace: "",
};
const by: TokenIssuer = {
  key,
  clock,
  random: seededRandom(1),
  manager: "golden",
  find: (resource, namespace, name) => stored.get(`${resource}/${namespace}/${name}`),
};
const jwt = (spec: JsonObject = {}) => text(at(tokenRequest({ spec }, account, by), "status", "token"));

it("S16 a token request is filled with defaults and signed", () => {
  const answer = tokenRequest({}, account, by);
  expect(answer["spec"]).toEqual({ audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null });
  expect(at(answer, "status", "expirationTimestamp")).toBe("2026-01-02T04:04:05Z");
  expect(at(answer, "metadata", "uid")).toBe("u1");
  expect(at(answer, "metadata", "managedFields")).toMatchObject([
    { manager: "golden", subresource: "token", fieldsV1: { "f:spec": { "f:expirationSeconds": {} } } },
  ]);
  const claims = readToken(key, text(at(answer, "status", "token")), clock.now() / 1000);
  expect(claims).toMatchObject({ namespace: "ns", name: "default", uid: "u1", audiences: [issuer] });
});

it.each([
  [
    { expirationSeconds: 599 },
    422,
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
  ],
  [
    { expirationSeconds: 10_000_000_000 },
    422,
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 10000000000: may not specify a duration larger than 2^32 seconds',
  ],
  [{ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "none" } }, 404, 'pods "none" not found'],
  [
    { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "none" } },
    400,
    "cannot bind token to object of type /v1, Kind=ConfigMap",
  ],
  [{ boundObjectRef: { kind: "Pod", apiVersion: "v1" } }, 400, "Name parameter required."],
  [
    { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p", uid: "bad" } },
    409,
    'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (bad) does not match the UID in record. The object might have been deleted and then recreated',
  ],
])("S16 a token request with %j is refused", (spec, code, message) => {
  expect(() => tokenRequest({ spec }, account, by)).toThrow(expect.objectContaining({ code, message }));
});

it("a token may be bound to a pod that is there", () => {
  const token = jwt({ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p" }, audiences: ["x"] });
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as JsonObject;
  expect(at(claims, "kubernetes.io", "pod")).toEqual({ name: "p", uid: "p1" });
  expect(claims["aud"]).toEqual(["x"]);
});

it.each([
  ["the account", "serviceaccounts/ns/default"],
  ["the pod that it is bound to", "pods/ns/p"],
])("a token is good for a minute after the deletion of %s has begun", (_, key) => {
  const object = stored.get(key) ?? {};
  const token = jwt({ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p" } });
  const good = (secondsAgo: number) => {
    const deletionTimestamp = new Date(clock.now() - secondsAgo * 1000).toISOString();
    stored.set(key, { ...object, metadata: { ...(object["metadata"] as JsonObject), deletionTimestamp } });
    return at(tokenReview({ token }), "authenticated");
  };
  expect(good(60)).toBe(true);
  expect(good(61)).toBeUndefined();
  stored.set(key, object);
});

const tokenReview = (spec: JsonObject) => review("TokenReview", { metadata: {}, spec }, context)["status"];

it("S17 a TokenReview tells whose token it is", () => {
  expect(tokenReview({ token: "benchtoken" })).toEqual({
    authenticated: true,
    user: { username: "bench", uid: "1", groups: ["system:masters", "system:authenticated"] },
    audiences: [issuer],
  });
  expect(tokenReview({ token: jwt() })).toMatchObject({
    authenticated: true,
    user: { username: "system:serviceaccount:ns:default", uid: "u1" },
  });
});

it("S17 a TokenReview tells why a token is worth nothing", () => {
  expect(tokenReview({ token: "wrong" })).toEqual({ user: {}, error: "invalid bearer token" });
  expect(tokenReview({ token: jwt(), audiences: ["x"] })).toEqual({
    user: {},
    error: `[invalid bearer token, token audiences ["${issuer}"] is invalid for the target audiences ["x"]]`,
  });
  expect(() => tokenReview({})).toThrow(
    expect.objectContaining({ code: 400, message: "token is required for TokenReview in authentication" }),
  );
});

it("S17 a SelfSubjectReview tells who asks and forgets its metadata", () => {
  expect(
    review("SelfSubjectReview", { kind: "SelfSubjectReview", apiVersion: "a/v1", metadata: { name: "n" } }, context),
  ).toEqual({
    kind: "SelfSubjectReview",
    apiVersion: "a/v1",
    metadata: { creationTimestamp: "2026-01-02T03:04:05Z" },
    status: { userInfo: { username: "bench", uid: "1", groups: ["system:masters", "system:authenticated"] } },
  });
});

const either = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
const nobody = 'spec.user: Invalid value: "": at least one of user or group must be specified';
it.each([
  ["SubjectAccessReview", { spec: { user: "jane" } }, `spec.resourceAttributes: Invalid value: null: ${either}`],
  ["SubjectAccessReview", { spec: { resourceAttributes: { verb: "get" } } }, nobody],
  ["SubjectAccessReview", {}, `[spec.resourceAttributes: Invalid value: null: ${either}, ${nobody}]`],
  [
    "SubjectAccessReview",
    { metadata: { name: "x" }, spec: { user: "a", resourceAttributes: {} } },
    'metadata: Invalid value: {"name":"x"}: must be empty',
  ],
  [
    "SubjectAccessReview",
    { spec: { user: "a", resourceAttributes: {}, nonResourceAttributes: { path: "/", verb: "get" } } },
    'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: cannot be specified in combination with resourceAttributes',
  ],
  [
    "SubjectAccessReview",
    { spec: { user: "a", resourceAttributes: { fieldSelector: { rawSelector: "a=b", requirements: [{}] } } } },
    'spec.resourceAttributes.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements',
  ],
  ["SelfSubjectAccessReview", { spec: {} }, `spec.resourceAttributes: Invalid value: null: ${either}`],
  [
    "LocalSubjectAccessReview",
    { metadata: { namespace: "ns" }, spec: { user: "jane", resourceAttributes: { namespace: "other" } } },
    'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
  ],
  [
    "LocalSubjectAccessReview",
    { metadata: { namespace: "ns" }, spec: { user: "jane", nonResourceAttributes: { path: "/", verb: "list" } } },
    'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"list"}: disallowed on this kind of request',
  ],
])("S18 a %s of %j is refused", (kind, object, why) => {
  const message = `.authorization.k8s.io "" is invalid: ${why}`;
  expect(() => review(kind, object as unknown as JsonObject, { ...context, namespace: "ns" })).toThrow(
    expect.objectContaining({ code: 422, message }),
  );
});

const viewer: Authorizer = rbacAuthorizer((_, resource) =>
  resource === "clusterroles" ? roles : resource === "clusterrolebindings" ? bindings : none,
);
const none: JsonObject[] = [];
const roles: JsonObject[] = [
  {
    metadata: { name: "view" },
    rules: [
      { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
      { nonResourceURLs: ["/healthz"], verbs: ["get"] },
    ],
  },
];
const bindings: JsonObject[] = [
  {
    metadata: { name: "v" },
    roleRef: { kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "User", name: "jane" }],
  },
];
const jane: User = { username: "jane", uid: "", groups: ["system:authenticated"], extra: {} };

it("S18 access reviews answer for their subject, or for who asks", () => {
  const asked = { user: "jane", resourceAttributes: { verb: "get", resource: "pods", namespace: "ns" } };
  const reason = 'RBAC: allowed by ClusterRoleBinding "v" of ClusterRole "view" to User "jane"';
  const as = (user: User) => ({ ...context, user, authorizer: viewer, namespace: "ns" });
  expect(review("SubjectAccessReview", { spec: asked }, as(bench))["status"]).toEqual({ allowed: true, reason });
  expect(review("SubjectAccessReview", { spec: { ...asked, user: "joe" } }, as(bench))["status"]).toEqual({
    allowed: false,
  });
  expect(
    review("LocalSubjectAccessReview", { metadata: { namespace: "ns" }, spec: asked }, as(bench))["status"],
  ).toEqual({ allowed: true, reason });
  const path = { nonResourceAttributes: { path: "/healthz", verb: "get" } };
  expect(review("SelfSubjectAccessReview", { spec: path }, as(jane))["status"]).toEqual({ allowed: true, reason });
  expect(review("SelfSubjectAccessReview", { spec: path }, as({ ...jane, username: "joe" }))["status"]).toEqual({
    allowed: false,
  });
});

it("S18 a SelfSubjectRulesReview lists rules, and needs a namespace", () => {
  const as = { ...context, user: jane, authorizer: viewer };
  const answer = review("SelfSubjectRulesReview", { metadata: { name: "q" }, spec: { namespace: "ns" } }, as);
  expect(answer).toMatchObject({ metadata: {}, spec: {} });
  expect(answer["status"]).toEqual({
    resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
    nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }],
    incomplete: false,
  });
  expect(() => review("SelfSubjectRulesReview", { spec: {} }, as)).toThrow(
    expect.objectContaining({ code: 400, message: "no namespace on request" }),
  );
});
