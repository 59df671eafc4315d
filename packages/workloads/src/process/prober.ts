// Looks at a container again and again, and says when its result has changed: as often as the thresholds ask for, in a row.
import { type Clock, sleep } from "@telltale/clock";
import { probeOnce, type Target, type Verdict } from "./probe.ts";
import type { Probe } from "./spec.ts";

export type ProbeKind = "Startup" | "Readiness" | "Liveness";

/** How the last looks went. Undefined: no result yet. */
export interface Tally {
  readonly last: Verdict["is"] | undefined;
  readonly inRow: number;
  readonly result: Verdict["is"] | undefined;
}

export const noTally: Tally = { last: undefined, inRow: 0, result: undefined };

export function count(tally: Tally, { is }: Verdict, { failureThreshold = 3, successThreshold = 1 }: Probe): Tally {
  const inRow = tally.last === is ? tally.inRow + 1 : 1;
  const isEnough = inRow >= (is === "failure" ? failureThreshold : successThreshold);
  return { last: is, inRow, result: isEnough ? is : tally.result };
}

export interface Prober {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly target: Target;
  readonly clock: Clock;
  /** When the container began, in uptime of the clock. */
  readonly since: number;
  /** Ends the looking. */
  readonly life: AbortSignal;
  /** Each look that failed or was not quite right. */
  readonly remark: (reason: "Unhealthy" | "ProbeWarning", message: string) => void;
  /** The result is new, or comes again. True: that was all. */
  readonly conclude: (result: Verdict["is"]) => boolean;
}

export async function keepProbing({
  kind,
  probe,
  target,
  clock,
  since,
  life,
  remark,
  conclude,
}: Prober): Promise<void> {
  const period = Math.max(1, probe.periodSeconds ?? 10) * 1_000;
  let tally = noTally;
  let wait = Math.max(0, since + (probe.initialDelaySeconds ?? 0) * 1_000 - clock.uptime());
  for (;;) {
    try {
      await sleep(clock, wait, life);
    } catch {
      return;
    }
    const began = clock.uptime();
    const verdict = await probeOnce(probe, target, clock, life);
    if (life.aborted) return;
    if (verdict.is === "failure") remark("Unhealthy", `${kind} probe failed: ${verdict.message}`);
    else if (verdict.warning !== undefined) remark("ProbeWarning", `${kind} probe warning: ${verdict.warning}`);
    tally = count(tally, verdict, probe);
    if (tally.result !== undefined && tally.last === tally.result && conclude(tally.result)) return;
    wait = Math.max(0, period - (clock.uptime() - began));
  }
}
