// Any history of a server, any delay of its events, lists and answers, and our own writes in between: what a store shows.
import type { KubeObject } from "@telltale/kinds";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Key, keyOfObject, namespaceOfKey } from "../key.ts";
import { type Change, Store } from "./store.ts";

type Step =
  | { readonly do: "write"; readonly key: Key; readonly label: string; readonly own: boolean }
  | { readonly do: "delete"; readonly key: Key; readonly own: boolean }
  | { readonly do: "answer"; readonly which: number } // to one of our own writes
  | { readonly do: "events"; readonly namespace: number; readonly count: number; readonly twice: boolean }
  | { readonly do: "list"; readonly namespace: number }
  | { readonly do: "listed"; readonly namespace: number; readonly turned: boolean };

const key = fc.constantFrom("a/x", "a/y", "b/x") as fc.Arbitrary<Key>;
const own = fc.boolean();
const namespace = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("write"), key, own, label: fc.constantFrom("in", "out") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delete"), key, own }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("answer"), which: fc.nat(3) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("events"), namespace, count: fc.integer({ min: 1, max: 4 }), twice: own }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("list"), namespace }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("listed"), namespace, turned: fc.boolean() }) },
) as fc.Arbitrary<Step>;

/** More for whoever looks for more: `SEEDS=1,20000`. */
const [seed, runs = 300] = (process.env["SEEDS"] ?? "").split(",").filter(Boolean).map(Number);

const isIn = (object: KubeObject): boolean => object.metadata?.labels?.["is"] === "in";

interface Selecting {
  /** Only objects with the label are followed. */
  readonly byLabel: boolean;
  /** One stream for each namespace, each with its own delay. */
  readonly byNamespace: boolean;
}

/** A server that remembers every state, and those who follow it. */
class World {
  readonly store: Store<KubeObject>;
  readonly changes: Change<KubeObject>[] = [];
  /** Every state of every object: the revision since which it holds, and undefined where there is none to be seen. */
  readonly #states = new Map<Key, { readonly since: number; readonly object: KubeObject | undefined }[]>();
  readonly #events: { type: "ADDED" | "MODIFIED" | "DELETED"; object: KubeObject; revision: number }[] = [];
  readonly #objects = new Map<Key, KubeObject>();
  readonly #answers: (() => void)[] = [];
  /** What each key has shown, or was acknowledged: nothing older may be shown. */
  readonly #floor = new Map<Key, number>();
  readonly #selecting: Selecting;
  readonly #streams: Stream[];
  #revision = 1;

