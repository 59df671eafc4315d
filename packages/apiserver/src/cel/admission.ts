// Expressions of admission: match conditions, and ValidatingAdmissionPolicies over one request.
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import { conditionVariables, policyVariables } from "./admission-types.ts";
import { Budget, type Compiled, type CompileErrors, compile, isCompiled, outOfBudget } from "./engine.ts";
import { type AccessCheck, type AccessQuestion, authorizerValue, requestResourceValue } from "./library/authorizer.ts";
import type { Type } from "./types.ts";
import { CelError, Mapping, type Value, view } from "./values.ts";

export type { AccessCheck } from "./library/authorizer.ts";

/** What one request offers to expressions. Absent objects are null. */
export interface AdmissionInputs {
  readonly object: Json;
  readonly oldObject: Json;
  /** The AdmissionRequest, without the objects. */
  readonly request: JsonObject;
  readonly namespaceObject: Json;
  /** The parameter object of a policy that has a kind of them; null where a binding names none. */
  readonly params?: Json;
  readonly authorize: AccessCheck;
}

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** One condition: whether it holds, or why that cannot be told. */
export type Verdict = { readonly holds: boolean } | { readonly error: string };

/** With `params` among its variables where the inputs have them. */
export function evaluateCondition(expression: string, inputs: AdmissionInputs, budget = new Budget()): Verdict {
  return verdict(compiledCondition(expression, inputs.params !== undefined), expression, names(inputs), budget);
}

// Conditions are asked again for every request.
type Conditions = Map<string, Compiled | CompileErrors>;
const compiledConditions: { readonly plain: Conditions; readonly withParams: Conditions } = {
  plain: new Map(),
  withParams: new Map(),
};

function compiledCondition(expression: string, params: boolean): Compiled | CompileErrors {
  const compiled = params ? compiledConditions.withParams : compiledConditions.plain;
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  const made = compile(expression, { variables: policyVariables(undefined, params) });
  if (compiled.size >= 1000) compiled.clear();
  compiled.set(expression, made);
  return made;
}

