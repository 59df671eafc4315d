// A whole server for those who wish it ill. After each test it must be well, and must have met nothing that it did not expect.
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type ApiServer, type LocalResponse, startApiServer } from "../../src/index.ts";

export const json = "application/json";
export const yaml = "application/yaml";
export const merge = "application/merge-patch+json";
export const strategic = "application/strategic-merge-patch+json";
export const jsonPatch = "application/json-patch+json";
export const apply = "application/apply-patch+yaml";

export const configMaps = "/api/v1/namespaces/default/configmaps";
export const pods = "/api/v1/namespaces/default/pods";
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const frees = custom("free");

export let server: ApiServer;
const defects: string[] = [];

beforeAll(async () => {
  server = await startApiServer({
    listen: { tls: false },
    anonymous: true,
    authorization: "always-allow",
    maxRequestBodyBytes: 1_000_000,
    log: (line) => defects.push(line),
  });
  await created(configMaps, { metadata: { name: "seed" }, data: { a: "b" } });
  await created(pods, { metadata: { name: "seed" }, spec: { containers: [{ name: "a", image: "b" }] } });
  await created(definitions, definition("free", { type: "object", "x-kubernetes-preserve-unknown-fields": true }));
  await created(frees, { apiVersion: "h.io/v1", kind: "Free", metadata: { name: "seed" } });
});

afterEach(async () => {
  expect(defects.splice(0)).toEqual([]); // the server logs what it did not expect
  expect((await send("GET", "/readyz")).status).toBe(200);
  expect((await send("GET", `${configMaps}/seed`)).status).toBe(200);
  expect(Object.keys(Object.prototype)).toEqual([]);
});

afterAll(() => server.stop());

export function custom(kind: string): string {
  return `/apis/h.io/v1/namespaces/default/${kind}s`;
}

export function definition(kind: string, schema: object, more: object = {}): object {
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
  const names = { plural: `${kind}s`, singular: kind, kind: kind.charAt(0).toUpperCase() + kind.slice(1) };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind}s.h.io` },
    spec: { group: "h.io", scope: "Namespaced", names, versions: [version] },
  };
}

export function send(
  method: string,
  path: string,
  type?: string,
  body: string | Uint8Array = "",
  accept?: string,
): Promise<LocalResponse> {
  const headers = {
    ...(type === undefined ? {} : { "content-type": type }),
    ...(accept === undefined ? {} : { accept }),
  };
  return server.client({ method, path, headers, body });
}

export async function created(path: string, object: object): Promise<void> {
  const { status, body } = await send("POST", path, json, JSON.stringify(object));
  expect(body).toContain("metadata");
  expect(status).toBe(201);
}

interface Status {
  readonly kind: string;
  readonly status: string;
  readonly code: number;
  readonly message: string;
}

const isJavaScript = /\b(?:TypeError|RangeError|ReferenceError|SyntaxError|undefined)\b|is not a function|\bat .*\.ts:/;

/** The code of a refusal, once it is known to be a proper one. */
export function refusal({ status, body }: { status: number; body: string }): number {
  const value = JSON.parse(body) as Status;
  expect(value).toMatchObject({ kind: "Status", status: "Failure", code: status });
  expect(value.message).not.toBe("");
  expect(value.message).not.toMatch(isJavaScript);
  return status;
}

/** Refused for what the client did: the server is not at fault. */
export function fault(answer: { status: number; body: string }): number {
  const code = refusal(answer);
  expect(code, answer.body.slice(0, 300)).toBeGreaterThanOrEqual(400);
  expect(code, answer.body.slice(0, 300)).toBeLessThan(500);
  return code;
}

export const nested = (open: string, close: string, levels: number, inside = "1"): string =>
  open.repeat(levels) + inside + close.repeat(levels);
export const free = (name: string, rest: string): string =>
  `{"apiVersion":"h.io/v1","kind":"Free","metadata":{"name":"${name}"}${rest}}`;
