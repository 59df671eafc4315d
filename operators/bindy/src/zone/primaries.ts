// Brings a zone to its primaries: reads what each has, writes the difference, and reads back what came of it (8.5). All of them
// get the same serial. A call never throws for what a server does: how it ended is a value.
import type { Bindcar, BindcarPod, CallOptions } from "../bindcar/client.ts";
import type { RRset, RRsetChange, ZoneInfo } from "../bindcar/contract.ts";
import { answered, type Trouble } from "../bindcar/outcome.ts";
import type { Content } from "./compile.ts";
import { changesTo, inSteps, primaryZone, type Transfers, withSerial } from "./difference.ts";
import type { Memory } from "./memory.ts";
import type { UpServer } from "./pods.ts";
import { type Standing, serialsUpTo, targetSerial } from "./serial.ts";

export interface Surroundings {
  readonly bindcar: Bindcar;
  readonly memory: Memory;
  readonly signal: AbortSignal;
  /** How a server has answered, as soon as it is known. Undefined: all went well. */
  readonly report: (pod: string, trouble: Trouble | undefined) => void;
}

export interface PrimaryServer extends UpServer {
  /** Signed by this policy. */
  readonly dnssecPolicy?: string;
}

export interface PrimaryTask {
  readonly zone: { readonly uid: string };
  readonly content: Content;
  /** The serial that the spec asks for at least, and the one that all had. */
  readonly least: number;
  readonly stored: number | undefined;
  readonly transfers: Transfers;
  readonly servers: readonly PrimaryServer[];
  readonly followers: readonly UpServer[];
}

/** How it ended on one server. */
export type Result =
  | { readonly is: "served"; readonly serial: number; readonly rrsets: readonly RRset[] }
  | { readonly is: "differs"; readonly left: readonly RRsetChange[] } // it said yes, and has something else
  | { readonly is: "trouble"; readonly trouble: Trouble; readonly isUnread?: true }; // unread: what it has is unknown

export interface Published {
  readonly serial: number | undefined;
  /** By the pod's uid. */
  readonly results: ReadonlyMap<string, Result>;
}

export async function publish(task: PrimaryTask, around: Surroundings): Promise<Published> {
  const work = task.servers.map((server) => new Primary(task, server, around));
  const told = ({ server, result }: Primary) =>
    around.report(server.uid, result.is === "trouble" ? result.trouble : undefined);
  await Promise.all(work.map((it) => it.read().then(() => it.isOver && told(it))));
  const primaries = work.flatMap(({ standing }) => standing ?? []);
  if (primaries.length === 0) return { serial: undefined, results: resultsOf(work) };
  const followed = await followedSerials(task, primaries, around);
  const serial = targetSerial({ least: task.least, stored: task.stored, primaries, followed });
  await Promise.all(work.map((it) => it.isOver || it.write(serial).then(() => told(it))));
  return { serial, results: resultsOf(work) };
}

/** Where no primary has the zone, nobody else knows which serials it had: whoever followed one takes nothing for news but what is newer. */
async function followedSerials(
  { content, followers }: PrimaryTask,
  primaries: readonly Standing[],
  { bindcar, signal }: Surroundings,
): Promise<readonly number[]> {
  if (primaries.some(({ serial }) => serial !== undefined)) return [];
  const asked = followers.map(({ http }) => bindcar.at(http).zoneStatus(content.zone, { signal }));
  return (await Promise.all(asked)).flatMap((it) => (it.ok ? (it.value.serial ?? []) : []));
}

const resultsOf = (work: readonly Primary[]): ReadonlyMap<string, Result> =>
  new Map(work.map((it) => [it.server.uid, it.result]));

/** What a server was found to have. */
type Seen =
  | { readonly at: "unread" }
  | { readonly at: "absent" }
  | {
      readonly at: "there";
      readonly serial: number;
      readonly rrsets: readonly RRset[];
      readonly changes: readonly RRsetChange[];
      readonly signing: "right" | "wrong"; // by another policy, or by none: it has to be made again
    }
  | { readonly at: "closed"; readonly serial: number | undefined; readonly isAsWanted: boolean } // an older Bindcar: it cannot be read
  | { readonly at: "trouble"; readonly trouble: Trouble };

