// The conditions of a CRD: whose names are accepted, whether it is served, how far its deletion is. Section 12.7.
import { formatTime, type Instant } from "@telltale/kinds";
import { at, isObject, type Json, type JsonObject, member, text } from "../json.ts";
import { approvalOf, isProtectedGroup } from "./approval.ts";

/** Names in use in the group beside those of CRDs: those of built-in kinds. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/**
 * The status of a CRD beside the others: accepted names, conditions. `others` are all other CRDs, of any group, as they are stored;
 * the names that they hold are those in their status. Deep-equal to the old status when nothing changes.
 */
export function establish(
  crd: JsonObject,
  others: readonly JsonObject[],
  now: Instant,
  builtin?: TakenNames,
): JsonObject {
  const status = member(crd, "status");
  const before = isObject(status) ? status : {};
  const { accepted, conflict } = acceptNames(crd, others, builtin);
  let conditions = conditionsOf(crd);
  const set = (type: string, value: boolean, reason: string, message: string): void => {
    conditions = withCondition(conditions, { type, status: value ? "True" : "False", reason, message }, now);
  };
  if (conflict === undefined) set("NamesAccepted", true, "NoConflicts", "no conflicts found");
  else set("NamesAccepted", false, conflict.reason, `${JSON.stringify(conflict.name)} is already in use`);
  // Once established, always established.
  if (!isTrue(conditions, "Established")) {
    if (conflict === undefined)
      set("Established", true, "InitialNamesAccepted", "the initial names have been accepted");
    else set("Established", false, "NotAccepted", "not all names are accepted");
  }
  if (isProtectedGroup(text(at(crd, "spec", "group")))) {
    const { state, reason } = approvalOf(text(at(crd, "metadata", "annotations", "api-approved.kubernetes.io")));
    set("KubernetesAPIApprovalPolicyConformant", state === "Approved", `${state}Annotation`, reason);
  }
  return { ...before, conditions, acceptedNames: accepted };
}

/** Where a deletion stands. */
export type Terminating =
  | "pending" // asked for
  | "progress" // instances are being deleted
  | "done"; // no instance is left

/** The conditions of a CRD that is being deleted. */
export function terminating(crd: JsonObject, at: Terminating, now: Instant): JsonObject[] {
  const { status, reason, message } = termination[at];
  return withCondition(conditionsOf(crd), { type: "Terminating", status, reason, message }, now);
}

export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

export function isEstablished(crd: JsonObject): boolean {
  return isTrue(conditionsOf(crd), "Established");
}

const termination = {
  pending: {
    status: "True",
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  },
  progress: {
    status: "True",
    reason: "InstanceDeletionInProgress",
    message: "CustomResource deletion is in progress",
  },
  done: { status: "False", reason: "InstanceDeletionCompleted", message: "removed all instances" },
} as const;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface Conflict {
  readonly reason: string;
  readonly name: string;
}

/** The names that are free, and the last conflict found, in the order in which the server looks. */
function acceptNames(
  crd: JsonObject,
  others: readonly JsonObject[],
  builtin: TakenNames | undefined,
): { accepted: JsonObject; conflict: Conflict | undefined } {
  const { resources, kinds } = takenNames(crd, others, builtin);
  const wanted = namesOf(at(crd, "spec", "names"));
  const held = namesOf(at(crd, "status", "acceptedNames"));
  const accepted: JsonObject = { plural: held.plural, kind: held.kind };
  let conflict: Conflict | undefined;
  const clash = (reason: string, name: string) => {
    conflict = { reason, name };
  };
  const one = (reason: string, taken: ReadonlySet<string>, name: string, before: string): string => {
    if (!taken.has(name)) return name;
    clash(reason, name);
    return before;
  };
  accepted["plural"] = one("PluralConflict", resources, wanted.plural, held.plural);
  const singular = one("SingularConflict", resources, wanted.singular, held.singular);
  const clashing = wanted.shortNames.filter((name) => resources.has(name));
  for (const name of clashing) clash("ShortNamesConflict", name);
  const shortNames = clashing.length === 0 ? wanted.shortNames : held.shortNames;
  accepted["kind"] = one("KindConflict", kinds, wanted.kind, held.kind);
  const listKind = one("ListKindConflict", kinds, wanted.listKind, held.listKind);
  if (singular !== "") accepted["singular"] = singular;
  if (shortNames.length > 0) accepted["shortNames"] = shortNames;
  if (listKind !== "") accepted["listKind"] = listKind;
  if (wanted.categories.length > 0) accepted["categories"] = wanted.categories;
  return { accepted, conflict };
}

function takenNames(crd: JsonObject, others: readonly JsonObject[], builtin: TakenNames | undefined): TakenNames {
  const resources = new Set(builtin?.resources);
  const kinds = new Set(builtin?.kinds);
  for (const other of others) {
    if (at(other, "spec", "group") !== at(crd, "spec", "group")) continue;
    if (at(other, "metadata", "name") === at(crd, "metadata", "name")) continue;
    const names = namesOf(at(other, "status", "acceptedNames"));
    for (const name of [names.plural, names.singular, ...names.shortNames]) if (name !== "") resources.add(name);
    for (const name of [names.kind, names.listKind]) if (name !== "") kinds.add(name);
  }
  return { resources, kinds };
}

function namesOf(names: Json | undefined) {
  const texts = (value: Json | undefined) => (Array.isArray(value) ? value.map((v) => text(v)) : []);
  return {
    plural: text(member(names, "plural")),
    singular: text(member(names, "singular")),
    kind: text(member(names, "kind")),
    listKind: text(member(names, "listKind")),
    shortNames: texts(member(names, "shortNames")),
    categories: texts(member(names, "categories")),
  };
}

function conditionsOf(crd: JsonObject): JsonObject[] {
  const conditions = at(crd, "status", "conditions");
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
}

const isTrue = (conditions: readonly JsonObject[], type: string): boolean =>
  conditions.some((c) => c["type"] === type && c["status"] === "True");

/** The time of a condition moves only with its status. */
function withCondition(conditions: readonly JsonObject[], next: Condition, now: Instant): JsonObject[] {
  const { type, status, reason, message } = next;
  const old = conditions.find((c) => c["type"] === type);
  const since =
    old !== undefined && old["status"] === status ? (old["lastTransitionTime"] ?? formatTime(now)) : formatTime(now);
  const made: JsonObject = { type, status, lastTransitionTime: since, reason, message };
  return old === undefined ? [...conditions, made] : conditions.map((c) => (c === old ? made : c));
}
