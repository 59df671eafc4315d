// One pass over one object: gate, observe, plan, act, status, one write, after. It says how it ended and when to come again;
// it throws nothing.
import { ApiError, isConflict, type JsonPatchOperation } from "@telltale/client";
import { type Instant, type Kind, type KindRef, type KubeObject, type Ms, parseTime } from "@telltale/kinds";
import { usage } from "@telltale/kinds/usage";
import { type Draft, draft, type Effect, type Finished, StatusViolation, significance } from "@telltale/status";
import { failureFrom } from "../failure.ts";
import { NotLeaderError } from "../fence.ts";
import type { PassResult } from "../samples.ts";
import { annotationPatch } from "../write/annotations.ts";
import type { Written } from "../write/status-writer.ts";
import { isVanished } from "../write/vanished.ts";
import { asKind, isDeclared } from "./declared.ts";
import { echo, hands, look, PassOver, type PassState, refOf } from "./hands.ts";
import { isOfAnotherLife, isOwnerGone } from "./owner.ts";
import type { Finalized, Gate, StatusStep, StatusValue } from "./steps.ts";
import type { Surroundings } from "./surroundings.ts";
import { traced } from "./trace.ts";

/** How a pass ended, and when the next one is wanted. */
export interface PassEnd {
  readonly result: PassResult;
  readonly next: Next;
  /** Its status was put off: it has to be written before the process stops. */
  readonly isOwed?: boolean;
  /** How long the server still wants to be left alone, whether or not the pass failed. */
  readonly retryAfter?: Ms;
}

export type Next =
  | { readonly in: "backoff"; readonly atLeast: Ms }
  | { readonly in: "never" } // not before something changes
  | { readonly in: Ms };

/** Who asks to be called at once, again and again, is not given the whole machine. */
const soonest: Ms = 100;
/** How long until it is looked for a name again that somebody else has. */
const crossed: Ms = 60_000;
const never: Next = { in: "never" };
const soon: Next = { in: 0 };

/** What a pass came to say: nothing is written where there is nothing to say. */
interface Said {
  readonly finished: Pick<Finished, "status" | "changed" | "significance" | "wakeAt" | "effect" | "violations"> &
    Pick<StatusValue<never>, "annotations">;
  readonly world?: unknown;
}

export async function pass(around: Surroundings, state: PassState): Promise<PassEnd> {
  const end = await came(around, state);
  const held = state.heldUntil - around.clock.uptime();
  return held <= 0 ? end : { ...end, next: notWithin(held, end.next), retryAfter: held };
}

/** Whoever was asked to leave the server alone does, whatever else the pass came to. */
function notWithin(held: Ms, next: Next): Next {
  if (next.in === "never") return next;
  return next.in === "backoff"
    ? { in: "backoff", atLeast: Math.max(next.atLeast, held) }
    : { in: Math.max(next.in, held) };
}

async function came(around: Surroundings, state: PassState): Promise<PassEnd> {
  try {
    return await straight(around, state);
  } catch (error) {
    if (error instanceof NotLeaderError) return { result: "ignored", next: never };
    if (error instanceof PassOver) return over(around, state, error.why);
    state.log.error("a pass failed", { err: error });
    if (error instanceof StatusViolation) throw error;
    return { result: "error", next: later(error) };
  }
}

/** After an error, and not before the server wants to be asked again. */
const later = (error: unknown): Next => ({
  in: "backoff",
  atLeast: error instanceof ApiError ? (error.retryAfter ?? 0) : 0,
});

async function straight(around: Surroundings, state: PassState): Promise<PassEnd> {
  const gate = gateOf(around, state);
  if (gate === "ignore") return { result: "ignored", next: never };
  if (gate !== "go" && "again" in gate) return { result: "ignored", next: { in: gate.again } };
  if (gate !== "go") {
    // Nothing was observed, so nothing follows it: what comes after a status is for those that went the whole way.
    const { finished } = say(around, state, gate.only as unknown as StatusStep<never, unknown>, state.object);
    return write(around, state, { finished });
  }
  const isLeaving = state.object.metadata?.deletionTimestamp !== undefined;
  if (isLeaving && !around.controller.untilGone) return ending(around, state);
  if (!isLeaving && needsFinalizer(around, state)) await putFinalizer(around, state);
  const said = await steps(around, state);
  return write(around, state, said);
}

/** The object of this pass, as the controller's steps get it. */
const seen = ({ controller }: Surroundings, { object }: PassState): KubeObject =>
  usage().object(controller.kind, object);

