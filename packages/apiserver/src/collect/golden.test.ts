// What a real controller manager did with small scenarios of owners and namespaces, done again by these controllers.
import { readFileSync } from "node:fs";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { afterEach, describe, expect, test } from "vitest";
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import type { StoreEvent } from "../store/store.ts";
import { startGarbageCollector } from "./garbage.ts";
import { startNamespaceController } from "./namespaces.ts";
import type { Controller } from "./work.ts";

interface Step {
  do?: string;
  until?: Json;
  wait?: number;
  manifest?: JsonObject;
  kind?: string;
  name?: string;
  patch?: JsonObject;
  propagationPolicy?: string;
}

const folder = new URL("../../test/fixtures/golden/workloads/", import.meta.url);
const scenario = (name: string) =>
  JSON.parse(readFileSync(new URL(`scenarios/${name}.json`, folder), "utf8")) as { steps: Step[] };
const recorded = (name: string) =>
  readFileSync(new URL(`recorded/v1.36/${name}.jsonl`, folder), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonObject);

class Cluster {
  readonly server: ApiServer;
  readonly controllers: readonly Controller[];
  readonly events: StoreEvent[] = [];

  constructor(server: ApiServer) {
    this.server = server;
    const { store, catalogue, client, clock } = server;
    const env = { store, catalogue, client, clock, log: () => {} };
    store.subscribe("/", store.revision, (event) => this.events.push(event));
    this.controllers = [startGarbageCollector(env), startNamespaceController(env)];
  }

