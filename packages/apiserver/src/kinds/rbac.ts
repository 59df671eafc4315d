// The kinds of `rbac.authorization.k8s.io/v1`.
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@telltale/kinds/builtin";
import { type JsonObject, text } from "../json.ts";
import { type FieldError, invalidField, notSupported, required } from "../status.ts";
import { invalidRaw, isUsableSelector, labelSelector, oneOf, same, subdomainProblems, told } from "./checks.ts";
import { child, each, filled, fillZero, given, list } from "./edit.ts";
import { goStruct } from "./go-shape.ts";
import { type Strategy, strategy } from "./strategy.ts";

type Found = FieldError[];

const group = "rbac.authorization.k8s.io";
const common = { nameRule: "pathSegment" as const, allowCreateOnUpdate: true };

export const rbacStrategies: readonly Strategy[] = [
  strategy(ClusterRoleBinding, "rbac.ClusterRoleBinding", binding(["ClusterRole"], false)),
  strategy(ClusterRole, "rbac.ClusterRole", {
    ...common,
    validate: (role) => [...rules(role, false), ...aggregation(given(role, "aggregationRule"))],
  }),
  strategy(RoleBinding, "rbac.RoleBinding", binding(["Role", "ClusterRole"], true)),
  strategy(Role, "rbac.Role", { ...common, validate: (role) => rules(role, true) }),
];

function binding(kinds: readonly string[], namespaced: boolean) {
  const validate = (object: JsonObject): Found => validateBinding(object, kinds, namespaced);
  return {
    ...common,
    default: filled((object) => {
      fillZero(child(object, "roleRef"), "apiGroup", group);
      for (const subject of each(object, "subjects"))
        if (subject["kind"] === "User" || subject["kind"] === "Group") fillZero(subject, "apiGroup", group);
    }),
    validate,
    validateUpdate: (object: JsonObject, old: JsonObject): Found => [
      ...validate(object),
      ...(same(object["roleRef"], old["roleRef"])
        ? []
        : [invalidRaw("roleRef", goStruct("rbac.RoleRef", given(object, "roleRef") ?? {}), "cannot change roleRef")]),
    ],
  };
}

function rules(role: JsonObject, namespaced: boolean): Found {
  return each(role, "rules").flatMap((rule, i) => {
    const path = `rules[${i}]`;
    const has = (name: string): boolean => list(rule, name).length > 0;
    const found: Found = has("verbs") ? [] : [required(`${path}.verbs`, "verbs must contain at least one value")];
    if (has("nonResourceURLs")) {
      if (namespaced)
        found.push(
          invalidField(
            `${path}.nonResourceURLs`,
            list(rule, "nonResourceURLs"),
            "namespaced rules cannot apply to non-resource URLs",
          ),
        );
      if (has("apiGroups") || has("resources") || has("resourceNames"))
        found.push(
          invalidField(
            `${path}.nonResourceURLs`,
            list(rule, "nonResourceURLs"),
            "rules cannot apply to both regular resources and non-resource URLs",
          ),
        );
      return found;
    }
    if (!has("apiGroups"))
      found.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
    if (!has("resources"))
      found.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
    return found;
  });
}

function aggregation(rule: JsonObject | undefined): Found {
  if (rule === undefined) return [];
  const selectors = each(rule, "clusterRoleSelectors");
  const field = "aggregationRule.clusterRoleSelectors";
  if (selectors.length === 0)
    return [required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  return selectors.flatMap((selector, i) => [
    ...labelSelector(`${field}[${i}]`, selector),
    ...(isUsableSelector(selector) ? [] : [invalidField(`${field}[${i}]`, null, "invalid label selector.")]),
  ]);
}

function validateBinding(object: JsonObject, kinds: readonly string[], namespaced: boolean): Found {
  const reference = given(object, "roleRef") ?? {};
  const found: Found = oneOf("roleRef.apiGroup", reference["apiGroup"], [group]);
  found.push(...oneOf("roleRef.kind", reference["kind"], kinds));
  const name = text(reference["name"]);
  found.push(...(name === "" ? [required("roleRef.name")] : told("roleRef.name", name, segmentProblems(name))));
  for (const [i, subject] of each(object, "subjects").entries())
    found.push(...validateSubject(`subjects[${i}]`, subject, namespaced));
  return found;
}

/** A name that can stand in a path. */
function segmentProblems(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"]
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}

function validateSubject(field: string, subject: JsonObject, namespaced: boolean): Found {
  const name = text(subject["name"]);
  const own = text(subject["apiGroup"]);
  const found: Found = name === "" ? [required(`${field}.name`)] : [];
  switch (text(subject["kind"])) {
    case "ServiceAccount":
      if (name !== "") found.push(...told(`${field}.name`, name, subdomainProblems(name)));
      if (own !== "") found.push(notSupported(`${field}.apiGroup`, own, [""]));
      if (!namespaced && text(subject["namespace"]) === "") found.push(required(`${field}.namespace`));
      return found;
    case "User":
    case "Group":
      return [...found, ...oneOf(`${field}.apiGroup`, own, [group])];
    default:
      return [...found, notSupported(`${field}.kind`, text(subject["kind"]), ["ServiceAccount", "User", "Group"])];
  }
}
