// A controller at work: what it listens to, its queue and its workers. Each pass is in `pass.ts`.
import { jitter } from "@telltale/clock";
import { deepEqual, type KindRef, type KubeObject, type Ms } from "@telltale/kinds";
import { StatusViolation } from "@telltale/status";
import type { Cached } from "../cache/cache.ts";
import type { Change } from "../cache/store.ts";
import { type Key, keyOf, keyOfObject, type Name, nameOfKey } from "../key.ts";
import type { Subject } from "../outside/event-object.ts";
import type { Announcement } from "../outside/transitions.ts";
import { Polling } from "../poll.ts";
import type { Pressure } from "../pressure.ts";
import { Queue, type Taken } from "../queue.ts";
import type { Cause, QueueGauge } from "../samples.ts";
import { StatusWriter, type Step } from "../write/status-writer.ts";
import { Calls } from "./calls.ts";
import type { Aspect, Controller, Farewell, Input } from "./declare.ts";
import { echo, mapLook, PassOver, type PassState } from "./hands.ts";
import { type PassEnd, pass } from "./pass.ts";
import { Sightings } from "./sightings.ts";
import { Sums } from "./sums.ts";
import { kindId, type Shared, type Surroundings } from "./surroundings.ts";
import { traced } from "./trace.ts";

/** What a manager gives its controllers, and hears of them. */
export interface Environment extends Shared {
  readonly pressure: Pressure;
  readonly announce: (controller: Controller, subject: Subject, announcement: Announcement) => void;
  readonly onWritten: (controller: Controller, step: Step) => void;
  /** Only where broken rules throw. */
  readonly onViolation: (error: StatusViolation) => void;
}

interface Meanwhile {
  readonly changes: { readonly echo: string; readonly cause: Cause; readonly delay: Ms }[];
  isRestored?: true;
}

/** So often in a row somebody may have been faster before it is taken for more than chance. */
const patience = 5;

export class Run {
  readonly controller: Controller;
  readonly #env: Environment;
  readonly #queue: Queue;
  readonly #around: Surroundings;
  readonly #calls: Calls;
  readonly #sightings: Sightings;
  readonly #sums: Sums;
  readonly #pollings: readonly Polling<KubeObject, unknown>[];
  readonly #conflicts = new Map<Key, number>();
  /** Keys whose status was put off. */
  readonly #owed = new Set<Key>();
  readonly #passes = new Map<Key, { readonly stop: AbortController; work: Promise<void> }>();
  /** What changed since a pass began, by its key. */
  readonly #meanwhile = new Map<Key, Meanwhile>();
  #deafen: readonly (() => void)[] = [];
  /** Ends what it hears of caches, which may live longer. */
  readonly #ends: (() => void)[] = [];
  /** In log lines, as controller-runtime has it: one for each pass, also across restarts. */
  readonly #reconcileIdPrefix: string;
  #count = 0;
  #isActive = false;
  #isPumping = false;

