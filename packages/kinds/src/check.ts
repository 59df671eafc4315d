// What a declaration must keep to be a kind. Each break is found when the kind is defined, and names the kind and the field.

import type { Column } from "./columns.ts";
import { type ConditionDeclaration, type Conditions, declarationOf } from "./conditions.ts";
import { toCrd } from "./crd.ts";
import { type Complain, complainOf } from "./errors.ts";
import { parsePath } from "./jsonpath.ts";
import type { Kind } from "./kind.ts";
import { type Phases, unreachable } from "./phases.ts";
import { followPath } from "./schema-path.ts";
import { reasonPattern, typePattern } from "./status-schema.ts";
import { checkStructural, type Structural, schemaAt } from "./structural.ts";
import { isDnsLabel, isDnsSubdomain } from "./values/names.ts";
import { schemaIn } from "./versions.ts";

export function checkKind(kind: Kind, complain: Complain): void {
  checkNames(kind, complain);
  checkSchemas(kind.schema, kind.columns, complain);
  for (const v of kind.versions) {
    checkSchemas(schemaIn(kind, v.name), v.columns ?? [], complainOf(`${kind.kind} ${v.name}`));
  }
  checkConditions(kind.conditions, complain);
  if (kind.phases !== undefined) checkPhases(kind, kind.phases, complain);
  checkScale(kind, complain);
  checkSelectable(kind, complain);
  for (const list of ["once", "latches", "memory", "urgent", "volatile"] as const) {
    for (const path of kind[list] ?? []) checkStatusPath(kind, list, path, complain);
  }
  for (const path of kind.latches) {
    const type = kind.schema.status && schemaAt(kind.schema.status, path.split("."))?.type;
    if (type !== "boolean") complain("latches", `status.${path} is of type ${type}`, "only a boolean can be a latch");
  }
  for (const [failure, effect] of Object.entries(kind.failures)) {
    const type = effect.condition?.type;
    if (type !== undefined && declarationOf(kind.conditions, type) === undefined) {
      complain(`failures.${failure}`, `sets the condition ${type}, which is not declared`, "declare it");
    }
    if (type !== undefined && declarationOf(kind.conditions, type)?.form === "derived") {
      complain(
        `failures.${failure}`,
        `sets the condition ${type}, which is derived (rule 37)`,
        "name one of its inputs",
      );
    }
    if (effect.phase !== "keep" && !kind.phases?.names.includes(effect.phase)) {
      complain(`failures.${failure}`, `enters the phase ${effect.phase}, which is not declared`, "declare it");
    }
  }
  for (const [failure, effect] of Object.entries(kind.failures)) {
    if (effect.write && effect.condition === undefined && kind.conditions.top !== undefined) {
      complain(`failures.${failure}`, "is written and no condition says so (rule 35)", "name one with failing");
    }
  }
  for (const [failure, effect] of Object.entries(kind.failures)) {
    if (effect.message === true && kind.schema.status?.properties?.["message"]?.type !== "string") {
      complain(`failures.${failure}`, "is told in status.message, which is no text", "add it to the status schema");
    }
  }
  for (const rule of [...kind.rules, ...kind.versions.flatMap((v) => v.rules ?? [])]) {
    if (rule.message === "") complain("rules", `the rule ${rule.rule} has no message`, "say what is wrong in one line");
  }
  toCrd(kind); // says when it is too large
}

function checkSchemas(schema: Kind["schema"], columns: readonly Column[], complain: Complain): void {
  checkStructural(schema.spec, "spec", complain);
  if (schema.status !== undefined) {
    checkStructural(schema.status, "status", complain);
    checkBounds(schema.status, "status", complain);
  }
  for (const [i, column] of columns.entries()) {
    checkPath(schema, `columns[${i}] "${column.name}"`, column.jsonPath, complain);
  }
}

