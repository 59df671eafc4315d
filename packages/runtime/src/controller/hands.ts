// Looking and acting on behalf of one pass. Every write goes through here: it is refused once the pass is over, and it is in
// the cache before the next line runs.
import { type Applied, type Client, discover, isConflict, isNotFound } from "@telltale/client";
import { uuid } from "@telltale/clock";
import { formatTime, type Instant, type KindRef, type KubeObject, type Ms, matchesSelector } from "@telltale/kinds";
import { usage } from "@telltale/kinds/usage";
import { draft } from "@telltale/status";
import type { Cached } from "../cache/cache.ts";
import { ownerIndex } from "../cache/store.ts";
import { NotLeaderError } from "../fence.ts";
import { type Key, keyOfObject, type Name, nameOfKey } from "../key.ts";
import type { Log } from "../log.ts";
import type { Polled, Poller } from "../poll.ts";
import { annotationPatch } from "../write/annotations.ts";
import { ensure, owned } from "../write/ensure.ts";
import { leaving, showsNews } from "../write/foreign.ts";
import type { MapLook, WriteVerb } from "./declare.ts";
import { isDeclared } from "./declared.ts";
import { isOwnerGone, isSettled } from "./owner.ts";
import { honorRetryAfter, rememberRetryAfter } from "./retry-after.ts";
import { declaresWrite, isWithin } from "./rights.ts";
import type { Effect, EffectRecord, EnsureOptions, Hands, Look } from "./steps.ts";
import { kindId, type Surroundings } from "./surroundings.ts";

/** One pass as its hands know it. */
export interface PassState {
  readonly key: Key;
  readonly now: Instant;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The object, as new as we know it: our own writes replace it. */
  object: KubeObject;
  /** What the pass itself wrote and deleted: to it, no news. See `echo`. */
  readonly own: Set<string>;
  /** The effect outside that this pass is about: `open` while nobody knows what became of it. */
  effect: "none" | "open" | "done";
  /** The answer to one of its own writes showed that somebody else has changed the object meanwhile. */
  isOutdated: boolean;
  /** Whether it made a child. */
  hasMade: boolean;
  /** Whether the object itself was looked up since the pass began. */
  isOwnerSeen: boolean;
  /** The process stops: what was put off is written now. */
  readonly isLast: boolean;
  /** Long calls whose end this pass has seen. */
  readonly seen: Set<string>;
  /** Somebody else has the name of a child: nobody tells when they give it up. */
  isCrossed: boolean;
  /** Until then, by uptime, the server wants to be left alone, whether or not the pass has told of it. */
  heldUntil: Ms;
}

/** What a change leaves behind: a version, or the end of a uid. By it a pass knows its own writes, whichever way they come back. */
export function echo(old: KubeObject | undefined, next: KubeObject | undefined): string {
  const { uid = "", resourceVersion = "" } = (next ?? old)?.metadata ?? {};
  return next === undefined ? `${uid} is gone` : `${uid} at ${resourceVersion}`;
}

/** Reading without a pass: for mappers. */
export function mapLook(around: Pick<Surroundings, "controller" | "own" | "inputs">): MapLook {
  const cached = <T extends KubeObject>(kind: KindRef<T>): Cached<T>["store"] => {
    const { controller, own, inputs } = around;
    const found = kindId(kind) === kindId(controller.kind) ? own : inputs.get(kindId(kind));
    if (found === undefined) {
      throw new Error(`${controller.name}: ${kind.kind} is not declared; add .reads(${kind.kind}) to the controller`);
    }
    return found.store as unknown as Cached<T>["store"];
  };
  return {
    get: (kind, name) => usage().object(kind, cached(kind).get(name)),
    list: (kind, { namespace, labels } = {}) => {
      const found = [...cached(kind).values()].filter(
        ({ metadata }) =>
          (namespace === undefined || metadata?.namespace === namespace) &&
          (labels === undefined || matchesSelector(labels, metadata?.labels)),
      );
      return usage().objects(kind, found.sort(byName));
    },
    where: (kind, index, value) => usage().objects(kind, cached(kind).where(index, value)),
  };
}

const byName = (a: KubeObject, b: KubeObject): number => (keyOfObject(a) < keyOfObject(b) ? -1 : 1);

