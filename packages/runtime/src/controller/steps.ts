// What a controller's author writes, and what each step may do: the types carry the rule that looking is not acting.
import type {
  Applied,
  ApplyOptions,
  Client,
  DeleteOptions,
  JsonPatchOperation,
  RestMapping,
  Scale,
} from "@telltale/client";
import type { Instant, Kind, KindRef, KubeObject, LabelSelector, Ms, Resource } from "@telltale/kinds";
import type { Draft } from "@telltale/status";
import type { Name } from "../key.ts";
import type { Log } from "../log.ts";
import type { Polled, Poller } from "../poll.ts";
import type { WriteOutcome } from "../samples.ts";

/** Reading: from the cache, where nothing is asked of the server. Only what the controller declares can be read. */
export interface Look {
  /** The time of the whole pass. */
  readonly now: Instant;
  readonly log: Log;
  /** Raised when the pass has taken too long, or the process stops. */
  readonly signal: AbortSignal;
  get<T extends KubeObject>(kind: KindRef<T>, name: Name): T | undefined;
  /** In the order of their names. */
  list<T extends KubeObject>(kind: KindRef<T>, select?: { namespace?: string; labels?: LabelSelector }): readonly T[];
  /** By an index that the controller declares. */
  where<T extends KubeObject>(kind: KindRef<T>, index: string, value: string): readonly T[];
  /** What the object of this pass, or another one, owns: in the order of their names. */
  children<T extends KubeObject>(kind: KindRef<T>, of?: KubeObject): readonly T[];
  /** From the server itself. Undefined where there is none. */
  live<T extends KubeObject>(kind: KindRef<T>, name: Name): Promise<T | undefined>;
  /**
   * The server itself, past the cache and past what is declared: for kinds that are known at run time only, and for what must
   * not be old. No role is made for it: whoever deploys the controller grants what it lists.
   */
  readonly server: ServerReader;
  /** How long ago the record of an effect was written, at least, whatever clock dated it: as far as this process can tell. */
  recordAge(record: EffectRecord): Ms;
  /** What a poller last found for the object of this pass. */
  polled<V>(poller: Poller<never, V>): Polled<V> | undefined;
}

export interface ServerReader extends Pick<Client, "list" | "all"> {
  /** What the server has. */
  discover(): Promise<RestMapping>;
  /** The scale of an object, whatever its kind. */
  scale(kind: KindRef, name: Name): Promise<Scale>;
}

/** How a child is brought about. */
export interface EnsureOptions<T> {
  /**
   * `apply`: it is as we say, whoever changed it. `createOnly`: once made, it is left alone. `hash`: changed only when what
   * we say has changed. Default: `apply`.
   */
  readonly mode?: "apply" | "createOnly" | "hash";
  /** Fields that are set when it is made and belong to others from then on. */
  readonly atCreation?: Applied<T>;
  /** Where the hash of what we said is kept. */
  readonly hashAnnotation?: string;
  /** Default: an owner reference to the object of this pass, as its controller. `none`: it outlives it. */
  readonly owner?: "controller" | "plain" | "none";
}

/** What became of it. */
export type Ensured<T> =
  | { readonly as: "created" | "updated" | "unchanged"; readonly live: T }
  | { readonly as: "terminating"; readonly live: T } // the old one is still going away
  | { readonly as: "foreign"; readonly live: T }; // somebody else has the name: it was not touched

/** Something outside that must happen once. */
export interface Effect<R> {
  /** What it is: `Create`. */
  readonly op: string;
  /** After a crash: what became of an attempt whose answer nobody saw. */
  readonly probe: (record: EffectRecord) => Promise<{ readonly found: R } | "none" | "many">;
  readonly call: (record: EffectRecord) => Promise<R>;
  /** What was begun goes on outside: the record, which counts the attempts, stays until `settled`. */
  readonly goesOn?: (result: R) => boolean;
}

export interface EffectRecord {
  readonly op: string;
  /** The same for all attempts: to be handed over, so that the other side can tell a repetition. */
  readonly id: string;
  readonly attempt: number;
  /** When it was written, before the call. */
  readonly at: string;
}

