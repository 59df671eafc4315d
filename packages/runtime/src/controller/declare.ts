// The sentence that declares a controller: what it is for, what it reads, owns and watches, and its steps. The result is
// data; roles are derived from it, and a manager runs it.
import type { KindRef, KubeObject, Ms, Resource } from "@telltale/kinds";
import type { AggregateOptions, Contribution, Spacing } from "@telltale/status";
import type { Selection } from "../cache/cache.ts";
import type { Name } from "../key.ts";
import type { Poller } from "../poll.ts";
import type { Backoff } from "../queue.ts";
import { isDeclared } from "./declared.ts";
import type { Finalize, Gate, Look, Steps } from "./steps.ts";

/** What a controller of a kind is, as data. */
export interface Controller {
  readonly name: string;
  readonly kind: KindRef;
  readonly inputs: readonly Input[];
  readonly gets: readonly { readonly kind: KindRef; readonly select: Selection }[];
  readonly writes: readonly { readonly kind: KindRef; readonly select: Within; readonly verbs: readonly WriteVerb[] }[];
  readonly requires: readonly { readonly kind: KindRef; readonly select: Within; readonly permission: Permission }[];
  readonly indexes: readonly Index[];
  readonly sums: readonly Sum[];
  readonly pollers: readonly Poller<KubeObject, unknown>[];
  readonly select: Selection;
  /** Which changes of its own kind matter. Undefined: all but our own writes. */
  readonly on?: readonly Aspect[];
  /** Asked in their order; the first that does not say `go` decides. */
  readonly gates: readonly ((object: KubeObject, look: Look) => Gate<KindRef>)[];
  readonly steps: Steps<KindRef, unknown, unknown>;
  /** Who outside the server asks for passes. */
  readonly sources: readonly Source[];
  /** Whether the steps go on for an object that is being deleted, until it is gone. */
  readonly untilGone: boolean;
  /** Who is told of an object that is there no longer. */
  readonly onGone: readonly ((object: KubeObject, event: Farewell) => void)[];
  readonly finalizer?: { readonly run: Finalize<KindRef> } & FinalizeOptions;
  readonly checkpoints: readonly string[];
  /** The annotation that holds the record of an effect outside, while it is under way. */
  readonly record?: string;
  readonly write: WriteMode;
  readonly workers: number;
  readonly backoff?: Backoff;
  readonly spacing?: Ms;
  readonly resync?: Ms;
  readonly timeout: Ms;
  /** After so many failures in a row it has failed for good. Default: never. */
  readonly attempts?: number;
  readonly events: "transitions" | "none";
}

/** Objects of one namespace only, or one by its name: `{ namespace: "keys", field: "metadata.name=signing" }`. */
export type Within = Pick<Selection, "field" | "namespace">;

/** A permission for a subresource that no declared read or write asks for: `get proxy`. */
export type Permission = `${"get" | "create" | "patch"} ${string}`;

/** A kind that is read from the cache. */
export interface Input {
  readonly kind: KindRef;
  readonly as: "owns" | "reads" | "watches";
  readonly select: Selection;
  /** Whose pass a change of it asks for. Only of what is watched. */
  readonly map?: (change: { old?: KubeObject; new?: KubeObject }, look: MapLook) => Iterable<Name>;
  readonly changed?: (old: KubeObject, next: KubeObject) => boolean;
  /** How long to wait for more changes of the kind before the pass. */
  readonly delay?: Ms;
  /** Passes that one change asks for begin at random moments, so much time for each of them together. Default: at once. */
  readonly spread?: Ms;
  /** Children of any owner reference, not only of the controlling one. */
  readonly anyOwner?: boolean;
  /** What is done with children. Undefined: create, patch and delete. */
  readonly verbs?: readonly OwnVerb[];
  /** It is there for sums alone: only a changed contribution asks for a pass. */
  readonly summed?: boolean;
}

/** Something outside the server that has news of objects now and then. Called when work begins; ends what it returns. */
export type Source = (wake: (name: Name) => void) => () => void;

/** Says something about an object that is there no longer, as a Kubernetes Event. */
export type Farewell = (type: "Normal" | "Warning", reason: string, message: string) => void;

/** What a mapper may look at. */
export type MapLook = Pick<Look, "get" | "list" | "where">;

export interface Index {
  readonly kind: KindRef;
  readonly name: string;
  readonly values: (object: KubeObject) => readonly string[];
}

