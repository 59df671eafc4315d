// Webhooks as the server calls them: a server in memory, and webhooks behind a socket on loopback.
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Authority, authority } from "../authenticate/certificates.ts";
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import { type ApiServer, startApiServer } from "../server.ts";

type Behaviour = (review: JsonObject) => JsonObject | undefined | { status: number; body: string; type: string };

const clock = new VirtualClock();
const behaviours = new Map<string, Behaviour>();
let calls: { path: string; review: JsonObject }[] = [];
let pki: Authority;
let hooks: Server;
let server: ApiServer;
let arrived: () => void = () => {};

beforeAll(async () => {
  pki = authority(clock, seededRandom(3));
  hooks = createServer(pki.server, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString("utf8")) as JsonObject;
    const path = request.url ?? "";
    calls.push({ path, review });
    arrived();
    const made = behaviours.get(path.replace(/\?.*/, ""))?.(review);
    if (made === undefined) return; // never answers
    if ("type" in made && typeof made["type"] === "string") {
      response.writeHead(Number(made["status"]), { "content-type": made["type"] }).end(made["body"]);
      return;
    }
    const answer = {
      kind: review["kind"],
      apiVersion: review["apiVersion"],
      response: { uid: at(review, "request", "uid"), ...made },
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => hooks.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  hooks.closeAllConnections();
  hooks.close();
});
beforeEach(async () => {
  behaviours.clear();
  calls = [];
  const webhookResolver = ({ name }: { name: string }) => (name === "none" ? undefined : new URL(base()));
  server = await startApiServer({
    listen: false,
    controllers: "none",
    clock,
    random: seededRandom(5),
    webhookResolver,
  });
  await post("/api/v1/namespaces", { metadata: { name: "ns" } });
});
afterEach(() => server.stop());

const base = () => `https://127.0.0.1:${(hooks.address() as AddressInfo).port}`;
const ca = () => Buffer.from(pki.ca).toString("base64");
const allow: Behaviour = () => ({ allowed: true });
const patching =
  (...operations: JsonObject[]): Behaviour =>
  () => ({ allowed: true, patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(operations)).toString("base64") });

async function send(method: string, path: string, body: Json) {
  const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  const answer = await server.client({ method, path, headers, body: JSON.stringify(body) });
  return { ...answer, object: JSON.parse(answer.body) as JsonObject };
}
async function post(path: string, body: Json): Promise<JsonObject> {
  const { status, object, body: text } = await send("POST", path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
  return object;
}

const configMaps = "/api/v1/namespaces/ns/configmaps";
const create = (name = "a", metadata: JsonObject = {}, query = "") =>
  send("POST", configMaps + query, { metadata: { name, ...metadata }, data: { k: "v" } });

const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["configmaps"] }];
const hook = (name: string, more: JsonObject = {}): JsonObject => ({
  name: `${name}.example.com`,
  clientConfig: { url: `${base()}/${name}`, caBundle: ca() },
  rules,
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  ...more,
});
const register = (kind: "Mutating" | "Validating", name: string, ...webhooks: JsonObject[]) =>
  post(`/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`, {
    metadata: { name },
    webhooks,
  });
const paths = () => calls.map(({ path }) => path.replace(/\?.*/, ""));