/** Acting. Every write goes into the cache at once. */
export interface Hands<K extends KindRef = KindRef> extends Look {
  ensure<T extends KubeObject>(
    kind: KindRef<T>,
    object: NoInfer<Applied<T>>,
    options?: EnsureOptions<T>,
  ): Promise<Ensured<T>>;
  /**
   * Claims fields of an object that is no child, by server-side apply: what is left out of what was claimed before is taken
   * away. With `metadata.uid` it is this very object's, and none is made. `force`: fields are taken over from others who say
   * something else, which is a conflict otherwise.
   */
  apply<T extends KubeObject>(
    kind: KindRef<T>,
    object: NoInfer<Applied<T>>,
    options?: Pick<ApplyOptions, "force">,
  ): Promise<T>;
  /** Makes a new one, owned unless told otherwise. For children that are counted, not named: `metadata.generateName`. */
  create<T extends KubeObject>(
    kind: KindRef<T>,
    object: NoInfer<Applied<T>>,
    options?: Pick<EnsureOptions<T>, "owner">,
  ): Promise<T>;
  /**
   * Deletes this very object; with a `resourceVersion` only as it was then. One that is already gone is fine. What comes back is
   * another one that has its name by now.
   */
  remove<T extends KubeObject>(
    kind: KindRef<T>,
    object: T,
    propagation: DeleteOptions["propagation"],
    options?: Pick<DeleteOptions, "gracePeriodSeconds" | "resourceVersion">,
  ): Promise<T | undefined>;
  /** Asks something of an object through a subresource of it: `post(Pod, pod, "binding", {...})`. */
  post<T extends KubeObject>(kind: KindRef<T>, object: T, subresource: string, body: object): Promise<unknown>;
  /** Changes fields of somebody else's or one's own object, guarded by its uid. */
  patch<T extends KubeObject>(kind: KindRef<T>, object: T, operations: readonly JsonPatchOperation[]): Promise<T>;
  /** Fields of somebody else's status, such as a counter or a condition that is ours there: with a test of what was read. */
  patchStatus<T extends KubeObject>(kind: KindRef<T>, object: T, operations: readonly JsonPatchOperation[]): Promise<T>;
  /** Annotations of the object of this pass; undefined takes one away. */
  annotate(annotations: Readonly<Record<string, string | undefined>>): Promise<void>;
  /** An effect outside that is recorded before it is done and probed after a crash. */
  once<R>(effect: Effect<R>): Promise<{ readonly as: "done"; readonly result: R } | { readonly as: "ambiguous" }>;
  /**
   * Before what cannot be taken back: asks the server whether it has the object of this pass as the pass knows it. Where not, the
   * pass is over, and another one begins with what there is.
   */
  fresh(): Promise<void>;
  /** The world shows that no effect is under way any more: a record that a crash left behind goes with the status write. */
  settled(): void;
  /** Writes the status in the middle of a pass, because something must be durable before the next act. */
  checkpoint(name: string, say: K extends Kind ? (draft: Draft<K>) => void : never): Promise<void>;
  /** A long call that outlives the pass: the first pass starts it, a later one finds its result. */
  call<R>(name: string, start: (signal: AbortSignal) => Promise<R>): Called<R>;
  /** Says something about the object of this pass, or about another one, as a Kubernetes Event. Repetitions are left out. */
  event(
    type: "Normal" | "Warning",
    reason: string,
    message: string,
    about?: { readonly kind: KindRef; readonly object: KubeObject },
  ): void;
}

/** Where a long call stands. */
export type Called<R> =
  | { readonly as: "running"; readonly since: Instant }
  | { readonly as: "done"; readonly result: R }
  | { readonly as: "failed"; readonly error: unknown };

/** What is decided before anything is touched. */
export type Gate<K extends KindRef> =
  | "go"
  | "ignore" // not ours, not yet: nothing is written
  | { readonly again: Ms } // the same, and nobody may tell when it is: looked at again after so long
  | { readonly only: StatusStep<K, Resource<K>> }; // nothing is done, and this is said

/** From the world to what is said of it. Pure. */
export type StatusStep<K extends KindRef, W> = K extends Kind
  ? (world: W, draft: Draft<K>, now: Instant) => void
  : (world: W, object: Resource<K>, now: Instant) => StatusValue<K>;

/** Of a kind without a declared vocabulary the whole status is said, and when to look again. */
export interface StatusValue<K extends KindRef> {
  /** Undefined: there is nothing to say, and it stays as it is. */
  readonly status: (Resource<K> extends { status?: infer S } ? S : unknown) | undefined;
  /** Annotations that are part of what is said. Only of built-in kinds: other kinds' `/status` leaves metadata alone. */
  readonly annotations?: Readonly<Record<string, string | undefined>>;
  readonly wakeAt?: Instant;
  /** What was wanted could not be done: another pass is tried, later after each failure. */
  readonly retry?: boolean;
}

/** The straight line. */
export interface Steps<K extends KindRef, W, A> {
  /** Reads. */
  readonly observe: (object: Resource<K>, look: Look) => W | Promise<W>;
  /** Decides. Pure. */
  readonly plan?: (world: W, now: Instant) => A;
  /** Does it. The world is observed again after it, unless it returns how it is now. */
  readonly act?: (actions: NoInfer<A>, hands: Hands<K>, world: W) => Promise<W> | Promise<void>;
  /** Says how things are. */
  readonly status: StatusStep<K, W>;
  /** What may only follow a written status. */
  readonly after?: (told: Told<K, W>, hands: Hands<K>) => void | Promise<void>;
}

/** What was said. */
export interface Told<K extends KindRef, W> {
  readonly world: W;
  readonly object: Resource<K>;
  readonly before: unknown;
  readonly status: unknown;
  readonly outcome: WriteOutcome;
}

/** How far the end of an object has come. */
export type Finalized =
  | { readonly as: "done"; readonly isTold?: true } // told: what the draft says is written before the finalizer goes
  | { readonly as: "waiting"; readonly again?: Ms } // for something that is still going away
  | { readonly as: "gaveUp"; readonly leftovers: string }; // what stays behind: a Warning says so

export const done: Finalized = { as: "done" };
/** For an object that the finalizers of others still hold: our last word on it stays to be read. */
export const doneAndTold: Finalized = { as: "done", isTold: true };
export const waiting = (again?: Ms): Finalized => (again === undefined ? { as: "waiting" } : { as: "waiting", again });
export const gaveUp = (leftovers: string): Finalized => ({ as: "gaveUp", leftovers });

/** Cleans up. What it says of progress goes into the draft. */
export type Finalize<K extends KindRef> = (
  object: Resource<K>,
  hands: Hands<K>,
  draft: K extends Kind ? Draft<K> : undefined,
) => Promise<Finalized>;
