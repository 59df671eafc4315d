// The recordings of a real server, step by step: every step starts from what the real server had stored before it, so that
// defaulting and the rest of the server play no part.
import { readFileSync } from "node:fs";
import { applyDefaults, type Structural } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import { at, clone, isObject, type Json, type JsonObject, member, put, text } from "../json.ts";
import { StatusError } from "../status.ts";
import { applyConfig, trackUpdate } from "./apply.ts";
import { type FieldSet, fieldSetOf } from "./fieldset.ts";
import { withoutManagers } from "./managers.ts";
import { builtinSchema, structuralSchema, type TypedSchema } from "./schema.ts";

interface Step {
  do: string;
  path: string;
  body?: JsonObject;
  headers?: Record<string, string>;
  record?: boolean | string;
}
interface Case {
  id: string;
  title: string;
  crd?: JsonObject;
  steps: Step[];
}
interface Answer {
  status: number;
  body?: JsonObject;
  pointers?: Record<string, Json>;
}

const golden = new URL("../../test/fixtures/golden/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, golden), "utf8");
const cases = (area: string): Case[] => JSON.parse(read(`cases/${area}.json`)) as Case[];
const answers = (area: string): Map<string, Answer[]> =>
  new Map(
    read(`recorded/v1.36/${area}.jsonl`)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { id: string; steps: Answer[] })
      .map((a) => [a.id, a.steps]),
  );

/** Steps that other parts of the server answer: decoding, options, validation, routes, YAML. By case; "all" for a whole one. */
const leftToTheServer: Readonly<Record<string, readonly number[] | "all">> = {
  A18: [0, 1, 2], // options
  A19: [2, 5, 6, 7, 10, 11, 12, 13, 14, 15], // names, namespaces, YAML
  A20: [6], // there is no such object
  A26: [3], // immutable metadata
  A29: [2, 3, 4], // nulls in custom resources
  A35: "all", // YAML
  A40: [0, 1, 3, 4], // required keys
  A50: [3], // a null status
  A59: "all", // scale, see scale.test.ts
  A60: "all",
  A62: "all", // a wrong path
  A64: [0], // validation of pods
  A73: [3], // finalizers of an object that is going
  A74: "all", // names and routes
};

/** What was there before the first step. */
const seeded: Readonly<Record<string, Record<string, JsonObject>>> = {
  A75: {
    "/api/namespaces/{ns}": {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: "{ns}",
        labels: { "kubernetes.io/metadata.name": "{ns}" },
        managedFields: [
          {
            manager: "golden",
            operation: "Update",
            apiVersion: "v1",
            time: "<t>",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:metadata": { "f:labels": { ".": {}, "f:kubernetes.io/metadata.name": {} } } },
          },
        ],
      },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    },
  },
};

const builtins: Readonly<Record<string, string>> = {
  ClusterRole: "rbac.ClusterRole",
  ConfigMap: "core.ConfigMap",
  Deployment: "apps.Deployment",
  Namespace: "core.Namespace",
  Pod: "core.Pod",
  Secret: "core.Secret",
  Service: "core.Service",
};

describe("area A", () => {
  const recorded = answers("A");
  for (const c of cases("A")) {
    const left = leftToTheServer[c.id];
    if (left === "all") continue;
    test(`${c.id} ${c.title}`, () => replay(c, recorded.get(c.id) ?? [], new Set(left)));
  }
});

