// Namespaces: their label and finalizer, and how they go.
import { Namespace } from "@telltale/kinds/builtin";
import { at, type JsonObject, text } from "../json.ts";
import { forbidden, type StatusError } from "../status.ts";
import { child, filled, given, list } from "./edit.ts";
import { keeping, type Strategy, statusOnly, strategy } from "./strategy.ts";

export const namespaceStrategy: Strategy = strategy(Namespace, "core.Namespace", {
  nameRule: "label",
  returnDeletedObject: true,
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  subresources: [{ name: "finalize", kind: "Namespace", verbs: ["update"] }],
  parts: { finalize: { prepare: prepareFinalize } },
  isHeld: (namespace) => list(given(namespace, "spec"), "finalizers").length > 0,
  default: filled((namespace) => {
    const name = text(at(namespace, "metadata", "name"));
    // A name still to be generated gets its label when it is there.
    if (name !== "") child(child(namespace, "metadata"), "labels")[nameLabel] = name;
  }),
  prepareCreate: (namespace) => {
    const finalizers = list(given(namespace, "spec"), "finalizers").map((f) => text(f));
    return {
      ...labelled(namespace),
      spec: {
        ...given(namespace, "spec"),
        finalizers: finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"],
      },
      status: { phase: "Active" },
    };
  },
  prepareUpdate: (namespace, old) => keeping(withFinalizersOf(labelled(namespace), old), old, "status"),
  prepareStatusUpdate: (namespace, old) => statusOnly(labelled(namespace), old),
  fields: {
    names: ["status.phase", "name"],
    read: (namespace) => ({
      "status.phase": text(at(namespace, "status", "phase")),
      name: text(at(namespace, "metadata", "name")),
    }),
  },
});

const nameLabel = "kubernetes.io/metadata.name";

function labelled(namespace: JsonObject): JsonObject {
  const metadata = given(namespace, "metadata") ?? {};
  const labels = { ...given(metadata, "labels"), [nameLabel]: text(metadata["name"]) };
  return { ...namespace, metadata: { ...metadata, labels } };
}

/** Only `finalize` changes the finalizers in `spec`. */
function withFinalizersOf(namespace: JsonObject, old: JsonObject): JsonObject {
  const spec = keeping(given(namespace, "spec") ?? {}, given(old, "spec") ?? {}, "finalizers");
  return { ...namespace, spec };
}

/** PUT `finalize`: the finalizers in `spec` and metadata as sent, status as it was. */
export function prepareFinalize(namespace: JsonObject, old: JsonObject): JsonObject {
  return keeping(labelled(namespace), old, "status");
}

/** Whether nothing holds the namespace any more: terminating, and no finalizers in `spec` or metadata. */
export function isReleased(namespace: JsonObject): boolean {
  return (
    at(namespace, "metadata", "deletionTimestamp") !== undefined &&
    list(given(namespace, "spec"), "finalizers").length === 0 &&
    list(given(namespace, "metadata"), "finalizers").length === 0
  );
}

const undeletable = ["default", "kube-system", "kube-public"];

/** The namespaces that the server itself lives in cannot be deleted. */
export function refuseNamespaceDelete(name: string): StatusError | undefined {
  return undeletable.includes(name)
    ? forbidden({ group: "", resource: "namespaces" }, name, "this namespace may not be deleted")
    : undefined;
}

/**
 * What a DELETE does: the first one marks it Terminating; without finalizers it is gone; one that is marked already stays as it
 * is while something holds it.
 */
export function deleteNamespace(
  namespace: JsonObject,
  now: string,
): { readonly do: "remove" | "unchanged" } | { readonly do: "update"; readonly object: JsonObject } {
  if (isReleased(namespace)) return { do: "remove" };
  if (at(namespace, "metadata", "deletionTimestamp") !== undefined) return { do: "unchanged" };
  const marked: JsonObject = {
    ...namespace,
    metadata: { ...given(namespace, "metadata"), deletionTimestamp: now },
    status: { ...given(namespace, "status"), phase: "Terminating" },
  };
  return isReleased(marked) ? { do: "remove" } : { do: "update", object: marked };
}

/** Why nothing can be created in a namespace, or undefined. `resource` is what was to be created. */
export function refuseCreateIn(
  namespace: JsonObject,
  resource: { group: string; resource: string },
  name: string,
): StatusError | undefined {
  if (at(namespace, "metadata", "deletionTimestamp") === undefined) return undefined;
  const own = text(at(namespace, "metadata", "name"));
  return forbidden(resource, name, `unable to create new content in namespace ${own} because it is being terminated`, [
    { reason: "NamespaceTerminating", message: `namespace ${own} is being terminated`, field: "metadata.namespace" },
  ]);
}
