// What a run that was stopped comes to. Pure.
import { text } from "@telltale/status";
import { type Outcome, Stopped } from "./engine.ts";

const words = {
  deleted: "the Workspace is deleted",
  asked: "somebody asked for it",
  gone: "the Workspace is gone",
} as const;

export function stoppedOutcome(reason: unknown): Outcome {
  const why = reason instanceof Stopped ? reason.why : "shutdown";
  // It has not failed: whoever comes next goes on from its state.
  if (why === "shutdown") return { as: "stale" };
  if (why === "timeout") return { as: "failed", class: "TimedOut", message: text`the run took longer than it may` };
  return { as: "failed", class: "Cancelled", message: text`the run was cancelled: ${words[why]}` };
}
