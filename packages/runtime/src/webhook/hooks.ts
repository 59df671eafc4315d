// The table of handlers: what is asked at which path, and when a server should ask. Answers (`admission.ts`) and manifests
// (`manifests.ts`) both read it, so that nothing is declared twice.
import type { Kind, KindRef, KubeObject, LabelSelector } from "@telltale/kinds";
import type { AdmissionRequest, Operation } from "./request.ts";

/** What a validating handler says. Nothing said: allowed. */
export interface Verdict {
  readonly denied?: Denial | undefined;
  /** Shown to whoever made the request. Best below 120 characters each; a server cuts at 256. */
  readonly warnings?: readonly string[] | undefined;
}

/** Why not: in words, or field by field. A list without entries denies nothing. */
export type Denial =
  | string
  | readonly Problem[]
  | { readonly message: string; readonly code: number; readonly reason?: string };

export interface Problem {
  /** `spec.worker.replicas` */
  readonly field: string;
  readonly message: string;
}

type Soon<V> = V | Promise<V>;
export type Validate<T extends KubeObject, O extends Operation> = (
  request: AdmissionRequest<T, O>,
) => Soon<Verdict | undefined>;
/** Gives the object as it should be. It may change the one that it was given: that is a copy. */
export type Mutate<T extends KubeObject, O extends "CREATE" | "UPDATE"> = (request: AdmissionRequest<T, O>) => Soon<T>;

/** When a server asks, and what it does with trouble. */
export interface HookOptions<O extends Operation> {
  /** Default: `/validate-<group with dashes>-<version>-<kind>`, or `/mutate-...`. */
  readonly path?: string;
  /** The webhook's name in its configuration: a domain name of three parts or more. */
  readonly name?: string;
  /** Default: CREATE and UPDATE. */
  readonly operations?: readonly O[];
  /** Default: Fail. Ignore is about a webhook that does not answer; one whose handler throws denies. */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** Default: 5. */
  readonly timeoutSeconds?: number;
  /** Default: Equivalent, so that requests in other versions are converted first. */
  readonly matchPolicy?: "Equivalent" | "Exact";
  /** Default: None. */
  readonly sideEffects?: "None" | "NoneOnDryRun";
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

export interface MutateOptions<O extends "CREATE" | "UPDATE"> extends HookOptions<O> {
  /** Default: Never. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
}

interface Declared {
  readonly kind: KindRef;
  readonly path: string;
  readonly name: string;
  readonly operations: readonly Operation[];
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly options: MutateOptions<"CREATE" | "UPDATE">;
}

/** One row. What its handler takes was checked where it was declared. */
export type Hook =
  | (Declared & { readonly is: "validate"; readonly ask: Validate<KubeObject, Operation> })
  | (Declared & { readonly is: "mutate"; readonly ask: Mutate<KubeObject, "CREATE" | "UPDATE"> });

/** The whole table. */
export interface Hooks {
  readonly admission: readonly Hook[];
  /** Kinds that convert, by path. */
  readonly conversion: readonly { readonly kind: Kind; readonly path: string }[];
}

export function defaultPath(is: Hook["is"], kind: KindRef, subresource: string): string {
  const parts = [is, kind.group.replaceAll(".", "-"), kind.version, kind.kind.toLowerCase()];
  return `/${[...parts, ...(subresource === "" ? [] : [subresource])].join("-")}`;
}

export function defaultName(is: Hook["is"], kind: KindRef, subresource: string): string {
  const what = [is, kind.version, ...(subresource === "" ? [] : [subresource])].join("-");
  return [what, kind.plural, kind.group || "core"].join(".");
}
