import { seededRandom, VirtualClock } from "@telltale/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { at, type Json, type JsonObject } from "../json.ts";
import { type ApiServer, startApiServer } from "../server.ts";

let server: ApiServer;
beforeEach(async () => {
  server = await startApiServer({
    listen: false,
    controllers: "none",
    clock: new VirtualClock(),
    random: seededRandom(2),
  });
});
afterEach(() => server.stop());

async function call(method: string, path: string, body?: Json, headers: Record<string, string> = {}) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return server.client({ method, path, headers: { "content-type": "application/json", ...headers }, ...sent });
}
async function object(method: string, path: string, body?: Json, headers: Record<string, string> = {}) {
  const { status, body: answer } = await call(method, path, body, headers);
  return { status, object: JSON.parse(answer) as JsonObject };
}
const merge = { "content-type": "application/merge-patch+json" };

test("a terminating namespace stays while its spec has finalizers, and goes with the last one", async () => {
  await call("POST", "/api/v1/namespaces", { metadata: { name: "ns" } });
  await call("DELETE", "/api/v1/namespaces/ns");
  await call("PATCH", "/api/v1/namespaces/ns", { metadata: { labels: { a: "1" } } }, merge);
  expect((await call("GET", "/api/v1/namespaces/ns")).status).toBe(200);
  const done = await object("PUT", "/api/v1/namespaces/ns/finalize", { metadata: { name: "ns" }, spec: {} });
  expect([done.status, at(done.object, "status", "phase")]).toEqual([200, "Terminating"]);
  expect((await call("GET", "/api/v1/namespaces/ns")).status).toBe(404);
});

test("finalize takes a PUT and nothing else", async () => {
  for (const method of ["GET", "PATCH", "DELETE"]) {
    expect((await call(method, "/api/v1/namespaces/default/finalize", {}, merge)).status, method).toBe(405);
  }
});

test("the status of an object is neither created nor deleted", async () => {
  await call("POST", "/api/v1/namespaces", { metadata: { name: "ns" } });
  expect((await call("DELETE", "/api/v1/namespaces/ns/status")).status).toBe(405);
  expect((await call("POST", "/api/v1/namespaces/ns/status", {})).status).toBe(405);
  const { object: still } = await object("GET", "/api/v1/namespaces/ns/status");
  expect(at(still, "status", "phase")).toBe("Active");
});

test("S19 an approval can be patched, and writes conditions only", async () => {
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const request = Buffer.from("-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n").toString(
    "base64",
  );
  await call("POST", path, {
    metadata: { name: "r" },
    spec: { request, signerName: "a.io/b", usages: ["client auth"] },
  });
  const approved = { conditions: [{ type: "Approved", status: "True", reason: "r" }], certificate: "eA==" };
  const { status, object: after } = await object(
    "PATCH",
    `${path}/r/approval`,
    { status: approved, spec: { signerName: "c.io/d" } },
    merge,
  );
  expect(status).toBe(200);
  expect(at(after, "status", "conditions")).toMatchObject([{ type: "Approved" }]);
  expect([at(after, "status", "certificate"), at(after, "spec", "signerName")]).toEqual([undefined, "a.io/b"]);
});

test("D26 a failure is indented, or YAML, where the client reads that", async () => {
  const missing = "/api/v1/namespaces/default/configmaps/nope";
  expect((await call("GET", `${missing}?pretty=true`)).body).toMatch(/^\{\n {2}"kind": "Status"/);
  const yaml = await call("GET", missing, undefined, { accept: "application/yaml" });
  expect([yaml.headers["content-type"], yaml.body.split("\n")[0]]).toEqual(["application/yaml", "kind: Status"]);
});

test("D28 health checks can be left out, and unknown ones are told", async () => {
  const { body } = await call("GET", "/readyz?verbose&exclude=ping&exclude=a&exclude=b");
  expect(body).toBe(
    '[+]ping excluded: ok\n[+]storage ok\nwarn: some health checks cannot be excluded: no matches for "a","b"\nreadyz check passed\n',
  );
  expect((await call("GET", "/readyz/storage")).body).toBe("ok");
});

test("what only discovery needs is served empty, and read only", async () => {
  const { object: list } = await object("GET", "/apis/apiregistration.k8s.io/v1/apiservices");
  expect([list["kind"], list["items"]]).toEqual(["APIServiceList", []]);
  expect((await call("POST", "/apis/apiregistration.k8s.io/v1/apiservices", {})).status).toBe(405);
  expect((await call("GET", "/api/v1/componentstatuses?watch=1")).status).toBe(405);
  const slice = { metadata: { name: "s" }, spec: { driver: "d.io", pool: { name: "p" } } };
  expect(
    (
      await object("POST", "/apis/resource.k8s.io/v1/resourceslices", {
        apiVersion: "resource.k8s.io/v1",
        kind: "ResourceSlice",
        ...slice,
      })
    ).status,
  ).toBe(201);
});

test("the revision is told as a value that may go back: a restore takes it there", async () => {
  const { body } = await call("GET", "/metrics");
  expect(body).toMatch(/# TYPE telltale_apiserver_revision gauge\ntelltale_apiserver_revision \d+\n/);
});