class Primary {
  readonly server: PrimaryServer;
  readonly #task: PrimaryTask;
  readonly #around: Surroundings;
  readonly #pod: BindcarPod;
  readonly #call: CallOptions;
  #seen: Seen = { at: "unread" };
  result: Result = { is: "trouble", trouble: { at: "aborted" } };

  constructor(task: PrimaryTask, server: PrimaryServer, around: Surroundings) {
    this.server = server;
    this.#task = task;
    this.#around = around;
    this.#pod = around.bindcar.at(server.http);
    this.#call = { signal: around.signal };
  }

  /** As far as the serial depends on it. */
  get standing() {
    const seen = this.#seen;
    if (seen.at === "absent") return { steps: 1 };
    if (seen.at === "there") {
      const steps = Math.max(inSteps(seen.changes).length, seen.signing === "wrong" ? 1 : 0);
      return { serial: seen.serial, steps };
    }
    if (seen.at !== "closed") return undefined;
    return { ...(seen.serial !== undefined && { serial: seen.serial }), steps: seen.isAsWanted ? 0 : 1 };
  }

  /** There is nothing to write on a server that could not be read. */
  get isOver(): boolean {
    return this.#seen.at === "trouble";
  }

  async read(): Promise<void> {
    const { zone } = this.#task.content;
    const status = await this.#pod.zoneStatus(zone, this.#call);
    if (!status.ok) {
      const isAbsent = answered(status.trouble, 404);
      if (isAbsent) this.#forget();
      this.#seen = isAbsent ? { at: "absent" } : this.#unreadable(status.trouble);
      return;
    }
    const found = await this.#pod.rrsets(zone, this.#call);
    if (found.ok) {
      const { serial, rrsets } = found.value;
      const changes = changesTo(this.#task.content, rrsets);
      this.#seen = { at: "there", serial, rrsets, changes, signing: this.#signingIn(rrsets) };
    } else if (isUnknown(found.trouble)) {
      const isAsWanted = this.#known.content === this.#fingerprint;
      this.#seen = { at: "closed", serial: status.value.serial, isAsWanted };
    } else this.#seen = this.#unreadable(found.trouble);
  }

  async write(serial: number): Promise<void> {
    const seen = this.#seen;
    if (seen.at === "unread" || seen.at === "trouble") return;
    const trouble = await this.#bring(seen, serial);
    if (trouble !== undefined) this.#failed(trouble);
  }

  async #bring(seen: Exclude<Seen, { at: "unread" | "trouble" }>, serial: number): Promise<Trouble | undefined> {
    if (seen.at === "absent") return (await this.#make(serial)) ?? this.#readBack();
    if (seen.at === "closed") {
      const isRight = seen.isAsWanted && seen.serial === serial;
      return isRight ? this.#settled(serial, []) : ((await this.#remake(serial)) ?? this.#settled(serial, []));
    }
    if (seen.signing === "wrong") return (await this.#remake(serial)) ?? this.#readBack();
    // BIND raises the serial of what it signs by itself.
    const isBehind = seen.serial !== serial && this.server.dnssecPolicy === undefined;
    if (seen.changes.length === 0 && !isBehind)
      return (await this.#peers(serial)) ?? this.#settled(seen.serial, seen.rrsets);
    return (await this.#change(seen.changes, serial)) ?? (await this.#peers(serial)) ?? this.#readBack();
  }

  /** By which policy a zone is signed cannot be read, only whether it is. */
  #signingIn(rrsets: readonly RRset[]): "right" | "wrong" {
    const { dnssecPolicy = unsigned } = this.server;
    const isSigned = rrsets.some(({ type }) => type === "DNSKEY");
    if (this.#known.policy === undefined && isSigned === (dnssecPolicy !== unsigned)) this.#known.policy = dnssecPolicy;
    return this.#known.policy === dnssecPolicy ? "right" : "wrong";
  }

  /** One transaction; several, with a serial each, where it is too large for one. */
  async #change(changes: readonly RRsetChange[], last: number): Promise<Trouble | undefined> {
    const { zone } = this.#task.content;
    const steps = inSteps(changes);
    const serials = serialsUpTo(last, Math.max(1, steps.length));
    for (const [i, serial] of serials.entries()) {
      const step = withSerial(steps[i] ?? [], serial);
      const put = await this.#pod.putRRsets(zone, { serial, changes: step }, this.#call);
      // 409: not everything came about. Reading back tells what.
      if (!put.ok && !answered(put.trouble, 409)) return isUnknown(put.trouble) ? this.#remake(last) : put.trouble;
    }
    return undefined;
  }

  async #make(serial: number): Promise<Trouble | undefined> {
    const { content, transfers } = this.#task;
    const { keyName, dnssecPolicy } = this.server;
    const body = primaryZone(content, {
      ...transfers,
      serial,
      keyName,
      ...(dnssecPolicy !== undefined && { dnssecPolicy }),
    });
    const made = await this.#pod.createZone(body, this.#call);
    if (!made.ok) return made.trouble;
    // Where it was there all the same, nobody knows with what: the next look tells.
    if (made.value === "exists") return undefined;
    this.#known.peers = this.#wantedPeers;
    this.#known.content = this.#fingerprint;
    this.#known.policy = dnssecPolicy ?? unsigned;
    return undefined;
  }

  async #remake(serial: number): Promise<Trouble | undefined> {
    const gone = await this.#pod.deleteZone(this.#task.content.zone, this.#call);
    return gone.ok ? this.#make(serial) : gone.trouble;
  }

  /** Secondaries come and go, and get new addresses (L-41). */
  async #peers(serial: number): Promise<Trouble | undefined> {
    const { content, transfers, zone } = this.#task;
    // Another leader may have told it otherwise: while somebody gets nothing new it is looked at again.
    if (this.#known.peers === this.#wantedPeers && !this.#around.memory.isBehind(zone.uid)) return undefined;
    const info = await this.#pod.zone(content.zone, this.#call);
    if (!info.ok) return info.trouble;
    if (peersOf(info.value) !== this.#wantedPeers) {
      const { alsoNotify, allowTransfer } = transfers;
      const changed = await this.#pod.modifyZone(content.zone, { alsoNotify, allowTransfer }, this.#call);
      if (!changed.ok && !answered(changed.trouble, 400)) return changed.trouble;
      if (!changed.ok) return this.#remake(serial); // an older one takes no ports here
    }
    this.#known.peers = this.#wantedPeers;
    return undefined;
  }

  async #readBack(): Promise<Trouble | undefined> {
    const found = await this.#pod.rrsets(this.#task.content.zone, this.#call);
    if (!found.ok) return isUnknown(found.trouble) ? this.#unread() : found.trouble;
    const left = changesTo(this.#task.content, found.value.rrsets);
    if (left.length === 0) return this.#settled(found.value.serial, found.value.rrsets);
    this.result = { is: "differs", left };
    return undefined;
  }

  /** What cannot be read is there, at least. */
  async #unread(): Promise<Trouble | undefined> {
    const status = await this.#pod.zoneStatus(this.#task.content.zone, this.#call);
    return status.ok ? this.#settled(status.value.serial ?? 0, []) : status.trouble;
  }

