import { VirtualClock } from "@telltale/clock";
import { applyDefaults, toCrd } from "@telltale/kinds";
import type { Fields, Log } from "@telltale/runtime";
import { webhooks } from "@telltale/runtime/webhook";
import { describe, expect, test } from "vitest";
import { demo, master } from "../../test/demo.ts";
import { fullV1Spec, metadata, plainV2Spec, richV2Spec, runningStatus, v1Test, v2Test } from "../../test/objects.ts";
import { standardConfig } from "../config.ts";
import { toV1, toV2 } from "../kinds/convert.ts";
import { LocustTest } from "../kinds/locust-test.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { locustWebhooks, webhookManifests } from "./table.ts";

const lines: { message: string; fields: Fields }[] = [];
const note = (message: string, fields: Fields = {}) => void lines.push({ message, fields });
const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
const config = { ...standardConfig, affinityInjection: true, tolerationInjection: true };
const hooks = locustWebhooks({ clock: new VirtualClock(), config, log });

interface Answered {
  readonly uid: string;
  readonly allowed?: boolean;
  readonly status?: { readonly code: number; readonly reason: string; readonly message: string };
  readonly warnings?: readonly string[];
  readonly result?: { readonly status: string; readonly message?: string };
  readonly convertedObjects?: readonly { readonly metadata: object }[];
}

async function post(path: string, review: object | string): Promise<Answered> {
  const answer = await hooks.handle(path, typeof review === "string" ? review : JSON.stringify(review));
  expect(answer.status).toBe(200);
  return (answer.body as unknown as { response: Answered }).response;
}

function admit(object: object, oldObject: object | null = null): Promise<Answered> {
  return post("/validate-locust-io-v2-locusttest", {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "r-1",
      operation: oldObject === null ? "CREATE" : "UPDATE",
      name: "demo",
      namespace: "perf",
      userInfo: { username: "jane" },
      object,
      oldObject,
    },
  });
}

const said = ({ allowed, status }: Answered): string => (allowed === true ? "allowed" : (status?.message ?? "denied"));
const made = async (parts: Partial<LocustTestSpec>, name?: string) => said(await admit(demo(parts, name)));

describe("admission", () => {
  test("a good test is allowed without a word", async () => {
    expect(await admit(demo())).toEqual({ uid: "r-1", allowed: true });
  });

  test("A26 a name of 57 characters is denied", async () => {
    const answer = await admit(demo({}, "a".repeat(57)));
    expect(answer).toMatchObject({ uid: "r-1", allowed: false, status: { code: 422, reason: "Invalid" } });
    for (const part of ["metadata.name: ", "too long", "63 characters", "56"]) expect(said(answer)).toContain(part);
  });

  test("A27 a name of 56 characters is allowed", async () => {
    expect(await made({}, "a".repeat(56))).toBe("allowed");
  });

  test("A28 a name that begins with a digit is denied", async () => {
    expect(await made({}, "1demo")).toContain("metadata.name: must start with a letter");
  });

  test("A89 a secret mount within, beside the spelling of, or around the test files is denied", async () => {
    for (const mountPath of ["/lotest/src/x", "//lotest/src", "/lotest"]) {
      const told = await made({ env: { secretMounts: [{ name: "s", mountPath }] } });
      expect(told).toContain('spec.env.secretMounts[0].mountPath: conflicts with reserved path "/lotest/src"');
    }
  });

  test("A90 where test files are elsewhere, their standard place is free, and theirs is not", async () => {
    const testFiles = { configMapRef: "demo-scripts", srcMountPath: "/tests" };
    const at = (mountPath: string) => made({ testFiles, env: { secretMounts: [{ name: "s", mountPath }] } });
    expect(await at("/lotest/src")).toBe("allowed");
    expect(await at("/tests/x")).toContain('conflicts with reserved path "/tests"');
  });

  test("A91 volumes with the operator's names, and mounts of none, are each denied", async () => {
    const volume = (name: string) => made({ volumes: [{ name }] });
    expect(await volume("secret-a")).toContain("uses reserved prefix");
    expect(await volume("locust-lib")).toContain("is reserved by the operator");
    expect(await volume("demo-master")).toContain("conflicts with operator-generated name");
    expect(await made({ volumeMounts: [{ name: "x", mountPath: "/x" }] })).toContain("references undefined volume");
  });

  test("A92 OpenTelemetry without an endpoint is denied", async () => {
    expect(await made({ observability: { openTelemetry: { enabled: true } } })).toContain("endpoint is required");
  });

  test("everything that is wrong is in one message, each with its field", async () => {
    const answer = await admit(demo({ volumes: [{ name: "locust-lib" }] }, "1demo"));
    expect(said(answer)).toMatch(/^metadata\.name: must .+; spec\.volumes\[0\]\.name: "locust-lib" is reserved/);
  });

  test("a refusal is logged by the rule and the object's name, and by nothing else of it", async () => {
    lines.length = 0;
    await made({ volumes: [{ name: "locust-lib" }, { name: "locust-lib" }], image: "private" }, "1demo");
    expect(lines).toEqual([
      { message: "a LocustTest was refused", fields: { namespace: "perf", name: "1demo", rules: ["V2", "V5", "V10"] } },
    ]);
  });

  test("what is odd is allowed with a warning", async () => {
    const answer = await admit(demo({ master: master({ command: "locust -t 5m" }) }));
    expect(answer).toMatchObject({ allowed: true, warnings: [expect.stringContaining("starts with locust")] });
  });

  test("scheduling that this operator ignores is told", async () => {
    const strict = locustWebhooks({ clock: new VirtualClock(), config: standardConfig });
    const { body } = await strict.handle(
      "/validate-locust-io-v2-locusttest",
      JSON.stringify({
        apiVersion: "admission.k8s.io/v1",
        kind: "AdmissionReview",
        request: { uid: "r-2", operation: "CREATE", object: v2Test() },
      }),
    );
    expect(body["response"]).toMatchObject({
      allowed: true,
      warnings: expect.arrayContaining([
        "spec.scheduling.affinity is ignored: the operator runs without ENABLE_AFFINITY_CR_INJECTION",
      ]),
    });
  });

  test("what is no review, or of another kind or operation, is denied as a bad request", async () => {
    const path = "/validate-locust-io-v2-locusttest";
    expect(await post(path, "{")).toMatchObject({ allowed: false, status: { code: 400 } });
    expect(await admit({ ...demo(), kind: "Pod" })).toMatchObject({ allowed: false, status: { code: 400 } });
    const request = { uid: "r-3", operation: "DELETE", oldObject: demo() };
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
    expect(await post(path, review)).toMatchObject({ uid: "r-3", allowed: false, status: { code: 400 } });
  });

  test("a v1 object that arrives all the same is converted, then held to the same rules", async () => {
    const warned = await admit(v1Test({ ...fullV1Spec, masterCommandSeed: "locust -t 5m" }));
    expect(warned).toMatchObject({ allowed: true, warnings: [expect.stringContaining("spec.master.command starts")] });
    const denied = await admit({ ...v1Test(), metadata: { ...metadata, name: "1demo" } });
    expect(said(denied)).toContain("must start with a letter");
  });
});

