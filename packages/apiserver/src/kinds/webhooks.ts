// The kinds of `admissionregistration.k8s.io/v1`: defaults and rules. What CEL expressions say is checked where CEL is.
import {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from "@telltale/kinds/builtin";
import { type JsonObject, text } from "../json.ts";
import { duplicate, type FieldError, invalidField, required } from "../status.ts";
import {
  dns1035Problems,
  labelSelector,
  oneOf,
  optionalOneOf,
  qualifiedProblems,
  subdomainProblems,
  told,
} from "./checks.ts";
import { child, each, fill, filled, given, list, number } from "./edit.ts";
import { type Strategy, strategy } from "./strategy.ts";
import { clientConfig } from "./webhook-client.ts";

type Found = FieldError[];

const common = { tracksGeneration: true, allowUnconditionalUpdate: false };

export const admissionStrategies: readonly Strategy[] = [
  strategy(MutatingWebhookConfiguration, "admissionregistration.MutatingWebhookConfiguration", {
    ...common,
    default: filled((object) => {
      for (const webhook of each(object, "webhooks")) {
        fillWebhook(webhook);
        fill(webhook, "reinvocationPolicy", "Never");
      }
    }),
    validate: (object) => webhooks(object, true),
  }),
  strategy(ValidatingAdmissionPolicy, "admissionregistration.ValidatingAdmissionPolicy", {
    ...common,
    default: filled((object) => {
      const spec = child(object, "spec");
      fill(spec, "failurePolicy", "Fail");
      fillMatch(given(spec, "matchConstraints"));
    }),
    validate: (object) => policy(given(object, "spec") ?? {}),
  }),
  strategy(ValidatingAdmissionPolicyBinding, "admissionregistration.ValidatingAdmissionPolicyBinding", {
    ...common,
    default: filled((object) => {
      const spec = given(object, "spec");
      fillMatch(given(spec, "matchResources"));
      const parameter = given(spec, "paramRef");
      if (parameter !== undefined) fill(parameter, "parameterNotFoundAction", "Deny");
    }),
    validate: (object) => policyBinding(given(object, "spec") ?? {}),
  }),
  strategy(ValidatingWebhookConfiguration, "admissionregistration.ValidatingWebhookConfiguration", {
    ...common,
    default: filled((object) => {
      for (const webhook of each(object, "webhooks")) fillWebhook(webhook);
    }),
    validate: (object) => webhooks(object, false),
  }),
];

function fillWebhook(webhook: JsonObject): void {
  fill(webhook, "failurePolicy", "Fail");
  fill(webhook, "matchPolicy", "Equivalent");
  fill(webhook, "namespaceSelector", {});
  fill(webhook, "objectSelector", {});
  fill(webhook, "timeoutSeconds", 10);
  for (const rule of each(webhook, "rules")) fill(rule, "scope", "*");
  const service = given(given(webhook, "clientConfig"), "service");
  if (service !== undefined) fill(service, "port", 443);
}

function fillMatch(match: JsonObject | undefined): void {
  if (match === undefined) return;
  fill(match, "matchPolicy", "Equivalent");
  fill(match, "namespaceSelector", {});
  fill(match, "objectSelector", {});
  for (const name of ["resourceRules", "excludeResourceRules"])
    for (const rule of each(match, name)) fill(rule, "scope", "*");
}

function webhooks(object: JsonObject, mutating: boolean): Found {
  const names = new Set<string>();
  return each(object, "webhooks").flatMap((webhook, i) => {
    const path = `webhooks[${i}]`;
    const name = text(webhook["name"]);
    const again = names.has(name);
    names.add(name);
    return [...oneWebhook(path, webhook, mutating), ...(again ? [duplicate(`${path}.name`, name)] : [])];
  });
}

function oneWebhook(path: string, webhook: JsonObject, mutating: boolean): Found {
  const found: Found = [
    ...fullName(`${path}.name`, text(webhook["name"])),
    ...each(webhook, "rules").flatMap((rule, i) => operationRule(`${path}.rules[${i}]`, rule)),
    ...optionalOneOf(`${path}.failurePolicy`, webhook["failurePolicy"], ["Fail", "Ignore"]),
    ...optionalOneOf(`${path}.matchPolicy`, webhook["matchPolicy"], ["Equivalent", "Exact"]),
    ...(webhook["sideEffects"] === undefined
      ? [required(`${path}.sideEffects`, "must specify one of None, NoneOnDryRun")]
      : oneOf(`${path}.sideEffects`, webhook["sideEffects"], ["None", "NoneOnDryRun"])),
  ];
  const timeout = number(webhook, "timeoutSeconds");
  if (timeout !== undefined && (timeout < 1 || timeout > 30))
    found.push(invalidField(`${path}.timeoutSeconds`, timeout, "the timeout value must be between 1 and 30 seconds"));
  found.push(...labelSelector(`${path}.namespaceSelector`, given(webhook, "namespaceSelector")));
  found.push(...labelSelector(`${path}.objectSelector`, given(webhook, "objectSelector")));
  if (mutating)
    found.push(...optionalOneOf(`${path}.reinvocationPolicy`, webhook["reinvocationPolicy"], ["IfNeeded", "Never"]));
  found.push(...clientConfig(`${path}.clientConfig`, given(webhook, "clientConfig") ?? {}));
  found.push(...reviewVersions(`${path}.admissionReviewVersions`, webhook));
  found.push(...matchConditions(`${path}.matchConditions`, webhook));
  return found;
}

function fullName(field: string, name: string): Found {
  if (name === "") return [required(field)];
  const problems = subdomainProblems(name);
  if (problems.length > 0) return told(field, name, problems);
  return name.split(".").length < 3
    ? [invalidField(field, name, "should be a domain with at least three segments separated by dots")]
    : [];
}

function reviewVersions(field: string, webhook: JsonObject): Found {
  const versions = list(webhook, "admissionReviewVersions").map((v) => text(v));
  if (versions.length === 0) return [required(field, "must specify one of v1, v1beta1")];
  const seen = new Set<string>();
  const found: Found = [];
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) found.push(invalidField(`${field}[${i}]`, version, "duplicate version"));
    else found.push(...told(`${field}[${i}]`, version, dns1035Problems(version)));
    seen.add(version);
  }
  if (!seen.has("v1") && !seen.has("v1beta1"))
    found.push(invalidField(field, versions, "must include at least one of v1, v1beta1"));
  return found;
}