function replay(c: Case, recorded: readonly Answer[], left: ReadonlySet<number>): void {
  const stored = new Map(Object.entries(seeded[c.id] ?? {}));
  for (const [i, step] of c.steps.entries()) {
    const answer = recorded[i];
    if (answer === undefined) throw new Error(`${c.id} has no recording of step ${i}`);
    const where = `${c.id} step ${i}`;
    const request = requestOf(step);
    if (left.has(i) || step.do === "DELETE") {
      remember(stored, request.key, answer);
      continue;
    }
    if (step.do === "GET") {
      if (answer.status === 200) expect(entriesOf(stored.get(request.key)), where).toEqual(recordedEntries(answer));
      continue;
    }
    const outcome = run(request, step, stored.get(request.key), answer, c);
    if (answer.status >= 400) {
      expect(outcome, where).toEqual(refusal(answer.body ?? {}));
      continue;
    }
    if (outcome instanceof StatusError || "refused" in outcome) throw new Error(`${where}: ${JSON.stringify(outcome)}`);
    const body = answer.body;
    if (body !== undefined || answer.pointers?.["/metadata/managedFields"] !== undefined)
      expect(entriesOf(outcome.object), where).toEqual(recordedEntries(answer));
    if (body !== undefined && request.apply && (body["kind"] === "Widget" || body["kind"] === "ConfigMap"))
      expect(contentOf(outcome.object, request, c, stored.get(request.key)), where).toEqual(
        contentOf(body, request, c),
      );
    if (!request.dryRun) stored.set(request.key, body ?? outcome.object);
  }
}

interface Request {
  key: string;
  manager: string;
  force: boolean;
  subresource: string;
  apply: boolean;
  dryRun: boolean;
}

function requestOf(step: Step): Request {
  const url = new URL(step.path, "http://x");
  const [, subresource = ""] = /\/(status|scale)$/.exec(url.pathname) ?? [];
  const base = subresource === "" ? url.pathname : url.pathname.slice(0, -subresource.length - 1);
  const name = step.do === "POST" ? `/${text(at(step.body, "metadata", "name"))}` : "";
  return {
    key: decodeURIComponent(base + name).replace(/\/v\d+\/namespaces/, "/namespaces"),
    manager: url.searchParams.get("fieldManager") ?? "golden",
    force: url.searchParams.get("force") === "true",
    subresource,
    apply: step.headers?.["Content-Type"] === "application/apply-patch+yaml",
    dryRun: url.searchParams.has("dryRun"),
  };
}

function remember(stored: Map<string, JsonObject>, key: string, answer: Answer): void {
  if (answer.status < 300 && answer.body !== undefined && answer.body["kind"] !== "Status")
    stored.set(key, answer.body);
}

type Outcome = { object: JsonObject } | { refused: JsonObject };

function run(request: Request, step: Step, live: JsonObject | undefined, answer: Answer, c: Case): Outcome {
  const named = step.path.includes("/configmaps") ? "ConfigMap" : text(step.body?.["kind"]);
  const kind = text(live?.["kind"]) || (step.path.includes("/widgets") ? "Widget" : named);
  const apiVersion = servedVersion(step.path);
  const structurals = structuralsOf(c);
  const schemaOf = (version: string): TypedSchema | undefined => {
    const builtin = builtins[kind];
    if (builtin !== undefined) return builtinSchema(builtin);
    const schema = structurals.get(version.split("/")[1] ?? "");
    return schema === undefined ? undefined : structuralSchema(schema);
  };
  const schema = schemaOf(apiVersion);
  if (schema === undefined) throw new Error(`no schema for ${apiVersion} ${kind}`);
  const convert = (object: JsonObject, version: string): JsonObject => ({ ...object, apiVersion: version });
  const common = {
    live: live === undefined ? undefined : convert(live, apiVersion),
    manager: request.manager,
    apiVersion,
    subresource: request.subresource,
    schema,
    reset: resetOf(kind, request.subresource),
    now: "<t>",
    convert,
    schemaOf,
  };
  if (!request.apply) {
    return {
      object: trackUpdate({
        ...common,
        next: nextObject(step, answer, live),
        create: live === undefined,
        builtin: kind in builtins,
      }),
    };
  }
  try {
    const resource = {
      group: apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "",
      kind,
      resource: `${kind.toLowerCase()}s`,
    };
    const config = JSON.parse(JSON.stringify(step.body ?? {}).replaceAll("{uid}", "<uid1>")) as JsonObject;
    return { object: applyConfig({ ...common, config, force: request.force, resource }) };
  } catch (error) {
    if (error instanceof StatusError) return { refused: error.body() };
    throw error;
  }
}