/** A condition that sums up children, kept child by child. */
export interface Sum {
  readonly kind: KindRef;
  readonly condition: string;
  readonly of: (child: KubeObject) => Contribution;
  readonly options: AggregateOptions;
}

export type OwnVerb = "create" | "patch" | "delete";
/** `create binding`: a POST to a subresource. */
export type WriteVerb = OwnVerb | "patch status" | `create ${string}`;

/** Which part of an object changed. */
export type Aspect = "generation" | "deletion" | "labels" | "annotations" | "finalizers" | "ownerReferences" | "status";

export interface WriteMode {
  /** `patch`: a JSON Patch of the difference, guarded. `apply`: everything that we own, under our own manager. */
  readonly as: "patch" | "apply";
  /** In whose name the controller writes, the status and all else. Default: the manager's. */
  readonly fieldManager?: string;
  /** With `apply`: the top-level status fields that are ours. Default: all. */
  readonly owned?: readonly string[];
  readonly spacing?: Spacing;
  /** Writes per second of what is volatile, over all objects of the controller. Default: 50. */
  readonly volatileBudget?: number;
}

export interface FinalizeOptions {
  /** After so long since the deletion the object is let go, with a Warning. Default: never. */
  readonly limit?: Ms;
  /** Whether the finalizer is put on objects. One that is there is honoured all the same. Default: yes. */
  readonly add?: boolean;
  /** Finalizers of former versions of the operator: as good as the kind's own, never added, and taken off with it. */
  readonly former?: readonly string[];
  /** No status is written while an object goes away. */
  readonly quiet?: boolean;
}

export interface OwnOptions extends Selection {
  readonly changed?: (old: KubeObject, next: KubeObject) => boolean;
  readonly delay?: Ms;
  readonly anyOwner?: boolean;
  /** What is done with them: `["create", "patch"]` where none is ever removed. Default: create, patch and delete. */
  readonly verbs?: readonly OwnVerb[];
}

export interface WatchInputOptions<T extends KubeObject> extends Selection {
  readonly changed?: (old: T, next: T) => boolean;
  readonly delay?: Ms;
  /** Passes that one change asks for begin at random moments, so much time for each of them together. Default: at once. */
  readonly spread?: Ms;
}

const standard = {
  inputs: [],
  gets: [],
  writes: [],
  requires: [],
  indexes: [],
  sums: [],
  pollers: [],
  sources: [],
  untilGone: false,
  onGone: [],
  select: {},
  gates: [],
  checkpoints: [],
  write: { as: "patch" },
  workers: 10,
  timeout: 120_000,
  events: "transitions",
} as const;

type Draft = Omit<Controller, "steps">;

/** Begins the declaration of a controller. The name is the kind's, unless another is given. */
export function controller<K extends KindRef>(kind: K, name: string = kind.singular): Declaration<K> {
  return new Declaration<K>({ ...standard, kind, name });
}

/** A controller in the making. Each word gives a new one; `reconcile` completes it. */
export class Declaration<K extends KindRef> {
  readonly #it: Draft;

  constructor(it: Draft) {
    this.#it = it;
  }

  #with(more: Partial<Draft>): Declaration<K> {
    return new Declaration<K>({ ...this.#it, ...more });
  }

  #input(...inputs: Input[]): Declaration<K> {
    return this.#with({ inputs: [...this.#it.inputs, ...inputs] });
  }

  /** Only these objects of its own kind. */
  select(select: Selection): Declaration<K> {
    return this.#with({ select });
  }

  /** Its own kind asks for a pass only when one of these changed. */
  on(...on: Aspect[]): Declaration<K> {
    return this.#with({ on });
  }

  /** Children: cached, and a change of one asks for a pass of its owner. The last kind may be followed by its options. */
  owns(...kinds: readonly KindRef[]): Declaration<K>;
  owns(kind: KindRef, options: OwnOptions): Declaration<K>;
  owns(...kinds: readonly (KindRef | OwnOptions)[]): Declaration<K> {
    return this.#input(...inputsOf("owns", kinds));
  }

  /** Read from the cache. A change of one asks for nothing. */
  reads(...kinds: readonly KindRef[]): Declaration<K>;
  reads(kind: KindRef, options: Selection): Declaration<K>;
  reads(...kinds: readonly (KindRef | Selection)[]): Declaration<K> {
    return this.#input(...inputsOf("reads", kinds));
  }

