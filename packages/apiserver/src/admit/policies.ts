// ValidatingAdmissionPolicies: every policy under every binding that matches, each with every parameter object it names.
import { type LabelSelector, matchesSelector } from "@telltale/kinds";
import { type AccessCheck, type Denial, evaluatePolicy, objects } from "../cel/admission.ts";
import { loadCel } from "../cel/engine.ts";
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import { nameOf } from "../registry/metadata.ts";
import { listPrefix, storageKey } from "../registry/resource.ts";
import type { User } from "../request.ts";
import { forbidden, StatusError } from "../status.ts";
import type { StoredRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";
import type { Admission, Attributes } from "./admission.ts";
import { type Criteria, isExempt, matchedResource } from "./match.ts";
import { admissionRequest } from "./review.ts";
import { seeingScale } from "./scale-view.ts";
import { namespace, versioned } from "./webhooks.ts";

export interface PolicyEnvironment {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly authorize: (user: User) => AccessCheck;
}

export function policyAdmission(env: PolicyEnvironment): Admission {
  const policies = stored(env.store, "/admissionregistration.k8s.io/validatingadmissionpolicies/");
  const bindings = stored(env.store, "/admissionregistration.k8s.io/validatingadmissionpolicybindings/");
  return seeingScale({
    mutate: (a) => Promise.resolve(a.object),
    async validate(a) {
      if (isExempt(a.resource)) return;
      const bound = bindings();
      const denials: Denial[] = [];
      for (const policy of bound.length === 0 ? [] : policies()) {
        for (const binding of bound.filter((b) => at(b, "spec", "policyName") === nameOf(policy))) {
          denials.push(...(await judged(env, policy, binding, a)));
        }
      }
      const [first] = denials;
      if (first !== undefined) throw refused(a, first);
    },
  });
}

/** The objects with a prefix. The same object for as long as it is stored: what is compiled for it is kept with it. */
function stored(store: Store, prefix: string): () => JsonObject[] {
  const read = new WeakMap<StoredRecord, JsonObject>();
  return () =>
    store.scan(prefix).records.map((record) => {
      const object = read.get(record) ?? record.object();
      read.set(record, object);
      return object;
    });
}

async function judged(
  env: PolicyEnvironment,
  policy: JsonObject,
  binding: JsonObject,
  a: Attributes,
): Promise<Denial[]> {
  const labels = (name: string) => namespace(env.store, name)?.labels;
  const resource = matchedResource(criteria(at(policy, "spec", "matchConstraints")), a, env.catalogue, labels);
  if (resource === undefined) return [];
  const narrowed = at(binding, "spec", "matchResources");
  if (isObject(narrowed) && matchedResource(narrowing(narrowed), a, env.catalogue, labels) === undefined) return [];
  const shown = await versioned(a, resource);
  const parameters = await parametersOf(env, policy, binding, a);
  if ("failed" in parameters) return failure(policy, binding, parameters);
  await loadCel();
  const denials: Denial[] = [];
  for (const params of parameters.found) {
    const { denied, warnings } = evaluatePolicy(policy, binding, {
      object: shown.object ?? null,
      oldObject: shown.oldObject ?? null,
      request: admissionRequest(a, shown, ""),
      namespaceObject: namespace(env.store, a.namespace)?.object() ?? null,
      ...(isObject(at(policy, "spec", "paramKind")) ? { params } : {}),
      authorize: env.authorize(a.user),
    });
    for (const warning of warnings) a.warn(warning);
    if (denied !== undefined) denials.push(denied);
  }
  return denials;
}

const criteria = (match: Json | undefined): Criteria => ({
  rules: objects(at(match, "resourceRules")),
  excludeRules: objects(at(match, "excludeResourceRules")),
  matchPolicy: text(at(match, "matchPolicy")) || "Equivalent",
  namespaceSelector: at(match, "namespaceSelector"),
  objectSelector: at(match, "objectSelector"),
});

const everything: JsonObject = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };

/** A binding without rules of its own takes what the policy takes. */
function narrowing(match: JsonObject): Criteria {
  const own = criteria(match);
  return own.rules.length === 0 ? { ...own, rules: [everything] } : own;
}

type Parameters = { readonly found: readonly Json[] } | { readonly failed: string; readonly of: "policy" | "binding" };

async function parametersOf(
  { store, catalogue }: PolicyEnvironment,
  policy: JsonObject,
  binding: JsonObject,
  a: Attributes,
): Promise<Parameters> {
  const kind = at(policy, "spec", "paramKind");
  const reference = at(binding, "spec", "paramRef");
  if (!isObject(kind) || !isObject(reference)) return { found: [null] };
  const apiVersion = text(kind["apiVersion"]);
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const r = catalogue.ofKind(group, apiVersion.slice(slash + 1), text(kind["kind"]));
  if (r === undefined)
    return {
      failed: `failed to find resource referenced by paramKind: '${apiVersion}, Kind=${text(kind["kind"])}'`,
      of: "policy",
    };
  const place = r.namespaced ? text(reference["namespace"]) || a.namespace : "";
  if (r.namespaced && place === "") {
    return {
      failed: "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
      of: "binding",
    };
  }
  const name = text(reference["name"]);
  const one = name === "" ? undefined : store.get(storageKey(r, place, name));
  const selector = reference["selector"];
  const records =
    name !== ""
      ? one === undefined
        ? []
        : [one]
      : store
          .scan(listPrefix(r, place))
          .records.filter((record) => matchesSelector(selector as LabelSelector, record.labels));
  if (records.length > 0) return { found: await Promise.all(records.map((record) => r.read(record))) };
  return reference["parameterNotFoundAction"] === "Allow"
    ? { found: [] }
    : { failed: "no params found for policy binding with `Deny` parameterNotFoundAction", of: "binding" };
}

/** A policy or a binding that cannot be used refuses where the policy says so. */
function failure(
  policy: JsonObject,
  binding: JsonObject,
  why: { readonly failed: string; readonly of: string },
): Denial[] {
  const actions = at(binding, "spec", "validationActions");
  if (at(policy, "spec", "failurePolicy") === "Ignore" || !Array.isArray(actions) || !actions.includes("Deny"))
    return [];
  const bound = why.of === "binding" ? ` with binding '${nameOf(binding)}'` : "";
  const message = `ValidatingAdmissionPolicy '${nameOf(policy)}'${bound} denied request: failed to configure ${why.of}: ${why.failed}`;
  return [{ message, reason: "Invalid", code: 422 }];
}

function refused(a: Attributes, { message, reason, code }: Denial): StatusError {
  const told = forbidden(a.resource, a.name, message, [{ message }]);
  return new StatusError(code, reason, told.message, told.details);
}