describe("mutating", () => {
  test("W02 one after the other by name of the configuration, then by place in it", async () => {
    behaviours.set("/b1", patching({ op: "copy", from: "/data/by", path: "/data/seen" }));
    behaviours.set("/b2", allow);
    behaviours.set("/a1", patching({ op: "add", path: "/data/by", value: "a1" }));
    await register("Mutating", "b", hook("b1"), hook("b2"));
    await register("Mutating", "a", hook("a1"));
    expect((await create()).object["data"]).toEqual({ k: "v", by: "a1", seen: "a1" });
    expect(paths()).toEqual(["/a1", "/b1", "/b2"]);
  });

  test("W03 who wants to is asked again when somebody after it has changed the object, once", async () => {
    behaviours.set("/first", allow);
    behaviours.set("/second", patching({ op: "add", path: "/metadata/labels", value: { second: "yes" } }));
    behaviours.set("/third", allow);
    const again = { reinvocationPolicy: "IfNeeded" };
    await register("Mutating", "a", hook("first", again), hook("second", again), hook("third"));
    await create();
    expect(paths()).toEqual(["/first", "/second", "/third", "/first"]);
    expect(at(calls[3]?.review, "request", "object", "metadata", "labels")).toEqual({ second: "yes" });
  });

  test("W19 what a patch makes is read like a body: unknown members are dropped, wrong types are an error", async () => {
    behaviours.set("/unknown", patching({ op: "add", path: "/nothing", value: 1 }));
    await register("Mutating", "a", hook("unknown"));
    const { status, object } = await create();
    expect([status, Object.keys(object)]).toEqual([201, ["kind", "apiVersion", "metadata", "data"]]);
    behaviours.set("/unknown", patching({ op: "add", path: "/data", value: "text" }));
    expect((await create("b")).object["message"]).toBe(
      "Internal error occurred: json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string",
    );
  });

  test("W15 a patch that cannot be applied is the server's error, whatever the failure policy", async () => {
    behaviours.set("/p", patching({ op: "remove", path: "/data/none" }));
    await register("Mutating", "a", hook("p", { failurePolicy: "Ignore" }));
    const { status, object } = await create();
    expect([status, object["message"]]).toEqual([
      500,
      "Internal error occurred: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    ]);
  });
});

describe("validating", () => {
  test("the first refusal by order is told, and the warnings of all", async () => {
    behaviours.set("/a", () => ({ allowed: true, warnings: ["careful"] }));
    behaviours.set("/b", () => ({
      allowed: false,
      status: { message: "no", code: 403, reason: "Forbidden" },
      warnings: ["and"],
    }));
    behaviours.set("/c", () => ({ allowed: false }));
    await register("Validating", "a", hook("a"), hook("b"), hook("c"));
    const { status, object, headers } = await create();
    expect([status, object["message"], object["reason"]]).toEqual([
      403,
      'admission webhook "b.example.com" denied the request: no',
      "Forbidden",
    ]);
    expect([headers["warning"]].flat().sort()).toEqual(['299 - "and"', '299 - "careful"']);
    expect(paths().sort()).toEqual(["/a", "/b", "/c"]);
  });

  test("W11 a dry run asks those without side effects, and says that it is one", async () => {
    behaviours.set("/a", allow);
    await register("Validating", "a", hook("a", { sideEffects: "NoneOnDryRun" }));
    await create("a", {}, "?dryRun=All");
    expect(at(calls[0]?.review, "request", "dryRun")).toBe(true);
    expect(at(calls[0]?.review, "request", "options", "dryRun")).toEqual(["All"]);
  });

  test("W13 a delete shows the object that goes", async () => {
    behaviours.set("/a", allow);
    await create();
    await register("Validating", "a", hook("a"));
    await send("DELETE", `${configMaps}/a`, { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 5 });
    const request = at(calls[0]?.review, "request");
    expect([at(request, "operation"), at(request, "object"), at(request, "oldObject", "data")]).toEqual([
      "DELETE",
      null,
      { k: "v" },
    ]);
    expect(at(request, "options")).toEqual({
      kind: "DeleteOptions",
      apiVersion: "meta.k8s.io/v1",
      gracePeriodSeconds: 5,
    });
  });

  test("a condition that is false keeps the webhook out of it, one that fails is up to the failure policy", async () => {
    const conditions = (expression: string) => ({ matchConditions: [{ name: "c", expression }] });
    behaviours.set("/no", allow);
    await register("Validating", "a", hook("no", conditions("object.data.k == 'other'")));
    await register(
      "Validating",
      "b",
      hook("ignored", { ...conditions("object.data.none == 'x'"), failurePolicy: "Ignore" }),
    );
    expect((await create()).status).toBe(201);
    expect(calls).toEqual([]);
    await register("Validating", "c", hook("fails", conditions("object.data.none == 'x'")));
    const { status, object } = await create("b");
    expect([status, object["message"]]).toEqual([
      403,
      `configmaps "b" is forbidden: expression 'object.data.none == 'x'' resulted in error: no such key: none`,
    ]);
  });
});

test("a webhook behind a Service is asked at its path, and proves to be that Service", async () => {
  behaviours.set("/p", allow);
  const service = { namespace: "default", name: "kubernetes", path: "/p", port: 8443 };
  await register("Validating", "a", hook("a", { clientConfig: { service, caBundle: ca() } }));
  expect((await create()).status).toBe(201);
  expect(calls.map(({ path }) => path)).toEqual(["/p?timeout=10s"]);
});

describe("a webhook that cannot be asked", () => {
  const service = (name: string) => ({
    clientConfig: { service: { namespace: "ns", name, path: "/p" }, caBundle: ca() },
  });
  const failure = async (more: JsonObject) => {
    await register("Validating", "a", hook("w", more));
    const { status, object } = await create();
    const calling = 'Internal error occurred: failed calling webhook "w.example.com": ';
    expect([status, text(object["message"]).slice(0, calling.length)]).toEqual([500, calling]);
    return text(object["message"]).slice(calling.length).replaceAll(base(), "https://h");
  };

  test("W05 nobody listens", async () => {
    expect(await failure({ clientConfig: { url: "https://127.0.0.1:1/x", caBundle: ca() } })).toBe(
      'failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    );
  });
  test("W05 its Service is not there", async () => {
    expect(await failure(service("none"))).toBe(
      'failed to call webhook: Post "https://none.ns.svc:443/p?timeout=10s": service "none" not found',
    );
  });
  test("its certificate is for another name than that of its Service", async () => {
    const names =
      "localhost, kubernetes, kubernetes.default, kubernetes.default.svc, kubernetes.default.svc.cluster.local";
    expect(await failure(service("known"))).toBe(
      `failed to call webhook: Post "https://known.ns.svc:443/p?timeout=10s": tls: failed to verify certificate: x509: certificate is valid for ${names}, not known.ns.svc`,
    );
  });
  test("its certificate is trusted by itself as the caBundle, without its authority's", async () => {
    behaviours.set("/leaf", allow);
    const leaf = Buffer.from(pki.server.cert).toString("base64");
    await register("Validating", "w", hook("w", { clientConfig: { url: `${base()}/leaf`, caBundle: leaf } }));
    expect((await create()).status).toBe(201);
  });
  test("its certificate is by another authority", async () => {
    const other = Buffer.from(authority(clock, seededRandom(9)).ca).toString("base64");
    expect(await failure({ clientConfig: { url: `${base()}/w`, caBundle: other } })).toBe(
      'failed to call webhook: Post "https://h/w?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
  });
  test.for<[string, number, string, string, string]>([
    [
      "W05 an error",
      500,
      "boom",
      "application/json",
      'an error on the server ("unknown") has prevented the request from succeeding',
    ],
    [
      "an error in words",
      500,
      "boom\n",
      "text/plain",
      'an error on the server ("boom") has prevented the request from succeeding',
    ],
    ["W05 nothing there", 404, "no\n", "text/plain", "the server could not find the requested resource"],
    [
      "a Status",
      403,
      '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"who?"}',
      "application/json",
      "who?",
    ],
    [
      "W15 an empty body",
      200,
      "",
      "application/json",
      "0-length response with status code: 200 and content type: application/json",
    ],
    [
      "W05 no review",
      200,
      "hello",
      "application/json",
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ],
  ])("%s", async ([, status, body, type, told]) => {
    behaviours.set("/w", () => ({ status, body, type }));
    expect(await failure({})).toBe(`failed to call webhook: ${told}`);
  });

  test("W06 it does not answer in time", async () => {
    behaviours.set("/w", () => undefined);
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const told = failure({ timeoutSeconds: 1 });
    await asked;
    clock.advance(999);
    await turn();
    clock.advance(1);
    expect(await told).toBe('failed to call webhook: Post "https://h/w?timeout=1s": context deadline exceeded');
    arrived = () => {};
  });

  test("does not matter where its failure is ignored", async () => {
    behaviours.set("/w", () => ({ uid: "other" }));
    await register("Validating", "a", hook("w", { failurePolicy: "Ignore" }));
    expect((await create()).status).toBe(201);
    expect(paths()).toEqual(["/w"]);
  });
});

test("W08 who is asked about a scale sees the Scale, and may change it", async () => {
  const spec = {
    replicas: 1,
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "b" }] } },
  };
  const deployments = "/apis/apps/v1/namespaces/ns/deployments";
  await post(deployments, { metadata: { name: "d" }, spec });
  behaviours.set("/m", patching({ op: "replace", path: "/spec/replicas", value: 5 }));
  await register("Mutating", "a", hook("m", { rules: [{ ...rules[0], resources: ["deployments/scale"] }] }));
  const { object } = await send("PATCH", `${deployments}/d/scale`, { spec: { replicas: 3 } });
  const request = at(calls[0]?.review, "request");
  expect([at(request, "kind", "kind"), at(request, "object", "spec"), at(request, "oldObject", "spec")]).toEqual([
    "Scale",
    { replicas: 3 },
    { replicas: 1 },
  ]);
  expect(at(object, "spec", "replicas")).toBe(5);
});

