// Keeps a group of Leases tidy: takes members off that are gone, and Leases away that nobody has used for long. Every member does
// it; who is second finds it done.
import { type CallOptions, type Client, isConflict, isNotFound } from "@telltale/client";
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { Lease } from "@telltale/kinds/builtin";
import type { Log } from "../log.ts";
import { claimPatch, freed, stamp } from "./lease.ts";
import { type Group, litter, overdue, type There } from "./membership.ts";
import { Troubles } from "./trouble.ts";

export interface SweepOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
  /** Our own Lease. */
  readonly name: string;
  readonly duration: Ms;
}

/** Says whether the members are others by it. Its troubles are told, and harm nobody. */
export type Sweep = (group: Group, call: CallOptions) => Promise<boolean>;

/** In durations: how long a Lease is left alone that nobody holds. */
const leftAlone = 10;

export function sweeper({ client, clock, log, namespace, name, duration }: SweepOptions): Sweep {
  const troubles = new Troubles(log, { namespace, name, verbs: "patch and delete" });
  let writes = 0;

  async function takeOff({ lease, claim }: There, call: CallOptions): Promise<void> {
    const ref = { namespace, name: lease.metadata?.name ?? "" };
    // On top of what we saw: if it has renewed meanwhile it stays, and if it has not, its next renewal finds this.
    await client.patch(Lease, ref, { json: claimPatch(lease, freed(claim, stamp(clock.now(), writes++))) }, call);
    log.info("took a member off that had not been heard of", { member: ref.name });
  }

  async function remove({ lease }: There, call: CallOptions): Promise<void> {
    const { name = "", uid = "", resourceVersion = "" } = lease.metadata ?? {};
    await client.delete(Lease, { namespace, name }, { propagation: "Background", uid, resourceVersion, ...call });
  }

  async function done(work: Promise<void>, call: CallOptions): Promise<boolean> {
    try {
      await work;
      troubles.over();
      return true;
    } catch (error) {
      if (call.signal?.aborted !== true && !isConflict(error) && !isNotFound(error)) troubles.tell(error);
      return false;
    }
  }

  return async (group, call) => {
    const now = clock.uptime();
    const removals = litter(group, now, leftAlone * duration).map((it) => done(remove(it, call), call));
    const off = await Promise.all(overdue(group, now).map((it) => done(takeOff(it, call), call)));
    await Promise.all(removals);
    return off.includes(true);
  };
}
