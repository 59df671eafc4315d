// Which namespaces a Workspace reaches into: the same for a template and for what it renders to. Pure.
import type { WorkspaceTemplateBody } from "../kinds/workspace-spec.ts";

/** A rendered spec fits as well. */
type Body = WorkspaceTemplateBody;

export interface Reach {
  /** The field. */
  readonly at: string;
  readonly namespace: string;
}

/** Every namespace that a spec names, with the field that does (SEC-1). */
export function* namespacesOf({ writeConnectionSecretToRef, forProvider }: Body): Iterable<Reach> {
  if (writeConnectionSecretToRef !== undefined) {
    yield { at: "writeConnectionSecretToRef", namespace: writeConnectionSecretToRef.namespace };
  }
  for (const list of ["varFiles", "env"] as const) {
    for (const [i, entry] of (forProvider[list] ?? []).entries()) {
      for (const ref of ["configMapKeyRef", "secretKeyRef"] as const) {
        const named = entry[ref];
        if (named !== undefined) yield { at: `forProvider.${list}[${i}].${ref}`, namespace: named.namespace };
      }
    }
  }
}
