// What to do next with a Workspace: the rows of 12.5. Pure.
import { type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { findCondition } from "@telltale/status";
import type { LeftRun, Order, Outcome, Stopped } from "./engine.ts";
import { errorClasses, isErrorClass } from "./error-class.ts";
import type { Snapshot } from "./state.ts";
import { generationOf, mayDo, noteOf, type Shelved, syncOf, type World } from "./world.ts";

export type Move =
  | { readonly do: "nothing" }
  | { readonly do: "rest" } // it is well, and nobody knows when it was last looked at
  | { readonly do: "plan" }
  | { readonly do: "resume"; readonly left: LeftRun }
  | { readonly do: "save"; readonly state: Snapshot; readonly order: Order } // the run goes on, and its state has grown
  | { readonly do: "cancel"; readonly why: Stopped["why"] }
  | { readonly do: "publish"; readonly order: Order; readonly outcome: Outcome };

export function decide(world: World, now: Instant): Move {
  const { workspace, standing, rival, isOpen, engine } = world;
  if (standing.at === "ended") return { do: "publish", order: standing.order, outcome: standing.outcome };
  if (standing.at === "running") {
    const { order, state, isStopping } = standing;
    if (!isStopping && rival !== undefined) return { do: "cancel", why: "shutdown" };
    if (!isStopping && noteOf(workspace, "cancelRun") === order.id) return { do: "cancel", why: "asked" };
    return state === undefined ? { do: "nothing" } : { do: "save", state, order };
  }
  if (rival !== undefined || !isOpen || engine === "none") return { do: "nothing" };
  if (standing.at === "left") return { do: "resume", left: standing.run };
  if (unsyncAt(world, now) !== undefined) return { do: "nothing" };
  const due = dueAt(world, now);
  if (due === "rest") return { do: "rest" };
  return due !== undefined && due <= now ? { do: "plan" } : { do: "nothing" };
}

/** When the next run is due. Undefined: not before something changes. */
function dueAt(world: World, now: Instant): Instant | "rest" | undefined {
  const { workspace, standing } = world;
  if (standing.at !== "idle") return undefined;
  const { last, dueAt: due } = standing;
  switch (syncOf(workspace)) {
    case "good":
      if (world.isCut === true && secretIn(world, now) === 0) return now;
      return due ?? "rest";
    case "unknown":
      // What went wrong with this very generation is tried again in its time; anything else is news.
      return last?.isBad === true && last.generation === generationOf(workspace) ? (due ?? now) : now;
    case "bad": {
      const found = noteOf(workspace, "errorClass");
      if (isErrorClass(found) && errorClasses[found].retry === "edit") return undefined;
      if (found === "Cancelled" && noteOf(workspace, "cancelRun") !== undefined) return undefined;
      // A good run and a bad word: it was paused, or somebody else said it.
      return last?.isBad === true ? (due ?? now) : now;
    }
  }
}

/** How long until the connection Secret may come. */
export function secretIn({ workspace, quirks }: World, at: Instant): Ms {
  if (quirks.secretDelay === 0) return 0;
  return Math.max(0, (readySince(workspace) ?? at) + quirks.secretDelay - at);
}

/** The window in which a simulated Workspace is told to be out of step. */
export function unsyncAt({ workspace, quirks }: World, now: Instant): { until: Instant; message: string } | undefined {
  const since = readySince(workspace);
  if (since === undefined) return undefined;
  for (const { after, for: length, message } of quirks.unsync) {
    const from = plus(since, after);
    if (now >= from && now < plus(from, length)) return { until: plus(from, length), message };
  }
  return undefined;
}

/** When the next such window begins or ends, for one that has been ready since then. */
export function nextUnsync({ quirks }: World, since: Instant, now: Instant): Instant | undefined {
  const edges = quirks.unsync.flatMap(({ after, for: length }) => [plus(since, after), plus(since, after + length)]);
  return edges.filter((edge) => edge > now).sort((a, b) => a - b)[0];
}

export function readySince({ status }: World["workspace"]): Instant | undefined {
  const ready = findCondition(status?.conditions, "Ready");
  return ready?.status === "True" ? parseTime(ready.lastTransitionTime) : undefined;
}

/** What to do next with a Workspace that is being deleted. */
export type EndMove =
  | Exclude<Move, { do: "plan" | "rest" }>
  | { readonly do: "destroy" }
  | { readonly do: "clear" } // nothing is left of it: everything that was kept goes
  | { readonly do: "leave" } // what it made stays, by the will of its owner
  | { readonly do: "refuse"; readonly why: "unreadable" | "real" | "noRunner" };

export function decideEnd(world: World, shelved: Shelved, now: Instant): EndMove {
  const { workspace, standing, rival, isOpen, engine } = world;
  if (standing.at === "ended") return { do: "publish", order: standing.order, outcome: standing.outcome };
  if (standing.at === "running") {
    const { order, state, isStopping } = standing;
    if (!isStopping && order.operation !== "destroy") return { do: "cancel", why: "deleted" };
    return state === undefined ? { do: "nothing" } : { do: "save", state, order };
  }
  if (rival !== undefined || !isOpen) return { do: "nothing" };
  if (standing.at === "left") return { do: "resume", left: standing.run };
  if (shelved.is === "none") return { do: "clear" };
  if (shelved.is === "unreadable") return { do: "refuse", why: "unreadable" };
  const { kept } = shelved;
  if (kept.engine === "simulated" && engine !== "simulated") return { do: "clear" }; // nothing of it was ever real
  if (kept.engine !== "simulated" && engine === "simulated") return { do: "refuse", why: "real" };
  if (!mayDo(workspace, "Delete")) return { do: "leave" };
  if (kept.state?.resources === 0) return { do: "clear" };
  if (engine === "none") return { do: "refuse", why: "noRunner" };
  const { last, dueAt: due } = standing;
  const isLater = last?.operation === "destroy" && due !== undefined && due > now;
  return isLater ? { do: "nothing" } : { do: "destroy" };
}
