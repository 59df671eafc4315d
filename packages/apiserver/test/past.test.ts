// The past on purpose: stale reads, a faster rival, snapshots to come back to, and rules over HTTP.
import { VirtualClock } from "@telltale/clock";
import { afterEach, describe, expect, it } from "vitest";
import { type ApiServer, startApiServer } from "../src/index.ts";

const path = "/api/v1/namespaces/default/configmaps";
let server: ApiServer;

afterEach(() => server.stop());

async function send(method: string, url: string, body?: unknown, type = "application/json") {
  const answer = await server.client({
    method,
    path: url,
    headers: { "content-type": type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: answer.body === "" ? undefined : JSON.parse(answer.body) };
}

const config = (name: string, k: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { k } });

describe("faults that show the past", () => {
  it("a stale read shows an older state, and the next one the newest", async () => {
    server = await startApiServer({ listen: false });
    await send("POST", path, config("a", "old"));
    await send("PATCH", `${path}/a`, { data: { k: "new" } }, "application/merge-patch+json");
    server.faults.add({
      match: { verbs: ["get"], resource: "configmaps" },
      times: 1,
      effect: { staleRead: { lagRevisions: 1 } },
    });
    expect((await send("GET", `${path}/a`)).body.data.k).toBe("old");
    expect((await send("GET", `${path}/a`)).body.data.k).toBe("new");
  });

  it("a stale list lacks what was created since", async () => {
    server = await startApiServer({ listen: false });
    await send("POST", path, config("a", "1"));
    await send("POST", path, config("b", "1"));
    server.faults.add({ match: { verbs: ["list"] }, times: 1, effect: { staleRead: { lagRevisions: 1 } } });
    expect((await send("GET", path)).body.items.map((i: { metadata: { name: string } }) => i.metadata.name)).toEqual([
      "a",
    ]);
  });

  it("a read that is stale by a time shows what there was then", async () => {
    const clock = new VirtualClock();
    server = await startApiServer({ listen: false, clock });
    await send("POST", path, config("a", "old"));
    clock.advance(1_000);
    await send("PATCH", `${path}/a`, { data: { k: "new" } }, "application/merge-patch+json");
    clock.advance(1_000);
    server.faults.add({ match: { verbs: ["get"] }, times: 1, effect: { staleRead: { lagMs: 500 } } });
    expect((await send("GET", `${path}/a`)).body.data.k).toBe("new");
    server.faults.add({ match: { verbs: ["get"] }, times: 1, effect: { staleRead: { lagMs: 1_500 } } });
    expect((await send("GET", `${path}/a`)).body.data.k).toBe("old");
    server.faults.add({ match: { verbs: ["get"] }, times: 1, effect: { staleRead: { lagMs: 2_500 } } });
    expect((await send("GET", `${path}/a`)).status).toBe(404);
    expect((await send("GET", `${path}/a`)).body.data.k).toBe("new");
  });

  it("a rival that was faster makes a PUT conflict, and a patch go on", async () => {
    server = await startApiServer({ listen: false });
    const { body } = await send("POST", path, config("a", "1"));
    server.faults.add({ match: { verbs: ["update", "patch"] }, effect: { conflictOnce: true } });
    expect((await send("PUT", `${path}/a`, { ...body, data: { k: "2" } })).status).toBe(409);
    expect((await send("PATCH", `${path}/a`, { data: { k: "3" } }, "application/merge-patch+json")).status).toBe(200);
  });
});

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const thingsPath = "/apis/example.com/v1/namespaces/default/things";
const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const things = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions: [{ name: "v1", served: true, storage: true, schema }],
  },
};

async function read(stream: AsyncIterable<unknown> | undefined): Promise<string[]> {
  const lines: string[] = [];
  for await (const chunk of stream ?? []) lines.push(String(chunk));
  return lines;
}

