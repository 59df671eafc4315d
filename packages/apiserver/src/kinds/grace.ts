// The grace of a pod: how long it may take to end, and that a later request can only shorten it.
import { formatTime, type Instant, parseTime, plus } from "@telltale/kinds";
import { at, type JsonObject, text } from "../json.ts";
import { given, number } from "./edit.ts";

export type Marked =
  | { readonly state: "marked"; readonly pod: JsonObject; readonly grace: number } // with its new deadline
  | { readonly state: "pending" } // it ends soon enough already
  | { readonly state: "immediate"; readonly pod: JsonObject }; // its grace is over

/** The pod with its deadline. `gracePeriodSeconds` is what the request asks for. */
export function markPod(
  pod: JsonObject,
  { gracePeriodSeconds }: { readonly gracePeriodSeconds?: number },
  now: string,
): Marked {
  const metadata = given(pod, "metadata") ?? {};
  const asked = gracePeriodSeconds === undefined ? undefined : atLeast(gracePeriodSeconds);
  const deadline = parseTime(text(metadata["deletionTimestamp"]));
  if (deadline === undefined) {
    const grace = firstGrace(pod, asked);
    const generation = number(metadata, "generation") ?? 0;
    const end = plus(instantOf(now), grace * 1000);
    return {
      state: "marked",
      grace,
      pod: timed(pod, end, grace, generation > 0 ? { generation: generation + 1 } : {}),
    };
  }
  const before = number(metadata, "deletionGracePeriodSeconds") ?? 0;
  if (before === 0) return { state: "immediate", pod };
  if (asked === undefined || asked >= before) return { state: "pending" };
  const end = plus(deadline, (asked - before) * 1000);
  const present = instantOf(now);
  // Time does not run backwards: what should have ended by now ends as soon as possible.
  if (end < present) {
    const grace = asked === 0 ? 0 : 1;
    return { state: "marked", grace, pod: timed(pod, present, grace, {}) };
  }
  return { state: "marked", grace: asked, pod: timed(pod, end, asked, {}) };
}

/** Less than nothing is the shortest there is. */
const atLeast = (seconds: number): number => (seconds < 0 ? 1 : seconds);

/** A pod that never started or has finished needs no time. */
function firstGrace(pod: JsonObject, asked: number | undefined): number {
  const phase = text(at(pod, "status", "phase"));
  if (text(at(pod, "spec", "nodeName")) === "" || phase === "Succeeded" || phase === "Failed") return 0;
  return atLeast(asked ?? number(given(pod, "spec"), "terminationGracePeriodSeconds") ?? 0);
}

function timed(pod: JsonObject, end: Instant, grace: number, more: JsonObject): JsonObject {
  const metadata = {
    ...given(pod, "metadata"),
    ...more,
    deletionTimestamp: formatTime(end),
    deletionGracePeriodSeconds: grace,
  };
  return { ...pod, metadata };
}

const instantOf = (now: string): Instant => {
  const instant = parseTime(now);
  if (instant === undefined) throw new Error(`not a time: ${now}`);
  return instant;
};
