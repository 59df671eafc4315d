// kstatus: whether any Kubernetes object has become what its spec asks for. The rules of kubernetes-sigs/cli-utils
// pkg/kstatus, in its order; what its Go code refuses with an error is Unknown here. Reads one object, never a cluster.
import type { Instant, KubeObject } from "@telltale/kinds";
import { builtinRule } from "./builtin.ts";
import { conditionsOf, type Fields, fields, integer, isFields, present, type SeenCondition, text } from "./fields.ts";
import { type ComputedStatus, current, failed, inProgress, notFound, terminating, unknown } from "./result.ts";

/** The computed status of an object as the server has it, or of its absence. */
export function kstatus(object: KubeObject | undefined, now: Instant): ComputedStatus {
  const seen: unknown = object ?? undefined;
  if (seen === undefined) return notFound("Resource does not exist");
  if (!isFields(seen)) return unknown("Resource is not an object");
  if (unreadable(seen, "metadata", isFields)) return unknown("metadata is not an object");

  const kind = text(seen, "kind", "");
  const metadata = fields(seen, "metadata");
  const leaving = deletion(metadata);
  if (leaving) return leaving;

  if (unreadable(seen, "status", isFields)) return unknown("status is not an object");
  const status = fields(seen, "status");
  const outdated = observation(kind, metadata, status);
  if (outdated) return outdated;

  const conditions = conditionsOf(status);
  if (conditions === undefined) return unknown("status.conditions is not a list of conditions");
  const said = standard(conditions);
  if (said) return said;

  const rule = builtinRule(text(seen, "apiVersion", ""), kind);
  if (rule) return rule({ kind, metadata, spec: fields(seen, "spec"), status, conditions, now });
  return readiness(conditions) ?? current("Resource is current");
}

function deletion(metadata: Fields): ComputedStatus | undefined {
  if (unreadable(metadata, "deletionTimestamp", isText)) return unknown("metadata.deletionTimestamp is not a text");
  return text(metadata, "deletionTimestamp", "") === "" ? undefined : terminating("Resource is being deleted");
}

/** Lenient where either field is absent: many kinds have none. A controller's initial -1 is a generation never reached. */
function observation(kind: string, metadata: Fields, status: Fields): ComputedStatus | undefined {
  if (!present(metadata, "generation")) return undefined;
  const generation = integer(metadata, "generation", undefined);
  if (generation === undefined) return unknown("metadata.generation is not an integer");

  if (!present(status, "observedGeneration")) return undefined;
  const observed = integer(status, "observedGeneration", undefined);
  if (observed === undefined) return unknown("status.observedGeneration is not an integer");

  if (observed === generation) return undefined;
  const message = `${kind || "Resource"} is at generation ${generation}, but the latest observed generation is ${observed}`;
  return inProgress("LatestGenerationNotObserved", message);
}

/** Reconciling and Stalled decide alone. Where both are True the first in the list does. */
function standard(conditions: readonly SeenCondition[]): ComputedStatus | undefined {
  for (const { type, status, reason, message } of conditions) {
    if (status !== "True") continue;
    if (type === "Reconciling") return inProgress(reason, message);
    if (type === "Stalled") return failed(reason, message);
  }
  return undefined;
}

/** Ready=False cannot tell working from doomed, so it is never Failed. */
function readiness(conditions: readonly SeenCondition[]): ComputedStatus | undefined {
  for (const { type, status, reason, message } of conditions) {
    if (type !== "Ready") continue;
    if (status === "True") return current("Resource is ready");
    if (status === "False" || status === "Unknown") return inProgress(reason, message);
  }
  return undefined;
}

function unreadable(from: Fields, name: string, readable: (value: unknown) => boolean): boolean {
  return present(from, name) && !readable(from[name]);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
