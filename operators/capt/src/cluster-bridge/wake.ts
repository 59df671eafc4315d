// When a Cluster is looked at again although nobody told of anything (8.2, 8.4). Pure.
import type { Ms } from "@telltale/kinds";
import { modeInterval } from "./mode.ts";
import { isLeaving, type World } from "./world.ts";

/**
 * B7 asks for no look: whatever changes what a Cluster has to say is told. That somebody took the status itself away is not (8.2), and
 * nothing may depend on the resync of ten hours (10.3); a lost status has to come back (API-11). So there is a look now and then, as often
 * as the tables have it elsewhere for safety (G6, A12), and with no flag, as none of those has one. It asks nobody, and writes only where
 * the status differs: that is all that B7 says of writes.
 */
const recheck: Ms = 300_000;

/** A deletion is watched closely; what is missing may come unheard; and others may begin to look after it. */
export function wakeOf({ cluster, infrastructure, controlPlane, isAsking, mode }: World): Ms | undefined {
  if (isLeaving(cluster)) return 5_000;
  if (infrastructure.is === "absent" || controlPlane.is === "absent") return 30_000;
  if (isAsking) return modeInterval;
  return mode === "standalone" ? recheck : undefined;
}
