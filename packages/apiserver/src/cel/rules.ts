// The rules of a schema (`x-kubernetes-validations`): compiled once when a CRD is written, with everything that is wrong with them.
import type { Structural } from "@telltale/kinds";
import { badRequest, type FieldError, forbiddenField, invalidField } from "../status.ts";
import { CostTotal, costMessage, type Multiplier, perRuleEstimate, schemaSizes } from "./budget.ts";
import { estimate } from "./cost.ts";
import { type Compiled, compile, isCompiled } from "./engine.ts";
import { fieldPath } from "./field-path.ts";
import { declarationErrors, type Rule, ruleText, withRule } from "./rule.ts";
import { optional, type Type, typeOf } from "./types.ts";

/** The part of a schema that has rules, with the rules. */
export interface CompiledRules {
  readonly schema: Structural;
  readonly type: Type | undefined;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, CompiledRules>;
  readonly additionalProperties: CompiledRules | undefined;
  readonly items: CompiledRules | undefined;
}

export interface CompiledRule {
  readonly rule: Rule;
  readonly program: Compiled;
  readonly message: Compiled | undefined;
  /** What to append to the path of the node; empty without a `fieldPath`. */
  readonly fieldPath: string;
}

/** Compiles all rules of a version's schema. `path` is where the schema stands in the CRD: `spec.validation.openAPIV3Schema`. */
export function compileRules(
  schema: Structural,
  path: string,
): { readonly rules: CompiledRules; readonly errors: FieldError[] } {
  refuseDepth(schema);
  const errors: FieldError[] = [];
  const total = new CostTotal();
  const rules = visit(schema, { path, root: true, uncorrelated: undefined, times: 1, errors, total });
  errors.push(...total.errors(path));
  return { rules, errors };
}

const deepest = 500;

/** Everything after this follows the schema down by recursion. */
function refuseDepth(schema: Structural): void {
  let level: Structural[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) throw badRequest(`the schema nests deeper than ${deepest} levels`);
    level = level.flatMap(childrenOf);
  }
}

const childrenOf = (schema: Structural): Structural[] =>
  [
    ...Object.values(schema.properties ?? {}),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    schema.items,
    schema.additionalProperties,
    schema.not,
  ].filter((child) => typeof child === "object");

interface Visit {
  readonly path: string;
  readonly root: boolean;
  /** The list above in which old and new elements cannot be told apart. */
  readonly uncorrelated: string | undefined;
  /** How often a node like this may occur in one object, at most. */
  readonly times: Multiplier;
  readonly errors: FieldError[];
  readonly total: CostTotal;
}

function visit(schema: Structural, at: Visit): CompiledRules {
  const below = (child: Structural, path: string, more: Partial<Visit> = {}): CompiledRules =>
    visit(child, { ...at, root: false, path: `${at.path}.${path}`, ...more });
  refuseInBranches(schema, at);
  const properties = new Map<string, CompiledRules>();
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const made = below(child, `properties[${name}]`);
    if (holdsRules(made)) properties.set(name, made);
  }
  const many = at.times * schemaSizes(schema).most;
  const additional =
    schema.additionalProperties === undefined || typeof schema.additionalProperties !== "object"
      ? undefined
      : below(schema.additionalProperties, "additionalProperties", { times: many });
  const uncorrelated = schema["x-kubernetes-list-type"] === "map" ? at.uncorrelated : (at.uncorrelated ?? at.path);
  const items = schema.items === undefined ? undefined : below(schema.items, "items", { uncorrelated, times: many });
  const given = schema["x-kubernetes-validations"] ?? [];
  const type = given.length === 0 ? undefined : typeOf(schema, `selfType${count++}`, at.root);
  return {
    schema,
    type,
    rules: type === undefined ? [] : compileNode(schema, type, at),
    properties,
    additionalProperties: additional !== undefined && holdsRules(additional) ? additional : undefined,
    items: items !== undefined && holdsRules(items) ? items : undefined,
  };
}

// Upstream numbers its types as well; the number shows in messages about two lists of objects.
let count = 0;

const holdsRules = (node: CompiledRules): boolean =>
  node.rules.length > 0 ||
  node.properties.size > 0 ||
  node.additionalProperties !== undefined ||
  node.items !== undefined;