function gateOf(around: Surroundings, state: PassState): Gate<KindRef> {
  for (const ask of around.controller.gates) {
    const answer = ask(seen(around, state), look(around, state));
    if (answer !== "go") return answer;
  }
  return "go";
}

/** Observe, plan, act, status. What is thrown becomes what the kind's table makes of it. */
async function steps(around: Surroundings, state: PassState): Promise<Said> {
  const { steps: line } = around.controller;
  state.isOutdated = false;
  try {
    let world = await line.observe(seen(around, state) as never, look(around, state));
    const actions = line.plan?.(world, state.now);
    if (line.act !== undefined) {
      const before = state.own.size;
      const after = await line.act(actions, hands(around, state) as never, world);
      if (after !== undefined) world = after;
      else if (state.own.size > before) world = await line.observe(seen(around, state) as never, look(around, state));
    }
    state.signal.throwIfAborted();
    if (state.isOutdated) throw new PassOver("conflict");
    return say(around, state, line.status as unknown as StatusStep<never, unknown>, world);
  } catch (error) {
    if (error instanceof NotLeaderError || error instanceof PassOver || error instanceof StatusViolation) throw error;
    return failed(around, state, error);
  }
}

function say(around: Surroundings, state: PassState, status: StatusStep<never, unknown>, world: unknown): Said {
  const { kind } = around.controller;
  if (!isDeclared(kind)) {
    const plain = status as unknown as (world: unknown, object: KubeObject, now: Instant) => StatusValue<never>;
    return { finished: plainly(kind, state.object, plain(world, seen(around, state), state.now)), world };
  }
  const begun = begin(around, state, kind);
  for (const { condition, aggregate } of around.aggregates(state.object)) {
    const { status: value, reason, message } = aggregate.value();
    begun.state({ type: condition, status: value, reason, message } as never);
  }
  (status as unknown as (world: unknown, it: Draft<Kind>, now: Instant) => void)(world, begun, state.now);
  return { finished: begun.finish(), world };
}

function begin(around: Surroundings, state: PassState, kind: Kind): Draft<Kind> {
  return draft(kind, state.object as never, state.now, { strict: around.strict });
}

/** A status that is said whole, of a kind without a vocabulary. */
function plainly(
  kind: Surroundings["controller"]["kind"],
  object: KubeObject,
  said: StatusValue<never>,
): Said["finished"] {
  const before = ((object as { status?: unknown }).status ?? {}) as Record<string, unknown>;
  const status = ((said.status as unknown) ?? before) as Record<string, unknown>;
  const urgency = significance({ ...asKind(kind), volatile: [] } as unknown as Kind, before, status);
  const { annotations = {} } = said;
  const changed = urgency !== "none" || annotationPatch(object, annotations).length > 0;
  return {
    status: status as never,
    annotations,
    changed,
    significance: changed ? "transition" : "none",
    violations: [],
    ...(said.retry === true ? { effect: tryAgain(0) } : {}),
    ...(said.wakeAt === undefined ? {} : { wakeAt: said.wakeAt }),
  };
}

/** What a kind's table makes of an error. A kind without one keeps its status, and is tried again. */
function failed(around: Surroundings, state: PassState, error: unknown): Said {
  const found = failureFrom(error);
  // What the effect came to is not in a status that tells of a failure: its record stays.
  state.effect = "open";
  const { attempts = Number.POSITIVE_INFINITY } = around.controller;
  const isLast = found.class !== "waiting" && found.class !== "conflict" && around.failures(state.key) + 1 >= attempts;
  const failure = isLast ? { ...found, class: "terminal" as const } : found;
  const { kind } = around.controller;
  if (found.class === "bug") {
    around.sink({ is: "panic", controller: around.controller.name });
    state.log.error("a step threw what nobody declared", { err: error });
  } else if (failure.class !== "waiting" && failure.class !== "conflict") {
    state.log.warn("a pass could not do its work", { class: failure.class, reason: failure.reason, err: error });
  }
  if (isDeclared(kind)) return { finished: begin(around, state, kind).fail(failure).finish() };
  const status = ((state.object as { status?: unknown }).status ?? {}) as never;
  const effect = { ...tryAgain(failure.retryAfter ?? 0), class: failure.class };
  return { finished: { status, changed: false, significance: "none", violations: [], effect } };
}

const tryAgain = (atLeast: Ms): Effect => ({
  class: "transient",
  phase: "keep",
  requeue: { in: "backoff", atLeast },
  write: false,
  failureFields: false,
});

