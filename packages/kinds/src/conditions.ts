// The condition vocabulary of a kind: which types exist, in which order and shape, with which reasons, and what a reason
// means to a person. Values only; how a condition is set is the business of `status`.
import type { ConditionStatus } from "./object.ts";

/** What a reason means, what a person does about it, and the statuses that it may explain. */
export interface Reason<On extends ConditionStatus = ConditionStatus> {
  readonly on: readonly On[];
  readonly means: string;
  readonly fix: string;
}

/** A reason of `True`. */
export const yes = (means: string, fix = "nothing to do"): Reason<"True"> => ({ on: ["True"], means, fix });
/** A reason of `False`. */
export const no = (means: string, fix: string): Reason<"False"> => ({ on: ["False"], means, fix });
/** A reason of `Unknown`. */
export const unknown = (means: string, fix: string): Reason<"Unknown"> => ({ on: ["Unknown"], means, fix });
/** A reason that several statuses share. */
export function on<const S extends ConditionStatus>(
  statuses: readonly [S, ...S[]],
  means: string,
  fix: string,
): Reason<S> {
  return { on: statuses, means, fix };
}

export type Reasons = Readonly<Record<string, Reason>>;

/** What `True` says: `positive` good, `negative` bad, `neutral` neither. */
export type Polarity = "positive" | "negative" | "neutral";

/**
 * When a declared condition is in the list.
 * - `always`: from the first write on; `initial` says with what, where the first pass does not.
 * - `onceSet`: from the first time that it is set.
 * - `onceTrue`: from the first time that it is True; a False before that is not written.
 * - `whenTrue`: only while it is True.
 */
export type Presence = "always" | "onceSet" | "onceTrue" | "whenTrue";

export interface Initial<R extends string = string, S extends ConditionStatus = ConditionStatus> {
  readonly status: S;
  readonly reason: R;
  readonly message: string;
}

/** Each reason with a status that it may explain. */
type InitialOf<R extends Reasons> = {
  [N in Extract<keyof R, string>]: Initial<N, R[N]["on"][number]>;
}[Extract<keyof R, string>];

/** A condition that this kind's controller sets. */
export interface OwnCondition<R extends Reasons = Reasons> {
  readonly form: "own";
  readonly polarity: Polarity;
  readonly means: string;
  readonly reasons: R;
  readonly present: Presence;
  readonly initial?: Initial;
  /** It says whether the result of an object that ended well is all that it should be: where it is False, a verdict names it. */
  readonly qualifiesResult?: true;
}

/** A condition computed from others of the same object: it cannot be set by hand (rules 37, 38). */
export interface DerivedCondition<R extends Reasons = Reasons> {
  readonly form: "derived";
  readonly polarity: "positive";
  readonly means: string;
  readonly reasons: R;
  readonly from: readonly string[];
  readonly ok: { readonly reason: string; readonly message: string };
}

/** A condition that repeats one of another object; its reasons are that object's business. */
export interface MirroredCondition<R extends string = string> {
  readonly form: "mirrored";
  readonly polarity: Polarity;
  readonly means: string;
  readonly reasons: Reasons;
  readonly present: Presence;
  readonly "~reasons"?: R;
}

/** One condition for each child: `Pod-0`, `Pod-1`. The declared name is the prefix. */
export interface ConditionFamily<R extends Reasons = Reasons> {
  readonly form: "family";
  readonly polarity: Polarity;
  readonly means: string;
  readonly reasons: R;
  readonly max: number;
}

export type ConditionDeclaration = OwnCondition | DerivedCondition | MirroredCondition | ConditionFamily;
export type ConditionTypes = Readonly<Record<string, ConditionDeclaration>>;

interface Own<R extends Reasons> {
  readonly means: string;
  readonly reasons: R;
  readonly present?: Presence;
  readonly initial?: NoInfer<InitialOf<R>>;
  readonly qualifiesResult?: true;
}

function own<const R extends Reasons>(polarity: Polarity, c: Own<R>): OwnCondition<R> {
  return { form: "own", polarity, present: "always", ...c };
}

/** Good when True. */
export const positive = <const R extends Reasons>(c: Own<R>): OwnCondition<R> => own("positive", c);
/** Bad when True. */
export const negative = <const R extends Reasons>(c: Own<R>): OwnCondition<R> => own("negative", c);
/** Neither good nor bad: it informs. */
export const neutral = <const R extends Reasons>(c: Own<R>): OwnCondition<R> => own("neutral", c);

/** True when all of `from` are good; otherwise it says what the worst of them says. */
export function derived<const R extends Reasons>(c: {
  means: string;
  from: readonly [string, ...string[]];
  ok: { reason: Extract<keyof R, string>; message: string };
  reasons: R;
}): DerivedCondition<R> {
  return { form: "derived", polarity: "positive", ...c };
}

/** Repeats a condition of a foreign object: any reason is allowed. */
export function mirrored(c: {
  means: string;
  polarity?: Polarity;
  present?: Presence;
  reasons?: Reasons;
}): MirroredCondition {
  return { form: "mirrored", polarity: "positive", present: "always", reasons: {}, ...c };
}

