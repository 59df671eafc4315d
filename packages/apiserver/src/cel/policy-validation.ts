// What is refused of ValidatingAdmissionPolicies, their bindings and match conditions when they are written.
import { deepEqual } from "@telltale/kinds";
import { at, isObject, type Json, type JsonObject, member, text } from "../json.ts";
import { duplicate, type FieldError, invalidField, notSupported, required } from "../status.ts";
import { compilePolicy, objects } from "./admission.ts";
import { policyVariables } from "./admission-types.ts";
import { type Compiled, type CompileErrors, compile, isCompiled } from "./engine.ts";
import { isQualified } from "./library/formats.ts";
import { escapeProperty, type Type, typeName } from "./types.ts";

const lines = /[\n\r]/;

export function validatePolicy(policy: JsonObject): FieldError[] {
  const spec = member(policy, "spec") ?? {};
  const errors: FieldError[] = [];
  const failurePolicy = member(spec, "failurePolicy");
  if (typeof failurePolicy === "string" && !["Fail", "Ignore"].includes(failurePolicy))
    errors.push(notSupported("spec.failurePolicy", failurePolicy, ["Fail", "Ignore"]));
  const kind = member(spec, "paramKind");
  if (isObject(kind)) {
    if (text(kind["apiVersion"]) === "") errors.push(required("spec.paramKind.apiVersion"));
    if (text(kind["kind"]) === "") errors.push(required("spec.paramKind.kind"));
  }
  const constraints = member(spec, "matchConstraints");
  if (!isObject(constraints)) errors.push(required("spec.matchConstraints"));
  else if (objects(constraints["resourceRules"]).length === 0)
    errors.push(required("spec.matchConstraints.resourceRules"));
  errors.push(...validateConditions(member(spec, "matchConditions"), "spec.matchConditions", isObject(kind)));

  const { composed, validations, variables } = compilePolicy(policy);
  objects(member(spec, "variables")).forEach((variable, i) => {
    errors.push(...variableErrors(variable, `spec.variables[${i}]`, composed.get(text(variable["name"]))));
  });
  const annotations = objects(member(spec, "auditAnnotations"));
  if (validations.length === 0 && annotations.length === 0) {
    const why = "validations or auditAnnotations must contain at least one item";
    errors.push(required("spec.validations", why), required("spec.auditAnnotations", why));
  }
  validations.forEach(({ declared, program }, i) => {
    errors.push(...validationErrors(declared, program, `spec.validations[${i}]`, variables));
  });
  annotations.forEach((annotation, i) => {
    errors.push(
      ...annotationErrors(annotation, `spec.auditAnnotations[${i}]`, variables, text(at(policy, "metadata", "name"))),
    );
  });
  return errors;
}

const supported = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function validationErrors(
  declared: JsonObject,
  program: Compiled | CompileErrors,
  path: string,
  variables: ReadonlyMap<string, Type>,
): FieldError[] {
  const errors: FieldError[] = [];
  const [expression, message, source] = ["expression", "message", "messageExpression"].map((name) =>
    text(declared[name]),
  );
  if (expression === undefined || expression.trim() === "")
    errors.push(required(`${path}.expression`, "expression is not specified"));
  else errors.push(...typed(expression, program, "bool", `${path}.expression`));
  if (source !== undefined && source !== "") {
    if (source.trim() === "")
      errors.push(invalidField(`${path}.messageExpression`, source, "must be non-empty if specified"));
    else errors.push(...typed(source, compile(source, { variables }), "string", `${path}.messageExpression`));
  }
  if (message !== undefined && message !== "" && message.trim() === "")
    errors.push(invalidField(`${path}.message`, message, "must be non-empty if specified"));
  else if (lines.test((message ?? "").trim()))
    errors.push(invalidField(`${path}.message`, message, "must not contain line breaks"));
  const reason = declared["reason"];
  if (typeof reason === "string" && !supported.includes(reason))
    errors.push(notSupported(`${path}.reason`, reason, supported));
  return errors;
}

