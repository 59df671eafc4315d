// `defineKind`: one value that says everything about a resource. Types, CRD, validation, columns, vocabulary and docs all
// come from it, so there is nothing to keep in step.
import { checkKind } from "./check.ts";
import type { Column, ScalePaths } from "./columns.ts";
import { type AnyType, type Conditions, type ConditionTypes, conditions, on, type SettableType } from "./conditions.ts";
import { complainOf } from "./errors.ts";
import { bugReason, type FailureTable, standardFailures } from "./failures.ts";
import {
  type Condition,
  deepFreeze,
  type KindRef,
  type KubeObject,
  type Naming,
  nameKind,
  type ObjectMeta,
} from "./object.ts";
import type { Phases } from "./phases.ts";
import type { Rule, Static, TObject, TProperties, TSchema } from "./schema.ts";
import { statusSchema } from "./status-schema.ts";
import { type Structural, toStructural } from "./structural.ts";
import type { Version } from "./versions.ts";

/** What a kind's status holds: the declared fields, and the three that every status has. */
export type StatusFields<S, C extends ConditionTypes, P extends string> = Partial<S> & {
  phase?: P;
  observedGeneration?: number;
  conditions?: readonly Condition<AnyType<C> | (string & {})>[];
};

export interface KindObject<Spec, Status> extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly status?: Status;
}

/** A declared kind. The type parameters are for the compiler; everything else is data. */
export interface Kind<
  Spec = unknown,
  Status = unknown,
  C extends ConditionTypes = ConditionTypes,
  P extends string = string,
  G extends string = string,
> extends KindRef<KindObject<Spec, StatusFields<Status, C, P>>> {
  readonly description: string;
  readonly schema: { readonly spec: Structural; readonly status?: Structural };
  readonly conditions: Conditions<C>;
  readonly phases?: Phases<P, G>;
  readonly columns: readonly Column[];
  readonly scale?: ScalePaths;
  readonly selectableFields: readonly string[];
  readonly rules: readonly Rule[];
  /** The only stored status paths that derivation may read back; the writer guards them. */
  readonly memory: readonly string[];
  /** Paths that are written once: a stored value stays. Part of the memory. */
  readonly once: readonly string[];
  /** Paths that never go back to false or absent once true. Part of the memory. */
  readonly latches: readonly string[];
  /** When `status.observedGeneration` moves: with every pass, or only with one that did not fail. */
  readonly generation: "always" | "onSuccess";
  /** Paths whose change is written at once. Undefined: phase and condition flips. */
  readonly urgent?: readonly string[];
  /** Paths that change all the time and are written within a budget. */
  readonly volatile: readonly string[];
  readonly failures: FailureTable;
  readonly maxStatusBytes: number;
  readonly finalizer?: string;
  readonly crdLabels: Readonly<Record<string, string>>;
  readonly versions: readonly Version[];
  readonly "~status"?: Status;
}

type PathIn<S> = Extract<keyof S, string> | `${Extract<keyof S, string>}.${string}`;
type StatusPath<S, C extends ConditionTypes> = PathIn<S> | "phase" | "observedGeneration" | `conditions.${AnyType<C>}`;

export interface KindDeclaration<
  Spec extends TProperties,
  Status extends TProperties,
  C extends ConditionTypes,
  P extends string,
  G extends string,
> extends Naming {
  readonly description?: string;
  readonly spec?: TObject<Spec>;
  /** Left out together with conditions and phases, the kind has no status at all. */
  readonly status?: TObject<Status>;
  readonly conditions?: Conditions<C>;
  readonly phases?: Phases<P, G>;
  readonly columns?: readonly Column[];
  readonly scale?: ScalePaths;
  readonly selectableFields?: readonly string[];
  /** CEL rules on the whole object. */
  readonly rules?: readonly Rule[];
  readonly memory?: readonly StatusPath<Static<TObject<Status>>, C>[];
  readonly once?: readonly PathIn<Static<TObject<Status>>>[];
  readonly latches?: readonly PathIn<Static<TObject<Status>>>[];
  readonly generation?: "always" | "onSuccess";
  readonly urgent?: readonly StatusPath<Static<TObject<Status>>, C>[];
  readonly volatile?: readonly StatusPath<Static<TObject<Status>>, C>[];
  /** The condition that tells of a failure. Default: the top condition; needed where that one is derived. */
  readonly failing?: SettableType<C>;
  readonly failures?: Partial<FailureTable<NoInfer<P>, SettableType<C>>>;
  readonly maxStatusBytes?: number;
  readonly finalizer?: string;
  readonly crdLabels?: Readonly<Record<string, string>>;
  /** Older versions, with the way to and from this one. */
  readonly versions?: readonly Version[];
}

