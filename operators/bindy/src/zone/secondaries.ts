// Brings a zone to its secondaries: that they have it, know where it comes from, and have got what is new (8.5).
import type { CallOptions } from "../bindcar/client.ts";
import { answered, type Trouble } from "../bindcar/outcome.ts";
import { secondaryZone } from "./difference.ts";
import type { UpServer } from "./pods.ts";
import type { Surroundings } from "./primaries.ts";
import { isNewer } from "./serial.ts";

export interface SecondaryServer extends UpServer {
  /** `ip:port` of where it gets the zone from. */
  readonly primaries: readonly string[];
}

export interface SecondaryTask {
  readonly zone: { readonly uid: string };
  readonly name: string;
  /** What the primaries have. Undefined: they are not ours, or none can be reached. */
  readonly serial: number | undefined;
  readonly servers: readonly SecondaryServer[];
}

export type Followed =
  | { readonly is: "follows"; readonly serial: number } // it has what the primaries have
  | { readonly is: "behind"; readonly have?: number } // it has something older, or nothing yet
  | { readonly is: "waiting" } // nobody has the zone for it yet
  | { readonly is: "trouble"; readonly trouble: Trouble; readonly isUnread?: true }; // unread: what it has is unknown

export async function follow(task: SecondaryTask, around: Surroundings): Promise<ReadonlyMap<string, Followed>> {
  const results = task.servers.map(async (server) => {
    const result = await one(task, server, around);
    // Who waits was not asked.
    if (result.is !== "waiting") around.report(server.uid, result.is === "trouble" ? result.trouble : undefined);
    return [server.uid, result] as const;
  });
  return new Map(await Promise.all(results));
}

async function one(task: SecondaryTask, server: SecondaryServer, around: Surroundings): Promise<Followed> {
  if (server.primaries.length === 0) return { is: "waiting" };
  const pod = around.bindcar.at(server.http);
  const call: CallOptions = { signal: around.signal };
  const known = around.memory.of(task.zone.uid, server.uid);
  const wanted = peersOf(server.primaries);

  const make = async (): Promise<Trouble | undefined> => {
    const made = await pod.createZone(secondaryZone(task.name, server.primaries), call);
    if (!made.ok) return made.trouble;
    if (made.value === "created") known.peers = wanted;
    return renew();
  };
  const renew = async (): Promise<Trouble | undefined> => {
    const asked = await pod.retransfer(task.name, call);
    return asked.ok ? undefined : asked.trouble;
  };
  const remake = async (): Promise<Trouble | undefined> => {
    const gone = await pod.deleteZone(task.name, call);
    return gone.ok ? make() : gone.trouble;
  };
  /** A primary has got a new address (L-42). */
  const redirect = async (): Promise<Trouble | undefined> => {
    const isKnown = known.peers === wanted;
    // Another leader may have told it otherwise: whoever gets nothing new is looked at again.
    if (isKnown && known.behindSince === undefined) return undefined;
    const info = await pod.zone(task.name, call);
    // An older Bindcar tells nothing of a secondary.
    if (!info.ok && answered(info.trouble, 404, 405, 501)) return isKnown ? undefined : remake();
    if (!info.ok) return info.trouble;
    if (peersOf(info.value.primaries ?? []) !== wanted) {
      const changed = await pod.modifyZone(task.name, { primaries: server.primaries }, call);
      if (!changed.ok) return answered(changed.trouble, 400, 404, 405, 501) ? remake() : changed.trouble;
    }
    known.peers = wanted;
    return undefined;
  };

  const before = await pod.zoneStatus(task.name, call);
  const isAbsent = !before.ok && answered(before.trouble, 404);
  if (isAbsent) delete known.peers;
  if (!before.ok && !isAbsent) return { is: "trouble", trouble: before.trouble, isUnread: true };
  const trouble = before.ok ? await redirect() : await make();
  if (trouble !== undefined) return { is: "trouble", trouble };
  const isRight = before.ok && hasIt(before.value.serial, task.serial);
  // What is ahead of all primaries is of another life of the zone: it would wait for ever for something newer.
  const isAhead =
    before.ok &&
    before.value.serial !== undefined &&
    task.serial !== undefined &&
    isNewer(before.value.serial, task.serial);
  if (isAhead) await renew();
  const after = isRight ? before : await pod.zoneStatus(task.name, call);
  if (!after.ok) {
    return { is: "trouble", trouble: after.trouble, ...(!answered(after.trouble, 404) && { isUnread: true }) };
  }
  const { serial } = after.value;
  if (serial !== undefined && hasIt(serial, task.serial)) return { is: "follows", serial };
  return { is: "behind", ...(serial !== undefined && { have: serial }) };
}

const hasIt = (have: number | undefined, want: number | undefined): boolean =>
  have !== undefined && (want === undefined || have === want);

const peersOf = (primaries: readonly string[]): string => primaries.toSorted().join(" ");
