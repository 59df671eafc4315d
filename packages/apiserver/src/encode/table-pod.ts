// The row of a pod: one word for how its containers are doing, out of everything that their statuses say.
import { type Instant, parseTime } from "@telltale/kinds";
import { at, type Json, type JsonObject } from "../json.ts";
import { humanDuration } from "./age.ts";
import { ageOf, condition, count, flag, items, nameOf, none, size, words } from "./cells.ts";
import { columns } from "./columns.ts";
import type { TableForm } from "./table.ts";

export const podForm: TableForm = {
  columns: columns(
    "Name:string/name | Ready | Status | Restarts | Age | IP* | Node* | Nominated Node* | Readiness Gates*",
  ),
  row: (pod, now) => {
    const state = podState(pod);
    return [
      nameOf(pod),
      `${state.ready}/${state.total}`,
      state.reason,
      restarts(state, now),
      ageOf(pod, now),
      words(items(pod, "status", "podIPs")[0], "ip") || words(pod, "status", "podIP") || none,
      words(pod, "spec", "nodeName") || none,
      words(pod, "status", "nominatedNodeName") || none,
      gates(pod),
    ];
  },
  conditions: (pod) => {
    const phase = words(pod, "status", "phase");
    if (phase === "Succeeded") return [completed(phase, "The pod has completed successfully.")];
    return phase === "Failed" ? [completed(phase, "The pod failed.")] : undefined;
  },
};

const completed = (reason: string, message: string): JsonObject => ({
  type: "Completed",
  status: "True",
  reason,
  message,
});

interface PodState {
  readonly reason: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: Restarts;
}

interface Restarts {
  readonly times: number;
  readonly last: Instant | undefined;
}

const never: Restarts = { times: 0, last: undefined };

function podState(pod: JsonObject): PodState {
  const inits = items(pod, "spec", "initContainers");
  const sidecars = new Set(inits.filter((c) => words(c, "restartPolicy") === "Always").map((c) => words(c, "name")));
  const start = initState(items(pod, "status", "initContainerStatuses"), sidecars, inits.length);
  let reason = words(pod, "status", "reason") || words(pod, "status", "phase");
  if (words(condition(pod, "PodScheduled"), "reason") === "SchedulingGated") reason = "SchedulingGated";
  let { ready, all: restarted } = start;
  if (start.reason !== undefined) reason = start.reason;
  if (start.reason === undefined || words(condition(pod, "Initialized"), "status") === "True") {
    const main = mainState(items(pod, "status", "containerStatuses"), reason);
    restarted = more(start.ofSidecars, main.restarts);
    ready += main.ready;
    reason = main.reason;
    if (reason === "Completed" && main.running) {
      reason = words(condition(pod, "Ready"), "status") === "True" ? "Running" : "NotReady";
    }
  }
  if (at(pod, "metadata", "deletionTimestamp") !== undefined) {
    const phase = words(pod, "status", "phase");
    if (words(pod, "status", "reason") === "NodeLost") reason = "Unknown";
    else if (phase !== "Succeeded" && phase !== "Failed") reason = "Terminating";
  }
  return { reason, ready, total: size(pod, "spec", "containers") + sidecars.size, restarts: restarted };
}

interface InitState {
  /** Where the pod still stands before its containers start; undefined: it is past that. */
  readonly reason: string | undefined;
  readonly ready: number;
  readonly all: Restarts;
  readonly ofSidecars: Restarts;
}

function initState(statuses: readonly Json[], sidecars: ReadonlySet<string>, total: number): InitState {
  let all = never;
  let ofSidecars = never;
  let ready = 0;
  for (const [i, status] of statuses.entries()) {
    const sidecar = sidecars.has(words(status, "name"));
    all = more(all, restartsOf(status));
    if (sidecar) ofSidecars = more(ofSidecars, restartsOf(status));
    const ended = at(status, "state", "terminated");
    if (ended !== undefined && count(ended, "exitCode") === 0) continue;
    if (sidecar && flag(status, "started")) {
      if (flag(status, "ready")) ready += 1;
      continue;
    }
    const waiting = words(status, "state", "waiting", "reason");
    let reason = `${i}/${total}`;
    if (ended !== undefined) reason = words(ended, "reason") || endReason(ended);
    else if (waiting !== "" && waiting !== "PodInitializing") reason = waiting;
    return { reason: `Init:${reason}`, ready, all, ofSidecars };
  }
  return { reason: undefined, ready, all, ofSidecars };
}

interface MainState {
  readonly reason: string;
  readonly ready: number;
  readonly running: boolean;
  readonly restarts: Restarts;
}

/** From the last container to the first, so that the first one that has something to say has the last word. */
function mainState(statuses: readonly Json[], before: string): MainState {
  let reason = before;
  let ready = 0;
  let running = false;
  let restarted = never;
  for (const status of statuses.toReversed()) {
    restarted = more(restarted, restartsOf(status));
    const waiting = words(status, "state", "waiting", "reason");
    const ended = at(status, "state", "terminated");
    if (waiting !== "") reason = waiting;
    else if (ended !== undefined) reason = words(ended, "reason") || endReason(ended);
    else if (flag(status, "ready") && at(status, "state", "running") !== undefined) {
      running = true;
      ready += 1;
    }
  }
  return { reason, ready, running, restarts: restarted };
}

function endReason(ended: Json): string {
  const signal = count(ended, "signal");
  return signal === 0 ? `ExitCode:${count(ended, "exitCode")}` : `Signal:${signal}`;
}

function restartsOf(status: Json): Restarts {
  const last = parseTime(words(status, "lastState", "terminated", "finishedAt"));
  return { times: Number(count(status, "restartCount")), last };
}

function more(a: Restarts, b: Restarts): Restarts {
  const last = a.last === undefined || (b.last !== undefined && b.last > a.last) ? b.last : a.last;
  return { times: a.times + b.times, last };
}

function restarts({ restarts: { times, last } }: PodState, now: Instant): string {
  return times === 0 || last === undefined ? String(times) : `${times} (${humanDuration(now - last)} ago)`;
}

/** How many of the conditions that a pod waits for beside its own readiness are true. */
function gates(pod: JsonObject): string {
  const wanted = items(pod, "spec", "readinessGates");
  if (wanted.length === 0) return none;
  const met = wanted.filter((g) => words(condition(pod, words(g, "conditionType")), "status") === "True");
  return `${met.length}/${wanted.length}`;
}
