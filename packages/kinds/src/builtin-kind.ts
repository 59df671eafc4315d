// Kinds that the API server brings along, as values without a schema: how to name them, and what their objects look like.
import { deepFreeze, type KindRef, type KubeObject, type Naming, nameKind } from "./object.ts";

/** `builtin<Pod>()({ group: "", version: "v1", kind: "Pod" })`: the type is given, the rest is inferred. */
export function builtin<T extends KubeObject>() {
  return (naming: Naming & { readonly status?: boolean; readonly scale?: boolean }): KindRef<T> =>
    deepFreeze({
      ...nameKind(naming),
      subresources: { status: naming.status ?? false, scale: naming.scale ?? false },
    });
}
