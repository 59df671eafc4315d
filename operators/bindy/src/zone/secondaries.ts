// Brings a zone to its secondaries: that they have it, know where it comes from, and have got what is new (8.5).
import type { CallOptions } from "../bindcar/client.ts";
import { answered, type Trouble } from "../bindcar/outcome.ts";
import { secondaryZone } from "./difference.ts";
import { patience } from "./memory.ts";
import type { UpServer } from "./pods.ts";
import type { Surroundings } from "./primaries.ts";
import { isNewer } from "./serial.ts";

export interface SecondaryServer extends UpServer {
  /** `ip:port` of where it gets the zone from. */
  readonly primaries: readonly string[];
  /** Addresses of Services before them, at the port that all DNS has: for a Bindcar that takes no other. */
  readonly services: readonly string[];
}

export interface SecondaryTask {
  readonly zone: { readonly uid: string };
  readonly name: string;
  /** What the primaries have. Undefined: they are not ours, or none can be reached. */
  readonly serial: number | undefined;
  /** No primary has the zone now: what a secondary has is all there is. */
  readonly isUnserved?: boolean;
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
  const services = peersOf(server.services);

  const make = async (): Promise<Trouble | undefined> => {
    const by = (primaries: readonly string[]) => pod.createZone(secondaryZone(task.name, primaries), call);
    const first = await by(server.primaries);
    const isTooMuch = !first.ok && answered(first.trouble, 400) && server.services.length > 0;
    const made = isTooMuch ? await by(server.services) : first;
    if (!made.ok) return made.trouble;
    if (made.value === "created") known.peers = isTooMuch ? services : wanted;
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
  /**
   * Whether nothing that it was told is there any more, or it is not known what it was told and it gets nothing new from a primary
   * that has it. Such a server is made again, as there is no other way to tell it, once there is somebody to get the zone from:
   * until then it answers with what it has.
   */
  const isCutOff = (): boolean => {
    if (task.isUnserved === true) return false;
    const current = [...server.primaries, ...server.services];
    if (known.peers !== undefined) return !known.peers.split(" ").some((it) => current.includes(it));
    const { behindSince = around.now } = known;
    return task.serial !== undefined && around.now - behindSince >= patience;
  };
  /** A primary has got a new address (L-42). */
  const redirect = async (): Promise<Trouble | undefined> => {
    const isKnown = known.peers === wanted || (known.peers === services && services !== "");
    // Another leader may have told it otherwise: whoever gets nothing new is looked at again.
    if (isKnown && known.behindSince === undefined) return undefined;
    const info = await pod.zone(task.name, call);
    // Such a Bindcar tells nothing of a secondary, and cannot turn it.
    if (!info.ok && answered(info.trouble, 404, 405, 501)) {
      known.isMute = true;
      return isCutOff() ? remake() : undefined;
    }
    if (!info.ok) return info.trouble;
    if (peersOf(info.value.primaries ?? []) !== wanted) {
      const changed = await pod.modifyZone(task.name, { primaries: server.primaries }, call);
      if (!changed.ok) return changed.trouble;
    }
    known.peers = wanted;
    return undefined;
  };

  const before = await pod.zoneStatus(task.name, call);
  const isAbsent = !before.ok && answered(before.trouble, 404);
  if (isAbsent) {
    delete known.peers;
    delete known.followed;
    delete known.isMute;
  }
  if (!before.ok && !isAbsent) return { is: "trouble", trouble: before.trouble, isUnread: true };
  // A secondary in the place of a primary is another zone.
  const isOther = before.ok && before.value.type === "primary";
  const trouble = isOther ? await remake() : before.ok ? await redirect() : await make();
  if (trouble !== undefined) return { is: "trouble", trouble };
  const isRight = before.ok && hasIt(before.value.serial, task.serial);
  // What is ahead of all primaries is of another life of the zone: it would wait for ever for something newer.
  const isAhead =
    before.ok &&
    before.value.serial !== undefined &&
    task.serial !== undefined &&
    isNewer(before.value.serial, task.serial);
  // Nobody tells it of news where the Bindcars of its primaries take no ports.
  if (isAhead || (known.isMute === true && before.ok && !isRight)) await renew();
  const after = isRight ? before : await pod.zoneStatus(task.name, call);
  if (!after.ok) {
    return { is: "trouble", trouble: after.trouble, ...(!answered(after.trouble, 404) && { isUnread: true }) };
  }
  const { serial } = after.value;
  const { followed } = known;
  if (serial !== undefined) known.followed = serial;
  if (serial !== undefined && hasIt(serial, task.serial)) {
    // What it got since we know it came from one of these.
    if (followed !== undefined && isNewer(serial, followed)) known.peers ??= wanted;
    return { is: "follows", serial };
  }
  return { is: "behind", ...(serial !== undefined && { have: serial }) };
}

const hasIt = (have: number | undefined, want: number | undefined): boolean =>
  have !== undefined && (want === undefined || have === want);

const peersOf = (primaries: readonly string[]): string => primaries.toSorted().join(" ");