test("a custom resource is converted by the webhook of its definition, and its answers are checked", async () => {
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  });
  behaviours.set("/convert", (review) => ({
    result: { status: "Success" },
    convertedObjects: (at(review, "request", "objects") as Json[]).filter(isObject).map((object) => ({
      ...object,
      apiVersion: text(at(review, "request", "desiredAPIVersion")),
      spec: { from: text(object["apiVersion"]) },
    })),
  }));
  await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [version("v1", true), version("v2", false)],
      conversion: {
        strategy: "Webhook",
        webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: `${base()}/convert`, caBundle: ca() } },
      },
    },
  });
  await post("/apis/example.com/v1/namespaces/ns/widgets", {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w" },
  });
  const get = () => server.client({ method: "GET", path: "/apis/example.com/v2/namespaces/ns/widgets/w" });
  expect(at(JSON.parse((await get()).body) as JsonObject, "spec")).toEqual({ from: "example.com/v1" });
  expect(calls.map(({ path }) => path)).toContain("/convert?timeout=30s");
  behaviours.set("/convert", () => ({ result: { status: "Failure", message: "cannot" } }));
  expect(at(JSON.parse((await get()).body) as JsonObject, "message")).toBe(
    "conversion webhook for example.com/v1, Kind=Widget failed: cannot",
  );
});
