import { seededRandom, VirtualClock } from "@telltale/clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiServer, startApiServer } from "../server.ts";

const core = "/api/v1/namespaces/default";
let server: ApiServer;

beforeEach(async () => {
  server = await startApiServer({ listen: false, clock: new VirtualClock(), random: seededRandom(4) });
});
afterEach(() => server.stop());

async function call(method: string, path: string, body?: object, type = "application/json") {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await server.client({ method, path, headers: { "content-type": type }, ...sent });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

/** A quota as it is when its controller has seen it. */
async function quota(name: string, hard: object, used: object = {}, spec: object = {}, namespace = "default") {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
  await call("POST", path, { metadata: { name }, spec: { hard, ...spec } });
  const none = Object.fromEntries(Object.keys(hard).map((key) => [key, "0"]));
  const status = { hard, used: { ...none, ...used } };
  const answer = await call("PATCH", `${path}/${name}/status`, { status }, "application/merge-patch+json");
  expect(answer.status).toBe(200);
}

const used = async (name: string) => (await call("GET", `${core}/resourcequotas/${name}`)).body.status.used;

const pod = (name: string, resources: object = {}, spec: object = {}) => ({
  metadata: name.endsWith("-") ? { generateName: name } : { name },
  spec: { containers: [{ name: "main", image: "example.test/app:1", resources }], ...spec },
});
const create = (body: object, query = "") => call("POST", `${core}/pods${query}`, body);

describe("a quota", () => {
  test("refuses what goes beyond it, and says by how much", async () => {
    await quota("q", { pods: "1" });
    expect((await create(pod("a"))).status).toBe(201);
    const { status, body } = await create(pod("b"));
    expect(status).toBe(403);
    expect(body).toMatchObject({
      reason: "Forbidden",
      message: 'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
      details: { name: "b", kind: "pods" },
    });
    expect((await call("GET", `${core}/pods/b`)).status).toBe(404);
  });

  test("says the name that was made for an object", async () => {
    await quota("q", { pods: "0" });
    expect((await create(pod("web-"))).body.message).toMatch(/^pods "web-[a-z0-9]{5}" is forbidden: exceeded quota/);
  });

  test("knows of an object before the object is there, and of each once", async () => {
    await quota("q", { pods: "5", "count/configmaps": "10" }, { "count/configmaps": "1" });
    const from = server.store.revision;
    await create(pod("a"));
    expect(server.store.events(from).map(({ type, key }) => `${type} ${key}`)).toEqual([
      "MODIFIED //resourcequotas/default/q",
      "ADDED //pods/default/a",
    ]);
    expect(await used("q")).toEqual({ "count/configmaps": "1", pods: "1" });
  });

  test("gives its last place to one of many that come at once", async () => {
    await quota("q", { pods: "3" });
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(pod("p-"))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(7);
    expect(await used("q")).toEqual({ pods: "3" });
  });

  test("limits nothing until its controller has seen it", async () => {
    await call("POST", `${core}/resourcequotas`, { metadata: { name: "q" }, spec: { hard: { pods: "0" } } });
    expect((await create(pod("a"))).status).toBe(201);
  });

  test("admits nothing of what its controller has not counted", async () => {
    await quota("q", { pods: "5" });
    const json = "application/json-patch+json";
    await call("PATCH", `${core}/resourcequotas/q/status`, [{ op: "remove", path: "/status/used" }], json);
    expect((await create(pod("a"))).body.message).toBe(
      'pods "a" is forbidden: status unknown for quota: q, resources: pods',
    );
  });

  test("is of its own namespace", async () => {
    await call("POST", "/api/v1/namespaces", { metadata: { name: "other" } });
    await quota("q", { pods: "0" }, {}, {}, "other");
    expect((await create(pod("a"))).status).toBe(201);
  });

  test("is asked in a dry run, and not charged", async () => {
    await quota("q", { pods: "1" });
    expect((await create(pod("a"), "?dryRun=All")).status).toBe(201);
    expect(await used("q")).toEqual({ pods: "0" });
    await create(pod("a"));
    expect((await create(pod("b"), "?dryRun=All")).status).toBe(403);
  });

  test("is not charged for what is refused for another reason", async () => {
    await quota("q", { pods: "2" });
    await create(pod("a"));
    expect((await create(pod("a"))).status).toBe(409);
    expect((await create({ ...pod("b"), spec: {} })).status).toBe(422);
    expect(await used("q")).toEqual({ pods: "1" });
  });

  test("is charged once for one of two of the same name that come at once", async () => {
    await quota("q", { pods: "5" });
    const answers = await Promise.all([create(pod("a")), create(pod("a"))]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await used("q")).toEqual({ pods: "1" });
  });

  test("of several, all are asked before any is charged", async () => {
    await quota("first", { pods: "5" });
    await quota("second", { pods: "0" });
    expect((await create(pod("a"))).body.message).toContain("exceeded quota: second");
    expect(await used("first")).toEqual({ pods: "0" });
  });

  test("that is gone limits nothing", async () => {
    await quota("q", { pods: "0" });
    await call("DELETE", `${core}/resourcequotas/q`);
    expect((await create(pod("a"))).status).toBe(201);
  });

  test("holds after a restore", async () => {
    await quota("q", { pods: "1" });
    const snapshot = server.snapshot();
    await create(pod("a"));
    server.restore(snapshot);
    expect((await create(pod("a"))).status).toBe(201);
    expect((await create(pod("b"))).status).toBe(403);
  });

  test("notes who has written its use", async () => {
    await quota("q", { pods: "5" });
    await create(pod("a"));
    const { managedFields } = (await call("GET", `${core}/resourcequotas/q`)).body.metadata;
    expect(managedFields).toContainEqual(
      expect.objectContaining({
        manager: "kube-apiserver",
        subresource: "status",
        fieldsV1: { "f:status": { "f:used": { "f:pods": {} } } },
      }),
    );
  });
});

describe("what is counted", () => {
  test("of a pod is what its containers ask for, and they have to say it", async () => {
    await quota("q", { "requests.cpu": "1", "limits.memory": "1Gi" });
    expect((await create(pod("a"))).body.message).toBe(
      'pods "a" is forbidden: failed quota: q: must specify limits.memory for: main; requests.cpu for: main',
    );
    const resources = { requests: { cpu: "600m" }, limits: { memory: "256Mi" } };
    expect((await create(pod("a", resources))).status).toBe(201);
    expect(await used("q")).toEqual({ "limits.memory": "256Mi", "requests.cpu": "600m" });
    expect((await create(pod("b", resources))).body.message).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
  });

  test("depends on the scope", async () => {
    await quota("q", { pods: "0" }, {}, { scopes: ["NotBestEffort"] });
    expect((await create(pod("a"))).status).toBe(201);
    expect((await create(pod("b", { requests: { cpu: "1" } }))).status).toBe(403);
  });

  test("is told all at once where several amounts are exceeded", async () => {
    await quota("q", { pods: "0", cpu: "1" });
    expect((await create(pod("b", { requests: { cpu: "2" } }))).body.message).toContain(
      "requested: cpu=2,pods=1, used: cpu=0,pods=0, limited: cpu=1,pods=0",
    );
  });

  test("includes objects of any kind, by their resource", async () => {
    await quota("q", { "count/deployments.apps": "0", configmaps: "1" });
    const template = { metadata: { labels: { app: "a" } }, spec: pod("x").spec };
    const deployment = { metadata: { name: "d" }, spec: { selector: { matchLabels: { app: "a" } }, template } };
    const refused = await call("POST", "/apis/apps/v1/namespaces/default/deployments", deployment);
    expect(refused.body.message).toBe(
      'deployments.apps "d" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0',
    );
    expect((await call("POST", `${core}/configmaps`, { metadata: { name: "a" } })).status).toBe(201);
    expect((await call("POST", `${core}/configmaps`, { metadata: { name: "b" } })).status).toBe(403);
  });

  test("includes a PUT and an apply that make the object", async () => {
    await quota("q", { "count/leases.coordination.k8s.io": "1" });
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    const lease = (name: string) => ({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } });
    expect((await call("PUT", `${leases}/a`, lease("a"))).status).toBe(201);
    expect((await call("PUT", `${leases}/b`, lease("b"))).status).toBe(403);
    const applied = "application/apply-patch+yaml";
    expect((await call("PATCH", `${leases}/b?fieldManager=x`, lease("b"), applied)).status).toBe(403);
  });

  test("of a change is by how much it grows", async () => {
    await quota("q", { services: "5", "services.nodeports": "2", "requests.storage": "3Gi" });
    const service = { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } };
    await call("POST", `${core}/services`, service);
    expect(await used("q")).toMatchObject({ services: "1", "services.nodeports": "0" });
    const merge = "application/merge-patch+json";
    const typed = (type: string) => call("PATCH", `${core}/services/s`, { spec: { type } }, merge);
    expect((await typed("NodePort")).status).toBe(200);
    expect(await used("q")).toMatchObject({ services: "1", "services.nodeports": "1" });
    const three = ["a", "b", "c"].map((name, i) => ({ name, port: 80 + i }));
    const wide = { metadata: { name: "w" }, spec: { type: "NodePort", ports: three } };
    expect((await call("POST", `${core}/services`, wide)).body.message).toContain("requested: services.nodeports=3");
    expect((await typed("ClusterIP")).status).toBe(200);
    expect(await used("q")).toMatchObject({ "services.nodeports": "1" }); // the controller's to give back
  });

  test("is not a change of a pod", async () => {
    await quota("q", { pods: "1" });
    await create(pod("a"));
    const labelled = { metadata: { labels: { a: "b" } } };
    expect((await call("PATCH", `${core}/pods/a`, labelled, "application/merge-patch+json")).status).toBe(200);
    expect(await used("q")).toEqual({ pods: "1" });
  });
});