/** What can be told without reading the expressions. */
function matchConditions(field: string, owner: JsonObject): Found {
  const seen = new Set<string>();
  return each(owner, "matchConditions").flatMap((condition, i) => {
    const path = `${field}[${i}]`;
    const name = text(condition["name"]);
    const found: Found = text(condition["expression"]).trim() === "" ? [required(`${path}.expression`)] : [];
    if (name === "") found.push(required(`${path}.name`));
    else {
      found.push(...told(`${path}.name`, name, qualifiedProblems(name)));
      if (seen.has(name)) found.push(duplicate(`${path}.name`, name));
      seen.add(name);
    }
    return found;
  });
}

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

function operationRule(field: string, rule: JsonObject): Found {
  const values = (name: string): string[] => list(rule, name).map((value) => text(value));
  const alone = (name: string, what: string): Found =>
    values(name).includes("*") && values(name).length > 1
      ? [invalidField(`${field}.${name}`, values(name), `if '*' is present, must not specify other ${what}`)]
      : [];
  const found: Found = values("operations").length === 0 ? [required(`${field}.operations`)] : [];
  found.push(...alone("operations", "operations"));
  for (const [i, operation] of values("operations").entries())
    found.push(...oneOf(`${field}.operations[${i}]`, operation, operations));
  if (values("apiGroups").length === 0) found.push(required(`${field}.apiGroups`));
  found.push(...alone("apiGroups", "API groups"));
  if (values("apiVersions").length === 0) found.push(required(`${field}.apiVersions`));
  found.push(...alone("apiVersions", "API versions"));
  for (const [i, version] of values("apiVersions").entries())
    if (version === "") found.push(required(`${field}.apiVersions[${i}]`));
  found.push(...ruleResources(`${field}.resources`, values("resources")));
  found.push(...optionalOneOf(`${field}.scope`, rule["scope"], ["*", "Cluster", "Namespaced"]));
  return found;
}