/** The one write, and what may only follow it. */
async function write(around: Surroundings, state: PassState, said: Said): Promise<PassEnd> {
  const { controller, writer, sink } = around;
  const { finished } = said;
  for (const { rule, at, problem } of finished.violations) {
    sink({ is: "violation", controller: controller.name, kind: controller.kind.kind, rule });
    state.log.error("a status breaks a rule", { rule, at, problem });
  }
  const before = state.object;
  let written: Written;
  try {
    const send = () => writer.write(before, finished, { now: state.isLast });
    const told = { controller: controller.name, significance: finished.significance };
    written = await traced(around.tracer, "status", told, send, (it) => ({ outcome: it.outcome }));
  } catch (error) {
    // A status that the server refuses is a mistake of ours: the next try says the same, so it comes later and later.
    const refused = error instanceof ApiError && error.code === 422;
    state.log.error(refused ? "the server refuses the status" : "a status could not be written", { err: error });
    return { result: "error", next: later(error) };
  }
  const { outcome } = written;
  if (outcome !== "written" && outcome !== "unchanged") return unwritten(around, state, finished, written);
  if (outcome === "unchanged" && state.hasMade && (await isOwnerGone(around, state)))
    return { result: "success", next: never };
  state.own.add(echo(undefined, written.object));
  state.object = written.object;
  if (controller.steps.after !== undefined && "world" in said) {
    const told = {
      world: said.world,
      object: state.object,
      before: statusOf(before),
      status: finished.status,
      outcome,
    };
    await controller.steps.after(told as never, hands(around, state) as never);
  }
  if (state.effect === "done") await clearRecord(around, state);
  around.calls.settle(state.object.metadata?.uid ?? "", state.seen);
  return ended(around, state, finished, written.stale === true);
}

const statusOf = (object: KubeObject): unknown => (object as { status?: unknown }).status;

function ended(around: Surroundings, state: PassState, finished: Said["finished"], isStale: boolean): PassEnd {
  const { effect } = finished;
  const asked = wakeOf(around, state, finished);
  const wake = state.isCrossed ? earliest({ in: crossed }, asked) : asked;
  if (isStale) return { result: "requeue", next: soon };
  if (effect === undefined) return { result: wake.in === "never" ? "success" : "requeue", next: wake };
  const { requeue } = effect;
  if (effect.class === "waiting" || effect.class === "conflict") {
    return { result: effect.class, next: earliest(requeue, wake) };
  }
  return { result: requeue.in === "never" ? "terminal" : "error", next: earliest(requeue, wake) };
}

/** Counted from here: a pass may have taken longer than there is left. A clock that was put back meanwhile adds nothing. */
function wakeOf({ clock }: Surroundings, state: PassState, { wakeAt }: Said["finished"]): Next {
  if (wakeAt === undefined) return never;
  return { in: Math.max(soonest, wakeAt - Math.max(clock.now(), state.now)) };
}

function earliest(a: Next, b: Next): Next {
  if (b.in === "never" || a.in === "backoff") return a;
  if (a.in === "never" || b.in === "backoff") return b;
  return a.in <= b.in ? a : b;
}

async function unwritten(
  around: Surroundings,
  state: PassState,
  finished: Said["finished"],
  { outcome, in: due = 0 }: Written,
): Promise<PassEnd> {
  if (outcome !== "deferred") return over(around, state, outcome);
  // What was put off holds up nobody who wanted to look sooner.
  const next = earliest({ in: due }, wakeOf(around, state, finished));
  return { result: "requeue", next, isOwed: true };
}

/** A conflict: the world is not what we took it for. The object is read from the server, so that the next pass knows better. */
async function over(around: Surroundings, state: PassState, why: string): Promise<PassEnd> {
  if (why !== "conflict") return { result: why === "gone" ? "success" : "ignored", next: never };
  const { client, cache, controller } = around;
  const { name, namespace } = refOf(state.object);
  const again: PassEnd = { result: "conflict", next: soon };
  const stuck: PassEnd = { result: "conflict", next: { in: "backoff", atLeast: 0 } };
  try {
    const live = await client.get(controller.kind, name, namespace === undefined ? {} : { namespace });
    const isKnown = live.metadata?.resourceVersion === state.object.metadata?.resourceVersion;
    cache.wrote(controller.kind, live);
    if (isOfAnotherLife(live, state.object)) cache.doubt(live.metadata?.resourceVersion ?? "");
    return isKnown ? stuck : again;
  } catch (error) {
    if (!isVanished(error, state.object)) return { result: "conflict", next: later(error) };
    cache.vanished(controller.kind, state.object);
    return { result: "success", next: never };
  }
}

