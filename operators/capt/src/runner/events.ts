// What is told of runs as Kubernetes Events. A plan that finds nothing to do is not worth one.
import type { WorkspaceHands } from "./act.ts";
import type { Order, Outcome } from "./engine.ts";

export function tell({ operation }: Order, outcome: Outcome, hands: WorkspaceHands): void {
  if (outcome.as === "applied" || outcome.as === "destroyed") {
    hands.event("Normal", "RunSucceeded", `${operation} went through`);
  }
  if (outcome.as !== "failed") return;
  const reason = outcome.class === "Cancelled" ? "RunCancelled" : "RunFailed";
  hands.event("Warning", reason, `${operation}: ${outcome.class}: ${outcome.message}`);
}
