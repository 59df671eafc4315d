// One rule as it is declared: what is wrong with its texts, and how messages show it.
import type { Structural } from "@telltale/kinds";
import { type FieldError, invalidField, notSupported, required } from "../status.ts";
import { fieldPath } from "./field-path.ts";

export interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string | null;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean | null;
}

export const ruleText = (rule: Rule): string => (rule.rule ?? "").trim();

/** What a failing rule says without a messageExpression. */
export const plainMessage = (rule: Rule): string => {
  const message = (rule.message ?? "").trim();
  return message === "" ? `failed rule: ${ruleText(rule)}` : message;
};

/** What names a rule in an error of its evaluation. */
export const ruleName = (rule: Rule): string => {
  const message = (rule.message ?? "").trim();
  return message === "" ? ruleText(rule) : message;
};

export const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

const lines = /[\n\r]/;

/** Errors of everything but the expressions. */
export function declarationErrors(rule: Rule, schema: Structural, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const message = rule.message ?? "";
  const text = ruleText(rule);
  if (text === "") errors.push(required(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "")
    errors.push(invalidField(`${path}.message`, message, "must be non-empty if specified"));
  else if (lines.test(message.trim()))
    errors.push(invalidField(`${path}.message`, message, "must not contain line breaks"));
  else if (lines.test(text) && message.trim() === "")
    errors.push(required(`${path}.message`, "message must be specified if rule contains line breaks"));
  const expression = rule.messageExpression ?? "";
  if (expression !== "" && expression.trim() === "")
    errors.push(required(`${path}.messageExpression`, "must be non-empty if specified"));
  if (rule.reason !== undefined && rule.reason !== null && !reasons.includes(rule.reason))
    errors.push(notSupported(`${path}.reason`, rule.reason, reasons));
  const field = rule.fieldPath ?? "";
  if (field === "") return errors;
  if (field.trim() === "") errors.push(invalidField(`${path}.fieldPath`, field, "must be non-empty if specified"));
  else if (lines.test(field)) errors.push(invalidField(`${path}.fieldPath`, field, "must not contain line breaks"));
  else if (fieldPath(field, schema) === undefined)
    errors.push(invalidField(`${path}.fieldPath`, field, "must be a valid path"));
  return errors;
}

/** An error that shows the whole rule, as upstream's internal type prints it. */
export function withRule(path: string, rule: Rule, detail: string): FieldError {
  const shown = JSON.stringify({
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return { type: "FieldValueInvalid", field: path, body: `Invalid value: ${shown}: ${detail}` };
}