  constructor(controller: Controller, env: Environment) {
    this.controller = controller;
    this.#env = env;
    const { clock, random, cache, sink } = env;
    // Not by chance: what a seed does must not depend on what is logged.
    this.#reconcileIdPrefix = clock.now().toString(36);
    const log = env.log.with({ controller: controller.name });
    const { backoff, spacing } = controller;
    this.#queue = new Queue({
      clock,
      random,
      onReady: () => this.#wake(),
      onAdd: (cause) => sink({ is: "enqueue", controller: controller.name, cause }),
      ...(backoff === undefined ? {} : { backoff }),
      ...(spacing === undefined ? {} : { spacing }),
    });
    this.#calls = new Calls(clock);
    this.#sightings = new Sightings(clock);
    this.#sums = new Sums(controller.sums);
    const enqueue = (key: Key) => this.#queue.add(key, "child");
    const pollings = new Map(
      controller.pollers.map((it) => [it as object, new Polling(it, { clock, random, sink, enqueue })] as const),
    );
    this.#pollings = [...pollings.values()];
    const own = cache.of(controller.kind, controller.select);
    const inputs = new Map<string, Cached<KubeObject>>();
    for (const { kind, select } of controller.inputs) {
      if (!inputs.has(kindId(kind))) inputs.set(kindId(kind), cache.of(kind, select));
    }
    this.#around = {
      ...env,
      controller,
      log,
      own,
      inputs,
      pollings,
      calls: this.#calls,
      sightings: this.#sightings,
      applied: new WeakSet(),
      announce: (subject, announcement) => env.announce(controller, subject, announcement),
      aggregates: (object) => this.#sums.for(object),
      enqueue,
      failures: (key) => this.#queue.failures(key),
      writer: new StatusWriter({
        client: env.client,
        cache,
        clock,
        sink,
        controller: controller.name,
        kind: controller.kind,
        fence: env.fence,
        mode: { fieldManager: env.fieldManager, ...controller.write },
        onWritten: (step) => env.onWritten(controller, step),
      }),
    };
    this.#listen();
  }

  /** Resolves when everything that it reads has been read once. */
  async synced(): Promise<void> {
    await Promise.all([this.#around.own, ...this.#around.inputs.values()].map((it) => it.synced()));
  }

  /** What keeps it from working, in words. */
  troubles(): string[] {
    return [this.#around.own, ...this.#around.inputs.values()].flatMap((it) => it.trouble() ?? []);
  }

  get gauge(): QueueGauge {
    return { controller: this.controller.name, workers: this.controller.workers, ...this.#queue.gauge };
  }

  /** Takes up work. Until then it only listens, so that whoever takes over begins at once. */
  start(): void {
    if (!this.#isActive) {
      const wake = (name: Name) => this.#queue.add(keyOf(name), "child");
      this.#deafen = this.controller.sources.map((source) => source(wake));
    }
    this.#isActive = true;
    this.#wake();
  }

  #rest(): void {
    this.#isActive = false;
    for (const deafen of this.#deafen) deafen();
    this.#deafen = [];
  }

  /** Other keys are ours now: looks at those that are new, and resolves when nothing runs for those that are not ours any more. */
  async handOver(mine: (key: Key) => boolean, before: (key: Key) => boolean): Promise<void> {
    for (const object of this.#around.own.store.values()) {
      const key = keyOfObject(object);
      if (mine(key) && !before(key)) this.#queue.add(key, "resync");
    }
    const lost = [...this.#passes].filter(([key]) => !mine(key)).map(([, it]) => it);
    for (const { stop } of lost) stop.abort(new PassOver("the object is another process's now"));
    await Promise.all(lost.map(({ work }) => work));
  }

  /** Begins no more passes, and aborts those that are running. */
  pause(why: string): void {
    this.#rest();
    for (const { stop } of this.#passes.values()) stop.abort(new PassOver(why));
    for (const polling of this.#pollings) polling.clear();
    this.#calls.stop();
  }

  /** Ends in good order: running passes have `grace` to finish, then what was put off is written. */
  async stop(grace: Ms): Promise<void> {
    this.#rest();
    const { clock } = this.#env;
    const limit = clock.after(grace, () => {
      for (const { stop } of this.#passes.values()) stop.abort(new PassOver("the process stops"));
    });
    await Promise.all(Array.from(this.#passes.values(), ({ work }) => work));
    for (const key of this.#owed) {
      await this.#work({ key, cause: "timer", waited: 0 }, true);
    }
    limit.cancel();
    for (const end of this.#ends.splice(0)) end();
    this.#queue.stop();
    for (const polling of this.#pollings) polling.stop();
    this.#calls.stop();
  }

  #listen(): void {
    const { own, inputs } = this.#around;
    const subscribe = ({ store }: Cached<KubeObject>, listener: (change: Change<KubeObject>) => void) =>
      void this.#ends.push(store.subscribe(listener));
    for (const cached of [own, ...inputs.values()]) {
      this.#ends.push(() => cached.release());
      subscribe(cached, (change) => this.#doubt(change));
    }
    subscribe(own, (change) => this.#ownChange(change));
    for (const { kind, name, values } of this.controller.indexes) {
      const cached = kindId(kind) === kindId(this.controller.kind) ? own : inputs.get(kindId(kind));
      if (cached === undefined) {
        throw new Error(`${this.controller.name}: the index "${name}" is on ${kind.kind}, which it does not read`);
      }
      try {
        cached.store.index(name, values);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(`${this.controller.name}: ${kind.kind}: ${why}`, { cause: error });
      }
    }
    const look = mapLook(this.#around);
    for (const input of this.controller.inputs) {
      if (input.as === "reads") continue;
      const cached = inputs.get(kindId(input.kind));
      if (cached === undefined) continue;
      subscribe(cached, (change) => {
        const isNews = !this.#isSummed(input.kind) || this.#sums.changed(input.kind, change.old, change.new);
        if (input.summed === true && !isNews) return;
        if (change.restored !== true && !isRelevant(input, change)) return;
        const cause: Cause = cached.isSynced() ? "child" : "resync";
        const { delay = 0, spread = 0 } = input;
        const keys = [...this.#targets(input, change, look)];
        const span = spread * (keys.length - 1);
        for (const key of keys) {
          this.#ask(key, change, cause, span <= 0 ? delay : delay + Math.round(this.#env.random.next() * span));
        }
      });
    }
  }

  #isSummed(kind: KindRef): boolean {
    return this.controller.sums.some((sum) => sum.kind === kind);
  }

  /** During a pass nobody knows yet whether a change is its own: an event may be faster than the answer to the write. */
  #ask(key: Key, { old, new: next }: Change<KubeObject>, cause: Cause, delay = 0): void {
    const meanwhile = this.#meanwhile.get(key);
    if (meanwhile === undefined) this.#queue.addAfter(key, delay, cause);
    else meanwhile.changes.push({ echo: echo(old, next), cause, delay });
  }

  /** A server that was put back may have taken a pass's own writes out of the cache: when they come back, that is news to it. */
  #doubt({ restored }: Change<KubeObject>): void {
    if (restored === true) for (const it of this.#meanwhile.values()) it.isRestored = true;
  }

  /** What came during a pass and was not its own asks for another one. */
  #askAgain(key: Key, own: ReadonlySet<string>): void {
    const { changes = [], isRestored } = this.#meanwhile.get(key) ?? {};
    this.#meanwhile.delete(key);
    for (const it of changes)
      if (isRestored === true || !own.has(it.echo)) this.#queue.addAfter(key, it.delay, it.cause);
  }

  *#targets(input: Input, { old, new: next }: Change<KubeObject>, look: ReturnType<typeof mapLook>): Iterable<Key> {
    if (input.map !== undefined) {
      const change = { ...(old === undefined ? {} : { old }), ...(next === undefined ? {} : { new: next }) };
      const keys = new Set<Key>();
      for (const name of input.map(change, look)) keys.add(keyOf(name));
      yield* keys;
      return;
    }
    const keys = new Set<Key>();
    for (const object of [old, next]) for (const key of ownersOf(object, this.controller.kind, input)) keys.add(key);
    yield* keys;
  }

  #ownChange(change: Change<KubeObject>): void {
    const { old, new: next } = change;
    const { own, writer } = this.#around;
    const isReplaced = old !== undefined && old.metadata?.uid !== next?.metadata?.uid;
    if (isReplaced) {
      const uid = old.metadata?.uid ?? "";
      writer.forget(uid);
      this.#calls.drop(uid);
      this.#sightings.drop(uid);
      this.#sums.drop(old);
      for (const polling of this.#pollings) polling.drop(old);
    }
    if (next === undefined) {
      if (old === undefined) return;
      const key = keyOfObject(old);
      this.#queue.forget(key);
      this.#conflicts.delete(key);
      this.#owed.delete(key);
      this.#tellOfEnd(old);
      return;
    }
    if (this.#isActive) for (const polling of this.#pollings) polling.keep(next);
    // Of a server that was put back it is not known what it has lost: perhaps our own word.
    const isSlight = old !== undefined && !isReplaced && change.restored !== true;
    if (isSlight && !matters(this.controller.on, old, next)) return;
    this.#ask(keyOfObject(next), change, own.isSynced() ? "change" : "resync");
    if (isReplaced) this.#tellOfEnd(old);
  }

  /** Last of all: whoever throws keeps nobody else from being told. */
  #tellOfEnd(object: KubeObject): void {
    if (!this.#isActive) return;
    const { kind } = this.controller;
    const event: Farewell = (type, reason, message) =>
      this.#around.announce({ kind, object }, { type, reason, message });
    for (const call of this.controller.onGone) {
      try {
        call(object, event);
      } catch (error) {
        const { namespace, name } = object.metadata ?? {};
        this.#around.log.error("what follows the end of an object failed", { namespace, name, err: error });
      }
    }
  }

  /** Once per turn, however many keys came: a list of ten thousand is one call. */
  #wake(): void {
    if (this.#isPumping || !this.#isActive) return;
    this.#isPumping = true;
    queueMicrotask(() => {
      this.#isPumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    const workers = Math.max(1, Math.floor(this.controller.workers * this.#env.pressure.share));
    while (this.#isActive && this.#passes.size < workers) {
      const taken = this.#queue.take();
      if (taken === undefined) return;
      this.#env.sink({ is: "dequeue", controller: this.controller.name, waited: taken.waited });
      void this.#work(taken, false);
    }
  }

  #work(taken: Taken, isLast: boolean): Promise<void> {
    const it = { stop: new AbortController(), work: Promise.resolve() };
    this.#passes.set(taken.key, it);
    it.work = this.#pass(taken, it.stop, isLast);
    return it.work;
  }

  async #pass(taken: Taken, stop: AbortController, isLast: boolean): Promise<void> {
    try {
      await this.#over(taken, stop, isLast);
    } finally {
      this.#passes.delete(taken.key);
      this.#queue.done(taken.key);
      this.#wake();
    }
  }

  async #over({ key, cause, waited }: Taken, stop: AbortController, isLast: boolean): Promise<void> {
    const { clock, sink, fence, tracer } = this.#env;
    const object = this.#around.own.store.byKey(key);
    if (object === undefined || !fence.allows(nameOfKey(key))) return;
    for (const polling of this.#pollings) polling.keep(object);
    const { timeout, name: controller } = this.controller;
    this.#count += 1;
    const reconcileID = `${this.#reconcileIdPrefix}-${this.#count}`;
    const log = this.#around.log.with({ ...nameOfKey(key), reconcileID, cause });
    const state: PassState = {
      key,
      now: clock.now(),
      log,
      signal: stop.signal,
      object,
      own: new Set(),
      effect: "none",
      isOutdated: false,
      hasMade: false,
      isOwnerSeen: false,
      seen: new Set(),
      isCrossed: false,
      heldUntil: 0,
      isLast,
    };
    this.#meanwhile.set(key, { changes: [] });
    const began = clock.uptime();
    const limit = clock.after(timeout, () => stop.abort(new Error(`a pass has ${timeout / 1000} s, and took longer`)));
    const attributes = { controller, key, cause, waited };
    try {
      const run = () => pass(this.#around, state);
      const end = await traced(tracer, "reconcile", attributes, run, ({ result }) => ({ result }));
      sink({ is: "pass", controller, result: end.result, took: clock.uptime() - began });
      this.#next(key, end, cause);
    } catch (error) {
      if (error instanceof StatusViolation) this.#env.onViolation(error);
      else log.error("a pass broke", { err: error });
      this.#next(key, { result: "error", next: { in: "backoff", atLeast: 0 } }, cause);
    } finally {
      limit.cancel();
      this.#askAgain(key, state.own);
    }
  }

  #next(key: Key, { result, next, isOwed = false, retryAfter = 0 }: PassEnd, cause: Cause): void {
    const { sink, random } = this.#env;
    const { name: controller, resync } = this.controller;
    const conflicts = result === "conflict" ? (this.#conflicts.get(key) ?? 0) + 1 : 0;
    if (conflicts === 0) this.#conflicts.delete(key);
    else this.#conflicts.set(key, conflicts);
    if (isOwed) this.#owed.add(key);
    else this.#owed.delete(key);
    if (next.in === "backoff" || conflicts > patience) {
      sink({ is: "retry", controller });
      this.#queue.retry(key, next.in === "backoff" ? next.atLeast : retryAfter, cause);
      return;
    }
    this.#queue.succeeded(key);
    // Also where the operator dealt with the 429 itself.
    this.#queue.hold(key, retryAfter);
    if (next.in !== "never") this.#queue.addAfter(key, next.in, conflicts > 0 ? cause : "timer");
    else if (resync !== undefined) this.#queue.addAfter(key, jitter(random, resync, 0.1), "resync");
  }
}

/** The keys of an object's owners of a kind. */
function* ownersOf(object: KubeObject | undefined, kind: KindRef, { anyOwner = false }: Input): Iterable<Key> {
  const namespace = kind.scope === "Cluster" ? undefined : object?.metadata?.namespace;
  for (const owner of object?.metadata?.ownerReferences ?? []) {
    const isKind = owner.kind === kind.kind && owner.apiVersion.split("/")[0] === kind.apiVersion.split("/")[0];
    if (!isKind || !(anyOwner || owner.controller === true)) continue;
    yield keyOf({ name: owner.name, ...(namespace === undefined ? {} : { namespace }) });
  }
}

function isRelevant({ changed }: Input, { old, new: next }: Change<KubeObject>): boolean {
  if (changed === undefined || old === undefined || next === undefined) return true;
  return old.metadata?.uid !== next.metadata?.uid || changed(old, next);
}

function matters(aspects: readonly Aspect[] | undefined, old: KubeObject, next: KubeObject): boolean {
  if (aspects === undefined) return true;
  const [a, b] = [old.metadata, next.metadata];
  return aspects.some((aspect) => {
    if (aspect === "generation") return a?.generation !== b?.generation;
    if (aspect === "deletion") return a?.deletionTimestamp !== b?.deletionTimestamp;
    if (aspect === "status") return !deepEqual(statusOf(old), statusOf(next));
    return !deepEqual(a?.[aspect], b?.[aspect]);
  });
}

const statusOf = (object: KubeObject): unknown => (object as { status?: unknown }).status;