  async call(method: string, path: string, body?: Json, type = "application/json"): Promise<JsonObject> {
    const headers = { "content-type": type };
    const { status, body: answer } = await this.server.client({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${answer}`);
    return JSON.parse(answer) as JsonObject;
  }

  /** Until nobody has anything to do any more. */
  async settled(): Promise<void> {
    for (let seen = -1; seen !== this.server.store.revision; ) {
      seen = this.server.store.revision;
      for (const controller of this.controllers) await controller.idle();
      await turn();
    }
  }

  /** The states of all objects of a namespace in the form of the recordings, and their order. */
  states(namespace: string): { states: JsonObject[]; order: string[] } {
    const counts = new Map<string, number>();
    const last = new Map<string, JsonObject>();
    const states: JsonObject[] = [];
    for (const { type, record } of this.events) {
      const { apiVersion: _, metadata, kind, ...rest } = record.object();
      const name = `${text(kind)}/${text(at(metadata, "name"))}`;
      const n = counts.get(name) ?? 0;
      counts.set(name, n + 1);
      const before = last.get(name) ?? {};
      last.set(name, rest);
      const kept = Object.entries(rest).filter(([key, value]) => key === "status" || !same(before[key], value));
      const shown = type === "DELETED" ? {} : Object.fromEntries(kept);
      states.push({ object: name, n, event: type, metadata: metadata ?? {}, ...shown });
    }
    const mine = states.map((state) => symbols(state, namespace) as JsonObject);
    return { states: mine, order: mine.map((state) => `${text(state["object"])}#${state["n"]}`) };
  }
}

const same = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Times, uids and the namespace as the recordings have them. */
function symbols(value: Json, namespace: string): Json {
  const uids = new Map<string, string>();
  const walk = (v: Json, key = ""): Json => {
    if (Array.isArray(v)) return v.map((item) => walk(item));
    if (isObject(v)) {
      const entries = Object.entries(v).filter(([name]) => name !== "managedFields" && name !== "resourceVersion");
      return Object.fromEntries(
        entries.map(([name, inner]) => [name.replaceAll(namespace, "<ns>"), walk(inner, name)]),
      );
    }
    if (typeof v !== "string") return v;
    if (/Time(stamp)?$/.test(key)) return "<time>";
    if (key === "uid") return uids.get(v) ?? "<uid>";
    return v === namespace ? "<ns>" : v.replaceAll(`/${namespace}`, "/<ns>");
  };
  return walk(value);
}

/** A recorded state without what this comparison leaves out. */
function plain(state: JsonObject): JsonObject {
  const { record: _, step: __, ...rest } = state;
  return JSON.parse(JSON.stringify(rest).replaceAll(/"uid":"<uid:?[^"]*"/g, '"uid":"<uid>"')) as JsonObject;
}

let cluster: Cluster | undefined;
async function start(): Promise<Cluster> {
  const server = await startApiServer({
    listen: false,
    controllers: "none",
    clock: new VirtualClock(),
    random: seededRandom(1),
  });
  cluster = new Cluster(server);
  return cluster;
}
afterEach(async () => {
  for (const controller of cluster?.controllers ?? []) controller.stop();
  await cluster?.server.stop();
  cluster = undefined;
});

const ns = "scenario-1";
const configMaps = `/api/v1/namespaces/${ns}/configmaps`;

async function perform(c: Cluster, step: Step): Promise<void> {
  if (step.until !== undefined || step.wait !== undefined) return c.settled();
  const { manifest, name = "" } = step;
  if (step.do === "create" && manifest !== undefined) {
    const { $owner: named, ...object } = manifest;
    const owners = named === undefined ? [] : Array.isArray(named) ? named : [named];
    const references = await Promise.all(owners.filter(isObject).map((owner) => reference(c, owner)));
    const metadata = {
      ...(object["metadata"] as JsonObject),
      ...(references.length === 0 ? {} : { ownerReferences: references }),
    };
    await c.call("POST", configMaps, { ...object, metadata });
  } else if (step.do === "delete") {
    const options = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: step.propagationPolicy ?? null };
    await c.call("DELETE", `${configMaps}/${name}`, step.propagationPolicy === undefined ? undefined : options);
  } else if (step.do === "patch") {
    await c.call("PATCH", `${configMaps}/${name}`, step.patch ?? {}, "application/merge-patch+json");
  } else throw new Error(`no such step: ${JSON.stringify(step)}`);
}

async function reference(c: Cluster, owner: JsonObject): Promise<JsonObject> {
  const { uidOf, ...rest } = owner;
  if (rest["uid"] !== undefined) return rest;
  const found = await c.call("GET", `${configMaps}/${text(uidOf) || text(rest["name"])}`);
  return { ...rest, uid: text(at(found, "metadata", "uid")) };
}

describe("owners, as a real controller manager has them", () => {
  test.for([
    "gc-absent-owner",
    "gc-default",
    "gc-foreground-no-block",
    "gc-owner-wrong-name",
    "gc-two-owners",
    "finalizer-delete",
  ])("%s", async (name) => {
    const c = await start();
    await c.call("POST", "/api/v1/namespaces", { metadata: { name: ns } });
    c.events.length = 0;
    for (const step of scenario(name).steps) await perform(c, step);
    const expected = recorded(name);
    const { states, order } = c.states(ns);
    const byObject = (list: readonly JsonObject[]) =>
      list.toSorted((a, b) => (text(a["object"]) < text(b["object"]) ? -1 : 1));
    expect(byObject(states)).toEqual(byObject(expected.filter((r) => r["record"] === "state").map(plain)));
    expect(order).toEqual(expected.find((r) => r["record"] === "order")?.["common"]);
  });
});

const ofNamespace = (states: readonly JsonObject[]) => states.filter((state) => state["object"] === "Namespace/<ns>");

describe("namespaces that go, as on a real controller manager", () => {
  test("namespace-delete-empty: what every namespace has goes, then the namespace", async () => {
    const c = await start();
    await c.call("POST", "/api/v1/namespaces", { metadata: { name: ns } });
    await c.call("POST", `/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name: "default" } });
    await c.call("POST", configMaps, { metadata: { name: "kube-root-ca.crt" } });
    await c.settled();
    await c.call("DELETE", `/api/v1/namespaces/${ns}`);
    await c.settled();
    const expected = recorded("namespace-delete-empty");
    const { states, order } = c.states(ns);
    expect(ofNamespace(states)).toEqual(ofNamespace(expected.filter((r) => r["record"] === "state").map(plain)));
    expect(order).toEqual([
      "Namespace/<ns>#0",
      "ServiceAccount/default#0",
      "ConfigMap/kube-root-ca.crt#0",
      "Namespace/<ns>#1",
      "ConfigMap/kube-root-ca.crt#1",
      "ServiceAccount/default#1",
      "Namespace/<ns>#2",
      "Namespace/<ns>#3",
    ]);
  });

  test("namespace-delete: pods first and silently, then what holds it is told, and at last it is gone", async () => {
    const c = await start();
    await c.call("POST", "/api/v1/namespaces", { metadata: { name: ns } });
    const pod = { metadata: { name: "web" }, spec: { nodeName: "node-1", containers: [{ name: "a", image: "b" }] } };
    await c.call("POST", `/api/v1/namespaces/${ns}/pods`, pod);
    await c.call("POST", configMaps, { metadata: { name: "held", finalizers: ["example.test/hold"] } });
    await c.call("DELETE", `/api/v1/namespaces/${ns}`);
    await c.settled();
    expect(at(await c.call("GET", `${configMaps}/held`), "metadata", "deletionTimestamp")).toBeUndefined();
    await c.call("DELETE", `/api/v1/namespaces/${ns}/pods/web?gracePeriodSeconds=0`);
    await c.settled();
    await c.call("PATCH", `${configMaps}/held`, { metadata: { finalizers: null } }, "application/merge-patch+json");
    await c.settled();
    const expected = recorded("namespace-delete").filter((r) => r["record"] === "state");
    expect(ofNamespace(c.states(ns).states)).toEqual(ofNamespace(expected.map(plain)));
  });
});