export function look(around: Surroundings, state: PassState): Look {
  const { client, controller } = around;
  const reading = mapLook(around);
  return {
    ...reading,
    now: state.now,
    log: state.log,
    signal: state.signal,
    children: (kind, of = state.object) => reading.where(kind, ownerIndex, of.metadata?.uid ?? ""),
    async live(kind, { namespace, name }) {
      const { gets, inputs } = controller;
      const cached = [controller.kind, ...inputs.map((input) => input.kind)];
      const isMeant = (it: (typeof gets)[number]) =>
        isWithin(it.select, kind, { name, ...(namespace && { namespace }) });
      const declared = [...cached, ...gets.filter(isMeant).map((it) => it.kind)];
      if (!declared.some((it) => kindId(it) === kindId(kind))) {
        throw new Error(`${controller.name}: ${kind.kind} is not declared; add .gets(${kind.kind}) to the controller`);
      }
      try {
        const { signal } = state;
        const asked = client.get(kind, name, { signal, ...(namespace === undefined ? {} : { namespace }) });
        return await honorRetryAfter(asked, around, state);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    server: {
      list: (kind, options) => honorRetryAfter(client.list(kind, { signal: state.signal, ...options }), around, state),
      async *all(kind, options) {
        try {
          yield* client.all(kind, { signal: state.signal, ...options });
        } catch (error) {
          rememberRetryAfter(error, around, state);
          throw error;
        }
      },
      discover: () => honorRetryAfter(discover(client, { signal: state.signal }), around, state),
      scale: (kind, name) => honorRetryAfter(client.scale.get(kind, name, { signal: state.signal }), around, state),
    },
    recordAge: (record) => around.sightings.age(state.object.metadata?.uid ?? "", record),
    polled<V>(poller: Poller<never, V>) {
      // A poller finds what its own declaration says.
      return around.pollings.get(poller)?.last(state.object) as Polled<V> | undefined;
    },
  };
}

export function hands(around: Surroundings, state: PassState): Hands {
  const { controller, client, cache, clock, random, sink } = around;
  const { fieldManager = around.fieldManager } = controller.write;
  const { signal } = state;

  const wrote = (kind: KindRef, object: KubeObject, isNews = false) => {
    if (!isNews) state.own.add(echo(undefined, object));
    cache.wrote(kind, object);
    if (object.metadata?.uid === state.object.metadata?.uid) state.object = object;
  };

  /** What a write came back with. Where it has news of the object of this pass, what was observed is of the past. */
  const answered = (kind: KindRef, after: KubeObject, isNews: boolean) => {
    wrote(kind, after, isNews);
    if (isNews) state.isOutdated = true;
  };

  const cached = (kind: KindRef, name: Name) => {
    const of = kindId(kind) === kindId(controller.kind) ? around.own : around.inputs.get(kindId(kind));
    return of?.store.get(name);
  };

  /** Where the cache takes what was read past it, the pass knows it; else its event is still to come, and news. */
  const found = (kind: KindRef, object: KubeObject) => {
    cache.wrote(kind, object);
    const isHeld = cached(kind, refOf(object))?.metadata?.resourceVersion === object.metadata?.resourceVersion;
    if (isHeld) state.own.add(echo(undefined, object));
  };

  const gone = (kind: KindRef, object: KubeObject) => {
    state.own.add(echo(object, undefined));
    cache.deleted(kind, object);
  };

  const mayAct = (what: string) => {
    signal.throwIfAborted();
    if (!around.fence.allows(nameOfKey(state.key))) throw new NotLeaderError(what);
  };

  const mayWrite = (kind: KindRef, verb: WriteVerb, { metadata }: KubeObject) => {
    mayAct(`${verb} ${kind.kind}`);
    const { name, namespace = state.object.metadata?.namespace } = metadata ?? {};
    const ref = { ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) };
    if (declaresWrite(controller, kind, verb, ref)) return;
    if (declaresWrite(controller, kind, verb)) {
      const which = `${kind.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
      throw new Error(`${controller.name}: it may not ${verb} ${which}; its declaration names others only`);
    }
    const isOwn = kindId(kind) === kindId(controller.kind);
    const isChild = !isOwn && !verb.includes(" ");
    const fix = `${isChild ? `.owns(${kind.kind}) or ` : ""}.writes(${kind.kind}, "${verb}")`;
    throw new Error(`${controller.name}: it may not ${verb} ${kind.kind}; add ${fix} to the controller`);
  };

  const heed = <R>(work: Promise<R>): Promise<R> => honorRetryAfter(work, around, state);

  /** What nobody owns stays when it comes too late. */
  const beforeCreate = async (as: EnsureOptions<KubeObject>["owner"]) => {
    const isWorthAsking = as === "none" || isSettled(state.object);
    if (isWorthAsking && (await isOwnerGone(around, state))) throw new PassOver("gone");
  };

  type Patch = Hands["patch"];
  const patching = (verb: "patch" | "patch status", send: Client["patch"]): Patch => {
    return async (kind, object, operations) => {
      mayWrite(kind, verb, object);
      const json = [{ op: "test", path: "/metadata/uid", value: object.metadata?.uid } as const, ...operations];
      const after = await heed(send(kind, refOf(object), { json }, { fieldManager, signal }));
      answered(kind, after, showsNews(state.object, after, operations));
      return after;
    };
  };
  const patch = patching("patch", client.patch);

  /** What the server has under the name of an object. */
  const namesake = async <T extends KubeObject>(kind: KindRef<T>, object: T): Promise<T | undefined> => {
    const { namespace, name } = refOf(object);
    try {
      return await heed(client.get(kind, name, { signal, ...(namespace === undefined ? {} : { namespace }) }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  const annotate = async (annotations: Readonly<Record<string, string | undefined>>) => {
    const operations = annotationPatch(state.object, annotations);
    if (operations.length > 0) await patch(controller.kind, state.object, operations);
  };

  /** The record of an effect. Where somebody has moved on, what there is to do may be something else: nothing is begun. */
  const begin = async (annotations: Readonly<Record<string, string>>) => {
    const { resourceVersion: value } = state.object.metadata ?? {};
    const isSame = { op: "test", path: "/metadata/resourceVersion", value } as const;
    try {
      await patch(controller.kind, state.object, [isSame, ...annotationPatch(state.object, annotations)]);
    } catch (error) {
      throw isConflict(error) ? new PassOver("conflict") : error;
    }
  };

  const looking = look(around, state);
  return {
    ...looking,
    async ensure(kind, object, options = {}) {
      mayWrite(kind, "create", object as KubeObject);
      if (options.mode !== "createOnly") mayWrite(kind, "patch", object as KubeObject);
      const owner = { kind: controller.kind, object: state.object };
      const cx = { client, fieldManager, signal, owner, cached, wrote, found, applied: around.applied };
      const before = { beforeCreate: () => beforeCreate(options.owner) };
      const ensured = await heed(ensure({ ...cx, ...before }, kind, object, options));
      if (ensured.as === "created") state.hasMade = true;
      if (ensured.as === "foreign") state.isCrossed = true;
      sink({ is: "ensure", controller: controller.name, kind: kind.kind, outcome: ensured.as });
      return ensured;
    },
    async apply<T extends KubeObject>(kind: KindRef<T>, object: object, { force = false }: { force?: boolean } = {}) {
      const { metadata } = object as KubeObject;
      if (metadata?.uid === undefined) mayWrite(kind, "create", object as KubeObject);
      mayWrite(kind, "patch", object as KubeObject);
      const sent = client.apply<T>(kind, object as Applied<NoInfer<T>>, { fieldManager, force, signal });
      const after = await heed(sent);
      wrote(kind, after);
      return after;
    },
    async create<T extends KubeObject>(
      kind: KindRef<T>,
      object: object,
      options: Pick<EnsureOptions<T>, "owner"> = {},
    ) {
      mayWrite(kind, "create", object as KubeObject);
      await beforeCreate(options.owner);
      const { namespace: own = state.object.metadata?.namespace } = (object as KubeObject).metadata ?? {};
      const namespace = kind.scope === "Cluster" ? undefined : own;
      const place = namespace === undefined ? {} : { namespace };
      const fresh = owned(
        { kind: controller.kind, object: state.object },
        kind,
        place,
        object as KubeObject,
        options.owner ?? "controller",
      );
      const made = await heed(client.create<T>(kind, fresh as NoInfer<T>, { fieldManager, signal }));
      wrote(kind, made);
      state.hasMade = true;
      return made;
    },
    async post(kind, object, subresource, body) {
      mayWrite(kind, `create ${subresource}`, object);
      return heed(client.subresource(kind, refOf(object), subresource, { method: "POST", body, signal }));
    },
    async remove(kind, object, propagation, options = {}) {
      mayWrite(kind, "delete", object);
      const { uid } = object.metadata ?? {};
      try {
        const only = uid === undefined ? {} : { uid };
        const answer = await heed(client.delete(kind, refOf(object), { ...options, propagation, signal, ...only }));
        sink({ is: "ensure", controller: controller.name, kind: kind.kind, outcome: "deleted" });
        // An object comes back where something still holds it; else a Status.
        const isHeld = answer.kind === kind.kind && answer.metadata?.deletionTimestamp !== undefined;
        if (isHeld) answered(kind, answer, showsNews(leaving(state.object, answer), answer, []));
        else gone(kind, object);
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
        const there = isConflict(error) ? await namesake(kind, object) : undefined;
        // Gone, or another one has taken the name: this very one is no more. A conflict about anything else is one.
        if (there !== undefined && there.metadata?.uid === uid) throw error;
        gone(kind, object);
        return there;
      }
      return undefined;
    },
    patch,
    patchStatus: patching("patch status", client.status.patch),
    annotate,
    async once<R>(effect: Effect<R>) {
      const { record } = controller;
      if (record === undefined) {
        throw new Error(`${controller.name}: nothing says where effects are recorded; add .records("<annotation>")`);
      }
      const known = recordOf(state.object, record);
      const ended = (result: R) => {
        state.effect = effect.goesOn?.(result) === true ? "none" : "done";
        return { as: "done", result } as const;
      };
      state.effect = "open";
      const before = known?.op === effect.op ? known : undefined;
      if (before !== undefined) {
        const found = await effect.probe(before);
        if (found === "many") return { as: "ambiguous" };
        if (found !== "none") return ended(found.found);
      }
      const next: EffectRecord = {
        op: effect.op,
        id: before?.id ?? uuid(random),
        attempt: (before?.attempt ?? 0) + 1,
        at: formatTime(clock.now()),
      };
      await begin({ [record]: JSON.stringify(next) });
      // Whoever was held up since then may have been given up, and another one has done it and perhaps undone it.
      mayAct(effect.op);
      return ended(await effect.call(next));
    },
    async fresh() {
      const live = await looking.live(controller.kind, refOf(state.object));
      if (live?.metadata?.resourceVersion !== state.object.metadata?.resourceVersion) throw new PassOver("conflict");
    },
    settled() {
      if (state.effect === "none") state.effect = "done";
    },
    async checkpoint(name, say) {
      signal.throwIfAborted();
      if (!controller.checkpoints.includes(name)) {
        throw new Error(`${controller.name}: "${name}" is no declared checkpoint; add it to .checkpoints(...)`);
      }
      if (!isDeclared(controller.kind)) throw new Error(`${controller.name}: a checkpoint needs a declared kind`);
      const begun = draft(controller.kind, state.object as never, state.now, { strict: around.strict });
      (say as (it: typeof begun) => void)(begun);
      const written = await heed(around.writer.write(state.object, begun.finish(), { now: true, signal }));
      if (!["written", "unchanged"].includes(written.outcome)) throw new PassOver(written.outcome);
      state.own.add(echo(undefined, written.object));
      state.object = written.object;
      sink({ is: "checkpoint", controller: controller.name, name });
    },
    call(name, start) {
      const uid = state.object.metadata?.uid ?? "";
      const called = around.calls.call(uid, name, start, () => around.enqueue(state.key));
      if (called.as !== "running") state.seen.add(name);
      return called;
    },
    event: (type, reason, message, { kind, object } = { kind: controller.kind, object: state.object }) =>
      around.announce({ kind, object }, { type, reason, message }),
  };
}

/** A write in the middle of a pass found that the pass is no longer valid: it is begun again, or not at all. */
export class PassOver extends Error {
  readonly why: string;

  constructor(why: string) {
    super(`the pass ends here: ${why}`);
    this.name = "PassOver";
    this.why = why;
  }
}

export function refOf({ metadata }: KubeObject): Name {
  const { name = "", namespace } = metadata ?? {};
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The record of an effect under way, if there is a readable one. */
export function recordOf(object: KubeObject, annotation: string): EffectRecord | undefined {
  const text = object.metadata?.annotations?.[annotation];
  if (text === undefined) return undefined;
  try {
    const { op, id, attempt, at } = JSON.parse(text) as Partial<EffectRecord>;
    if (typeof op !== "string" || typeof id !== "string") return undefined;
    return { op, id, attempt: typeof attempt === "number" ? attempt : 1, at: typeof at === "string" ? at : "" };
  } catch {
    return undefined; // somebody wrote something else there: as good as none
  }
}
