// When a Cluster is looked at again although nothing happened (8.2, 8.4). Pure.
import type { Ms } from "@telltale/kinds";
import { modeInterval } from "./mode.ts";
import { isLeaving, type World } from "./world.ts";

/** As long as a status of ours may be lost: nobody tells of it. */
const recheck: Ms = 300_000;

/** A deletion is watched closely; what is missing may come unheard; and others may begin to look after it. */
export function wakeOf({ cluster, infrastructure, controlPlane, isAsking, mode }: World): Ms | undefined {
  if (isLeaving(cluster)) return 5_000;
  if (infrastructure.is === "absent" || controlPlane.is === "absent") return 30_000;
  if (isAsking) return modeInterval;
  return mode === "standalone" ? recheck : undefined;
}
