// What a DELETE does to an object: gone, marked, or left as it is. The same rules for built-in and custom kinds.
import { deepEqual } from "@telltale/kinds";
import { at, type JsonObject, text } from "../json.ts";
import { conflict, type StatusError } from "../status.ts";
import { given, list, number } from "./edit.ts";
import { type Marked, markPod } from "./grace.ts";
import type { DefaultPropagation } from "./strategy.ts";

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** What the decision has to know of a kind; a `Strategy` has it all. */
export interface Deletable {
  readonly kind: { readonly group: string; readonly kind: string };
  readonly graceful: boolean;
  readonly defaultPropagation: DefaultPropagation;
}

export type Deletion =
  /** Gone; the object is what a kind that returns it shows. `marked`: it is stored once more as that before it goes. */
  | { readonly do: "remove"; readonly object: JsonObject; readonly marked?: true }
  | { readonly do: "update"; readonly object: JsonObject } // something holds it: stored with its marks
  | { readonly do: "unchanged"; readonly object: JsonObject }; // it is being deleted already

/** Throws a StatusError when a precondition does not hold. */
export function deleteDecision(object: JsonObject, options: DeleteOptions, kind: Deletable, now: string): Deletion {
  const refused = preconditionError(object, options, kind);
  if (refused !== undefined) throw refused;
  const marked: Marked = kind.graceful ? markPod(object, options, now) : { state: "immediate", pod: object };
  if (marked.state === "pending") return { do: "unchanged", object };
  const held = withFinalizers(marked.pod, policyFinalizers(marked.pod, options, kind.defaultPropagation));
  const holders = list(given(held, "metadata"), "finalizers").length > 0;
  if (marked.state === "marked")
    return holders || marked.grace > 0 ? changed(object, held) : { do: "remove", object: held, marked: true };
  return holders ? changed(object, markNow(held, now)) : { do: "remove", object: held };
}

const changed = (before: JsonObject, after: JsonObject): Deletion =>
  deepEqual(before, after) ? { do: "unchanged", object: before } : { do: "update", object: after };

/** Said when a Job goes without a policy: its pods stay. */
export function deleteWarnings(kind: Deletable, object: JsonObject, options: DeleteOptions): string[] {
  const silent = options.propagationPolicy !== undefined || options.orphanDependents !== undefined;
  const decided = list(given(object, "metadata"), "finalizers").some(
    (f) => f === "orphan" || f === "foregroundDeletion",
  );
  return kind.kind.group === "batch" && kind.kind.kind === "Job" && !silent && !decided
    ? [
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
      ]
    : [];
}

/** 409 when the object is not the one that was meant. Named by its Kind, not its resource. */
export function preconditionError(
  object: JsonObject,
  options: DeleteOptions,
  { kind }: Deletable,
): StatusError | undefined {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const name = text(at(object, "metadata", "name"));
  const about = { group: kind.group, resource: kind.kind };
  const ownUid = text(at(object, "metadata", "uid"));
  const ownVersion = text(at(object, "metadata", "resourceVersion"));
  if (uid !== undefined && uid !== ownUid)
    return conflict(
      about,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${ownUid}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== ownVersion)
    return conflict(
      about,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${ownVersion}). The object might have been modified`,
    );
  return undefined;
}

const orphan = "orphan";
const foreground = "foregroundDeletion";

/** The finalizers after the policy has had its say: it may add one of two, and takes away the other. */
function policyFinalizers(object: JsonObject, options: DeleteOptions, byDefault: DefaultPropagation): string[] {
  const own = list(given(object, "metadata"), "finalizers").map((f) => text(f));
  if (byDefault === "unsupported") return own;
  const wanted = wantedFinalizer(own, options, byDefault);
  const kept = own.filter((finalizer) => (finalizer !== orphan && finalizer !== foreground) || finalizer === wanted);
  return wanted === undefined || kept.includes(wanted) ? kept : [...kept, wanted];
}

function wantedFinalizer(
  own: readonly string[],
  options: DeleteOptions,
  byDefault: DefaultPropagation,
): string | undefined {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? orphan : undefined;
  if (options.propagationPolicy === "Orphan") return orphan;
  if (options.propagationPolicy === "Foreground") return foreground;
  if (options.propagationPolicy !== undefined) return undefined;
  // Nothing said: what the object already carries decides, then the kind.
  return own.find((f) => f === orphan || f === foreground) ?? (byDefault === "Orphan" ? orphan : undefined);
}

function withFinalizers(object: JsonObject, finalizers: readonly string[]): JsonObject {
  const metadata = given(object, "metadata") ?? {};
  if (deepEqual(list(metadata, "finalizers"), finalizers)) return object;
  const { finalizers: _, ...rest } = metadata;
  return { ...object, metadata: finalizers.length === 0 ? rest : { ...rest, finalizers: [...finalizers] } };
}

/** Marked for deletion now; the first mark counts as a change of the spec where generations are counted. */
function markNow(object: JsonObject, now: string): JsonObject {
  const metadata = given(object, "metadata") ?? {};
  const first = metadata["deletionTimestamp"] === undefined;
  const generation = number(metadata, "generation") ?? 0;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(first ? { deletionTimestamp: now } : {}),
      deletionGracePeriodSeconds: 0,
      ...(first && generation > 0 ? { generation: generation + 1 } : {}),
    },
  };
}