function compileNode(schema: Structural, type: Type, at: Visit): CompiledRule[] {
  const made: CompiledRule[] = [];
  const rules = (schema["x-kubernetes-validations"] ?? []) as readonly Rule[];
  rules.forEach((rule, i) => {
    at.errors.push(...declarationErrors(rule, schema, `${at.path}.x-kubernetes-validations[${i}]`));
  });
  rules.forEach((rule, i) => {
    if (ruleText(rule) === "") return;
    const compiled = compileRule(rule, schema, type, { ...at, path: `${at.path}.x-kubernetes-validations[${i}]` });
    if (compiled !== undefined) made.push(compiled);
  });
  return made;
}

function compileRule(rule: Rule, schema: Structural, type: Type, at: Visit): CompiledRule | undefined {
  const old = rule.optionalOldSelf === true ? optional(type) : type;
  const variables = new Map([
    ["self", type],
    ["oldSelf", old],
  ]);
  const program = compile(rule.rule, { variables });
  if (!isCompiled(program)) at.errors.push(withRule(`${at.path}.rule`, rule, program.errors));
  else if (program.resultType.kind !== "bool")
    at.errors.push(withRule(`${at.path}.rule`, rule, "cel expression must evaluate to a bool"));
  else observe(program, schema, `${at.path}.rule`, "estimated rule cost", at);
  const message = compileMessage(rule, schema, variables, at);
  if (!isCompiled(program) || program.resultType.kind !== "bool") return undefined;
  if (program.usesOldSelf && at.uncorrelated !== undefined)
    at.errors.push(
      invalidField(
        `${at.path}.rule`,
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${at.uncorrelated}`,
      ),
    );
  if (!program.usesOldSelf && rule.optionalOldSelf !== undefined && rule.optionalOldSelf !== null)
    at.errors.push(
      invalidField(`${at.path}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"),
    );
  return { rule, program, message, fieldPath: fieldPath(rule.fieldPath ?? "", schema) ?? "" };
}

function compileMessage(
  rule: Rule,
  schema: Structural,
  variables: ReadonlyMap<string, Type>,
  at: Visit,
): Compiled | undefined {
  const source = rule.messageExpression ?? "";
  if (source.trim() === "") return undefined;
  const path = `${at.path}.messageExpression`;
  const message = compile(source, { variables });
  if (!isCompiled(message)) {
    at.errors.push(withRule(path, rule, `messageExpression ${message.errors}`));
    return undefined;
  }
  if (message.resultType.kind !== "string") {
    at.errors.push(withRule(path, rule, "messageExpression must evaluate to a string"));
    return undefined;
  }
  observe(message, schema, path, "estimated messageExpression cost", at);
  return message;
}

function observe(program: Compiled, schema: Structural, path: string, what: string, at: Visit): void {
  const cost = estimate(program.expr, program.checked, { self: schema, oldSelf: schema }) * at.times;
  const message = costMessage(what, cost, perRuleEstimate);
  if (message !== undefined) at.errors.push(forbiddenField(path, message));
  at.total.add(path, cost);
}

/** Rules count only outside of logical branches. */
function refuseInBranches(schema: Structural, at: Visit): void {
  const branches: [string, Structural | undefined][] = [
    ...(["allOf", "anyOf", "oneOf"] as const).flatMap((key) =>
      (schema[key] ?? []).map((branch, i): [string, Structural] => [`${key}[${i}]`, branch]),
    ),
    ["not", schema.not],
  ];
  for (const [name, branch] of branches) if (branch !== undefined) refuse(branch, `${at.path}.${name}`, at.errors);
}

function refuse(schema: Structural, path: string, errors: FieldError[]): void {
  if ((schema["x-kubernetes-validations"] ?? []).length > 0)
    errors.push(forbiddenField(`${path}.x-kubernetes-validations`, "must be empty to be structural"));
  for (const [name, child] of Object.entries(schema.properties ?? {}))
    refuse(child, `${path}.properties[${name}]`, errors);
  if (schema.items !== undefined) refuse(schema.items, `${path}.items`, errors);
  if (schema.additionalProperties !== undefined && typeof schema.additionalProperties === "object")
    refuse(schema.additionalProperties, `${path}.additionalProperties`, errors);
  for (const key of ["allOf", "anyOf", "oneOf"] as const)
    schema[key]?.forEach((branch, i) => {
      refuse(branch, `${path}.${key}[${i}]`, errors);
    });
  if (schema.not !== undefined) refuse(schema.not, `${path}.not`, errors);
}