// biome-ignore lint/complexity/noBannedTypes: the empty record is what "no fields" and "no conditions" are
type None = {};

export function defineKind<
  Spec extends TProperties = None,
  Status extends TProperties = None,
  const C extends ConditionTypes = None,
  P extends string = never,
  G extends string = never,
>(declaration: KindDeclaration<Spec, Status, C, P, G>): Kind<Static<TObject<Spec>>, Static<TObject<Status>>, C, P, G> {
  const complain = complainOf(declaration.kind);
  const failures: FailureTable = {
    ...standardFailures(declaration.failing ?? settableTop(declaration.conditions)),
    ...(declaration.failures as Partial<FailureTable> | undefined),
  };
  const vocabulary = withBugReason(declaration.conditions ?? conditions({}), failures.bug.condition?.type);
  const hasStatus =
    declaration.status !== undefined || declaration.conditions !== undefined || declaration.phases !== undefined;
  const spec: TSchema = declaration.spec ?? { type: "object" };
  const kind: Kind = {
    ...nameKind(declaration),
    subresources: { status: hasStatus, scale: declaration.scale !== undefined },
    description: declaration.description ?? "",
    schema: {
      spec: toStructural(spec, "spec", complain),
      ...(hasStatus ? { status: statusSchema(declaration.status, vocabulary, declaration.phases, complain) } : {}),
    },
    conditions: vocabulary,
    ...(declaration.phases === undefined ? {} : { phases: declaration.phases as unknown as Phases }),
    columns: declaration.columns ?? [],
    ...(declaration.scale === undefined ? {} : { scale: declaration.scale }),
    selectableFields: declaration.selectableFields ?? [],
    rules: declaration.rules ?? [],
    memory: [
      ...new Set<string>([...(declaration.memory ?? []), ...(declaration.once ?? []), ...(declaration.latches ?? [])]),
    ],
    once: declaration.once ?? [],
    latches: declaration.latches ?? [],
    generation: declaration.generation ?? "always",
    ...(declaration.urgent === undefined ? {} : { urgent: declaration.urgent }),
    volatile: declaration.volatile ?? [],
    failures,
    maxStatusBytes: declaration.maxStatusBytes ?? 256 * 1024,
    ...(declaration.finalizer === undefined ? {} : { finalizer: declaration.finalizer }),
    crdLabels: declaration.crdLabels ?? {},
    versions: (declaration.versions ?? []).map((v) => Object.freeze({ ...v })),
  };
  checkKind(kind, complain);
  // All but the schemas of the versions: those are TypeBox's, and may stand in other kinds too.
  const { versions, ...data } = kind;
  deepFreeze(data);
  Object.freeze(versions);
  // What was checked at run time is what the type parameters say.
  return Object.freeze(kind) as unknown as Kind<Static<TObject<Spec>>, Static<TObject<Status>>, C, P, G>;
}

/** A derived condition cannot be set, not even by a failure (rule 37): there another one has to say so. */
function settableTop(c: Conditions | undefined): string | undefined {
  const top = c?.top;
  return top !== undefined && c?.types[top]?.form !== "derived" ? top : undefined;
}

/** What nobody expected has a declared reason too, on the condition that would tell of it (rule 6). */
function withBugReason(c: Conditions, type: string | undefined): Conditions {
  const declared = type === undefined ? undefined : c.types[type];
  if (type === undefined || declared?.form !== "own" || declared.reasons[bugReason] !== undefined) return c;
  if (Object.keys(declared.reasons).length === 0) return c; // refused later, by its own name
  const reason = on(
    ["False", "Unknown", "True"],
    "The operator met an error that nobody expected",
    "look at its log, and report it",
  );
  return {
    ...c,
    types: { ...c.types, [type]: { ...declared, reasons: { ...declared.reasons, [bugReason]: reason } } },
  };
}

/** The declared condition vocabulary of a kind, as a type. */
export type ConditionsOf<K> = K extends Kind<infer _S, infer _T, infer C> ? C : never;
/** The phases of a kind, as a type. */
export type PhaseOf<K> = K extends Kind<infer _S, infer _T, infer _C, infer P> ? P : never;
/** The guards of a kind's arrows, as a type. */
export type GuardOf<K> = K extends Kind<infer _S, infer _T, infer _C, infer _P, infer G> ? G : never;
/** The declared status fields of a kind, as a type. */
export type StatusOf<K> = K extends Kind<infer _S, infer T> ? T : never;
/** The spec of a kind, as a type. */
export type SpecOf<K> = K extends Kind<infer S> ? S : never;
