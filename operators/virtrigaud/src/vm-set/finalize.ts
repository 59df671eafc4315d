// The end of a set (3.4): its machines go, the highest first, then its claims where they are to go with it.
import { PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { done, type Finalized, waiting } from "@telltale/runtime";
import { type Draft, text } from "@telltale/status";
import { VirtualMachine, type VMSet } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { mostLeaving } from "./actions.ts";
import { observe } from "./observe.ts";
import type { SetHands } from "./revise.ts";

export async function finalize(set: VMSet, hands: SetHands, draft: Draft<typeof VMSet>): Promise<Finalized> {
  const { finalizers = [], annotations: on = {} } = set.metadata;
  // Whoever deleted it wants its machines to stay: the garbage collector takes our references off them.
  if (finalizers.includes("orphan")) return done;
  const { members, rules, claims } = observe(set, hands);
  if (on[annotations.forceDelete] === "true") {
    hands.event("Warning", "ForceDeleted", text`${members.length} machines are left to the garbage collector`);
    return done;
  }
  const leaving = members.filter(({ isLeaving }) => isLeaving).length;
  const room = rules.isOrdered ? Number(leaving === 0) : mostLeaving - leaving;
  const next = members
    .filter(({ isLeaving }) => !isLeaving)
    .reverse()
    .slice(0, Math.max(0, room));
  for (const { vm } of next) await hands.remove(VirtualMachine, vm, "Background");
  const left = observe(set, hands).members;
  if (left.length > 0) {
    draft
      .set({ replicas: left.filter(({ isLeaving }) => !isLeaving).length })
      .condition("Ready", false, "DeletingReplicas", "the set is being deleted")
      .keep("ReplicaFailure", "UpdateInProgress")
      .condition("Progressing", true, "DeletingReplicas", text`${left.length} VMs are left`)
      .condition("Scaling", true, "ScalingDown", text`${left.length} VMs are left`);
    return waiting(10_000);
  }
  if (rules.dropsDeleted) for (const claim of claims) await hands.remove(PersistentVolumeClaim, claim, "Background");
  return done;
}