  #settled(serial: number, rrsets: readonly RRset[]): undefined {
    this.result = { is: "served", serial, rrsets };
    return undefined;
  }

  #failed(trouble: Trouble): void {
    this.result = { is: "trouble", trouble };
  }

  #unreadable(trouble: Trouble): Seen {
    this.result = { is: "trouble", trouble, isUnread: true };
    return { at: "trouble", trouble };
  }

  get #known() {
    return this.#around.memory.of(this.#task.zone.uid, this.server.uid);
  }

  #forget(): void {
    delete this.#known.peers;
    delete this.#known.content;
    delete this.#known.policy;
  }

  get #wantedPeers(): string {
    return peersOf(this.#task.transfers);
  }

  get #fingerprint(): string {
    const { soa, ttl, rrsets } = this.#task.content;
    return JSON.stringify([soa, ttl, rrsets]);
  }
}

const unsigned = "none";

/** An older Bindcar does not know what it is asked. Of a zone that is there, 404 means the same. */
const isUnknown = (trouble: Trouble): boolean => answered(trouble, 404, 405, 501);

const peersOf = ({ alsoNotify = [], allowTransfer = [] }: Pick<ZoneInfo, "alsoNotify" | "allowTransfer">): string =>
  `${alsoNotify.toSorted().join(" ")} | ${allowTransfer.toSorted().join(" ")}`;
