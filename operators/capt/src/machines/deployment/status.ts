// What a CaptMachineDeployment says of itself. Pure.
import { type Instant, plus } from "@telltale/kinds";
import { type Draft, findCondition, since, text } from "@telltale/status";
import type { CaptMachineDeployment } from "../../kinds/capt-machine-deployment.ts";
import { nothingReal } from "../../provider/words.ts";
import { recheck } from "../gate.ts";
import { isPretended, isStaying } from "../set/plan.ts";
import { unknownStates } from "../set/status.ts";
import { isSelecting } from "./plan.ts";
import { isAvailable, isNew, nextAvailable, setName, unknownIn, type World } from "./world.ts";

type DeploymentDraft = Draft<typeof CaptMachineDeployment>;

interface Counts {
  readonly wanted: number;
  readonly replicas: number;
  readonly updated: number;
  readonly available: number;
}

export function status(world: World, draft: DeploymentDraft, now: Instant): void {
  const { it, isCrossed } = world;
  const counts = countsOf(world, now);
  const { wanted, replicas, updated, available } = counts;
  draft.set({
    replicas,
    updatedReplicas: updated,
    availableReplicas: available,
    unavailableReplicas: Math.max(0, Math.max(wanted, replicas) - available),
    ...(isCrossed ? { collisionCount: (it.status?.collisionCount ?? 0) + 1 } : {}),
  });
  ready(world, counts, draft);
  progressing(world, counts, draft, now);
  draft
    .condition("Paused", false, "NotPaused", "not paused")
    .condition("Deleting", false, "NotDeleting", "not deleting")
    .wake(plus(now, recheck));
  draft.wake(nextAvailable(world, now));
  if (isCrossed) draft.wake(plus(now, 1_000));
}

function countsOf({ it, sets }: World, now: Instant): Counts {
  const staying = sets.flatMap((owned) => owned.machines.filter(isStaying).map((machine) => ({ machine, owned })));
  return {
    wanted: it.spec.replicas ?? 1,
    replicas: staying.length,
    updated: staying.filter(({ owned }) => isNew(owned, it)).length,
    available: staying.filter(({ machine }) => isAvailable(machine, it, now)).length,
  };
}

const isThrough = ({ wanted, replicas, updated, available }: Counts): boolean =>
  updated === wanted && replicas === wanted && available === wanted;

function ready({ it, sets }: World, counts: Counts, draft: DeploymentDraft): void {
  const { wanted, replicas, updated, available } = counts;
  const unknown = unknownIn(sets);
  const isReal = !sets.some(({ machines }) => machines.some(isPretended));
  if (isReal) draft.without("Simulated");
  else draft.condition("Simulated", true, "Simulated", text`machines: ${nothingReal}`);
  if (!isSelecting(it)) {
    draft.condition("Ready", false, "InvalidSelector", "spec.selector does not select the labels of spec.template");
  } else if (isThrough(counts)) {
    const message = isReal ? text`${wanted} machines run` : text`${wanted} machines: ${nothingReal}`;
    draft.condition("Ready", true, isReal ? "Ready" : "Simulated", message);
  } else if (updated < replicas || updated > wanted) {
    draft.condition("Ready", false, "RollingOut", text`${updated} of ${wanted} machines are as the template says`);
  } else if (available + unknown.length >= wanted) {
    draft.condition("Ready", "Unknown", "MachineStateUnknown", unknownStates(unknown));
  } else {
    draft.condition(
      "Ready",
      false,
      "MachinesNotReady",
      text`${available} of ${wanted} machines of CaptMachineSet ${setName(it)} run`,
    );
  }
}

/** The clock runs from the last time that something moved: each move sets it again (14.3). */
function progressing({ it, sets }: World, counts: Counts, draft: DeploymentDraft, now: Instant): void {
  const { updated, available, replicas } = counts;
  if (it.spec.paused === true) {
    draft.condition("Progressing", "Unknown", "DeploymentPaused", "spec.paused is true");
    return;
  }
  if (isThrough(counts)) {
    draft.condition("Progressing", true, "NewMachineSetAvailable", text`CaptMachineSet ${setName(it)} is available`);
    return;
  }
  const unknown = unknownIn(sets);
  if (unknown.length > 0) {
    draft.condition("Progressing", "Unknown", "MachineStateUnknown", text`waits: ${unknownStates(unknown)}`);
    return;
  }
  const { updatedReplicas, availableReplicas, replicas: before, conditions } = it.status ?? {};
  const stored = findCondition(conditions, "Progressing");
  const isMoved = updatedReplicas !== updated || availableReplicas !== available || before !== replicas;
  const isBegun = stored?.reason === "NewMachineSetAvailable" || stored?.status === "Unknown" || stored === undefined;
  const limit = (it.spec.progressDeadlineSeconds ?? 600) * 1000;
  const start = since(conditions, "Progressing") ?? now;
  const end = plus(start > now ? now : start, limit);
  const message = text`CaptMachineSet ${setName(it)} is on its way`;
  if (isMoved || isBegun) {
    draft.condition("Progressing", true, "MachineSetUpdated", message, { restamp: true }).wake(plus(now, limit));
  } else if (now >= end) {
    const late = text`nothing moved within ${limit / 1000} s`;
    draft.condition("Progressing", false, "ProgressDeadlineExceeded", late);
  } else {
    draft.condition("Progressing", true, "MachineSetUpdated", message).wake(end);
  }
}
