// A request to change an object that is not there makes it where the kind allows that, and only for those who may make one.
// The answers are those of kube-apiserver v1.36.
import { expect, it } from "vitest";
import { startApiServer } from "../src/index.ts";
import { crd } from "./golden/crd.ts";

const jane = { username: "jane", uid: "", groups: ["system:authenticated"], extra: {} };
const int = { type: "integer" };
const rbac = { apiGroup: "rbac.authorization.k8s.io" };

async function served(...verbs: string[]) {
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "changer", namespace: "default" },
    rules: [{ apiGroups: ["", "coordination.k8s.io"], resources: ["configmaps", "leases"], verbs }],
  };
  const binding = {
    ...role,
    kind: "RoleBinding",
    rules: undefined,
    roleRef: { ...rbac, kind: "Role", name: "changer" },
    subjects: [{ ...rbac, kind: "User", name: "jane" }],
  };
  const server = await startApiServer({ listen: false, objects: [role, binding] });
  const ask = async (method: string, path: string, type: string, body: object) => {
    const { status, body: text } = await server.client({
      method,
      path,
      headers: { "content-type": type },
      body: JSON.stringify(body),
      user: jane,
    });
    return `${status} ${JSON.parse(text).message ?? ""}`;
  };
  const map = (data: object = {}, metadata: object = {}) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", ...metadata },
    data,
  });
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" }, spec: {} };
  return {
    apply: (data?: object, more = "", metadata?: object) =>
      ask(
        "PATCH",
        `/api/v1/namespaces/default/configmaps/a?fieldManager=x${more}`,
        "application/apply-patch+yaml",
        map(data, metadata),
      ),
    put: () => ask("PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l", "application/json", lease),
    stop: () => server.stop(),
  };
}

it("is answered as it is stored: with the defaults of a status that nobody may bring", async () => {
  const status = { type: "object", default: { observedGeneration: -1 }, properties: { observedGeneration: int } };
  const schema = { openAPIV3Schema: { type: "object", properties: { status } } };
  const versions = [{ subresources: { status: {} }, schema }];
  const shops = crd({ kind: "Shop", group: "example.com", versions }, {});
  const server = await startApiServer({ listen: false, objects: [shops] });
  const ask = async (method: string, path: string, type: string, name: string) => {
    const shop = { apiVersion: "example.com/v1", kind: "Shop", metadata: { name }, status: { observedGeneration: 7 } };
    const answer = await server.client({
      method,
      path: `/apis/example.com/v1/namespaces/default/shops${path}`,
      headers: { "content-type": type },
      ...(method === "GET" ? {} : { body: JSON.stringify(shop) }),
    });
    return JSON.parse(answer.body).status;
  };
  const filled = { observedGeneration: -1 };
  expect(await ask("POST", "", "application/json", "a")).toEqual(filled);
  expect(await ask("PATCH", "/b?fieldManager=x", "application/apply-patch+yaml", "b")).toEqual(filled);
  expect(await ask("GET", "/b", "", "b")).toEqual(filled);
  await server.stop();
});

it("is refused to whoever may change objects but not make them", async () => {
  const { apply, put, stop } = await served("get", "patch", "update");
  const no = (what: string, group: string) =>
    `User "jane" cannot create resource "${what}" in API group "${group}" in the namespace "default"`;
  expect(await apply()).toBe(`403 configmaps "a" is forbidden: ${no("configmaps", "")}`);
  expect(await apply({}, "&dryRun=All")).toBe(`403 configmaps "a" is forbidden: ${no("configmaps", "")}`);
  expect(await put()).toBe(`403 leases.coordination.k8s.io "l" is forbidden: ${no("leases", "coordination.k8s.io")}`);
  // What is wrong with the object is told first.
  expect(await apply({ "b/c": "d" })).toMatch(/^422 ConfigMap "a" is invalid: data\[b\/c\]/);
  await stop();
});

it("is granted with the right to make them", async () => {
  const { apply, put, stop } = await served("create", "patch", "update");
  expect([await apply(), await put(), await apply({ b: "c" })]).toEqual(["201 ", "201 ", "200 "]);
  await stop();
});

it("is done for an apply that names a version, as there is none that it could be about", async () => {
  const { apply, stop } = await served("create", "patch");
  expect(await apply({ b: "c" }, "", { resourceVersion: "5" })).toBe("201 ");
  // Now there is.
  expect(await apply({ b: "d" }, "", { resourceVersion: "5" })).toMatch(/^409 .*the object has been modified/);
  await stop();
});

it("is refused for a custom resource whose definition is on its way out", async () => {
  const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com", finalizers: ["example.com/hold"] },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  const server = await startApiServer({ listen: false, objects: [definition] });
  const all = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await server.client({ method: "DELETE", path: `${all}/things.example.com`, headers: {} });
  await server.settle();
  const answer = await server.client({
    method: "PATCH",
    path: "/apis/example.com/v1/namespaces/default/things/a?fieldManager=x",
    headers: { "content-type": "application/apply-patch+yaml" },
    body: JSON.stringify({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" } }),
  });
  expect([answer.status, JSON.parse(answer.body).message]).toEqual([
    403,
    'things.example.com "a" is forbidden: create not allowed while custom resource definition is terminating',
  ]);
  await server.stop();
});
