// The managedFields of every create, update and patch in the recordings of a real server that can be told from the objects
// before and after it alone.
import { readFileSync } from "node:fs";
import type { Structural } from "@telltale/kinds";
import { message } from "@telltale/kinds/core";
import { describe, expect, test } from "vitest";
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import { trackUpdate } from "./apply.ts";
import { fieldSetOf } from "./fieldset.ts";
import { withoutManagers } from "./managers.ts";
import { builtinSchema, structuralSchema, type TypedSchema } from "./schema.ts";

interface Step {
  do: string;
  path?: string;
  body?: JsonObject;
  headers?: Record<string, string>;
  record?: boolean | string;
  drop?: string[];
}
interface Case {
  id: string;
  crd?: JsonObject | JsonObject[];
  steps: Step[];
}
interface Answer {
  status: number;
  body?: JsonObject;
}
interface Write {
  readonly name: string;
  readonly step: Step;
  readonly live: JsonObject | undefined;
  readonly next: JsonObject;
  readonly schema: TypedSchema;
  readonly builtin: boolean;
  readonly statusResets: boolean;
}

/** What the server sets after it has tracked the write, or what an unrecorded step changes, is not in the objects. */
const notTold = new Map([
  ["C08", "cluster IPs are given out later"],
  ["C13", "finalizers of namespaces are set later"],
  ["C39", "the names of user agents; admission of pods"],
  ["U27", "labels and selectors of jobs are set later"],
  ["U28", "cluster IPs and node ports are given out later"],
  ["S02", "what a status strategy resets; see apply.test.ts"],
  ["S14", "the deletion is not recorded"],
  ["S16", "the recording leaves out parts"],
  ["S17", "the recording leaves out parts"],
  ["S19", "a request for a certificate owns no spec, which is the reset of that kind"],
  ["V30", "the schema changes between the steps"],
  ["V32", "the schema changes between the steps"],
  ["V33", "another version prunes; see apply.test.ts"],
  ["V40", "numbers that JSON.parse cannot hold are texts in the recording"],
  ["V111", "labels and selectors of jobs are set later"],
  ["W01", "admission"],
  ["W02", "admission"],
  ["W03", "admission"],
  ["W09", "admission"],
  ["X08", "labels and selectors of jobs are set later"],
]);

for (const area of ["C", "U", "P", "S", "V", "W", "X"]) {
  describe(`area ${area}`, () => {
    const writes = writesOf(area).filter(({ name }) => !notTold.has(name.split(" ")[0] ?? ""));
    test.each(writes)("$name", (write) => {
      expect(entries(track(write))).toEqual(entries(write.next));
    });
  });
}

test("the recordings hold enough writes to mean something", () => {
  const count = ["C", "U", "P", "S", "V", "W", "X"].flatMap(writesOf).length;
  expect(count).toBeGreaterThan(200);
});

function track({ step, live, next, schema, builtin, statusResets }: Write): JsonObject {
  const url = new URL(step.path ?? "", "http://x");
  const status = url.pathname.endsWith("/status");
  const sent = at(step.body, "metadata", "managedFields");
  const untracked = withoutManagers(next);
  const object =
    sent === undefined || live === undefined
      ? untracked
      : { ...untracked, metadata: { ...(untracked["metadata"] as JsonObject), managedFields: sent } };
  const main = statusResets ? fieldSetOf(["status"]) : fieldSetOf();
  return trackUpdate({
    live,
    next: object,
    manager: url.searchParams.get("fieldManager") ?? (step.headers?.["User-Agent"] ?? "golden/1.0").split("/")[0] ?? "",
    apiVersion: text(next["apiVersion"]),
    subresource: status ? "status" : "",
    schema,
    reset: status ? fieldSetOf(["spec"], ...(builtin ? [] : [["metadata"]])) : main,
    now: "<t>",
    create: live === undefined,
    builtin,
  });
}