function variableErrors(
  variable: JsonObject,
  path: string,
  program: Compiled | CompileErrors | undefined,
): FieldError[] {
  const [name, expression] = [text(variable["name"]), text(variable["expression"])];
  const errors: FieldError[] = [];
  if (name.trim() === "") errors.push(required(`${path}.name`, "name is not specified"));
  else if (escapeProperty(name) !== name)
    errors.push(invalidField(`${path}.name`, name, "must be a valid CEL identifier"));
  if (expression.trim() === "") errors.push(required(`${path}.expression`, "expression is not specified"));
  else if (program !== undefined && !isCompiled(program))
    errors.push(invalidField(`${path}.expression`, expression, program.errors));
  return errors;
}

function annotationErrors(
  annotation: JsonObject,
  path: string,
  variables: ReadonlyMap<string, Type>,
  policy: string,
): FieldError[] {
  const key = `${policy}/${text(annotation["key"])}`;
  const source = text(annotation["valueExpression"]);
  const errors = isQualified(key).map((why) => invalidField(`${path}.key`, key, why));
  if (source.trim() === "") return [...errors, required(`${path}.valueExpression`, "valueExpression is not specified")];
  const made = compile(source, { variables });
  if (!isCompiled(made)) return [...errors, invalidField(`${path}.valueExpression`, source, made.errors)];
  if (["string", "null"].includes(made.resultType.kind)) return errors;
  const why = `must evaluate to one of [string null_type] but got ${typeName(made.resultType)}`;
  return [...errors, invalidField(`${path}.valueExpression`, source, why)];
}

/** Match conditions of webhooks and policies; those of a policy with a kind of parameters may name `params`. */
export function validateConditions(given: Json | undefined, path: string, params = false): FieldError[] {
  const conditions = objects(given);
  const variables = policyVariables(undefined, params);
  if (conditions.length > 64)
    return [
      { type: "FieldValueTooMany", field: path, body: `Too many: ${conditions.length}: must have at most 64 items` },
    ];
  const seen = new Set<string>();
  return conditions.flatMap((condition, i) => {
    const here = `${path}[${i}]`;
    const [name, expression] = [text(condition["name"]), text(condition["expression"]).trim()];
    const errors: FieldError[] = [];
    if (expression === "") errors.push(required(`${here}.expression`));
    else errors.push(...typed(expression, compile(expression, { variables }), "bool", `${here}.expression`));
    if (name === "") errors.push(required(`${here}.name`));
    else {
      errors.push(...isQualified(name).map((why) => invalidField(`${here}.name`, name, why)));
      if (seen.has(name)) errors.push(duplicate(`${here}.name`, name));
    }
    seen.add(name);
    return errors;
  });
}

/** Of the right type: one that only shows at run time is none. */
function typed(source: string, program: Compiled | CompileErrors, kind: "bool" | "string", path: string): FieldError[] {
  if (!isCompiled(program)) return [invalidField(path, source, program.errors)];
  const found = program.resultType;
  if (found.kind === kind) return [];
  return [invalidField(path, source, `must evaluate to ${kind} but got ${typeName(found)}`)];
}

/** The match conditions of a webhook configuration, where a write changes any of them. */
export function validateWebhookConditions(object: JsonObject, old: JsonObject | undefined): FieldError[] {
  const conditions = (it: JsonObject) => objects(it["webhooks"]).map((hook) => hook["matchConditions"] ?? []);
  if (old !== undefined && deepEqual(conditions(object), conditions(old))) return [];
  return conditions(object).flatMap((given, i) => validateConditions(given, `webhooks[${i}].matchConditions`));
}

const actions = ["Audit", "Deny", "Warn"];

export function validateBinding(binding: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (text(at(binding, "spec", "policyName")) === "") errors.push(required("spec.policyName"));
  const given = at(binding, "spec", "validationActions");
  const list = Array.isArray(given) ? given : [];
  if (list.length === 0) errors.push(required("spec.validationActions", "at least one validation action is required"));
  const seen = new Set<Json>();
  list.forEach((action, i) => {
    const path = `spec.validationActions[${i}]`;
    if (!actions.includes(text(action))) errors.push(notSupported(path, action, actions));
    if (seen.has(action)) errors.push(duplicate(path, action));
    seen.add(action);
  });
  if (seen.has("Deny") && seen.has("Warn"))
    errors.push(
      invalidField(
        "spec.validationActions",
        list,
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
      ),
    );
  return errors;
}
