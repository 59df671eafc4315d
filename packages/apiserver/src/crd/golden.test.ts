// The recorded answers of a real server to CRDs and custom resources, as far as these functions alone decide them: creates of CRDs
// and objects, merge patches of both. What CEL decides is compared in cel/.
import { readFileSync } from "node:fs";
import { instant } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import { at, isObject, type Json, type JsonObject, member, put, text } from "../json.ts";
import { validateMeta } from "../meta/validate.ts";
import { badRequest, type FieldError, invalid, StatusError } from "../status.ts";
import { convertNone } from "./convert.ts";
import { defaultCrd, prepareCrdCreate, prepareCrdUpdate, validateCrd } from "./definition.ts";
import { establish } from "./names.ts";
import {
  type FieldValidation,
  fromStorage,
  readBody,
  validateCreate,
  validateStatusUpdate,
  validateUpdate,
} from "./pipeline.ts";
import { type CompiledVersion, compileVersion, storageVersion } from "./version.ts";

interface Step {
  do: string;
  path?: string;
  body?: Json;
  raw?: string;
  crd?: JsonObject;
  headers?: Record<string, string>;
  record?: boolean | string;
  unordered_errors?: boolean;
}
interface Case {
  id: string;
  title: string;
  crd?: JsonObject;
  steps: Step[];
}
interface Answer {
  step: string;
  status: number;
  headers?: { warning?: string | string[] };
  body?: JsonObject;
  pointers?: Record<string, Json>;
}

const golden = new URL("../../test/fixtures/golden/", import.meta.url);
const filled = (path: string): string =>
  readFileSync(new URL(path, golden), "utf8")
    .replaceAll("{group}", "gu1.example.com")
    .replaceAll("{uniq}", "u1")
    .replaceAll("{ns}", "ns");

const areas = ["V", "C"].map((area) => ({
  area,
  cases: JSON.parse(filled(`cases/${area}.json`)) as Case[],
  answers: new Map(
    filled(`recorded/v1.36/${area}.jsonl`)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { id: string; steps: Answer[] })
      .map((a) => [a.id, a.steps]),
  ),
}));

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** What the server of a test holds. */
class World {
  crd: JsonObject | undefined;
  readonly objects = new Map<string, JsonObject>();

  install(fragment: JsonObject | undefined): void {
    if (!isObject(fragment)) return;
    const kind = text(fragment["kind"]) || "Widget";
    const names = { plural: "widgets", singular: "widget", kind, listKind: `${kind}List` };
    const crd = defaultCrd({
      metadata: { name: "widgets.gu1.example.com" },
      spec: { scope: "Namespaced", names, ...fragment, group: "gu1.example.com" },
    });
    const versions = at(crd, "spec", "versions");
    const full = (Array.isArray(versions) ? versions : [{}]).map((v, i) => ({
      name: "v1",
      served: true,
      storage: i === 0,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      ...(v as JsonObject),
    }));
    const ready = prepareCrdCreate({ ...crd, spec: { ...(crd["spec"] as JsonObject), versions: full } });
    this.crd = { ...ready, status: establish(ready, [], instant(0)) };
  }

  version(path: string): CompiledVersion | undefined {
    const name = /^\/apis\/gu1\.example\.com\/([^/]+)\/namespaces\/ns\/widgets/.exec(path)?.[1];
    return this.crd === undefined || name === undefined ? undefined : compileVersion(this.crd, name);
  }
}

/** What a step is found to be: refused, or accepted with an object. Undefined when others decide. */
type Finding = { error: StatusError } | { object: JsonObject; warnings: string[] } | undefined;

function run(world: World, step: Step, answer: Answer): Finding {
  const path = (step.path ?? "").replace(/\?.*$/, "");
  if (step.do === "POST" && path === crds && isObject(step.body)) return createCrd(step.body, answer);
  if (step.do === "PATCH" && path.startsWith(crds) && world.crd !== undefined) return patchCrd(world.crd, step, path);
  if (step.do === "POST" && path === "/api/v1/namespaces/ns/configmaps") return createConfigMap(step, answer);
  const version = world.version(path);
  // What others decide before or after us: conflicts, missing namespaces, options, keys that come twice.
  const theirs = /^the (namespace|API version) |Options\.meta|duplicate field/.test(messageOf(answer));
  if (theirs || (answer.status >= 300 && answer.status !== 400 && answer.status !== 422)) return undefined;
  const body = step.raw === undefined ? expand(step.body ?? null) : parse(step.raw);
  if (version === undefined || !version.namespaced || !isObject(body)) return undefined;
  if (version.hasRules && !decidedHere(answer)) return undefined;
  if (step.do === "POST" && path.endsWith("/widgets")) return create(world, version, body, step);
  const isMerge = step.headers?.["Content-Type"] === "application/merge-patch+json";
  return step.do === "PATCH" && isMerge ? patch(world, version, body, path) : undefined;
}

