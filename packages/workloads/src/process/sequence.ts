// Which containers of a pod begin or stop now: init containers one after the other, sidecars before and after the rest. Pure.
import type { Next, Stage } from "./container.ts";
import type { Role } from "./spec.ts";

export interface Part {
  readonly name: string;
  readonly role: Role;
  readonly stage: Stage;
  readonly next: Next;
  /** Runs, and its startup probe and postStart hook are through. */
  readonly isStarted: boolean;
}

export type Course =
  | "going" // containers begin as their turn comes
  | "stopping"; // deleted, or past its deadline: nothing begins any more

export interface Moves {
  readonly start: readonly string[];
  /** Hold: its preStop hook runs now, but it gets its signal only when the containers that need it have ended. */
  readonly stop: readonly { readonly name: string; readonly signal: "now" | "hold" }[];
  /** Whether the pod still comes to its main containers, or has. */
  readonly isInitialized: boolean;
}

export function moves(parts: readonly Part[], course: Course): Moves {
  const mains = parts.filter(({ role }) => role === "main");
  const hasBegun = mains.some(({ stage }) => stage.at !== "fresh");
  if (course === "stopping") return { start: [], stop: stops(parts), isInitialized: hasBegun };

  const start: string[] = [];
  for (const part of parts) {
    if (part.role === "main") break;
    const { name, role, stage, next, isStarted } = part;
    const isDone = role === "init" && stage.at === "ended" && stage.how.exitCode === 0;
    if (isDone) continue;
    if (role === "init" && hasBegun) continue; // lost its record: it must have succeeded
    if (role === "init" && stage.at === "ended" && next.do === "stay") {
      // It failed for good, and the pod with it.
      return { start: [], stop: stops(parts), isInitialized: false };
    }
    if (next.do === "start") start.push(name);
    if (!hasBegun && !(role === "sidecar" && isStarted)) return { start, stop: [], isInitialized: false };
  }
  const isOver = mains.length > 0 && mains.every(({ stage, next }) => stage.at === "ended" && next.do === "stay");
  if (isOver) return { start: [], stop: stops(parts), isInitialized: true };
  for (const { name, next } of mains) if (next.do === "start") start.push(name);
  return { start, stop: [], isInitialized: true };
}

/** Everything that runs. A sidecar gets its signal when nothing runs that began after it. */
function stops(parts: readonly Part[]): Moves["stop"] {
  const running = parts.filter(({ stage }) => stage.at === "running");
  return running.map(({ name, role }, at) => {
    const later = running.slice(at + 1);
    return { name, signal: role === "sidecar" && later.length > 0 ? "hold" : "now" };
  });
}