/** The finalizer is there before anything is done that would have to be undone. */
async function putFinalizer(around: Surroundings, state: PassState): Promise<void> {
  const now = state.object.metadata?.finalizers;
  await patchOwn(around, state, [
    { op: "test", path: "/metadata/finalizers", value: now ?? null },
    { op: "add", path: "/metadata/finalizers", value: [...(now ?? []), finalizerOf(around)] },
  ]);
}

function needsFinalizer(around: Surroundings, { object }: PassState): boolean {
  const name = finalizerOf(around);
  if (name === undefined || around.controller.finalizer?.add === false) return false;
  return object.metadata?.finalizers?.includes(name) !== true;
}

function finalizerOf({ controller }: Surroundings): string | undefined {
  const { finalizer, kind } = controller;
  return finalizer !== undefined && isDeclared(kind) ? kind.finalizer : undefined;
}

/** The object is on its way out. */
async function ending(around: Surroundings, state: PassState): Promise<PassEnd> {
  const { controller } = around;
  const { finalizer } = controller;
  const name = finalizerOf(around);
  const ours = name === undefined ? [] : [name, ...(finalizer?.former ?? [])];
  const isHeld = state.object.metadata?.finalizers?.some((it) => ours.includes(it)) ?? false;
  if (finalizer === undefined || !isHeld) {
    return { result: "success", next: never };
  }
  const begun = isDeclared(controller.kind) ? begin(around, state, controller.kind) : undefined;
  const since = parseTime(state.object.metadata?.deletionTimestamp);
  const limit = finalizer.limit === undefined || since === undefined ? undefined : since + finalizer.limit;
  let outcome: Finalized;
  state.isOutdated = false;
  try {
    outcome = await finalizer.run(seen(around, state) as never, hands(around, state) as never, begun as never);
  } catch (error) {
    if (error instanceof NotLeaderError || error instanceof PassOver) throw error;
    if (limit === undefined || state.now < limit) {
      const said = failed(around, state, error);
      return finalizer.quiet === true ? ended(around, state, said.finished, false) : write(around, state, said);
    }
    outcome = { as: "gaveUp", leftovers: failureFrom(error).message };
  }
  if (state.isOutdated) throw new PassOver("conflict");
  if (outcome.as === "waiting" && limit !== undefined && state.now >= limit) {
    outcome = { as: "gaveUp", leftovers: `cleaning up did not end within ${(finalizer.limit ?? 0) / 1000} s` };
  }
  if (outcome.as === "waiting") {
    const again = Math.min(outcome.again ?? 5_000, limit === undefined ? Number.POSITIVE_INFINITY : limit - state.now);
    if (begun === undefined || finalizer.quiet === true) return { result: "waiting", next: { in: again } };
    const end = await write(around, state, { finished: begun.finish() });
    return end.next.in === "never" ? { result: "waiting", next: { in: again } } : end;
  }
  if (outcome.as === "gaveUp") {
    around.announce(
      { kind: controller.kind, object: state.object },
      { type: "Warning", reason: "CleanupGaveUp", message: outcome.leftovers },
    );
    state.log.warn("cleaning up was given up", { leftovers: outcome.leftovers });
  }
  if (outcome.as === "done" && outcome.isTold === true && begun !== undefined) {
    const end = await write(around, state, { finished: begun.finish() });
    if (end.isOwed === true || (end.result !== "success" && end.result !== "requeue")) return end;
  }
  const { finalizers: now = [], generation } = state.object.metadata ?? {};
  await patchOwn(around, state, [
    { op: "test", path: "/metadata/finalizers", value: now },
    // What is to be left may be asked for after all.
    ...(generation === undefined ? [] : [{ op: "test", path: "/metadata/generation", value: generation } as const]),
    { op: "replace", path: "/metadata/finalizers", value: now.filter((it) => !ours.includes(it)) },
  ]);
  return { result: "success", next: never };
}

/** The status holds the result: the record of the effect has done its duty. */
async function clearRecord(around: Surroundings, state: PassState): Promise<void> {
  const { record } = around.controller;
  if (record === undefined || state.object.metadata?.annotations?.[record] === undefined) return;
  await patchOwn(around, state, annotationPatch(state.object, { [record]: undefined }));
}

async function patchOwn(
  around: Surroundings,
  state: PassState,
  operations: readonly JsonPatchOperation[],
): Promise<void> {
  try {
    await hands(around, state).patch(around.controller.kind, state.object, operations);
  } catch (error) {
    if (isConflict(error)) throw new PassOver("conflict");
    if (!isVanished(error, state.object)) throw error;
    around.cache.vanished(around.controller.kind, state.object);
    throw new PassOver("gone");
  }
}
