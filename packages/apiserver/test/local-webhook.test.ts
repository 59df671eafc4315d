// Webhooks in this process: admission and conversion without a socket, and with the same answers.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApiServer, type LocalWebhook, startApiServer } from "../src/index.ts";

type Review = {
  request: {
    uid: string;
    desiredAPIVersion: string;
    objects: Record<string, unknown>[];
    object: { spec?: { size?: number } };
  };
};

const hooks: Record<string, LocalWebhook> = {
  "/convert": (review) => {
    const { uid, desiredAPIVersion, objects } = (review as unknown as Review).request;
    const convertedObjects = objects.map((o) => {
      const { size, length } = (o["spec"] ?? {}) as { size?: number; length?: number };
      const spec = desiredAPIVersion.endsWith("v1") ? { size: length ?? size ?? 0 } : { length: size ?? length ?? 0 };
      return { ...o, apiVersion: desiredAPIVersion, spec };
    });
    const answer = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: { uid, result: { status: "Success" }, convertedObjects },
    };
    return answer as never;
  },
  "/validate": (review) => {
    const { uid, object } = (review as unknown as Review).request;
    const allowed = (object.spec?.size ?? 0) < 5;
    const response = { uid, allowed, ...(allowed ? {} : { status: { message: "too large", code: 403 } }) };
    return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
  },
  "/broken": () => {
    throw new Error("it fell over");
  },
};

let server: ApiServer;
const widgets = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets`;

async function send(method: string, path: string, body?: unknown) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await server.client({ method, path, headers: { "content-type": "application/json" }, ...sent });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

const service = (path: string) => ({ service: { namespace: "ops", name: "hooks", path } });

async function validating(path: string): Promise<void> {
  const rules = [{ apiGroups: ["example.com"], apiVersions: ["v1"], resources: ["widgets"], operations: ["CREATE"] }];
  const webhook = {
    name: "size.example.com",
    clientConfig: service(path),
    rules,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  const configuration = { metadata: { name: "size" }, webhooks: [webhook] };
  await send("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", configuration);
}

beforeEach(async () => {
  server = await startApiServer({ listen: false, webhookResolver: ({ path }) => hooks[path] });
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
  };
  const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
  const versions = [
    { name: "v1", served: true, storage: true, schema },
    { name: "v2", served: true, storage: false, schema },
  ];
  const conversion = {
    strategy: "Webhook",
    webhook: { clientConfig: service("/convert"), conversionReviewVersions: ["v1"] },
  };
  const made = await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names, versions, conversion },
  });
  expect(made.status).toBe(201);
});
afterEach(() => server.stop());

const widget = (version: string, spec: object) => ({
  apiVersion: `example.com/${version}`,
  kind: "Widget",
  metadata: { name: "w" },
  spec,
});

describe("a webhook in this process", () => {
  it("converts what is written in one version and read in another", async () => {
    expect((await send("POST", widgets("v2"), widget("v2", { length: 3 }))).body.spec).toEqual({ length: 3 });
    expect((await send("GET", `${widgets("v1")}/w`)).body.spec).toEqual({ size: 3 });
    expect((await send("GET", widgets("v2"))).body.items[0].spec).toEqual({ length: 3 });
  });

  it("refuses what it does not like, in the words of a webhook behind a socket", async () => {
    await validating("/validate");
    expect((await send("POST", widgets("v1"), widget("v1", { size: 9 }))).body).toMatchObject({
      code: 403,
      message: 'admission webhook "size.example.com" denied the request: too large',
    });
    expect((await send("POST", widgets("v1"), widget("v1", { size: 2 }))).status).toBe(201);
  });

  it("that throws is one that could not be called", async () => {
    await validating("/broken");
    const { status, body } = await send("POST", widgets("v1"), widget("v1", { size: 2 }));
    expect(status).toBe(500);
    expect(body.message).toMatch(
      /^Internal error occurred: failed calling webhook "size\.example\.com": failed to call webhook: Post "https:\/\/hooks\.ops\.svc:443\/broken\?timeout=10s"/,
    );
  });
});
