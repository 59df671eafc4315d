import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { at, type Json, type JsonObject, text } from "../json.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import type { InProcessClient } from "../transport/in-process.ts";
import { startGarbageCollector } from "./garbage.ts";
import type { Controller } from "./work.ts";

let server: ApiServer;
let collector: Controller | undefined;
const clock = new VirtualClock();
const logged: string[] = [];

beforeEach(async () => {
  server = await startApiServer({ listen: false, controllers: "none", clock, random: seededRandom(7) });
  logged.length = 0;
  for (const name of ["one", "two"]) await call("POST", "/api/v1/namespaces", { metadata: { name } });
});
afterEach(async () => {
  collector?.stop();
  await server.stop();
});

const collect = (client: InProcessClient = server.client) => {
  const { store, catalogue } = server;
  collector = startGarbageCollector({ store, catalogue, client, clock, log: (line) => logged.push(line) });
};

async function call(method: string, path: string, body?: Json, type = "application/json"): Promise<JsonObject> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status, body: answer } = await server.client({ method, path, headers: { "content-type": type }, ...sent });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${answer}`);
  return JSON.parse(answer) as JsonObject;
}

async function settled(): Promise<void> {
  for (let seen = -1; seen !== server.store.revision; ) {
    seen = server.store.revision;
    await collector?.idle();
    await turn();
  }
}

const maps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const path = (object: JsonObject): string => {
  const name = text(at(object, "metadata", "name"));
  return object["kind"] === "ClusterRole"
    ? `${roles}/${name}`
    : `${maps(text(at(object, "metadata", "namespace")))}/${name}`;
};

interface Shape {
  readonly in?: string;
  readonly owners?: readonly JsonObject[];
  readonly blocks?: boolean;
  readonly finalizers?: readonly string[];
}

const owned = (owners: readonly JsonObject[], blocks: boolean): JsonObject[] =>
  owners.map((owner) => ({
    apiVersion: owner["apiVersion"] ?? "",
    kind: owner["kind"] ?? "",
    name: text(at(owner, "metadata", "name")),
    uid: text(at(owner, "metadata", "uid")),
    ...(blocks ? { blockOwnerDeletion: true } : {}),
  }));

const map = (name: string, { in: namespace = "one", owners = [], blocks = false, finalizers = [] }: Shape = {}) =>
  call("POST", maps(namespace), {
    metadata: { name, finalizers: [...finalizers], ownerReferences: owned(owners, blocks) },
  });
const role = (name: string, owners: readonly JsonObject[] = []) =>
  call("POST", roles, { metadata: { name, ownerReferences: owned(owners, false) }, rules: [] });
const remove = (object: JsonObject, propagationPolicy: string) =>
  call("DELETE", path(object), { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy });
const patch = (object: JsonObject, metadata: JsonObject) =>
  call("PATCH", path(object), { metadata }, "application/merge-patch+json");

async function state(object: JsonObject): Promise<"gone" | "going" | "there"> {
  const { status, body } = await server.client({ method: "GET", path: path(object) });
  if (status === 404) return "gone";
  return at(JSON.parse(body) as JsonObject, "metadata", "deletionTimestamp") === undefined ? "there" : "going";
}
const ownersOf = async (object: JsonObject) => at(await call("GET", path(object)), "metadata", "ownerReferences");

describe("background", () => {
  test("dependents of dependents follow their owner", async () => {
    collect();
    const a = await map("a");
    const b = await map("b", { owners: [a] });
    const c = await map("c", { owners: [b] });
    await remove(a, "Background");
    await settled();
    expect([await state(a), await state(b), await state(c)]).toEqual(["gone", "gone", "gone"]);
  });

  test("what lost its owner before the collector was there goes when it starts", async () => {
    const a = await map("a");
    const b = await map("b", { owners: [a] });
    await remove(a, "Background");
    expect(await state(b)).toBe("there");
    collect();
    await settled();
    expect(await state(b)).toBe("gone");
  });

  test("an owner of the same name with another uid is another owner", async () => {
    collect();
    const first = await map("a");
    const b = await map("b", { owners: [first], finalizers: ["example.test/hold"] });
    await remove(first, "Background");
    await map("a");
    await settled();
    expect(await state(b)).toBe("going");
  });

  test("nor is it the owner of what was left before the collector was there", async () => {
    const first = await map("a");
    const b = await map("b", { owners: [first] });
    await remove(first, "Background");
    const second = await map("a");
    const c = await map("c", { owners: [second] });
    collect();
    await settled();
    expect([await state(b), await state(c)]).toEqual(["gone", "there"]);
  });

  test("an owner that is going by other finalizers still owns", async () => {
    collect();
    const a = await map("a", { finalizers: ["example.test/hold"] });
    const b = await map("b", { owners: [a] });
    await remove(a, "Background");
    await settled();
    expect([await state(a), await state(b)]).toEqual(["going", "there"]);
  });
});

describe("foreground", () => {
  test("the owner waits for those that block it, at every level, and goes last", async () => {
    collect();
    const a = await map("a");
    const b = await map("b", { owners: [a], blocks: true });
    const c = await map("c", { owners: [b], blocks: true, finalizers: ["example.test/hold"] });
    await remove(a, "Foreground");
    await settled();
    expect([await state(a), await state(b), await state(c)]).toEqual(["going", "going", "going"]);
    await patch(c, { finalizers: null });
    await settled();
    expect([await state(a), await state(b), await state(c)]).toEqual(["gone", "gone", "gone"]);
  });

  test("two that own each other do not wait for each other", async () => {
    collect();
    const a = await map("a");
    const b = await map("b", { owners: [a], blocks: true });
    await patch(a, { ownerReferences: owned([b], true) });
    await settled();
    await remove(a, "Foreground");
    await settled();
    expect([await state(a), await state(b)]).toEqual(["gone", "gone"]);
  });

  test("a dependent with another owner is let go, not deleted", async () => {
    collect();
    const [a, other] = [await map("a"), await map("other")];
    const b = await map("b", { owners: [a, other], blocks: true });
    await remove(a, "Foreground");
    await settled();
    expect([await state(a), await state(b)]).toEqual(["gone", "there"]);
    expect(await ownersOf(b)).toEqual(owned([other], true));
  });
});

test("orphan: dependents stay and forget their owner", async () => {
  collect();
  const a = await map("a");
  const b = await map("b", { owners: [a] });
  await remove(a, "Orphan");
  await settled();
  expect([await state(a), await state(b)]).toEqual(["gone", "there"]);
  expect(await ownersOf(b)).toBeUndefined();
});

describe("scopes", () => {
  test("something of the cluster owns something in a namespace", async () => {
    collect();
    const a = await role("a");
    const b = await map("b", { owners: [a] });
    await settled();
    expect(await state(b)).toBe("there");
    await remove(a, "Background");
    await settled();
    expect(await state(b)).toBe("gone");
  });

  test("an owner in another namespace is no owner", async () => {
    collect();
    const a = await map("a", { in: "one" });
    const b = await map("b", { in: "two", owners: [a] });
    await settled();
    expect([await state(a), await state(b)]).toEqual(["there", "gone"]);
  });

  test("what is not in a namespace cannot lose an owner that is in one", async () => {
    collect();
    const b = await role("b", [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "never", uid: "u" } }]);
    await settled();
    expect(await state(b)).toBe("there");
  });

  test("an owner of an unknown kind may be there: nothing is deleted until the kind is served", async () => {
    collect();
    const b = await map("b", {
      owners: [{ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", uid: "u" } }],
    });
    await settled();
    expect(await state(b)).toBe("there");
    const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
    const schema = { openAPIV3Schema: { type: "object" } };
    await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names,
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await settled();
    expect(await state(b)).toBe("gone");
  });
});

test("an owner whose kind goes with it takes along what it owns", async () => {
  collect();
  const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
  const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const spec = { group: "example.com", scope: "Namespaced", names, versions };
  await call("POST", definition, { metadata: { name: "widgets.example.com" }, spec });
  const kind = { apiVersion: "example.com/v1", kind: "Widget" };
  const made = await call("POST", "/apis/example.com/v1/namespaces/one/widgets", { ...kind, metadata: { name: "w" } });
  const children = await Promise.all(["b", "c", "d"].map((name) => map(name, { in: "one", owners: [made] })));
  await settled();
  await call("DELETE", `${definition}/widgets.example.com`);
  await settled();
  expect(await Promise.all(children.map(state))).toEqual(["gone", "gone", "gone"]);
});

describe("when a write fails", () => {
  const failing = (status: number, times: number): InProcessClient => {
    let left = times;
    return (request) => {
      if (request.method === "GET" || left <= 0) return server.client(request);
      left -= 1;
      return Promise.resolve({ status, headers: {}, body: "" });
    };
  };

  test("a conflict is tried again at once", async () => {
    collect(failing(409, 3));
    const b = await map("b", { owners: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "no", uid: "u" } }] });
    await settled();
    expect(await state(b)).toBe("gone");
  });

  test("an error is tried again later, and told", async () => {
    collect(failing(500, 2));
    const b = await map("b", { owners: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "no", uid: "u" } }] });
    await settled();
    expect(await state(b)).toBe("there");
    expect(logged).toEqual(["//configmaps/one/b: DELETE /api/v1/namespaces/one/configmaps/b: 500 "]);
    clock.advance(100);
    await settled();
    expect(await state(b)).toBe("there");
    clock.advance(200);
    await settled();
    expect(await state(b)).toBe("gone");
  });
});
