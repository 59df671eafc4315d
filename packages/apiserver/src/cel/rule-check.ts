// Runs the rules of a schema over an object.
import { deepEqual } from "@telltale/kinds";
import { isObject, type Json, member } from "../json.ts";
import { type FieldError, type FieldErrorType, shown } from "../status.ts";
import { Budget, type Compiled, outOfBudget } from "./engine.ts";
import { plainMessage, ruleName } from "./rule.ts";
import type { CompiledRule, CompiledRules } from "./rules.ts";
import { Optional, type Value, view } from "./values.ts";

export interface CheckOptions {
  /** A rule that fails on a node which the update left as it was only warns. */
  readonly unchangedIsWarning: boolean;
}

export interface RuleResult {
  readonly errors: FieldError[];
  readonly warnings: string[];
}

/** `old` is undefined on create. */
export function checkRules(
  compiled: CompiledRules,
  object: Json,
  old: Json | undefined,
  options: CheckOptions = { unchangedIsWarning: true },
): RuleResult {
  const run: Run = { errors: [], warnings: [], budget: new Budget(), options, ended: false };
  visit(compiled, { value: object, old, path: "" }, run);
  return { errors: run.errors, warnings: run.warnings };
}

interface Run extends RuleResult {
  readonly budget: Budget;
  readonly options: CheckOptions;
  ended: boolean;
}

interface Node {
  readonly value: Json;
  readonly old: Json | undefined;
  readonly path: string;
}

function visit(compiled: CompiledRules, node: Node, run: Run): void {
  if (node.value === null || run.ended) return;
  if (compiled.rules.length > 0) checkNode(compiled, node, run);
  const { value, old, path } = node;
  if (Array.isArray(value)) {
    if (compiled.items !== undefined)
      for (const [i, item] of value.entries())
        visit(compiled.items, { value: item, old: oldItem(compiled, item, old), path: `${path}[${i}]` }, run);
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    const property = compiled.properties.get(name);
    const inner = property ?? (declares(compiled, name) ? undefined : compiled.additionalProperties);
    const below = member(value, name);
    if (inner === undefined || below === undefined) continue;
    const step = property === undefined ? `[${name}]` : path === "" ? name : `.${name}`;
    visit(inner, { value: below, old: member(old, name), path: `${path}${step}` }, run);
  }
}

const declares = (compiled: CompiledRules, name: string): boolean =>
  compiled.schema.properties !== undefined && Object.hasOwn(compiled.schema.properties, name);

/** The element of the old list that an element of a list map was before. */
function oldItem(compiled: CompiledRules, item: Json, old: Json | undefined): Json | undefined {
  if (compiled.schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old)) return undefined;
  const keys = compiled.schema["x-kubernetes-list-map-keys"] ?? [];
  return old.find((other) => keys.every((key) => deepEqual(member(other, key), member(item, key))));
}

function checkNode(compiled: CompiledRules, node: Node, run: Run): void {
  const { type } = compiled;
  if (type === undefined) return;
  const unchanged = run.options.unchangedIsWarning && node.old !== undefined && deepEqual(node.value, node.old);
  const before = node.old === undefined || node.old === null ? undefined : node.old;
  for (const rule of compiled.rules) {
    if (run.budget.left < 0) {
      run.ended = true;
      const why = "validation failed due to running out of cost budget, no further validation rules will be run";
      run.errors.push(failure(node, compiled, why));
      return;
    }
    const wrapped = rule.rule.optionalOldSelf === true;
    if (rule.program.usesOldSelf && !wrapped && before === undefined) continue;
    const old = (): Value => {
      const value = before === undefined ? undefined : view(before, type);
      return wrapped ? new Optional(value) : (value ?? null);
    };
    const error = apply(rule, compiled, node, { self: () => view(node.value, type), oldSelf: old }, run);
    if (error === undefined) continue;
    if (unchanged && !rule.program.usesOldSelf)
      run.warnings.push(`${error.field === "" ? "<nil>" : error.field}: ${error.body}`);
    else run.errors.push(error);
    if (run.ended) return;
  }
}

type Variables = Parameters<Compiled["evaluate"]>[0];

function apply(
  rule: CompiledRule,
  compiled: CompiledRules,
  node: Node,
  variables: Variables,
  run: Run,
): FieldError | undefined {
  const result = rule.program.evaluate(variables, run.budget);
  if ("error" in result) {
    const name = ruleName(rule.rule);
    if (result.error === outOfBudget) {
      run.ended = true;
      return failure(
        node,
        compiled,
        `'${outOfBudget}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`,
      );
    }
    if (result.error.startsWith("no such overload"))
      return failure(
        node,
        compiled,
        `'${result.error}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`,
      );
    return failure(node, compiled, `${result.error} evaluating rule: ${name}`);
  }
  if (result.ok === true) return undefined;
  return refusal(rule, node, messageOf(rule, variables, run));
}

/** An error of the evaluation shows the node's type in place of its value. */
const failure = (node: Node, compiled: CompiledRules, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field: node.path,
  body: `Invalid value: ${shown(compiled.schema.type ?? "")}: ${detail}`,
});

const longestMessage = 5120;

function messageOf(rule: CompiledRule, variables: Variables, run: Run): string {
  const result = rule.message?.evaluate(variables, run.budget);
  if (result === undefined || "error" in result || typeof result.ok !== "string") return plainMessage(rule.rule);
  const text = result.ok.trim();
  const usable = text !== "" && Buffer.byteLength(text) <= longestMessage && !/[\n\r]/.test(text);
  return usable ? text : plainMessage(rule.rule);
}

function refusal(rule: CompiledRule, node: Node, message: string): FieldError {
  const field = node.path === "" ? rule.fieldPath.replace(/^\./, "") : `${node.path}${rule.fieldPath}`;
  const type = (rule.rule.reason ?? "FieldValueInvalid") as FieldErrorType;
  // Objects and lists may be large, and with a fieldPath the value is not the one that is wrong.
  const scalar = typeof node.value !== "object" && rule.fieldPath === "";
  const value = scalar ? `: ${shown(node.value)}` : "";
  switch (type) {
    case "FieldValueRequired":
      return { type, field, body: `Required value: ${message}` };
    case "FieldValueForbidden":
      return { type, field, body: `Forbidden: ${message}` };
    case "FieldValueDuplicate":
      return { type, field, body: `Duplicate value${value}` };
    default:
      return { type, field, body: `Invalid value${value}: ${message}` };
  }
}