function checkNames(kind: Kind, complain: Complain): void {
  if (!isDnsSubdomain(kind.group) || !kind.group.includes(".")) {
    complain("group", `"${kind.group}" is not a domain name with a dot`, "use one such as example.com");
  }
  for (const version of [kind.version, ...kind.versions.map((v) => v.name)]) {
    if (!/^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/.test(version)) {
      complain("version", `"${version}" is not an API version`, "use one such as v1 or v1beta1");
    }
  }
  const names = new Set([kind.version, ...kind.versions.map((v) => v.name)]);
  if (names.size !== kind.versions.length + 1) complain("versions", "two versions have one name", "rename one");
  for (const field of ["kind", "listKind"] as const) {
    if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind[field])) {
      complain(field, `"${kind[field]}" is not CamelCase of at most 63 characters`, "rename it");
    }
  }
  if (kind.kind === kind.listKind) complain("listKind", "is the same as kind", "leave it out");
  for (const field of ["singular", "plural"] as const) {
    checkLabel(field, kind[field], complain);
  }
  for (const field of ["shortNames", "categories"] as const) {
    for (const name of kind[field]) checkLabel(field, name, complain);
  }
}

function checkLabel(field: string, name: string, complain: Complain): void {
  if (!isDnsLabel(name) || !/^[a-z]/.test(name)) {
    complain(field, `"${name}" is not a lower-case label that starts with a letter`, "rename it");
  }
}

/** A status that can grow must say how far: nothing in it may be unlimited (rule 70). */
function checkBounds(s: Structural, path: string, complain: Complain): void {
  if (s.type === "array" && s.maxItems === undefined)
    complain(path, "is a list without maxItems", "say how long it may get");
  if (s.additionalProperties !== undefined && s.maxProperties === undefined) {
    complain(path, "is a map without maxProperties", "say how many keys it may get");
  }
  for (const [name, child] of Object.entries(s.properties ?? {})) checkBounds(child, `${path}.${name}`, complain);
  if (s.additionalProperties !== undefined) checkBounds(s.additionalProperties, `${path}{}`, complain);
  if (s.items !== undefined) checkBounds(s.items, `${path}[]`, complain);
}

const reasonRule = new RegExp(reasonPattern);
const typeRule = new RegExp(typePattern);

function checkConditions(c: Conditions, complain: Complain): void {
  if (c.top !== undefined && c.types[c.top] === undefined)
    complain("conditions.top", `${c.top} is not declared`, "declare it");
  if (!Number.isInteger(c.max) || c.max < 1)
    complain("conditions.max", `${c.max} is not a positive integer`, "correct it");
  if (!Number.isInteger(c.maxMessage) || c.maxMessage < 1 || c.maxMessage > 32_768) {
    complain("conditions.maxMessage", `${c.maxMessage} is not from 1 to 32768 (rule 7)`, "correct it");
  }
  for (const [type, d] of Object.entries(c.types)) {
    const at = `conditions.${type}`;
    if (!typeRule.test(type) || type.length > 316) {
      complain(
        at,
        "is not a condition type (rule 1)",
        "use a CamelCase word, with a domain before it where it is not ours",
      );
    }
    for (const reason of Object.keys(d.reasons)) {
      if (!reasonRule.test(reason) || reason.length > 1024) {
        complain(`${at}.reasons.${reason}`, "is not a reason (rule 5)", `it has to match ${reasonPattern}`);
      }
    }
    if (d.form !== "mirrored" && Object.keys(d.reasons).length === 0) {
      complain(`${at}.reasons`, "is empty (rule 6)", "declare each reason that the condition can give");
    }
    checkDeclaration(c, type, d, complain);
  }
}

function checkDeclaration(c: Conditions, type: string, d: ConditionDeclaration, complain: Complain): void {
  const at = `conditions.${type}`;
  if (d.form === "own" && d.initial !== undefined) {
    const reason = d.reasons[d.initial.reason];
    if (reason === undefined) complain(`${at}.initial`, `the reason ${d.initial.reason} is not declared`, "declare it");
    else if (!reason.on.includes(d.initial.status)) {
      complain(
        `${at}.initial`,
        `${d.initial.reason} is no reason for ${d.initial.status}`,
        `it is one for ${reason.on.join(", ")}`,
      );
    }
  }
  if (d.form === "derived") {
    if (d.reasons[d.ok.reason]?.on.includes("True") !== true) {
      complain(`${at}.ok`, `${d.ok.reason} is no declared reason for True`, "declare it with yes()");
    }
    for (const input of d.from) {
      if (reaches(c, input, type))
        complain(`${at}.from`, "a condition cannot be computed from itself (rule 38)", `take ${input} out`);
      const source = c.types[input];
      if (source === undefined) complain(`${at}.from`, `${input} is not declared`, "declare it");
      else if (source.polarity === "neutral") {
        complain(
          `${at}.from`,
          `${input} is neither good nor bad (rule 39)`,
          "take it out, or declare it positive or negative",
        );
      }
    }
  }
}