describe("an update", () => {
  const running = { ...demo(), status: runningStatus };
  const more = (parts: Partial<LocustTestSpec>) => ({ ...demo(parts), status: runningStatus });
  const ignored = "spec: the change is ignored; delete and recreate the LocustTest to apply it";

  test("A46 of the spec of a test that has begun carries warning W1", async () => {
    const { spec } = running;
    const edited = more({ worker: { ...spec.worker, replicas: 5 } });
    expect(await admit(edited, running)).toEqual({ uid: "r-1", allowed: true, warnings: [ignored] });
    const { appliedGeneration: _, ...fresh } = runningStatus;
    expect(await admit(edited, { ...running, status: fresh })).toEqual({ uid: "r-1", allowed: true });
    expect(await admit(edited, demo())).toEqual({ uid: "r-1", allowed: true });
  });

  test("A46 through v1 carries it too, and none where v1 changed nothing", async () => {
    const old = toV1(v2Test(plainV2Spec, { status: runningStatus }));
    const edited = { ...old, spec: { ...old.spec, workerReplicas: 5 } };
    expect(await admit(edited, old)).toMatchObject({ allowed: true, warnings: [ignored] });
    const sent = { ...v1Test(), status: runningStatus };
    const stored = applyDefaults(LocustTest.schema.spec, toV2(sent).spec); // v1 knows nothing of the defaults of v2
    expect(await admit(sent, v2Test(stored, { status: runningStatus }))).toEqual({ uid: "r-1", allowed: true });
  });

  test("to a bad spec is denied", async () => {
    expect(said(await admit(more({ volumes: [{ name: "locust-lib" }] }), running))).toContain(
      "reserved by the operator",
    );
  });

  test("of anything but the spec is allowed in silence, or nobody could take the finalizer off a bad test", async () => {
    const bad = demo({ volumes: [{ name: "locust-lib" }], image: "locust" }, "1demo");
    const old = { ...bad, metadata: { ...bad.metadata, finalizers: ["locust.io/cleanup"] } };
    expect(await admit(bad, old)).toEqual({ uid: "r-1", allowed: true });
  });
});