  constructor(selecting: Selecting) {
    this.#selecting = selecting;
    const namespaces = selecting.byNamespace ? ["a", "b"] : [undefined];
    this.#streams = namespaces.map((it) => ({ namespace: it, version: 0, list: undefined }));
    this.store = new Store({
      freeze: true,
      ...(selecting.byLabel ? { selects: isIn } : {}),
      told: (object) => String(this.#streamOf(keyOfObject(object))?.version || ""),
      onError: (error) => {
        throw error;
      },
    });
    this.store.index("label", ({ metadata }) => Object.values(metadata?.labels ?? {}));
    this.store.subscribe((change) => this.changes.push(change));
  }

  take(step: Step): void {
    if (step.do === "write") this.#write(step.key, step.label, step.own);
    else if (step.do === "delete") this.#delete(step.key, step.own);
    else if (step.do === "answer") this.#answers.splice(step.which % Math.max(1, this.#answers.length), 1)[0]?.();
    else {
      const stream = this.#streams[step.namespace % this.#streams.length];
      if (stream === undefined) return;
      if (step.do === "events") this.#deliver(stream, step.count, step.twice);
      else if (step.do === "list") {
        this.#list(stream);
        if (this.#selecting.byLabel) this.#listed(stream, false);
      } else this.#listed(stream, step.turned);
    }
    this.check();
  }

  /** The first list: there is nothing yet. */
  start(): void {
    for (const stream of this.#streams) {
      this.#list(stream);
      this.#listed(stream, false);
    }
  }

  /** Everything that is under way arrives. */
  settle(): void {
    for (const answer of this.#answers.splice(0)) answer();
    for (const stream of this.#streams) {
      if (stream.version === 0) this.#list(stream);
      this.#listed(stream, false);
      this.#deliver(stream, Number.POSITIVE_INFINITY, false);
    }
    this.check();
  }

  /** No key shows a state from before one that it showed, or that was acknowledged to us. */
  check(): void {
    for (const [key, states] of this.#states) {
      const shown = this.store.byKey(key);
      const floor = this.#floor.get(key) ?? 0;
      const at = states.find(({ object }, i) => {
        const until = states[i + 1]?.since ?? Number.POSITIVE_INFINITY;
        return until > floor && versionOf(object) === versionOf(shown);
      });
      expect(at, `${key} shows ${versionOf(shown)}, and may show nothing from before ${floor}`).toBeDefined();
      this.#floor.set(key, Math.max(floor, at?.since ?? 0));
    }
  }

  /** What the server would answer now. */
  get truth(): (string | undefined)[] {
    return [...this.#objects.values()].filter((object) => this.#isSeen(object)).map(versionOf);
  }

  #write(key: Key, label: string, isOwn: boolean): void {
    const before = this.#objects.get(key);
    const revision = this.#next();
    const uid = before?.metadata?.uid ?? `${key}#${revision}`;
    const [namespace = "", name = ""] = key.split("/");
    const object = {
      metadata: { namespace, name, uid, resourceVersion: String(revision), labels: { is: label } },
    };
    this.#objects.set(key, object);
    this.#record(key, revision, before, object);
    if (isOwn) this.#answers.push(() => this.#answered(key, revision, () => this.store.wrote(object)));
  }

  #delete(key: Key, isOwn: boolean): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    const revision = this.#next();
    this.#objects.delete(key);
    this.#record(key, revision, before, undefined);
    // Whoever deletes may know it only as it was made.
    const [, made = ""] = before.metadata?.uid?.split("#") ?? [];
    const known = revision % 2 === 0 ? before : { metadata: { ...before.metadata, resourceVersion: made } };
    if (isOwn) this.#answers.push(() => this.#answered(key, revision, () => this.store.deleted(known)));
  }

  #answered(key: Key, revision: number, tell: () => void): void {
    tell();
    this.#floor.set(key, Math.max(this.#floor.get(key) ?? 0, revision));
  }

  #record(key: Key, revision: number, before: KubeObject | undefined, after: KubeObject | undefined): void {
    const [was, is] = [this.#isSeen(before), this.#isSeen(after)];
    const states = this.#states.get(key) ?? [{ since: 0, object: undefined }];
    states.push({ since: revision, object: is ? after : undefined });
    this.#states.set(key, states);
    if (is && after !== undefined) this.#events.push({ type: was ? "MODIFIED" : "ADDED", object: after, revision });
    else if (was && before !== undefined) {
      const object = { metadata: { ...before.metadata, resourceVersion: String(revision) } };
      this.#events.push({ type: "DELETED", object, revision });
    }
  }

  #deliver(stream: Stream, count: number, isTwice: boolean): void {
    if (stream.version === 0 || stream.list !== undefined) return; // it reads a list
    const news = this.#events.filter(
      ({ object, revision }) => revision > stream.version && this.#streamOf(keyOfObject(object)) === stream,
    );
    for (const { type, object, revision } of news.slice(0, count)) {
      for (let i = 0; i < (isTwice ? 2 : 1); i += 1) this.store.saw(type, structuredClone(object));
      stream.version = revision;
      this.check();
    }
    // As after a bookmark: it knows that nothing else has happened.
    if (count >= news.length) stream.version = this.#revision;
  }

  /** The server answers now, and the answer takes its time. */
  #list(stream: Stream): void {
    if (stream.list !== undefined) return;
    const objects = [...this.#objects.values()].filter(
      (object) => this.#isSeen(object) && this.#streamOf(keyOfObject(object)) === stream,
    );
    stream.list = { objects: objects.map((object) => structuredClone(object)), version: this.#revision };
  }

  #listed(stream: Stream, isTurned: boolean): void {
    const { list, namespace } = stream;
    if (list === undefined) return;
    const objects = isTurned ? list.objects.toReversed() : list.objects;
    this.store.replace(objects, String(list.version), namespace === undefined ? {} : { namespace });
    stream.version = list.version;
    stream.list = undefined;
  }

  #streamOf(key: Key): Stream | undefined {
    return this.#streams.find(({ namespace }) => namespace === undefined || namespace === namespaceOfKey(key));
  }

  #isSeen(object: KubeObject | undefined): boolean {
    return object !== undefined && (!this.#selecting.byLabel || isIn(object));
  }

  #next(): number {
    this.#revision += 1;
    return this.#revision;
  }
}

interface Stream {
  readonly namespace: string | undefined;
  version: number;
  list: { readonly objects: KubeObject[]; readonly version: number } | undefined;
}

const versionOf = (object: KubeObject | undefined): string | undefined =>
  object === undefined ? undefined : `${object.metadata?.uid}@${object.metadata?.resourceVersion}`;

it.each([
  { byLabel: false, byNamespace: false },
  { byLabel: false, byNamespace: true },
  { byLabel: true, byNamespace: false },
  { byLabel: true, byNamespace: true },
])("a store never shows the past, and ends with what the server has: %o", (selecting) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const world = new World(selecting);
      world.start();
      for (const one of steps) world.take(one);
      world.settle();
      const { store } = world;
      expect([...store.values()].map(versionOf).sort()).toEqual(world.truth.sort());
      for (const label of ["in", "out"]) {
        const labelled = [...store.values()].filter(({ metadata }) => metadata?.labels?.["is"] === label);
        expect(store.where("label", label).map(versionOf).sort()).toEqual(labelled.map(versionOf).sort());
      }
      expect(store.count("a") + store.count("b")).toBe(store.size);
      follows(world.changes, store);
    }),
    { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
  );
});

/** Each change begins where the one before ended, and the last one is what there is. */
function follows(changes: readonly Change<KubeObject>[], store: Store<KubeObject>): void {
  const last = new Map<Key, KubeObject | undefined>();
  for (const { old, new: next } of changes) {
    const subject = next ?? old;
    if (subject === undefined) throw new Error("a change of nothing");
    expect(old).toBe(last.get(keyOfObject(subject)));
    last.set(keyOfObject(subject), next);
  }
  for (const [of, object] of last) expect(store.byKey(of)).toBe(object);
}