  /** Read from the server itself, one at a time, and never cached. With `{ field: "metadata.name=…" }` or `{ namespace }` only there. */
  gets(...kinds: readonly KindRef[]): Declaration<K>;
  gets(kind: KindRef, within: Within): Declaration<K>;
  gets(...kinds: readonly (KindRef | Within)[]): Declaration<K> {
    const more = inputsOf("reads", kinds).map(({ kind, select }) => ({ kind, select }));
    return this.#with({ gets: [...this.#it.gets, ...more] });
  }

  /** Cached, and a change of one asks for the passes that the mapper names. It sees the old and the new object. */
  watches<T extends KubeObject>(
    kind: KindRef<T>,
    map: (change: { old?: T; new?: T }, look: MapLook) => Iterable<Name>,
    options: WatchInputOptions<T> = {},
  ): Declaration<K> {
    const { changed, delay, spread, ...select } = options;
    return this.#input({
      kind,
      as: "watches",
      select,
      // Which kind of objects reach the mapper is decided by `kind`, above.
      map: map as Input["map"] & object,
      ...(changed === undefined ? {} : { changed: changed as Input["changed"] & object }),
      ...(delay === undefined ? {} : { delay }),
      ...(spread === undefined ? {} : { spread }),
    });
  }

  /** Objects of a kind by a value: `look.where(kind, name, value)`. */
  index<T extends KubeObject>(
    kind: KindRef<T>,
    name: string,
    values: (object: T) => readonly string[],
  ): Declaration<K> {
    const index: Index = { kind, name, values: values as Index["values"] };
    return this.#with({ indexes: [...this.#it.indexes, index] });
  }

  /**
   * Writes of objects that are not its children. Within one namespace or of one name only, where that is given before the verbs;
   * several calls add up. RBAC cannot restrict `create` by name: a role allows it for every name of the namespace.
   */
  writes(kind: KindRef, ...verbs: readonly WriteVerb[]): Declaration<K>;
  writes(kind: KindRef, within: Within, ...verbs: readonly WriteVerb[]): Declaration<K>;
  writes(kind: KindRef, ...rest: readonly (Within | WriteVerb)[]): Declaration<K> {
    const select = rest.find((it) => typeof it === "object") ?? {};
    const verbs = rest.filter((it) => typeof it === "string");
    return this.#with({ writes: [...this.#it.writes, { kind, select, verbs }] });
  }

  /** A permission that is used outside of its reads and writes, such as the API server's proxy to a pod: `requires(Pod, "get proxy")`. */
  requires(kind: KindRef, permission: Permission, within: Within = {}): Declaration<K> {
    return this.#with({ requires: [...this.#it.requires, { kind, select: within, permission }] });
  }

  /**
   * Its condition sums up children. Installs the watch, the index and the filter: only a child whose contribution changed
   * asks for a pass, and that pass costs the same for ten children and for ten thousand.
   */
  sums<T extends KubeObject>(
    kind: KindRef<T>,
    condition: string,
    of: (child: T) => Contribution,
    options: AggregateOptions,
  ): Declaration<K> {
    const sum: Sum = { kind, condition, of: of as Sum["of"], options };
    const known = this.#it.inputs.some((input) => input.as === "owns" && input.kind === kind);
    const next = known ? this : this.#input({ kind, as: "owns", select: {}, summed: true });
    return next.#with({ sums: [...this.#it.sums, sum] });
  }

  /** Looks outside at regular times. */
  polls<V>(poller: Poller<Resource<K>, V>): Declaration<K> {
    return this.#with({ pollers: [...this.#it.pollers, poller as unknown as Poller<KubeObject, unknown>] });
  }

  /** Passes that something outside the server asks for: a process that ended, a message that came. */
  hears(...sources: readonly Source[]): Declaration<K> {
    return this.#with({ sources: [...this.#it.sources, ...sources] });
  }

  /** The steps go on while an object is being deleted: others hold it, and its status still tells. */
  untilGone(): Declaration<K> {
    return this.#with({ untilGone: true });
  }

  /**
   * Told of each object that is there no longer, as it was last seen, while this process works: for what is kept of it outside
   * the server, and for an Event about what it leaves behind. Not for what must happen: nobody tells of an object that went
   * while nobody was looking.
   */
  gone(call: (object: Resource<K>, event: Farewell) => void): Declaration<K> {
    const told = call as unknown as Controller["onGone"][number];
    return this.#with({ onGone: [...this.#it.onGone, told] });
  }

  /** Decides before anything is touched, the finalizer included. Of several the first that does not say `go` counts. */
  gate(gate: (object: Resource<K>, look: Look) => Gate<K>): Declaration<K> {
    return this.#with({ gates: [...this.#it.gates, gate as unknown as Controller["gates"][number]] });
  }

  /** Cleans up before an object goes. The finalizer is the kind's. */
  finalize(run: Finalize<K>, options: FinalizeOptions = {}): Declaration<K> {
    return this.#with({ finalizer: { run: run as unknown as Finalize<KindRef>, ...options } });
  }

  /** Where the status has to be written in the middle of a pass, by name. */
  checkpoints(...names: readonly string[]): Declaration<K> {
    return this.#with({ checkpoints: names });
  }

  /** The annotation that records an effect outside while it is under way. */
  records(annotation: string): Declaration<K> {
    return this.#with({ record: annotation });
  }

  /** How the status is written. */
  status(write: WriteMode): Declaration<K> {
    return this.#with({ write });
  }

  workers(workers: number): Declaration<K> {
    return this.#with({ workers });
  }

  backoff(backoff: Backoff): Declaration<K> {
    return this.#with({ backoff });
  }

  /** At least so long between the starts of two passes of one object. */
  spacing(spacing: Ms): Declaration<K> {
    return this.#with({ spacing });
  }

  /** Every object is looked at again after so long, whatever happens. */
  resync(resync: Ms): Declaration<K> {
    return this.#with({ resync });
  }

  /** For one pass. */
  timeout(timeout: Ms): Declaration<K> {
    return this.#with({ timeout });
  }

  /** After so many failures in a row an object has failed for good: until it changes. */
  attempts(attempts: number): Declaration<K> {
    return this.#with({ attempts });
  }

  /** Whether each flip of a condition is announced as a Kubernetes Event. Default: `transitions`. */
  events(events: "transitions" | "none"): Declaration<K> {
    return this.#with({ events });
  }

  reconcile<W, A = undefined>(steps: Steps<K, W, A>): Controller {
    return checked({ ...this.#it, steps: steps as unknown as Controller["steps"] });
  }
}

/** What can be known to be wrong before anything runs is said here. */
function checked(it: Controller): Controller {
  const { name, kind, workers, timeout, resync, spacing, attempts, finalizer, sums, inputs } = it;
  const complain = (what: string): never => {
    throw new TypeError(`controller ${name} of ${kind.kind}: ${what}`);
  };
  if (!Number.isInteger(workers) || workers < 1) complain(`workers is ${workers}; give a whole number from 1`);
  if (attempts !== undefined && !(attempts >= 1)) complain(`attempts is ${attempts}; give a number from 1`);
  for (const [what, value] of Object.entries({ timeout, resync, spacing })) {
    if (value !== undefined && !(value > 0)) complain(`${what} is ${value}; give milliseconds, more than 0`);
  }
  if (finalizer !== undefined && !(isDeclared(kind) && kind.finalizer !== undefined)) {
    complain(`it finalizes, but ${kind.kind} declares no finalizer; give \`finalizer\` to defineKind`);
  }
  for (const { condition } of sums) {
    const known = isDeclared(kind) && Object.hasOwn(kind.conditions.types, condition);
    if (!known) complain(`it sums up ${condition}, which ${kind.kind} does not declare`);
  }
  const selections = new Map<string, string>();
  for (const input of inputs) {
    const id = `${input.kind.apiVersion}/${input.kind.kind}`;
    const selection = JSON.stringify(input.select);
    const before = selections.get(id) ?? selection;
    if (before !== selection) {
      complain(`${input.kind.kind} is read as ${before} and as ${selection}; one controller reads a kind in one way`);
    }
    selections.set(id, selection);
  }
  return it;
}

function inputsOf(as: "owns" | "reads", list: readonly (KindRef | OwnOptions)[]): Input[] {
  const inputs: Input[] = [];
  for (const item of list) {
    if (isKind(item)) inputs.push({ kind: item, as, select: {} });
    else {
      const last = inputs.pop();
      const { changed, delay, anyOwner, verbs, ...select } = item;
      if (last !== undefined) {
        inputs.push({
          ...last,
          select,
          ...(changed === undefined ? {} : { changed }),
          ...(delay === undefined ? {} : { delay }),
          ...(anyOwner === undefined ? {} : { anyOwner }),
          ...(verbs === undefined ? {} : { verbs }),
        });
      }
    }
  }
  return inputs;
}

const isKind = (item: KindRef | OwnOptions): item is KindRef => "plural" in item;
