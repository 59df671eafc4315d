import { seededRandom, VirtualClock } from "@telltale/clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { type ApiServer, startApiServer } from "../server.ts";

let server: ApiServer;
beforeEach(async () => {
  server = await startApiServer({
    listen: false,
    controllers: "none",
    clock: new VirtualClock(),
    random: seededRandom(2),
  });
  await post("/api/v1/namespaces", { metadata: { name: "ns", labels: { team: "x" } } });
});
afterEach(() => server.stop());

async function send(path: string, body: Json) {
  const headers = { "content-type": "application/json" };
  const answer = await server.client({ method: "POST", path, headers, body: JSON.stringify(body) });
  return { ...answer, object: JSON.parse(answer.body) as JsonObject };
}
async function post(path: string, body: Json): Promise<void> {
  const { status, body: answer } = await send(path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${answer}`);
}

const group = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "/api/v1/namespaces/ns/configmaps";
const create = (name: string, data: JsonObject) => send(configMaps, { metadata: { name }, data });

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const policy = (expression: string, spec: JsonObject = {}) =>
  post(`${group}/validatingadmissionpolicies`, {
    metadata: { name: "p" },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression, message: "no" }], ...spec },
  });
const bind = (spec: JsonObject = {}) =>
  post(`${group}/validatingadmissionpolicybindings`, {
    metadata: { name: "b" },
    spec: { policyName: "p", validationActions: ["Deny"], ...spec },
  });
const who = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ";

test("W21 a policy refuses what its expression does not allow, once it is bound", async () => {
  await policy("object.data.k == 'good'");
  expect((await create("a", { k: "bad" })).status).toBe(201);
  await bind();
  expect((await create("b", { k: "good" })).status).toBe(201);
  const { status, object } = await create("c", { k: "bad" });
  expect([status, object["reason"], object["message"]]).toEqual([
    422,
    "Invalid",
    `configmaps "c" is forbidden: ${who}no`,
  ]);
  expect(object["details"]).toEqual({ name: "c", kind: "configmaps", causes: [{ message: `${who}no` }] });
});

test("W22 a binding that warns refuses nothing", async () => {
  await policy("false");
  await bind({ validationActions: ["Warn"] });
  const { status, headers } = await create("a", {});
  expect(status).toBe(201);
  expect([headers["warning"]].flat()).toEqual([
    `299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"`,
  ]);
});

test.for<[string, JsonObject, number]>([
  ["another resource", { resourceRules: [{ ...rule, resources: ["secrets"] }] }, 201],
  ["another team", { namespaceSelector: { matchLabels: { team: "y" } } }, 201],
  ["this team", { namespaceSelector: { matchLabels: { team: "x" } } }, 422],
  ["all but this", { excludeResourceRules: [rule] }, 201],
])("a binding narrows its policy down to %s", async ([, matchResources, status]) => {
  await policy("false");
  await bind({ matchResources });
  expect((await create("a", {})).status).toBe(status);
});

describe("parameters", () => {
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
  const reference = (more: JsonObject) => ({ paramRef: { parameterNotFoundAction: "Deny", ...more } });

  test("are found by name in the namespace of the request", async () => {
    await send(configMaps, { metadata: { name: "limits" }, data: { only: "good" } });
    await policy("object.data.k == params.data.only", { paramKind });
    await bind(reference({ name: "limits" }));
    expect([(await create("a", { k: "good" })).status, (await create("b", { k: "bad" })).status]).toEqual([201, 422]);
  });

  test("are found by label, and every one is asked", async () => {
    for (const [name, only] of [
      ["one", "good"],
      ["two", "better"],
    ] as const) {
      await send(configMaps, { metadata: { name, labels: { l: "x" } }, data: { only } });
    }
    await policy("object.data.k != params.data.only", { paramKind });
    await bind(reference({ selector: { matchLabels: { l: "x" } } }));
    const statuses = [];
    for (const k of ["bad", "good", "better"]) statuses.push((await create(k, { k })).status);
    expect(statuses).toEqual([201, 422, 422]);
  });

  test("of a kind that is not served refuse", async () => {
    await policy("true", { paramKind: { apiVersion: "none.example.com/v1", kind: "None" } });
    await bind(reference({ name: "none" }));
    expect((await create("a", {})).object["message"]).toBe(
      `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'none.example.com/v1, Kind=None'`,
    );
  });

  test("that are not there refuse, or allow where the binding says so", async () => {
    await policy("false", { paramKind });
    await bind(reference({ name: "none" }));
    expect((await create("a", {})).object["message"]).toBe(
      `configmaps "a" is forbidden: ${who}failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
    await server.client({ method: "DELETE", path: `${group}/validatingadmissionpolicybindings/b` });
    await bind(reference({ name: "none", parameterNotFoundAction: "Allow" }));
    expect((await create("a", {})).status).toBe(201);
  });
});
