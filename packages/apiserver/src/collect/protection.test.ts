import { seededRandom, VirtualClock } from "@telltale/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { type ApiServer, startApiServer } from "../server.ts";

const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
const pods = "/api/v1/namespaces/default/pods";
let server: ApiServer;

beforeEach(async () => {
  server = await startApiServer({ listen: false, clock: new VirtualClock(), random: seededRandom(4) });
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await call("POST", claims, { metadata: { name: "data" }, spec });
});
afterEach(() => server.stop());

async function call(method: string, path: string, body?: Json, type = "application/json"): Promise<number> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status } = await server.client({ method, path, headers: { "content-type": type }, ...sent });
  await server.settle();
  return status;
}

test("a claim that nothing uses goes at once, and so does its namespace", async () => {
  await call("POST", "/api/v1/namespaces", { metadata: { name: "ns" } });
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await call("POST", "/api/v1/namespaces/ns/persistentvolumeclaims", { metadata: { name: "data" }, spec });
  expect(await call("DELETE", `${claims}/data`)).toBe(200);
  expect(await call("GET", `${claims}/data`)).toBe(404);
  await call("DELETE", "/api/v1/namespaces/ns");
  expect(await call("GET", "/api/v1/namespaces/ns")).toBe(404);
});

test("a claim that a pod mounts stays until the pod is gone", async () => {
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
  expect(
    await call("POST", pods, { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "i" }], volumes } }),
  ).toBe(201);
  await call("DELETE", `${claims}/data`);
  expect(await call("GET", `${claims}/data`)).toBe(200);
  await call("DELETE", `${pods}/p`);
  expect(await call("GET", `${claims}/data`)).toBe(404);
});
