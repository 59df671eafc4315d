// What a Workspace may not say, beyond what its schema keeps: the same for a template and for what it renders to. Pure.
import { type SafeText, text } from "@telltale/status";
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

// They would move the state or the directory away from where it is looked for (SEC-5).
const refusedArguments = ["-chdir", "-state", "-state-out", "-backup", "-backend-config"];

/** Why a spec cannot be run, if so. */
export function unusable({ forProvider }: Body): SafeText | undefined {
  if (forProvider.module.trim() === "") return text`forProvider.module is empty`;
  for (const name of ["initArgs", "planArgs", "applyArgs", "destroyArgs"] as const) {
    const bad = forProvider[name]?.map(optionOf).find((option) => refusedArguments.includes(option));
    if (bad !== undefined) return text`forProvider.${name} may not hold ${bad}`;
  }
  return isInside(forProvider.entrypoint ?? "")
    ? undefined
    : text`forProvider.entrypoint is not a folder inside the module`;
}

/** `--state=x` and `-state=x` are the same option. */
const optionOf = (argument: string): string => argument.replace(/^--/, "-").split("=", 1)[0] ?? "";

/** Relative, and never upwards (SEC-6). */
const isInside = (path: string): boolean =>
  !path.startsWith("/") && !path.includes("\\") && !path.includes("\0") && !path.split("/").includes("..");