/** Repeats a condition of one of our own kinds: that condition's reasons are allowed, and its meanings are shown. */
export function copied<const R extends Reasons>(
  source: { readonly reasons: R },
  c: { means: string; polarity?: Polarity; present?: Presence },
): MirroredCondition<Extract<keyof R, string>> {
  return { form: "mirrored", polarity: "positive", present: "always", reasons: source.reasons, ...c };
}

/** One condition per child, `{name}-{index}`; at most `max` are written, lowest indexes first. */
export function family<const R extends Reasons>(c: {
  means: string;
  reasons: R;
  polarity?: Polarity;
  max?: number;
}): ConditionFamily<R> {
  return { form: "family", polarity: "positive", max: 256, ...c };
}

/**
 * How a condition looks on the wire.
 * - `metav1`: six fields, list keyed by type.
 * - `plain`: without `observedGeneration`, list keyed by type.
 * - `capiV1beta1`: with `severity`, an atomic list (Cluster API before v1beta2).
 */
export type ConditionShape = "metav1" | "plain" | "capiV1beta1";

export interface ConditionOptions<C extends ConditionTypes = ConditionTypes> {
  readonly shape?: ConditionShape;
  /** `declared`: in the order of the declaration, foreign ones last. `insertion`: where they were, new ones last. */
  readonly order?: "declared" | "insertion";
  /** The most entries that the schema allows (rule 10). */
  readonly max?: number;
  /** The longest message; longer ones end in `…`. */
  readonly maxMessage?: number;
  /** The condition that sums up the object. Default: `Ready`, else `Succeeded`, else `Available`, where declared. */
  readonly top?: Extract<keyof C, string>;
  /** The default of the list in the schema. */
  readonly default?: readonly [];
}

/** The whole vocabulary of a kind. */
export interface Conditions<C extends ConditionTypes = ConditionTypes> {
  readonly types: C;
  readonly shape: ConditionShape;
  readonly order: "declared" | "insertion";
  readonly max: number;
  readonly maxMessage: number;
  readonly top: string | undefined;
  readonly default?: readonly [];
}

export function conditions<const C extends ConditionTypes>(types: C, options: ConditionOptions<C> = {}): Conditions<C> {
  const top = options.top ?? ["Ready", "Succeeded", "Available"].find((type) => types[type] !== undefined);
  return { shape: "metav1", order: "declared", max: 32, maxMessage: 32_768, ...options, types, top };
}

const familyType = /^(.+)-(0|[1-9][0-9]*)$/;

/** `Bind9Instance-15` is child 15 of `Bind9Instance`; anything else is no child. */
export function parseChildType(type: string): { family: string; index: number } | undefined {
  const match = familyType.exec(type);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { family: match[1], index: Number(match[2]) };
}

/** The type of one child's condition. */
export function childType<F extends string>(prefix: F, index: number): `${F}-${number}` {
  if (!Number.isSafeInteger(index) || index < 0) {
    throw new RangeError(`child index ${index} of ${prefix}: an index is an integer from 0 on`);
  }
  return `${prefix}-${index}`;
}

/** What a kind declares about a condition type, families included. Undefined: the type is foreign. */
export function declarationOf(conditions: Conditions, type: string): ConditionDeclaration | undefined {
  const exact = Object.hasOwn(conditions.types, type) ? conditions.types[type] : undefined;
  if (exact !== undefined && exact.form !== "family") return exact;
  const child = parseChildType(type);
  if (child === undefined || !Object.hasOwn(conditions.types, child.family)) return undefined;
  const declared = conditions.types[child.family];
  return declared?.form === "family" ? declared : undefined;
}

/** The types that a controller may set: own, mirrored and children; not derived ones. */
export type SettableType<C extends ConditionTypes> = {
  [T in Extract<keyof C, string>]: C[T]["form"] extends "derived"
    ? never
    : C[T]["form"] extends "family"
      ? `${T}-${number}`
      : T;
}[Extract<keyof C, string>];

/** Every type that an object of the kind can carry by declaration. */
export type AnyType<C extends ConditionTypes> = {
  [T in Extract<keyof C, string>]: C[T]["form"] extends "family" ? `${T}-${number}` : T;
}[Extract<keyof C, string>];

type DeclarationFor<C extends ConditionTypes, T extends string> = T extends keyof C
  ? C[T]
  : T extends `${infer F}-${number}`
    ? F extends keyof C
      ? C[F]
      : never
    : never;

type ReasonsOn<R extends Reasons, S extends ConditionStatus> = {
  [N in Extract<keyof R, string>]: S extends R[N]["on"][number] ? N : never;
}[Extract<keyof R, string>];

/** The reasons that a condition type may give for a status. */
export type ReasonFor<C extends ConditionTypes, T extends string, S extends ConditionStatus> =
  DeclarationFor<C, T> extends infer D
    ? D extends MirroredCondition<infer R>
      ? R
      : D extends { readonly reasons: infer R extends Reasons }
        ? ReasonsOn<R, S>
        : never
    : never;