describe("conversion", () => {
  const convert = (desiredAPIVersion: string, ...objects: object[]) =>
    post("/convert", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      request: { uid: "c-1", desiredAPIVersion, objects },
    });

  test("A87 one object of an unknown kind fails the whole review", async () => {
    const answer = await convert("locust.io/v2", v1Test(), { ...v1Test(), kind: "SpeedTest" }, v1Test());
    expect(answer).toEqual({
      uid: "c-1",
      result: { status: "Failure", message: expect.stringContaining("SpeedTest") },
    });
  });

  test("A88 objects of mixed versions come back in their order, with their identity untouched", async () => {
    const named = (object: object, name: string) => ({
      ...object,
      metadata: { ...metadata, name, uid: `u-${name}`, managedFields: [{ manager: name }] },
    });
    const objects = [named(v1Test(), "a"), named(v2Test(), "b"), named(v1Test(), "c")];
    for (const to of ["v1", "v2"]) {
      const { result, convertedObjects = [] } = await convert(`locust.io/${to}`, ...objects);
      expect(result).toEqual({ status: "Success" });
      expect(convertedObjects).toHaveLength(3);
      for (const [i, object] of convertedObjects.entries()) {
        const { annotations: _, ...identity } = objects[i]?.metadata ?? {};
        expect(object).toMatchObject({ apiVersion: `locust.io/${to}`, kind: "LocustTest", metadata: identity });
      }
      expect(convertedObjects[to === "v1" ? 0 : 1]).toEqual(objects[to === "v1" ? 0 : 1]); // as it is
    }
  });

  test.each(["locust.io/v3", "batch/v1", "v1", ""])("to %s is a failure", async (to) => {
    expect(await convert(to, v1Test())).toMatchObject({ uid: "c-1", result: { status: "Failure" } });
  });

  test("a failure tells nothing of what an object carries", async () => {
    lines.length = 0;
    const answer = await convert("locust.io/v3", toV1(v2Test(richV2Spec)));
    expect(JSON.stringify([answer, lines])).not.toContain("otel");
  });
});

describe("the manifests", () => {
  const at = { service: { namespace: "ops", name: "locust-webhooks" }, caBundle: "Q0E=" };

  test("ask about v2 only, and have the server convert the rest", () => {
    const { validating } = webhookManifests(hooks, at);
    expect(validating.webhooks).toEqual([
      {
        name: "vlocusttest-v2.kb.io",
        clientConfig: {
          service: { namespace: "ops", name: "locust-webhooks", path: "/validate-locust-io-v2-locusttest" },
          caBundle: "Q0E=",
        },
        rules: [
          {
            apiGroups: ["locust.io"],
            apiVersions: ["v2"],
            operations: ["CREATE", "UPDATE"],
            resources: ["locusttests"],
            scope: "Namespaced",
          },
        ],
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        timeoutSeconds: 10,
      },
    ]);
  });

  test("serve v1, deprecated and converted, with its columns", () => {
    const { crd } = webhookManifests(hooks, at);
    expect(crd.spec.conversion).toEqual({
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { service: { namespace: "ops", name: "locust-webhooks", path: "/convert" }, caBundle: "Q0E=" },
      },
    });
    const [v2, v1] = crd.spec.versions;
    expect(v2).toMatchObject({ name: "v2", served: true, storage: true, subresources: { status: {} } });
    expect(v1).toMatchObject({
      name: "v1",
      served: true,
      storage: false,
      deprecated: true,
      deprecationWarning: "locust.io/v1 LocustTest is deprecated, migrate to locust.io/v2",
      subresources: { status: {} },
      additionalPrinterColumns: [
        { name: "master_cmd", type: "string", jsonPath: ".spec.masterCommandSeed" },
        { name: "worker_replica_count", type: "integer", jsonPath: ".spec.workerReplicas" },
        { name: "Image", type: "string", jsonPath: ".spec.image" },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      ],
    });
    const status = (version: typeof v1) => version?.schema?.openAPIV3Schema?.properties?.["status"];
    expect(status(v1)).toEqual(status(v2));
  });

  test("carry annotations for whoever brings the authority", () => {
    const annotations = { "cert-manager.io/inject-ca-from": "ops/cert" };
    const { crd, validating } = webhookManifests(hooks, at, annotations);
    expect([crd.metadata?.annotations, validating.metadata?.annotations]).toEqual([annotations, annotations]);
  });

  test("are made from our own webhooks only", () => {
    expect(() => webhookManifests(webhooks({ clock: new VirtualClock() }), at)).toThrow("locustWebhooks");
  });

  test("A95 without webhooks v1 is there and not served", () => {
    const { conversion, versions } = toCrd(LocustTest).spec;
    expect(conversion).toBeUndefined();
    expect(versions.map(({ name, served }) => [name, served])).toEqual([
      ["v2", true],
      ["v1", false],
    ]);
  });
});
