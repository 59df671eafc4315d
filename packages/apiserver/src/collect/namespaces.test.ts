import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { at, isObject, type Json, type JsonObject } from "../json.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import type { InProcessClient } from "../transport/in-process.ts";
import { startNamespaceController } from "./namespaces.ts";
import type { Controller } from "./work.ts";

const clock = new VirtualClock();
let server: ApiServer;
let controller: Controller;
let refused: string[] = [];

beforeEach(async () => {
  server = await startApiServer({ listen: false, controllers: "none", clock, random: seededRandom(4) });
  refused = [];
  const { store, catalogue } = server;
  const client: InProcessClient = (request) =>
    request.method === "DELETE" && refused.some((path) => request.path.startsWith(path))
      ? Promise.resolve({ status: 500, headers: {}, body: "no" })
      : server.client(request);
  controller = startNamespaceController({ store, catalogue, client, clock, log: () => {} });
  await call("POST", "/api/v1/namespaces", { metadata: { name: "ns" } });
});
afterEach(async () => {
  controller.stop();
  await server.stop();
});

async function call(method: string, path: string, body?: Json, type = "application/json") {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status, body: answer } = await server.client({ method, path, headers: { "content-type": type }, ...sent });
  return { status, object: JSON.parse(answer) as JsonObject };
}
async function settled(): Promise<void> {
  for (let seen = -1; seen !== server.store.revision; ) {
    seen = server.store.revision;
    await controller.idle();
    await turn();
  }
}
const status = async (path: string) => (await call("GET", path)).status;
const condition = async (type: string) => {
  const conditions = at((await call("GET", "/api/v1/namespaces/ns")).object, "status", "conditions");
  return (Array.isArray(conditions) ? conditions : []).filter(isObject).find((c) => c["type"] === type)?.["message"];
};

test("custom resources go with their namespace, and what is elsewhere stays", async () => {
  const schema = { openAPIV3Schema: { type: "object" } };
  await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
  const widgets = (namespace: string) => `/apis/example.com/v1/namespaces/${namespace}/widgets`;
  for (const namespace of ["ns", "default"]) {
    await call("POST", widgets(namespace), { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } });
  }
  await call("DELETE", "/api/v1/namespaces/ns");
  await settled();
  expect([await status("/api/v1/namespaces/ns"), server.store.get("/example.com/widgets/ns/w")]).toEqual([
    404,
    undefined,
  ]);
  expect(await status(`${widgets("default")}/w`)).toBe(200);
});

test("what cannot be deleted is told and tried again, and does not keep the rest", async () => {
  const path = "/api/v1/namespaces/ns";
  await call("POST", `${path}/configmaps`, { metadata: { name: "a" } });
  await call("POST", `${path}/secrets`, { metadata: { name: "a" } });
  refused = [`${path}/configmaps`];
  await call("DELETE", path);
  await settled();
  expect([await status(`${path}/configmaps/a`), await status(`${path}/secrets/a`)]).toEqual([200, 404]);
  expect(await condition("NamespaceDeletionContentFailure")).toBe(
    `Failed to delete all resource types, 1 remaining: DELETE ${path}/configmaps: 500 no`,
  );
  expect(await condition("NamespaceContentRemaining")).toBe(
    "Some resources are remaining: configmaps. has 1 resource instances",
  );
  refused = [];
  clock.advance(30_000);
  await settled();
  expect(await status(path)).toBe(404);
});

test("a finalizer of its own keeps an empty namespace", async () => {
  const path = "/api/v1/namespaces/ns";
  await call("PATCH", path, { metadata: { finalizers: ["example.com/f"] } }, "application/merge-patch+json");
  await call("DELETE", path);
  await settled();
  const { object } = await call("GET", path);
  expect([at(object, "spec", "finalizers") ?? [], at(object, "metadata", "finalizers")]).toEqual([
    [],
    ["example.com/f"],
  ]);
  await call("PATCH", path, { metadata: { finalizers: null } }, "application/merge-patch+json");
  await settled();
  expect(await status(path)).toBe(404);
});

test("a store that goes back to an earlier state is followed from there", async () => {
  await call("POST", "/api/v1/namespaces/ns/configmaps", { metadata: { name: "a", finalizers: ["example.com/f"] } });
  await call("DELETE", "/api/v1/namespaces/ns");
  await settled();
  const held = server.store.snapshot();
  await call(
    "PATCH",
    "/api/v1/namespaces/ns/configmaps/a",
    { metadata: { finalizers: null } },
    "application/merge-patch+json",
  );
  await settled();
  expect(await status("/api/v1/namespaces/ns")).toBe(404);
  server.store.restore(held);
  await settled();
  expect(await status("/api/v1/namespaces/ns")).toBe(200);
  await call(
    "PATCH",
    "/api/v1/namespaces/ns/configmaps/a",
    { metadata: { finalizers: null } },
    "application/merge-patch+json",
  );
  await settled();
  expect(await status("/api/v1/namespaces/ns")).toBe(404);
});
