// How a simulated pod ends as a whole: it is deleted, evicted, past its deadline, or its node is lost. Pure.
import { type Instant, parseTime, plus } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { ContainerReport } from "../kubelet/pod-runtime.ts";
import { nameOf } from "../pods/facts.ts";
import { type Behaviour, behaviourOf } from "./behaviour.ts";
import { begunBy, earliest, endOf, normal, warning } from "./container.ts";
import { type Advance, asItWas, reports, type Stored } from "./scene.ts";

export interface Ending {
  readonly at: Instant;
  readonly reason: "Evicted" | "DeadlineExceeded";
  readonly message: string;
}

/** What ends the pod, and when. */
export function endings({ spec }: Pod, { evict }: Behaviour, startedAt: Instant): readonly Ending[] {
  const low = "The node was low on resource: memory. ";
  const late = "Pod was active on the node longer than the specified deadline";
  const deadline = spec?.activeDeadlineSeconds;
  return [
    ...(evict === undefined ? [] : [{ at: plus(startedAt, evict), reason: "Evicted" as const, message: low }]),
    ...(deadline === undefined
      ? []
      : [{ at: plus(startedAt, deadline * 1000), reason: "DeadlineExceeded" as const, message: late }]),
  ];
}

export function endedBy({ reason, message }: Ending, pod: Pod, stored: Stored, now: Instant): Advance {
  return {
    ...reports(pod, (container) => ended(asItWas(stored, container), now, 137)),
    hasSandbox: true,
    ended: { reason, message },
    events: [reason === "Evicted" ? warning(reason, message) : normal(reason, message)],
  };
}

export function lost(pod: Pod, stored: Stored): Advance {
  const message = `Node ${pod.spec?.nodeName ?? ""} which was running pod ${nameOf(pod)} is unresponsive`;
  return { ...reports(pod, (container) => asItWas(stored, container)), hasSandbox: true, lost: { message } };
}

/** Its containers end within its grace. */
export function stopped(pod: Pod, stored: Stored, behaviour: Behaviour, now: Instant): Advance {
  const { metadata, spec } = pod;
  const deadline = parseTime(metadata?.deletionTimestamp) ?? now;
  const asked = plus(deadline, -1000 * (metadata?.deletionGracePeriodSeconds ?? 0));
  const usual = (spec?.restartPolicy ?? "Always") === "Always" ? 0 : 143;
  const times: Instant[] = [];
  const told: string[] = [];
  const both = reports(pod, (container) => {
    const was = asItWas(stored, container);
    if (was.state.is !== "running") return was;
    told.push(`Stopping container ${container.name}`);
    const { stop = 0, stopCode = usual } = behaviourOf(behaviour, container.name, "main");
    const end = plus(begunBy(asked, now), stop);
    const [at, code] = end >= deadline ? [deadline, 137] : [end, stopCode];
    if (at <= now) return ended(was, at < was.state.startedAt ? now : at, code);
    times.push(at);
    return was;
  });
  const wakeAt = earliest(...times);
  const events = told.map((message) => normal("Killing", message));
  return { ...both, hasSandbox: true, events, ...(wakeAt === undefined ? {} : { wakeAt }) };
}

/** What runs ends, what does not stays as it is. */
export function ended(report: ContainerReport, at: Instant, exitCode: number): ContainerReport {
  if (report.state.is !== "running") return report;
  const how = endOf(report, report.state.startedAt, at, exitCode);
  return { ...report, state: { is: "terminated", ...how }, isReady: false, isStarted: false };
}
