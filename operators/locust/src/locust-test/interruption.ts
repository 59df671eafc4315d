// Whether the load of a test was less than it should have been, by what was seen of it. Pure.
import type { Pod } from "@telltale/kinds/builtin";
import { sanitize } from "../sanitize.ts";
import type { World } from "./world.ts";

export interface Interruption {
  readonly reason: "RanShort" | "WorkersLost" | "MasterDisrupted";
  readonly message: string;
}

/** Undefined also where nothing is known of the load: then nothing is said of it. */
export function interruptionOf(world: World): Interruption | undefined {
  const message = interruption(world);
  if (message === undefined) return undefined;
  if (disruptionOf(world) !== undefined) return { reason: "MasterDisrupted", message };
  return { reason: world.telemetry.loadLength === "short" ? "RanShort" : "WorkersLost", message };
}

export function interruption(world: World): string | undefined {
  const { progress, loadLength, lostWorkers = 0 } = world.telemetry;
  const { duration = "0s", runTime = "" } = progress ?? {};
  const disruption = disruptionOf(world);
  const found = [
    ...(disruption === undefined ? [] : [`the master pod ${disruption}, so that the test may have been cut short`]),
    ...(loadLength === "short" ? [`the load ended before its run time: ${duration} of ${runTime}`] : []),
    ...(lostWorkers > 0 ? [`${lostWorkers} of ${expectedOf(world)} workers lost while there was load`] : []),
  ];
  return found.length === 0 ? undefined : found.join("; ");
}

/** A test that counts only with its whole load, of which not enough was seen. */
export function unverified({ test, telemetry }: World): string | undefined {
  const isAsked = test.spec.successCriteria === "FullLoad";
  return isAsked && telemetry.loadLength !== "whole" ? "whether the load was complete is not known" : undefined;
}

const expectedOf = ({ test }: World): number => test.status?.expectedWorkers ?? test.spec.worker.replicas;

/** What ended the master pod from outside, by the word of whoever did it. */
function disruptionOf({ pods }: World): string | undefined {
  return pods.master.map(disruption).find((it) => it !== undefined);
}

function disruption({ status }: Pod): string | undefined {
  const target = status?.conditions?.find(({ type, status: is }) => type === "DisruptionTarget" && is === "True");
  const isEvicted = status?.reason === "Evicted";
  if (target === undefined && !isEvicted) return undefined;
  const reason = target?.reason ?? "";
  const known = disruptions[reason];
  if (known !== undefined) return known;
  const isOfKubelet = isEvicted || reason === "TerminationByKubelet";
  const deed = isEvicted ? "was evicted" : "was ended";
  const who = isOfKubelet ? `${deed} by the kubelet of its node` : "was disrupted";
  const why = sanitize(status?.message || target?.message || (isOfKubelet ? "" : reason)).replace(/\.$/, "");
  return why === "" ? who : `${who} (${why})`;
}

/** Reasons that Kubernetes gives for DisruptionTarget. Why a kubelet ends a pod only its message says. */
const disruptions: Readonly<Record<string, string>> = {
  PreemptionByScheduler: "was preempted by the scheduler for a pod of higher priority",
  DeletionByTaintManager: "was deleted because of a taint of its node that it does not tolerate",
  EvictionByEvictionAPI: "was evicted by a request, as when its node is drained",
  DeletionByPodGC: "was deleted because its node is gone or out of service",
};
