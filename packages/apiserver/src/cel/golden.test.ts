// The recordings of a real server: rules that it refuses, and what rules say about objects.
import { readFileSync } from "node:fs";
import { applyDefaults, type Structural } from "@telltale/kinds";
import { beforeAll, describe, expect, test } from "vitest";
import { clone, isObject, type Json, type JsonObject, put } from "../json.ts";
import type { FieldError } from "../status.ts";
import { loadCel } from "./engine.ts";
import { checkRules } from "./rule-check.ts";
import { compileRules } from "./rules.ts";

const golden = new URL("../../test/fixtures/golden/", import.meta.url);
interface Step {
  do: string;
  path?: string;
  body?: JsonObject;
  raw?: string;
  record?: boolean;
  crd?: JsonObject;
}
interface Case {
  id: string;
  title: string;
  crd?: JsonObject;
  steps: Step[];
}
interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: JsonObject;
  pointers?: Record<string, Json>;
}

const read = (path: string): string => readFileSync(new URL(path, golden), "utf8");
const cases = new Map((JSON.parse(read("cases/V.json")) as Case[]).map((c) => [c.id, c]));
const answers = new Map(
  read("recorded/v1.36/V.jsonl")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { id: string; steps: Answer[] })
    .map((a) => [a.id, a.steps]),
);

beforeAll(loadCel);

const path = "spec.validation.openAPIV3Schema";
const schemaOf = (crd: Json | undefined): Structural => {
  const spec = isObject(crd) && isObject(crd["spec"]) ? crd["spec"] : crd;
  const versions = isObject(spec) ? (spec["versions"] as unknown as { schema: { openAPIV3Schema: Structural } }[]) : [];
  return versions[0]?.schema.openAPIV3Schema ?? {};
};

const asCauses = (errors: readonly FieldError[]): JsonObject[] =>
  errors.map((e) => ({
    field: e.field === "" ? "<nil>" : e.field,
    message: e.body.replace(/selfType\d+/g, "selfType<n>"),
    reason: e.type,
  }));

const causesOf = (answer: Answer): JsonObject[] => {
  const details = answer.pointers?.["/details"] ?? answer.body?.["details"];
  return isObject(details) ? ((details["causes"] as JsonObject[] | undefined) ?? []) : [];
};

describe("CRDs are refused as recorded", () => {
  for (const id of ["V11", "V12", "V73", "V74", "V75", "V84"]) {
    const recorded = answers.get(id) ?? [];
    cases.get(id)?.steps.forEach((step, i) => {
      const answer = recorded[i];
      test(`${id} step ${i}: ${ruleOf(step.body)}`, () => {
        const { errors } = compileRules(schemaOf(step.body), path);
        expect(asCauses(errors)).toEqual(answer === undefined ? [] : causesOf(answer));
      });
    });
  }
});

function ruleOf(value: Json | undefined): string {
  const found = /"rule":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(value ?? null));
  return found?.[1] ?? "";
}

const merge = (target: Json | undefined, patch: Json): Json => {
  if (!isObject(patch)) return patch;
  const made: JsonObject = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete made[name];
    else put(made, name, merge(made[name], value));
  }
  return made;
};

/** The rules' part of what was recorded: schema errors are another stage's, and suppress rules when structural. */
const schemaError = (cause: JsonObject): boolean =>
  /in body|^Too long|^Too many|^Unsupported|^Required value$/.test(String(cause["message"])) ||
  /^Duplicate value: /.test(String(cause["message"]));

describe("objects are judged as recorded", () => {
  const judged =
    "V25 V26 V28 V29 V42 V43 V45 V46 V47 V48 V49 V50 V51 V53 V54 V55 V58 V59 V60 V61 V62 V63 V64 V65 V66 V67 V69 V70 V71 V72 V76 V77 V78 V79 V80 V82 V83".split(
      " ",
    );
  for (const id of judged) {
    const found = cases.get(id);
    test(`${id} ${found?.title}`, () => {
      let compiled = compileRules(schemaOf(found?.crd), path);
      expect(compiled.errors).toEqual([]);
      const stored = new Map<string, Json>();
      let next = 0;
      let compared = 0;
      for (const step of found?.steps ?? []) {
        if (step.do === "CRD") {
          compiled = compileRules(schemaOf(step.crd), path);
          expect(compiled.errors).toEqual([]);
        }
        if (step.record === false || !["POST", "PATCH", "PUT"].includes(step.do)) {
          if (step.record !== false && step.do === "GET") next++;
          continue;
        }
        const answer = (answers.get(id) ?? [])[next++];
        if (answer === undefined) continue;
        const name = step.path?.split("/widgets/")[1]?.split("/")[0];
        const given = step.body ?? (JSON.parse(step.raw ?? "{}") as JsonObject);
        const old = name === undefined ? undefined : stored.get(name);
        const whole = named(step.do === "PATCH" ? (merge(old, given) as JsonObject) : clone(given));
        if (JSON.stringify(found?.crd).includes("subresources")) keepStatus(whole, old, step.path ?? "");
        const object = applyDefaults(compiled.rules.schema, whole) as Json;
        const causes = causesOf(answer);
        const structural = causes.some((c) => c["field"] === "<nil>" && String(c["message"]).includes("not checked"));
        if (!structural) {
          const { errors, warnings } = checkRules(compiled.rules, object, old);
          expect(asCauses(errors), JSON.stringify(given)).toEqual(causes.filter((c) => !schemaError(c)));
          const header = answer.headers?.["warning"];
          if (answer.headers !== undefined) expect(warnings.map((w) => `299 - "${w}"`).join(",")).toBe(header ?? "");
          compared++;
        }
        if (answer.status < 300) stored.set(nameOf(object), object);
      }
      expect(compared).toBeGreaterThan(0);
    });
  }
});

/** With a status subresource each endpoint writes its own half. */
function keepStatus(object: JsonObject, old: Json | undefined, at: string): void {
  const half = at.endsWith("/status") ? "spec" : "status";
  delete object[half];
  const before = isObject(old) ? old[half] : undefined;
  if (before !== undefined) object[half] = before;
}

/** What the server sets before rules run. */
function named(object: JsonObject): JsonObject {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const name = metadata["name"] ?? `${String(metadata["generateName"] ?? "")}abcde`;
  return { ...object, metadata: { ...metadata, name } };
}
const nameOf = (object: Json): string =>
  isObject(object) && isObject(object["metadata"]) ? String(object["metadata"]["name"]) : "";