function writesOf(area: string): Write[] {
  const golden = new URL("../../test/fixtures/golden/", import.meta.url);
  const read = (path: string): string => readFileSync(new URL(path, golden), "utf8");
  const recorded = new Map(
    read(`recorded/v1.36/${area}.jsonl`)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string; steps: Answer[] })
      .map((r) => [r.id, r.steps] as const),
  );
  return (JSON.parse(read(`cases/${area}.json`)) as Case[]).flatMap((c) => writesOfCase(c, recorded.get(c.id) ?? []));
}

const unrecorded = ["CRD", "WAIT", "WAIT_CRD", "SLEEP", "BEHAVE", "CLOSE"];

function writesOfCase(c: Case, recorded: readonly Answer[]): Write[] {
  const found: Write[] = [];
  const stored = new Map<string, JsonObject>();
  let next = 0;
  for (const [i, step] of c.steps.entries()) {
    const silent = step.record === false || unrecorded.includes(step.do);
    const answer = silent ? undefined : recorded[next];
    if (!silent) next += 1;
    if (step.path === undefined || step.do === "GET") continue;
    const url = new URL(step.path, "http://x");
    if (url.searchParams.has("dryRun")) continue;
    const body = answer !== undefined && answer.status < 300 ? answer.body : undefined;
    const name = step.do === "POST" ? `/${text(at(body ?? step.body, "metadata", "name"))}` : "";
    const key = decodeURIComponent(url.pathname.replace(/\/status$/, "") + name);
    const live = stored.get(key);
    const failed = answer !== undefined && answer.status >= 300;
    if (!failed) stored.delete(key);
    if (!isObject(body) || !isObject(body["metadata"]) || url.pathname.endsWith("/scale")) continue;
    if (body["kind"] === "Status" || step.drop?.includes("/metadata/managedFields") === true) continue;
    stored.set(key, body);
    const apply = step.headers?.["Content-Type"] === "application/apply-patch+yaml";
    const type = typeOf(c, body);
    if (apply || step.do === "DELETE" || type === undefined) continue;
    if (step.do === "POST" ? answer?.status !== 201 : live === undefined) continue;
    found.push({ name: `${c.id} step ${i} ${step.do} ${key}`, step, live, next: body, ...type });
  }
  return found;
}

const prefixes: Readonly<Record<string, string>> = { "": "core", "rbac.authorization.k8s.io": "rbac" };

function typeOf(c: Case, object: JsonObject): Pick<Write, "schema" | "builtin" | "statusResets"> | undefined {
  const [version = "", group = ""] = text(object["apiVersion"]).split("/").reverse();
  const kind = text(object["kind"]);
  if (!group.includes("{")) {
    const prefix =
      prefixes[group] ?? `${group.split(".")[0]}${group === "autoscaling" && version === "v2" ? version : ""}`;
    const name = `${prefix}.${kind}`;
    return message(name) === undefined ? undefined : { schema: builtinSchema(name), builtin: true, statusResets: true };
  }
  const crds = (Array.isArray(c.crd) ? c.crd : [c.crd ?? {}]) as {
    names?: { kind: string };
    kind?: string;
    versions?: Version[];
  }[];
  const crd = crds.find((one) => (one.names?.kind ?? one.kind ?? "Widget") === kind);
  if (crd === undefined || c.crd === undefined) return undefined;
  const served = crd.versions?.find((one) => (one.name ?? "v1") === version);
  const open: Structural = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = structuralSchema(served?.schema?.openAPIV3Schema ?? open);
  return { schema, builtin: false, statusResets: served?.subresources?.status !== undefined };
}

interface Version {
  name?: string;
  schema?: { openAPIV3Schema?: Structural };
  subresources?: { status?: object };
}

/** The recording has them sorted. */
const entries = (object: JsonObject): string[] => {
  const found = at(object, "metadata", "managedFields");
  return (Array.isArray(found) ? found : []).map((entry) => JSON.stringify(ordered(entry))).sort();
};

function ordered(value: Json): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, ordered(value[name] ?? null)]),
  );
}
