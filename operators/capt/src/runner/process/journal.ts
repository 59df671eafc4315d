// What is written down of a run before and while it goes on, so that another process of the operator knows it. Pure.
import type { Instant } from "@telltale/kinds";
import type { LeftRun, Operation } from "../engine.ts";
import type { Step } from "../error-class.ts";
import type { Exit, ProcessRef } from "./machine.ts";

export interface Journal extends LeftRun {
  readonly revision: string;
  readonly step: Step;
  readonly phase: "running" | "ended";
  readonly process?: ProcessRef;
  readonly code?: number;
}

const operations: readonly Operation[] = ["plan", "apply", "destroy"];

/** A journal that can be trusted: of this Workspace, and whole. */
export function parseJournal(text: string | undefined, uid: string): Journal | undefined {
  const it = recordOf(text);
  if (it === undefined || it["uid"] !== uid || typeof it["id"] !== "string") return undefined;
  if (!operations.includes(it["operation"] as Operation)) return undefined;
  return it as unknown as Journal; // written by `formatJournal`, in one step
}

export const formatJournal = (journal: Journal): string => `${JSON.stringify(journal)}\n`;

export const leftOf = ({ id, uid, operation, generation, startedAt }: Journal): LeftRun => ({
  id,
  uid,
  operation,
  generation,
  startedAt: startedAt as Instant,
});

/** The name of one step of a run, in its exit record. */
export const stepId = ({ id, step }: Pick<Journal, "id" | "step">): string => `${id}/${step}`;

/** How a step ended: by itself with a code, or not by itself. */
export type StepEnd = { readonly as: "exited"; readonly code: number } | { readonly as: "crashed" };

/** A record of another step, none, or one that tells of a signal: the step did not end by itself. */
export function stepEnd(text: string | undefined, id: string): StepEnd {
  const it = recordOf(text) as Partial<Exit> | undefined;
  if (it?.id !== id || typeof it.code !== "number") return { as: "crashed" };
  return { as: "exited", code: it.code };
}

function recordOf(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