/** The object as the server had it before it tracked the update: the recorded one, with the managedFields of the request. */
function nextObject(step: Step, answer: Answer, live: JsonObject | undefined): JsonObject {
  const base = answer.body ?? merged(live ?? {}, step.body ?? {});
  const entries = at(step.body, "metadata", "managedFields");
  const next = withoutManagers(base);
  if (entries === undefined) return next;
  return { ...next, metadata: { ...(next["metadata"] as JsonObject), managedFields: entries } };
}

/** RFC 7386, for steps whose answer was not kept. */
function merged(target: JsonObject, patch: JsonObject): JsonObject {
  const out = clone(target);
  for (const name of Object.keys(patch)) {
    const [old, next] = [member(out, name), patch[name]];
    if (next === null || next === undefined) delete out[name];
    else put(out, name, isObject(next) ? merged(isObject(old) ? old : {}, next) : next);
  }
  return out;
}

function servedVersion(path: string): string {
  const [, core, group, version] = /^\/(?:api\/(v\d+)|apis\/([^/]+)\/(v\d+))/.exec(path) ?? [];
  return core ?? `${group}/${version}`;
}

function structuralsOf(c: Case): Map<string, Structural> {
  const versions = (c.crd?.["versions"] ?? []) as unknown as {
    name?: string;
    schema?: { openAPIV3Schema?: Structural };
  }[];
  const open: Structural = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return new Map(versions.map((v) => [v.name ?? "v1", v.schema?.openAPIV3Schema ?? open] as const));
}

function resetOf(kind: string, subresource: string): FieldSet {
  if (subresource === "status")
    return kind === "Deployment" ? fieldSetOf(["spec"], ["metadata", "labels"]) : fieldSetOf(["spec"], ["metadata"]);
  return ["ConfigMap", "Secret", "ClusterRole"].includes(kind) ? fieldSetOf() : fieldSetOf(["status"]);
}

const sortedEntries = (entries: Json | undefined): Json[] =>
  (Array.isArray(entries) ? entries : [])
    .map((e) => JSON.stringify(ordered(e)))
    .sort()
    .map((e) => JSON.parse(e) as Json);

function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, ordered(value[name] ?? null)]),
  );
}

const entriesOf = (object: JsonObject | undefined): Json[] => sortedEntries(at(object, "metadata", "managedFields"));
const recordedEntries = (answer: Answer): Json[] =>
  answer.body === undefined ? sortedEntries(answer.pointers?.["/metadata/managedFields"]) : entriesOf(answer.body);

function refusal(body: JsonObject): Outcome {
  return { refused: { ...body, ...(body["details"] === undefined ? {} : { details: body["details"] }) } };
}

/** What can be compared of an object without the rest of the server. */
function contentOf(object: JsonObject, request: Request, c: Case, live?: JsonObject): Json {
  let content = object;
  if (request.subresource === "status" && live !== undefined) content = { ...live, status: object["status"] ?? null };
  if (object["kind"] === "Widget") {
    const structural = structuralsOf(c).get(text(object["apiVersion"]).split("/")[1] ?? "");
    content = applyDefaults(
      structural ?? {},
      clone({ spec: content["spec"] ?? null, status: content["status"] ?? null }),
    ) as JsonObject;
  } else {
    const data = isObject(content["data"]) ? content["data"] : {};
    // A null in a map of strings decodes to "".
    const strings = Object.fromEntries(Object.keys(data).map((name) => [name, data[name] ?? ""]));
    content = dropNulls({ data: strings }) as JsonObject;
  }
  const meta =
    request.subresource === "status"
      ? {}
      : { finalizers: at(object, "metadata", "finalizers"), labels: at(object, "metadata", "labels") };
  return dropNulls({ content, meta: dropNulls(meta as Json) });
}

/** What decoding into the server's types drops. */
function dropNulls(value: Json | undefined): Json {
  if (!isObject(value)) return value ?? null;
  const out: JsonObject = {};
  for (const name of Object.keys(value)) {
    const inner = value[name];
    if (inner === null || inner === undefined || (isObject(inner) && Object.keys(inner).length === 0)) continue;
    put(out, name, inner);
  }
  return out;
}
