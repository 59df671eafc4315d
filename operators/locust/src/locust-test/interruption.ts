// Whether the load of a test was less than it should have been, by what was seen of it. Pure.
import type { World } from "./world.ts";

export interface Interruption {
  readonly reason: "RanShort" | "WorkersLost" | "MasterEvicted";
  readonly message: string;
}

/** Undefined also where nothing is known of the load: then nothing is said of it. */
export function interruptionOf(world: World): Interruption | undefined {
  const message = interruption(world);
  if (message === undefined) return undefined;
  if (isEvicted(world)) return { reason: "MasterEvicted", message };
  return { reason: world.telemetry.loadLength === "short" ? "RanShort" : "WorkersLost", message };
}

export function interruption(world: World): string | undefined {
  const { progress, loadLength, lostWorkers = 0 } = world.telemetry;
  const { duration = "0s", runTime = "" } = progress ?? {};
  const found = [
    ...(isEvicted(world) ? ["the master pod was evicted, so that the test may have been cut short"] : []),
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

function isEvicted({ pods }: World): boolean {
  return pods.master.some(({ status }) => {
    const isTarget = status?.conditions?.some(({ type, status: is }) => type === "DisruptionTarget" && is === "True");
    return isTarget === true || status?.reason === "Evicted";
  });
}
