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
}

export function moves(parts: readonly Part[], course: Course): Moves {
  const mains = parts.filter(({ role }) => role === "main");
  const hasBegun = mains.some(({ stage }) => stage.at !== "fresh");
  if (course === "stopping") return { start: [], stop: stops(parts) };

  if (isOver(parts)) return { start: [], stop: stops(parts) };
  const start: string[] = [];
  for (const part of parts) {
    if (part.role === "main") break;
    const { name, role, stage, next, isStarted } = part;
    const isDone = role === "init" && stage.at === "ended" && stage.how.exitCode === 0;
    if (isDone) continue;
    if (role === "init" && hasBegun) continue; // lost its record: it must have succeeded
    if (next.do === "start") start.push(name);
    if (!hasBegun && !(role === "sidecar" && isStarted)) return { start, stop: [] };
  }
  for (const { name, next } of mains) if (next.do === "start") start.push(name);
  return { start, stop: [] };
}

/** Whether the pod has come to its end: all main containers have, or an init container failed for good. */
export function isOver(parts: readonly Part[]): boolean {
  const mains = parts.filter(({ role }) => role === "main");
  const hasBegun = mains.some(({ stage }) => stage.at !== "fresh");
  const isThrough = ({ stage, next }: Part) => stage.at === "ended" && next.do === "stay";
  const isFailed = (part: Part) => isThrough(part) && part.stage.at === "ended" && part.stage.how.exitCode !== 0;
  return mains.every(isThrough) || (!hasBegun && parts.some((part) => part.role === "init" && isFailed(part)));
}

/** Everything that runs. A sidecar gets its signal when nothing runs that began after it. */
function stops(parts: readonly Part[]): Moves["stop"] {
  const running = parts.filter(({ stage }) => stage.at === "running");
  return running.map(({ name, role }, at) => {
    const later = running.slice(at + 1);
    return { name, signal: role === "sidecar" && later.length > 0 ? "hold" : "now" };
  });
}
