// What a policy counts of placements by it: the only part of its status that is written from here (1.2).
import { ApiError, ConnectionError, isConflict, isNotFound, TimeoutError } from "@telltale/client";
import { parseTime } from "@telltale/kinds";
import { VMPlacementPolicy } from "../kinds/index.ts";
import { type Outcome, statsAfter } from "../placement/stats.ts";
import type { VMHands } from "./act.ts";
import type { World } from "./world.ts";

/** Several machines may be counted at once. */
const mostTries = 5;

export async function count({ vm, needs }: World, outcome: Outcome, hands: VMHands): Promise<void> {
  const { namespace = "", name = "" } = (needs.is === "there" ? needs.policy : undefined)?.metadata ?? {};
  if (name === "") return;
  const took = hands.now - (parseTime(vm.metadata.creationTimestamp) ?? hands.now);
  for (let tried = 0; tried < mostTries; tried += 1) {
    const known = hands.get(VMPlacementPolicy, { namespace, name });
    const policy = tried === 0 ? known : await hands.live(VMPlacementPolicy, { namespace, name });
    if (policy === undefined) return;
    const before = policy.status?.placementStats;
    const value = statsAfter(before, outcome, Math.max(0, took), hands.now);
    try {
      await hands.patchStatus(VMPlacementPolicy, policy, [
        ...(policy.status === undefined
          ? ([
              { op: "test", path: "/status", value: null },
              { op: "add", path: "/status", value: {} },
            ] as const)
          : []),
        { op: "test", path: "/status/placementStats", value: before ?? null },
        { op: "add", path: "/status/placementStats", value },
      ]);
      return;
    } catch (error) {
      if (isConflict(error)) continue;
      if (isNotFound(error)) return;
      // The machine has just been created: a number that cannot be stored must not keep its id from being stored.
      const isRefused = error instanceof ApiError || error instanceof ConnectionError || error instanceof TimeoutError;
      if (!isRefused) throw error;
      hands.log.warn("placement not counted", { policy: `${namespace}/${name}`, error });
      return;
    }
  }
}