/** Whether the answer does not tell of rules: it is good, or the rules were not reached. */
function decidedHere(answer: Answer): boolean {
  return answer.status < 300 || messageOf(answer).includes("some validation rules were not checked");
}

function createCrd(body: JsonObject, answer: Answer): Finding {
  // What the compiler of rules finds wrong is not ours.
  if (/x-kubernetes-validations\[|cost/.test(messageOf(answer))) return undefined;
  const crd = prepareCrdCreate(defaultCrd(body));
  return verdict("apiextensions.k8s.io", "CustomResourceDefinition", crd, validateCrd(crd));
}

function patchCrd(old: JsonObject, step: Step, path: string): Finding {
  if (path.endsWith("/status")) return undefined;
  const crd = prepareCrdUpdate(defaultCrd(merge(old, step.body ?? null) as JsonObject), old);
  return verdict("apiextensions.k8s.io", "CustomResourceDefinition", crd, validateCrd(crd, old));
}

function createConfigMap(step: Step, answer: Answer): Finding {
  const body = expand(step.body ?? null);
  const fields = list(member(detailsOf(answer), "causes")).map((c) => text(c["field"]));
  if (!isObject(body) || answer.status !== 422 || !fields.every((f) => f.startsWith("metadata"))) return undefined;
  const meta = { ...(member(body, "metadata") as JsonObject), namespace: "ns" };
  if (JSON.stringify(answer).includes("<gen5>")) return undefined;
  return verdict("", "ConfigMap", { metadata: meta }, validateMeta(meta, { namespaced: true, builtin: true }));
}

function create(world: World, version: CompiledVersion, body: JsonObject, step: Step): Finding {
  // Kind and apiVersion are seen to before a body is read.
  if (body["apiVersion"] !== version.apiVersion || typeof body["kind"] !== "string") return undefined;
  const [, fieldValidation = "Warn"] = /fieldValidation=(Strict|Ignore)/.exec(step.path ?? "") ?? [];
  try {
    const { object, unknown } = readBody(version, body, { fieldValidation: fieldValidation as FieldValidation });
    if (fieldValidation === "Strict" && unknown.length > 0) return { error: strictError(version, unknown) };
    const { status, ...rest } = object;
    const kept = version.hasStatus || status === undefined ? rest : { ...rest, status };
    const whole = { ...kept, metadata: named(kept["metadata"]) };
    const found = verdict(version.group, text(body["kind"]), whole, validateCreate(version, whole).errors, unknown);
    if (found === undefined || "error" in found) return found;
    const stored = { ...found, object: storedAndRead(world, version, whole) };
    world.objects.set(text(whole.metadata["name"]), stored.object);
    return stored;
  } catch (error) {
    if (error instanceof StatusError) return { error };
    throw error;
  }
}

/** Metadata as the verbs complete it before validation. */
function named(metadata: Json | undefined): JsonObject {
  const meta = isObject(metadata) ? metadata : {};
  const base = text(meta["generateName"]);
  return { ...meta, namespace: "ns", ...(meta["name"] === undefined && base !== "" ? { name: `${base}abcde` } : {}) };
}

function strictError(version: CompiledVersion, unknown: string[]): StatusError {
  const problems = unknown.map((u) => `unknown field "${u}"`).join(", ");
  const { kind } = version;
  return badRequest(
    `${kind} in version "${version.version}" cannot be handled as a ${kind}: strict decoding error: ${problems}`,
  );
}

/** An object after its way through the storage version, with strategy None. */
function storedAndRead(world: World, version: CompiledVersion, object: JsonObject): JsonObject {
  const crd = world.crd ?? {};
  const storage = compileVersion(crd, storageVersion(crd));
  if (storage === undefined || at(crd, "spec", "conversion", "strategy") !== "None") return object;
  const stored = fromStorage(storage, convertNone(object, storage.apiVersion));
  return fromStorage(version, convertNone(stored, version.apiVersion));
}

function patch(world: World, version: CompiledVersion, body: JsonObject, path: string): Finding {
  const [, name = "", sub] = /\/widgets\/([^/]+)(\/status)?$/.exec(path) ?? [];
  const known = world.objects.get(name);
  if (known === undefined) return undefined;
  const old = convertNone(known, version.apiVersion);
  const { object } = readBody(version, merge(old, body) as JsonObject);
  const parts = sub === undefined ? { ...object, ...keptStatus(version, old) } : { ...old, ...statusOf(object) };
  const { errors } =
    sub === undefined ? validateUpdate(version, parts, old) : validateStatusUpdate(version, parts, old);
  const found = verdict(version.group, version.kind, parts, errors);
  if (found === undefined || "error" in found) return found;
  const stored = { ...found, object: storedAndRead(world, version, parts) };
  world.objects.set(name, stored.object);
  return stored;
}

const statusOf = (object: JsonObject): JsonObject =>
  object["status"] === undefined ? {} : { status: object["status"] };
const keptStatus = (version: CompiledVersion, old: JsonObject): JsonObject => (version.hasStatus ? statusOf(old) : {});

function verdict(
  group: string,
  kind: string,
  object: JsonObject,
  errors: FieldError[],
  unknown: string[] = [],
): Finding {
  const name = text(at(object, "metadata", "name"));
  if (errors.length > 0) return { error: invalid(group, kind, name, errors) };
  return { object, warnings: unknown.map((u) => `unknown field "${u}"`) };
}

// --- Comparing

function compare(finding: NonNullable<Finding>, answer: Answer, step: Step): void {
  if ("error" in finding) {
    const body = finding.error.body();
    const sort = (causes: JsonObject[]) => (step.unordered_errors === true ? sorted(causes) : causes);
    const found = { status: finding.error.code, causes: sort(list(at(body, "details", "causes"))).map(cut) };
    const wanted = { status: answer.status, causes: sort(list(member(detailsOf(answer), "causes"))).map(cut) };
    expect(found).toEqual(wanted);
    const whole = messageOf(answer);
    if (step.unordered_errors !== true && !whole.endsWith(" characters>")) expect(finding.error.message).toBe(whole);
    return;
  }
  expect(answer.status).toBeLessThan(300);
  const spec = answer.body?.["spec"];
  if (spec !== undefined) expect(shownAsRecorded(finding.object["spec"] ?? null)).toEqual(spec);
  if (step.do === "POST" && answer.body !== undefined && step.raw === undefined) {
    const warnings = [answer.headers?.warning ?? []].flat().filter((w) => w.includes("unknown field"));
    expect(finding.warnings).toEqual(warnings.map((w) => w.slice(7, -1).replaceAll('\\"', '"')));
  }
}

const messageOf = (answer: Answer): string => text(answer.pointers?.["/message"] ?? answer.body?.["message"]);
const detailsOf = (answer: Answer): Json | undefined => answer.pointers?.["/details"] ?? answer.body?.["details"];
const list = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const sorted = (causes: JsonObject[]) =>
  [...causes].sort((a, b) => (`${a["field"]}${a["message"]}` < `${b["field"]}${b["message"]}` ? -1 : 1));

/** The recorder cuts strings above 2500 characters. */
const cutText = (value: string): string =>
  value.length > 2500 ? `${value.slice(0, 200)}…<${value.length} characters>` : value;
const cut = (cause: JsonObject): JsonObject => ({ ...cause, message: cutText(text(cause["message"])) });

function shownAsRecorded(value: Json): Json {
  if (typeof value === "bigint") return `<num:${value}>`;
  if (Array.isArray(value)) return value.map(shownAsRecorded);
  if (!isObject(value)) return Object.is(value, -0) ? 0 : value;
  const out: JsonObject = {};
  for (const [name, inner] of Object.entries(value)) put(out, name, shownAsRecorded(inner));
  return out;
}

/** JSON with integers beyond 2^53 kept; undefined for what is no JSON or holds what only the decoder refuses. */
function parse(raw: string): Json | undefined {
  try {
    return JSON.parse(raw, (_, value: Json, context?: { source?: string }) => {
      const source = context?.source ?? "";
      if (value === Number.POSITIVE_INFINITY) throw new SyntaxError("out of range");
      return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
        ? BigInt(source)
        : value;
    }) as Json;
  } catch {
    return undefined;
  }
}

function expand(value: Json): Json {
  if (Array.isArray(value)) return value.map(expand);
  if (!isObject(value)) return value;
  const repeat = value["$repeat"];
  if (Array.isArray(repeat)) return text(repeat[0]).repeat(Number(repeat[1]));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, expand(inner)]));
}

function merge(target: Json, change: Json): Json {
  if (!isObject(change)) return change;
  const out: JsonObject = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete out[name];
    else out[name] = merge(out[name] ?? null, value);
  }
  return out;
}

let compared = 0;
const covered = new Set<string>();

for (const { area, cases, answers } of areas) {
  describe(`golden ${area}`, () => {
    for (const { id, title, crd, steps } of cases) {
      test(`${id} ${title}`, () => {
        const world = new World();
        world.install(crd);
        const left = [...(answers.get(id) ?? [])];
        for (const step of steps) {
          if (step.do === "CRD") world.install(step.crd);
          const answer = left[0];
          if (answer === undefined || step.record === false || answer.step !== `${step.do} ${step.path}`) continue;
          left.shift();
          const finding = run(world, step, answer);
          if (finding === undefined) continue;
          compare(finding, answer, step);
          compared += 1;
          covered.add(id);
        }
      });
    }
  });
}

test("the recordings were compared, not skipped", () => {
  expect(compared).toBeGreaterThan(400);
  expect(covered.size).toBeGreaterThan(90);
});
