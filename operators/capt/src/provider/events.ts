// What is told of a network or a control plane as Kubernetes Events (15): after the status that carries it was written, and on the
// edge; and a request that keeps failing, the third time (11.1).
import type { Condition, KubeObject } from "@telltale/kinds";
import { findCondition } from "@telltale/status";
import type { Streaks, Told } from "../streaks.ts";
import type { Trouble } from "../trouble.ts";
import type { ProviderWorld } from "./world.ts";

interface Conditioned {
  readonly conditions?: readonly Condition[];
}

/** How a status differs from the one before, and what is told of it: first, what a person does about a failure, or could do. */
export function edgeOf(before: Conditioned, after: Conditioned, isReset: boolean) {
  const told: Told[] = [];
  const was = (type: string) => findCondition(before.conditions, type);
  const is = (type: string) => findCondition(after.conditions, type);
  const turned = (type: string, status: string) => is(type)?.status === status && was(type)?.status !== status;
  const isLost = (type: string) => is(type)?.status !== "True" && was(type)?.status === "True";
  const isNews = (type: string) => is(type)?.reason !== was(type)?.reason || is(type)?.message !== was(type)?.message;
  const tell = (type: Told["type"], reason: string, message = "") => told.push({ type, reason, message });
  if (isReset) tell("Normal", "FailureReset", "the failure is cleared, and its clocks begin anew");
  if (turned("RecoveryAvailable", "True")) tell("Normal", "RecoveryAvailable", is("RecoveryAvailable")?.message);
  return { told, was, is, turned, isLost, isNews, tell };
}

/** What is not known has not failed: then the condition's own reason is told. */
export const lostReason = (now: Condition | undefined, failed: string): string =>
  now?.status === "Unknown" ? now.reason : failed;

/** A world whose requests fail for too long says so. */
export const blinded = <W extends ProviderWorld>(world: W, streaks: Streaks): W =>
  world.trouble !== undefined && streaks.isLasting(world.it.metadata.uid ?? "") ? { ...world, isBlind: true } : world;

interface Teller {
  event(type: Told["type"], reason: string, message: string): void;
}

/** After a pass. `eventsOf` is asked only where everything went through. */
export function announce<W extends ProviderWorld>(
  world: W,
  hands: Teller,
  streaks: Streaks,
  reasonOf: (trouble: Trouble) => string,
  eventsOf: (world: W) => readonly Told[],
): void {
  tellTrouble(world.it, world.trouble, hands, streaks, reasonOf);
  if (world.trouble !== undefined) return;
  for (const { type, reason, message } of eventsOf(world)) hands.event(type, reason, message);
}

/** A request that keeps failing is told the third time; with no trouble the count begins anew. */
export function tellTrouble(
  { metadata }: KubeObject,
  trouble: Trouble | undefined,
  hands: Teller,
  streaks: Streaks,
  reasonOf: (trouble: Trouble) => string,
): void {
  const uid = metadata?.uid ?? "";
  if (trouble === undefined) streaks.end(uid);
  else if (streaks.isDue(uid, trouble)) hands.event("Warning", reasonOf(trouble), trouble.message);
}
