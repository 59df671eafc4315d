// What an update may not change, and when an object is gone: the metadata that belongs to the server.
import { at, type JsonObject, text } from "../json.ts";
import { refuseCreateIn } from "../kinds/namespace.ts";
import { invalid, invalidField, notFound, type StatusError } from "../status.ts";
import type { Store } from "../store/store.ts";
import { contentChanged, finalizersOf, generationOf, isTerminating, metadataOf, withMetadata } from "./metadata.ts";
import type { Part, Resource } from "./resource.ts";

/** The prepared object with a new generation where its content changed, and what the server alone sets as it was. */
export function updatedMetadata(r: Resource, object: JsonObject, old: JsonObject, part: Part): JsonObject {
  const before = metadataOf(old);
  const after = metadataOf(object);
  const counts = r.tracksGeneration && part !== "status";
  const changed = counts && (contentChanged(object, old, r.hasStatus) || (r.bumps?.(object, old) ?? false));
  return withMetadata(object, {
    ...(changed ? { generation: generationOf(old) + 1 } : {}),
    uid: text(after["uid"]) === "" ? before["uid"] : after["uid"],
    creationTimestamp: before["creationTimestamp"],
    ...(before["deletionTimestamp"] === undefined ? {} : { deletionTimestamp: before["deletionTimestamp"] }),
    ...(after["deletionGracePeriodSeconds"] === undefined && before["deletionGracePeriodSeconds"] !== undefined
      ? { deletionGracePeriodSeconds: before["deletionGracePeriodSeconds"] }
      : {}),
  });
}

/** Without finalizers nothing holds a terminating object any more, but for what single kinds know. */
export function isFinalized(r: Resource, object: JsonObject, old: JsonObject): boolean {
  const grace = at(old, "metadata", "deletionGracePeriodSeconds");
  return (
    isTerminating(old) &&
    finalizersOf(object).length === 0 &&
    (grace === undefined || grace === 0) &&
    r.isHeld?.(object) !== true
  );
}

/** 422 for an update that has to name a version and does not. */
export const versionRequired = (r: Resource, name: string): StatusError =>
  invalid(r.group, r.resource, name, [invalidField("metadata.resourceVersion", 0, "must be specified for an update")]);

/** Refuses a create in a namespace that is not there or is being removed. */
export function namespaceCheck(store: Store): (r: Resource, namespace: string, name: string) => void {
  return (r, namespace, name) => {
    if (!r.namespaced) return;
    const record = store.get(`//namespaces/${namespace}`);
    if (record === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
    const refused = refuseCreateIn(record.object(), r, name);
    if (refused !== undefined) throw refused;
  };
}