describe("snapshots", () => {
  it("bring back objects and definitions as they were", async () => {
    server = await startApiServer({ listen: false });
    const before = server.snapshot();
    await send("POST", definitions, things);
    await send("POST", path, config("a", "1"));
    expect((await send("GET", "/apis/example.com/v1/things")).status).toBe(200);
    server.restore(before);
    expect((await send("GET", `${path}/a`)).status).toBe(404);
    expect((await server.client({ method: "GET", path: "/apis/example.com/v1/things" })).status).toBe(404);
  });

  const services = "/api/v1/namespaces/default/services";
  const service = (name: string, clusterIP: string, nodePort: number) => ({
    metadata: { name },
    spec: { type: "NodePort", clusterIP, ports: [{ port: 80, nodePort }] },
  });

  it("hand out no address and no port that a Service holds again", async () => {
    server = await startApiServer({ listen: false });
    expect((await send("POST", services, service("a", "10.0.0.50", 30_050))).status).toBe(201);
    const before = server.snapshot();
    await send("DELETE", `${services}/a`);
    server.restore(before);
    expect((await send("POST", services, service("b", "10.0.0.50", 30_051))).body.message).toMatch(/already allocated/);
    expect((await send("POST", services, service("b", "10.0.0.51", 30_050))).body.message).toMatch(/already allocated/);
  });

  it("set free the addresses and ports of Services that are no longer there", async () => {
    server = await startApiServer({ listen: false });
    const before = server.snapshot();
    await send("POST", services, service("a", "10.0.0.50", 30_050));
    server.restore(before);
    expect((await send("POST", services, service("b", "10.0.0.50", 30_050))).status).toBe(201);
  });

  it("let Events expire, those of before and those of after", async () => {
    const clock = new VirtualClock();
    server = await startApiServer({ listen: false, clock });
    const events = "/api/v1/namespaces/default/events";
    const event = (name: string) => ({
      metadata: { name },
      involvedObject: { kind: "Pod", name: "p", namespace: "default" },
    });
    await send("POST", events, event("a"));
    server.restore(server.snapshot());
    await send("POST", events, event("b"));
    expect((await send("GET", events)).body.items).toHaveLength(2);
    clock.advance(3_600_000);
    expect((await send("GET", events)).body.items).toHaveLength(0);
  });

  it("do not keep a watch of a custom kind open when its definition is deleted", async () => {
    server = await startApiServer({ listen: false });
    await send("POST", definitions, things);
    const first = read((await server.client({ method: "GET", path: `${thingsPath}?watch=true` })).stream);
    server.restore(server.snapshot());
    await first;
    const { stream } = await server.client({ method: "GET", path: `${thingsPath}?watch=true` });
    const done = read(stream);
    await send("DELETE", `${definitions}/things.example.com`);
    expect(await done).toEqual([]);
  });

  it("let a definition go that was being deleted", async () => {
    server = await startApiServer({ listen: false });
    await send("POST", definitions, things);
    const thing = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a", finalizers: ["a.b/c"] } };
    await send("POST", thingsPath, thing);
    await send("DELETE", `${definitions}/things.example.com`);
    await server.settle();
    const before = server.snapshot();
    server.restore(before);
    const free = { metadata: { finalizers: null } };
    expect((await send("PATCH", `${thingsPath}/a`, free, "application/merge-patch+json")).status).toBe(200);
    await server.settle();
    expect((await send("GET", `${definitions}/things.example.com`)).status).toBe(404);
  });

  it("stop the deletion of objects whose definition is not being deleted", async () => {
    server = await startApiServer({ listen: false });
    await send("POST", definitions, things);
    const thing = (name: string) => ({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name } });
    for (const name of ["a", "b", "c"]) await send("POST", thingsPath, thing(name));
    const before = server.snapshot();
    await send("DELETE", `${definitions}/things.example.com`);
    server.restore(before);
    await server.settle();
    expect((await send("GET", thingsPath)).body.items).toHaveLength(3);
  });
});

it("a watch ends when the server is put back: what it waited for may never come", async () => {
  server = await startApiServer({ listen: false });
  const before = server.snapshot();
  await send("POST", path, config("a", "1"));
  const { stream } = await server.client({ method: "GET", path: `${path}?watch=true` });
  const lines = read(stream);
  server.restore(before);
  expect(await lines).toHaveLength(1);
});

describe("rules over HTTP", () => {
  it("can be added, listed and taken away by the administrator only", async () => {
    server = await startApiServer({ listen: false });
    const made = await send("POST", "/-/faults", { match: { path: "configmaps" }, effect: { status: 503 } });
    expect(made).toMatchObject({ status: 201, body: { id: "fault-1" } });
    expect((await send("GET", path)).status).toBe(503);
    const user = { username: "ada", uid: "", groups: ["system:authenticated"], extra: {} };
    expect((await server.client({ method: "GET", path: "/-/faults", user })).status).toBe(403);
    expect((await send("DELETE", "/-/faults/fault-1")).status).toBe(200);
    expect((await send("GET", path)).status).toBe(200);
    expect((await send("POST", "/-/faults", { match: {} })).body.message).toMatch(/"effect"/);
  });
});
