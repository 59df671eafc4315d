// What admission expressions see: the types of their variables.
import { authorizerType, resourceCheckType } from "./library/authorizer.ts";
import * as t from "./types.ts";

function object(name: string, fields: Readonly<Record<string, t.Type>>): t.Type {
  return {
    kind: "object",
    name,
    fields: new Map(
      Object.entries(fields).map(([field, type]) => [
        t.escapeProperty(field) ?? field,
        { name: field, type, schema: undefined },
      ]),
    ),
  };
}

const kind = object("kubernetes.GroupVersionKind", { group: t.string, version: t.string, kind: t.string });
const resource = object("kubernetes.GroupVersionResource", { group: t.string, version: t.string, resource: t.string });
const user = object("kubernetes.UserInfo", {
  username: t.string,
  uid: t.string,
  groups: t.list(t.string),
  extra: t.map(t.string, t.list(t.string)),
});

const request = object("kubernetes.AdmissionRequest", {
  kind,
  resource,
  subResource: t.string,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: t.string,
  name: t.string,
  namespace: t.string,
  operation: t.string,
  userInfo: user,
  dryRun: t.bool,
  options: t.dyn,
});

const namespace = object("kubernetes.Namespace", {
  apiVersion: t.string,
  kind: t.string,
  metadata: object("kubernetes.NamespaceMetadata", {
    name: t.string,
    generateName: t.string,
    namespace: t.string,
    labels: t.map(t.string, t.string),
    annotations: t.map(t.string, t.string),
    UID: t.string,
    creationTimestamp: t.timestamp,
    deletionGracePeriodSeconds: t.int,
    deletionTimestamp: t.timestamp,
    generation: t.int,
    resourceVersion: t.string,
    finalizers: t.list(t.string),
  }),
  spec: object("kubernetes.NamespaceSpec", { finalizers: t.list(t.string) }),
  status: object("kubernetes.NamespaceStatus", {
    phase: t.string,
    conditions: t.list(
      object("kubernetes.NamespaceCondition", {
        type: t.string,
        status: t.string,
        lastTransitionTime: t.timestamp,
        reason: t.string,
        message: t.string,
      }),
    ),
  }),
});

/** The variables of match conditions. */
export const conditionVariables: ReadonlyMap<string, t.Type> = new Map<string, t.Type>([
  ["object", t.dyn],
  ["oldObject", t.dyn],
  ["request", request],
  ["namespaceObject", namespace],
  ["authorizer", t.opaque(authorizerType)],
  ["authorizer.requestResource", t.opaque(resourceCheckType)],
]);

/** Those of a policy: `params` when it has a kind of them, `variables` with a field for each composed variable so far. */
export function policyVariables(
  composed: ReadonlyMap<string, t.Type> | undefined,
  params: boolean,
): ReadonlyMap<string, t.Type> {
  const all = new Map(conditionVariables);
  if (params) all.set("params", t.dyn);
  if (composed !== undefined) all.set("variables", object("kubernetes.variables", Object.fromEntries(composed)));
  return all;
}