/** All conditions of a webhook or policy. One that is false decides, whatever the others are. */
export function evaluateConditions(conditions: readonly MatchCondition[], inputs: AdmissionInputs): Verdict {
  const budget = new Budget();
  const errors: string[] = [];
  for (const { expression } of conditions) {
    const result = evaluateCondition(expression, inputs, budget);
    if ("error" in result) errors.push(result.error);
    else if (!result.holds) return { holds: false };
  }
  if (errors.length === 0) return { holds: true };
  return { error: errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]` };
}

export interface Denial {
  readonly message: string;
  readonly reason: string;
  readonly code: number;
}

/** Runs a policy under one binding; whether they match the request is decided before. */
export function evaluatePolicy(
  policy: JsonObject,
  binding: JsonObject,
  inputs: AdmissionInputs,
): { readonly denied?: Denial; readonly warnings: string[] } {
  const conditions = (at(policy, "spec", "matchConditions") ?? []) as unknown as MatchCondition[];
  const failClosed = text(at(policy, "spec", "failurePolicy")) !== "Ignore";
  const matched = evaluateConditions(conditions, inputs);
  let failures: readonly Failure[];
  if ("error" in matched) failures = failClosed ? [{ message: matched.error, reason: "Invalid" }] : [];
  else failures = matched.holds ? validate(policy, inputs, failClosed) : [];

  const actions = (at(binding, "spec", "validationActions") ?? []) as string[];
  const who = `ValidatingAdmissionPolicy '${nameOf(policy)}' with binding '${nameOf(binding)}'`;
  const warnings = actions.includes("Warn")
    ? failures.map((failure) => `Validation failed for ${who}: ${failure.message}`)
    : [];
  const [first] = failures;
  if (first === undefined || !actions.includes("Deny")) return { warnings };
  const message = `${who} denied request: ${first.message}`;
  return { denied: { message, reason: first.reason, code: codes[first.reason] ?? 422 }, warnings };
}

const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

const nameOf = (object: JsonObject): string => text(at(object, "metadata", "name"));

interface Failure {
  readonly message: string;
  readonly reason: string;
}

function validate(policy: JsonObject, inputs: AdmissionInputs, failClosed: boolean): Failure[] {
  const budget = new Budget();
  const { composed, validations } = compilePolicy(policy);
  const all: Names = { ...names(inputs), variables: new Composed(composed, () => all, budget) };
  const failures: Failure[] = [];
  for (const { declared, program, message } of validations) {
    const expression = text(declared["expression"]);
    const result = verdict(program, expression, all, budget);
    if ("error" in result) {
      if (failClosed) failures.push({ message: result.error, reason: text(declared["reason"]) || "Invalid" });
    } else if (!result.holds)
      failures.push({
        message: messageOf(declared, message, all, budget),
        reason: text(declared["reason"]) || "Invalid",
      });
  }
  return failures;
}

function messageOf(declared: JsonObject, program: Compiled | undefined, variables: Names, budget: Budget): string {
  const result = program?.evaluate(variables, budget);
  if (result !== undefined && "ok" in result && typeof result.ok === "string") {
    const made = result.ok.trim();
    if (made !== "" && !/[\n\r]/.test(made) && Buffer.byteLength(made) <= 5120) return made;
  }
  const message = text(declared["message"]).trim();
  return message === "" ? `failed expression: ${text(declared["expression"]).trim()}` : message;
}

type Names = Readonly<Record<string, Value | (() => Value)>>;
const dyn: Type = { kind: "dyn" };

function names(inputs: AdmissionInputs): Names {
  const { request } = inputs;
  const typed = (name: string, raw: Json): Value => view(raw, conditionVariables.get(name) ?? dyn);
  const resource = isObject(request["resource"]) ? request["resource"] : {};
  const asked: Omit<AccessQuestion, "verb"> = {
    group: text(resource["group"]),
    resource: text(resource["resource"]),
    subresource: text(request["subResource"]),
    namespace: text(request["namespace"]),
    name: text(request["name"]),
  };
  return {
    object: typed("object", inputs.object),
    oldObject: typed("oldObject", inputs.oldObject),
    request: typed("request", request),
    namespaceObject: typed("namespaceObject", inputs.namespaceObject),
    ...(inputs.params === undefined ? {} : { params: view(inputs.params, dyn) }),
    authorizer: () => authorizerValue(inputs.authorize),
    "authorizer.requestResource": () => requestResourceValue(asked, inputs.authorize),
  };
}

function verdict(program: Compiled | CompileErrors, expression: string, variables: Names, budget: Budget): Verdict {
  if (!isCompiled(program)) return { error: `expression '${expression}' resulted in error: ${program.errors}` };
  if (budget.left < 0)
    return { error: "validation failed due to running out of cost budget, no further validation rules will be run" };
  const result = program.evaluate(variables, budget);
  if ("ok" in result) return { holds: result.ok === true };
  const why = result.error === outOfBudget ? "operation cancelled: actual cost limit exceeded" : result.error;
  return { error: `expression '${expression}' resulted in error: ${why}` };
}

interface CompiledPolicy {
  /** What its validations may name. */
  readonly variables: ReadonlyMap<string, Type>;
  readonly composed: ReadonlyMap<string, Compiled | CompileErrors>;
  readonly validations: readonly {
    readonly declared: JsonObject;
    readonly program: Compiled | CompileErrors;
    readonly message: Compiled | undefined;
  }[];
}

// Stored objects never change, so a policy is compiled once for as long as it is stored.
const compiledPolicies = new WeakMap<JsonObject, CompiledPolicy>();

export function compilePolicy(policy: JsonObject): CompiledPolicy {
  const known = compiledPolicies.get(policy);
  if (known !== undefined) return known;
  const composed = new Map<string, Compiled | CompileErrors>();
  const types = new Map<string, Type>();
  const declaredVariables = objects(at(policy, "spec", "variables"));
  const declare = (): ReadonlyMap<string, Type> =>
    policyVariables(declaredVariables.length === 0 ? undefined : types, isObject(at(policy, "spec", "paramKind")));
  for (const variable of declaredVariables) {
    const made = compile(text(variable["expression"]), { variables: declare() });
    composed.set(text(variable["name"]), made);
    types.set(text(variable["name"]), isCompiled(made) ? made.resultType : dyn);
  }
  const variables = declare();
  const validations = objects(at(policy, "spec", "validations")).map((declared) => {
    const source = text(declared["messageExpression"]);
    const message = source.trim() === "" ? undefined : compile(source, { variables });
    const program = compile(text(declared["expression"]), { variables });
    return { declared, program, message: message !== undefined && isCompiled(message) ? message : undefined };
  });
  const made = { composed, validations, variables };
  compiledPolicies.set(policy, made);
  return made;
}

export const objects = (list: Json | undefined): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** `variables.x`: evaluated when first asked for, then kept; an error as well. */
class Composed extends Mapping {
  readonly #programs: ReadonlyMap<string, Compiled | CompileErrors>;
  readonly #names: () => Names;
  readonly #budget: Budget;
  readonly #made = new Map<string, { readonly ok: Value } | { readonly error: string }>();

  constructor(programs: ReadonlyMap<string, Compiled | CompileErrors>, all: () => Names, budget: Budget) {
    super();
    this.#programs = programs;
    this.#names = all;
    this.#budget = budget;
  }
  get size(): number {
    return this.#programs.size;
  }
  keys(): Iterable<Value> {
    return this.#programs.keys();
  }
  get(key: Value): Value | undefined {
    const name = typeof key === "string" ? key : "";
    const program = this.#programs.get(name);
    if (program === undefined) return undefined;
    let made = this.#made.get(name);
    if (made === undefined) {
      made = isCompiled(program) ? program.evaluate(this.#names(), this.#budget) : { error: program.errors };
      this.#made.set(name, made);
    }
    if ("error" in made)
      throw new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${made.error}`);
    return made.ok;
  }
}