/** Resources, in the order given: what an earlier one covers must not be said again. */
function ruleResources(field: string, resources: readonly string[]): Found {
  if (resources.length === 0) return [required(field)];
  const found: Found = [];
  const whole = new Set<string>();
  const parts = new Set<string>();
  for (const [i, resource] of resources.entries()) {
    const path = `${field}[${i}]`;
    if (resource === "") {
      found.push(required(path));
      continue;
    }
    if (!resource.includes("/")) continue;
    const [main = "", part = ""] = resource.split("/", 2);
    if (whole.has(main))
      found.push(invalidField(path, resource, `if '${main}/*' is present, must not specify ${resource}`));
    if (parts.has(part))
      found.push(invalidField(path, resource, `if '*/${part}' is present, must not specify ${resource}`));
    if (part === "*") whole.add(main);
    if (main === "*") parts.add(part);
  }
  if (resources.includes("*/*") && resources.length > 1)
    found.push(invalidField(field, [...resources], "if '*/*' is present, must not specify other resources"));
  if (resources.includes("*") && resources.some((resource) => resource !== "*" && !resource.includes("/")))
    found.push(
      invalidField(field, [...resources], "if '*' is present, must not specify other resources without subresources"),
    );
  return found;
}

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function policy(spec: JsonObject): Found {
  const found: Found = optionalOneOf("spec.failurePolicy", spec["failurePolicy"], ["Fail", "Ignore"]);
  const match = given(spec, "matchConstraints");
  if (match === undefined) found.push(required("spec.matchConstraints"));
  else {
    found.push(...matchResources("spec.matchConstraints", match));
    if (each(match, "resourceRules").length === 0) found.push(required("spec.matchConstraints.resourceRules"));
  }
  found.push(...matchConditions("spec.matchConditions", spec));
  const validations = each(spec, "validations");
  if (validations.length === 0 && each(spec, "auditAnnotations").length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    found.push(required("spec.validations", detail), required("spec.auditAnnotations", detail));
  }
  for (const [i, validation] of validations.entries()) {
    const path = `spec.validations[${i}]`;
    const message = text(validation["message"]);
    if (text(validation["expression"]).trim() === "")
      found.push(required(`${path}.expression`, "expression is not specified"));
    if (validation["message"] !== undefined && message.trim() === "")
      found.push(invalidField(`${path}.message`, message, "message must be non-empty if specified"));
    else if (message.trim().includes("\n"))
      found.push(invalidField(`${path}.message`, message, "must not contain line breaks"));
    found.push(...optionalOneOf(`${path}.reason`, validation["reason"], reasons));
  }
  return found;
}

function matchResources(field: string, match: JsonObject): Found {
  return [
    ...optionalOneOf(`${field}.matchPolicy`, match["matchPolicy"], ["Equivalent", "Exact"]),
    ...labelSelector(`${field}.namespaceSelector`, given(match, "namespaceSelector")),
    ...labelSelector(`${field}.objectSelector`, given(match, "objectSelector")),
    ...["resourceRules", "excludeResourceRules"].flatMap((name) =>
      each(match, name).flatMap((rule, i) => operationRule(`${field}.${name}[${i}]`, rule)),
    ),
  ];
}

function policyBinding(spec: JsonObject): Found {
  const found: Found = text(spec["policyName"]) === "" ? [required("spec.policyName")] : [];
  const match = given(spec, "matchResources");
  if (match !== undefined) found.push(...matchResources("spec.matchResources", match));
  const actions = list(spec, "validationActions");
  if (actions.length === 0)
    found.push(required("spec.validationActions", "at least one validation action is required"));
  const seen = new Set<string>();
  for (const [i, action] of actions.entries()) {
    const path = `spec.validationActions[${i}]`;
    found.push(...oneOf(path, action, ["Audit", "Deny", "Warn"]));
    if (seen.has(text(action))) found.push(duplicate(path, action));
    seen.add(text(action));
  }
  if (seen.has("Deny") && seen.has("Warn"))
    found.push(
      invalidField(
        "spec.validationActions",
        actions,
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
      ),
    );
  return found;
}
