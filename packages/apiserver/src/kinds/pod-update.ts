// What of a pod's spec may change once it exists, and the words for what may not.
import { type JsonObject, text } from "../json.ts";
import { type FieldError, forbiddenField, invalidField } from "../status.ts";
import { same } from "./checks.ts";
import { each, list, number } from "./edit.ts";
import { goValue, internalPodSpec } from "./go-shape.ts";
import { unifiedDiff } from "./unified-diff.ts";

type Found = FieldError[];

const mayChange =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

export function podUpdate(spec: JsonObject, old: JsonObject): Found {
  for (const name of ["containers", "initContainers"]) {
    if (list(spec, name).length !== list(old, name).length)
      return [forbiddenField(`spec.${name}`, "pod updates may not add or remove containers")];
  }
  const found: Found = [...deadline(spec, old), ...tolerations(spec, old), ...gates(spec, old)];
  if (found.length > 0) return found;
  const allowed = withAllowed(spec, old);
  if (same(allowed, old)) return [];
  return [forbiddenField("spec", `${mayChange}\n${unifiedDiff(printed(old), printed(allowed))}`)];
}

const printed = (spec: JsonObject): string => JSON.stringify(goValue("core.PodSpec", internalPodSpec(spec)), null, " ");

/** The new spec with everything taken back that was allowed to change. */
function withAllowed(spec: JsonObject, old: JsonObject): JsonObject {
  const back: JsonObject = { ...spec };
  const restore = (name: string): void => {
    const before = old[name];
    if (before === undefined) delete back[name];
    else back[name] = before;
  };
  for (const name of ["containers", "initContainers"]) {
    const before = each(old, name);
    if (before.length === 0) continue;
    back[name] = each(spec, name).map((container, i) => ({ ...container, image: before[i]?.["image"] ?? "" }));
  }
  restore("activeDeadlineSeconds");
  restore("tolerations");
  if ((number(old, "terminationGracePeriodSeconds") ?? 0) < 0 && spec["terminationGracePeriodSeconds"] === 1)
    restore("terminationGracePeriodSeconds");
  if (list(old, "schedulingGates").length > 0) {
    // A pod that nobody has scheduled yet may still be told where to go.
    for (const name of ["schedulingGates", "nodeSelector", "affinity"]) restore(name);
  }
  return back;
}

function deadline(spec: JsonObject, old: JsonObject): Found {
  const field = "spec.activeDeadlineSeconds";
  const before = number(old, "activeDeadlineSeconds");
  const now = number(spec, "activeDeadlineSeconds");
  if (now !== undefined) {
    if (now < 0 || now > 2_147_483_647)
      return [invalidField(field, now, "must be between 0 and 2147483647, inclusive")];
    if (before !== undefined && before < now)
      return [invalidField(field, now, "must be less than or equal to previous value")];
    return [];
  }
  return before === undefined
    ? []
    : [invalidField(field, undefined, "must not update from a positive integer to nil value")];
}

function tolerations(spec: JsonObject, old: JsonObject): Found {
  const now = each(spec, "tolerations");
  const kept = (a: JsonObject, b: JsonObject): boolean =>
    ["key", "operator", "value", "effect"].every((name) => text(a[name]) === text(b[name]));
  return each(old, "tolerations").every((before) => now.some((toleration) => kept(before, toleration)))
    ? []
    : [forbiddenField("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

function gates(spec: JsonObject, old: JsonObject): Found {
  const before = new Set(each(old, "schedulingGates").map((gate) => text(gate["name"])));
  const added = each(spec, "schedulingGates").filter((gate) => !before.has(text(gate["name"])));
  return added.length === 0
    ? []
    : [forbiddenField("spec.schedulingGates", "only deletion is allowed, but found new scheduling gate")];
}