/** Whether a condition is, or is computed from, another one. */
function reaches(c: Conditions, type: string, goal: string, seen: readonly string[] = []): boolean {
  if (type === goal) return true;
  const d = c.types[type];
  return (
    d?.form === "derived" && !seen.includes(type) && d.from.some((input) => reaches(c, input, goal, [...seen, type]))
  );
}

function checkPhases(kind: Kind, p: Phases, complain: Complain): void {
  for (const name of p.initial)
    if (!p.names.includes(name)) complain("phases.initial", `${name} is not a phase`, "correct it");
  for (const name of p.finalNames) {
    if (!p.names.includes(name)) complain("phases.final", `${name} is not a phase`, "correct it");
    if ((p.arrows.get(name) ?? []).length > 0) {
      complain(
        `phases.${name}`,
        "is final and has arrows that leave it",
        "take the arrows out, or say with a function when it is final",
      );
    }
  }
  const lost = unreachable(p)[0];
  if (lost !== undefined) {
    complain(`phases.${lost}`, "has no way in", "add an arrow to it, or name it in initial");
  }
  for (const path of p.thaw) checkStatusPath(kind, "phases.thaw", path, complain);
}

function checkStatusPath(kind: Kind, field: string, path: string, complain: Complain): void {
  const [head, ...rest] = path.split(".");
  if (head === "conditions" && rest.length > 0) {
    const type = rest.join(".");
    if (declarationOf(kind.conditions, type) === undefined)
      complain(field, `the condition ${type} is not declared`, "declare it");
    return;
  }
  if (kind.schema.status === undefined || schemaAt(kind.schema.status, path.split(".")) === undefined) {
    complain(field, `status.${path} does not exist`, "correct the path, or add the field to the status schema");
  }
}

function checkPath(schema: Kind["schema"], field: string, written: string, complain: Complain): Structural {
  const path = parsePath(written);
  if ("error" in path) return complain(field, `the path ${written} is not a JSONPath (${path.error})`, "correct it");
  if (!written.startsWith(".")) complain(field, `the path ${written} does not start with a dot`, "correct it");
  return (
    followPath(schema, path) ??
    complain(field, `the path ${written} leads to no field`, "correct it, or add the field to the schema")
  );
}

/** What the API server follows outside of columns: field by field, no lists. */
function checkPlainPath(kind: Kind, field: string, written: string, complain: Complain): Structural {
  if (/[[\]*?]|\.\./.test(written))
    complain(field, `the path ${written} is more than names and dots`, "name one field");
  return checkPath(kind.schema, field, written, complain);
}

function checkScale(kind: Kind, complain: Complain): void {
  if (kind.scale === undefined) return;
  for (const [field, path] of Object.entries(kind.scale)) {
    const wanted = field === "specReplicasPath" ? ".spec." : ".status.";
    const s = checkPlainPath(kind, `scale.${field}`, path, complain);
    const type = field === "labelSelectorPath" ? "string" : "integer";
    if (!path.startsWith(wanted) && field !== "labelSelectorPath")
      complain(`scale.${field}`, `${path} is not under ${wanted}`, "correct it");
    if (s.type !== type)
      complain(`scale.${field}`, `${path} is of type ${s.type}, not ${type}`, "correct the path or the schema");
  }
}

function checkSelectable(kind: Kind, complain: Complain): void {
  if (kind.selectableFields.length > 8)
    complain("selectableFields", "has more than 8 entries", "the API server allows 8");
  for (const path of kind.selectableFields) {
    const s = checkPlainPath(kind, "selectableFields", path, complain);
    if (!["string", "boolean", "integer"].includes(s.type ?? "")) {
      complain(
        "selectableFields",
        `${path} is of type ${s.type}`,
        "only strings, booleans and integers can be selected by",
      );
    }
    if (path.startsWith(".metadata"))
      complain("selectableFields", `${path} is metadata`, "name and namespace can be selected by anyway");
  }
}
