// Both versions of LocustTest on the embedded server, with the webhooks in this process.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, isInvalid } from "@telltale/client";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { builtin, toCrd } from "@telltale/kinds";
import { CustomResourceDefinition, Namespace, ValidatingWebhookConfiguration } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import type { LocustTestV1 } from "../src/kinds/convert.ts";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { locustWebhooks, webhookManifests } from "../src/webhooks/table.ts";
import { fullV1Spec, minimalV1Spec, richV2Spec, runningStatus } from "./objects.ts";

const OldLocustTest = builtin<LocustTestV1>()({ group: "locust.io", version: "v1", kind: "LocustTest" });
const namespace = "perf";
const at = { name: "demo", namespace };

let server: ApiServer;
let client: Client;
let warnings: string[];

async function start(webhooks: "on" | "off"): Promise<void> {
  const clock = new VirtualClock();
  const hooks = locustWebhooks({ clock, config: standardConfig });
  server = await startApiServer({
    listen: false,
    controllers: "none",
    clock,
    random: seededRandom(1),
    webhookResolver: ({ path }) => hooks.local(path),
  });
  warnings = [];
  client = createClient({
    transport: inProcessTransport(server.client),
    clock,
    random: seededRandom(2),
    onWarning: (text) => warnings.push(text),
  });
  await client.create(Namespace, { metadata: { name: namespace } });
  const service = { service: { namespace: "ops", name: "locust-webhooks" } };
  const { crd, validating } = webhookManifests(hooks, service);
  await client.create(CustomResourceDefinition, webhooks === "on" ? crd : toCrd(LocustTest));
  if (webhooks === "on") await client.create(ValidatingWebhookConfiguration, validating);
}
afterEach(() => server.stop());

const make = (spec: LocustTest["spec"], name = "demo") =>
  client.create(LocustTest, { apiVersion: "locust.io/v2", kind: "LocustTest", metadata: { name, namespace }, spec });
const makeV1 = (spec: LocustTestV1["spec"], name = "demo") =>
  client.create(OldLocustTest, { metadata: { name, namespace }, ...(spec && { spec }) } as LocustTestV1);
const read = () => client.get(LocustTest, "demo", { namespace });
const readV1 = () => client.get(OldLocustTest, "demo", { namespace });

describe("with webhooks", () => {
  test("A85 annotating a running test through v1 keeps its status and all that only v2 has", async () => {
    await start("on");
    await make(richV2Spec);
    await client.status.patch(LocustTest, at, { merge: { status: runningStatus } });
    const before = await read();
    warnings.length = 0;
    await client.patch(OldLocustTest, at, { merge: { metadata: { annotations: { a: "b" } } } });
    const { metadata, spec, status } = await read();
    expect([spec, status, metadata.generation]).toEqual([before.spec, before.status, before.metadata.generation]);
    expect(metadata.annotations).toEqual({ a: "b" });
    expect(spec).toMatchObject(richV2Spec);
    expect(warnings).toEqual(["locust.io/v1 LocustTest is deprecated, migrate to locust.io/v2"]);
  });

  test("a v1 manifest is stored as v2, read back as it was, and applied again without a new generation", async () => {
    await start("on");
    const made = await makeV1(fullV1Spec);
    expect(made.spec).toEqual(fullV1Spec);
    expect((await read()).spec).toMatchObject({ worker: { replicas: 3 }, master: { autoquit: { timeout: 60 } } });
    expect(await readV1()).toMatchObject({ spec: fullV1Spec });
    expect((await readV1()).metadata).not.toHaveProperty("annotations");
    const again = await client.patch(OldLocustTest, at, { merge: { spec: fullV1Spec } });
    expect(again.metadata.generation).toBe(1);
  });

  test("an edit through v1 changes its field alone, and warns once the test has begun", async () => {
    await start("on");
    await make(richV2Spec);
    await client.status.patch(LocustTest, at, { merge: { status: runningStatus } });
    const before = await read();
    warnings.length = 0;
    await client.patch(OldLocustTest, at, { merge: { spec: { workerReplicas: 9 } } });
    const after = await read();
    expect(after.spec).toEqual({ ...before.spec, worker: { ...before.spec.worker, replicas: 9 } });
    expect(after.status).toEqual(before.status);
    expect(warnings).toContain("spec: the change is ignored; delete and recreate the LocustTest to apply it"); // W1
  });

  test("replacing a test by a bare v1 manifest drops what only v2 has, as a replacement should", async () => {
    await start("on");
    const made = await make(richV2Spec);
    const { resourceVersion } = made.metadata;
    await server.client({
      method: "PUT",
      path: `/apis/locust.io/v1/namespaces/${namespace}/locusttests/demo`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        apiVersion: "locust.io/v1",
        kind: "LocustTest",
        metadata: { ...at, resourceVersion },
        spec: minimalV1Spec,
      }),
    });
    const { spec } = await read();
    expect(Object.keys(spec).sort()).toEqual(["image", "imagePullPolicy", "master", "worker"]);
  });

  test("a v1 object is refused by the rules of v2", async () => {
    await start("on");
    const refused = await makeV1(minimalV1Spec, "1demo").catch((error: unknown) => error);
    expect(isInvalid(refused)).toBe(true);
    expect(String(refused)).toContain(
      'admission webhook "vlocusttest-v2.kb.io" denied the request: metadata.name: must start with a letter',
    );
  });

  test("both versions are listed, each as it is read", async () => {
    await start("on");
    await make(richV2Spec, "a");
    await makeV1(fullV1Spec, "b");
    const old = await client.list(OldLocustTest, { namespace });
    expect(old.items.map(({ spec }) => spec?.workerReplicas)).toEqual([3, 3]);
    const hub = await client.list(LocustTest, { namespace });
    expect(hub.items.map(({ metadata, spec }) => [metadata.annotations, spec.worker.replicas])).toEqual([
      [undefined, 3],
      [undefined, 3],
    ]);
  });
});

describe("the schema", () => {
  test.each([0, 501])("A93 %i workers are refused by the server, in both versions", async (replicas) => {
    await start("on");
    const worker = { ...richV2Spec.worker, replicas };
    const v2 = await make({ ...richV2Spec, worker }).catch((error: unknown) => error);
    expect([isInvalid(v2), String(v2)]).toEqual([true, expect.stringContaining("spec.worker.replicas")]);
    const v1 = await makeV1({ ...minimalV1Spec, workerReplicas: replicas }).catch((error: unknown) => error);
    expect([isInvalid(v1), String(v1)]).toEqual([true, expect.stringContaining("spec.workerReplicas")]);
  });

  test("v1 fills in one worker, and refuses an object without a spec, as v2 does", async () => {
    await start("on");
    const { workerReplicas: _, ...rest } = minimalV1Spec;
    expect((await makeV1(rest as typeof minimalV1Spec)).spec?.workerReplicas).toBe(1);
    await expect(makeV1(undefined, "none")).rejects.toThrow("spec: Required value");
    await expect(make(undefined as never, "none")).rejects.toThrow("spec: Required value");
  });
});

test("A95 without webhooks v1 is not served, and v2 works without a certificate", async () => {
  await start("off");
  await make(richV2Spec);
  await expect(readV1()).rejects.toThrow("404");
  expect((await read()).spec).toMatchObject(richV2Spec);
});
