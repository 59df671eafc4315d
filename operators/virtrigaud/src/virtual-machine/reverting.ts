// Going back to a snapshot, once (3.1, "Snapshot revert"): the mark on the object says which one it went back to last. Pure.
import { text } from "@telltale/status";
import { isReverting } from "./marks.ts";
import { deed, rest, type Step } from "./step.ts";
import type { World } from "./world.ts";

/** How often it is tried for one state of the spec. */
export const revertLimit = 3;

/** 20 */
export function reverting(world: World): Step | undefined {
  const { revert, vm, heard, told } = world;
  if (revert.is === "none") return revert.isMarked ? deed({ is: "unmark" }) : undefined;
  const { name, snapshot, isDone } = revert;
  if (isDone || heard.seen?.is !== "there") return undefined;
  if (isReverting(told) && heard.task !== undefined) {
    if (heard.task.is === "running") return rest({ is: "reverting", name });
    if (heard.task.is === "done") return deed({ is: "markReverted" });
    if (heard.task.is === "failed") return rest({ is: "revertFailed", why: heard.task.said });
  }
  const isOver = told.reconfiguring?.reason === "RevertFailed";
  if (isOver && told.reconfiguring?.observedGeneration === vm.metadata.generation) {
    return rest({ is: "revertFailed", why: text`${told.reconfiguring?.message ?? ""}` });
  }
  if (snapshot === undefined) return rest({ is: "revertFailed", why: text`VMSnapshot ${name} not found` });
  if (snapshot.spec.vmRef.name !== vm.metadata.name) {
    return rest({ is: "revertFailed", why: text`VMSnapshot ${name} is of another machine` });
  }
  const { phase, snapshotID = "" } = snapshot.status ?? {};
  if (phase !== "Ready" || snapshotID === "") {
    return rest({ is: "waiting", for: text`VMSnapshot ${name} is not Ready` });
  }
  return deed({ is: "revert", snapshotId: snapshotID });
}
