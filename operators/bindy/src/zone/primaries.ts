// Brings a zone to its primaries: reads what each has, writes the difference, and reads back what came of it (8.5). All of them
// get the same serial. A call never throws for what a server does: how it ended is a value.
import type { Instant } from "@telltale/kinds";
import type { Bindcar, BindcarPod, CallOptions } from "../bindcar/client.ts";
import type { RRset, RRsetChange, ZoneInfo } from "../bindcar/contract.ts";
import { answered, type Trouble } from "../bindcar/outcome.ts";
import type { Updates } from "../dns-update/client.ts";
import { isSilent, type UpdateTrouble } from "../dns-update/outcome.ts";
import type { Content } from "./compile.ts";
import { changesTo, inSteps, keyOf, primaryZone, type Transfers, withSerial } from "./difference.ts";
import { inMessages, type Looked, type LookTask, look, type Owner, type Place, soaAt, write } from "./in-place.ts";
import type { Memory } from "./memory.ts";
import type { UpServer } from "./pods.ts";
import { following, newest, type Standing, serialsUpTo, targetSerial } from "./serial.ts";

export interface Surroundings {
  readonly bindcar: Bindcar;
  /** For servers whose Bindcar has no way to change RRsets. */
  readonly updates: Updates;
  readonly now: Instant;
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
  /** What records have had there, and have not any more. */
  readonly before: readonly Owner[];
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
  | { readonly is: "trouble"; readonly trouble: ServerTrouble; readonly isUnread?: true }; // unread: what it has is unknown

export type ServerTrouble = Trouble | UpdateTrouble;

export interface Published {
  readonly serial: number | undefined;
  /** By the pod's uid. */
  readonly results: ReadonlyMap<string, Result>;
}

export async function publish(task: PrimaryTask, around: Surroundings): Promise<Published> {
  const work = task.servers.map((server) => new Primary(task, server, around));
  // Of updates the zone speaks: Bindcar has done what it was asked for.
  const told = ({ server, result }: Primary) =>
    around.report(server.uid, result.is === "trouble" && result.trouble.at !== "update" ? result.trouble : undefined);
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
  | { readonly at: "other type" } // it has to be made again
  | {
      readonly at: "there";
      readonly serial: number;
      readonly rrsets: readonly RRset[];
      readonly changes: readonly RRsetChange[];
      readonly signing: "right" | "wrong"; // by another policy, or by none: it has to be made again
      readonly looked?: Looked; // at the DNS port, where Bindcar is mute
    }
  | { readonly at: "trouble"; readonly trouble: ServerTrouble };

type There = Extract<Seen, { at: "there" }>;
type Failed = { readonly ok: false; readonly trouble: ServerTrouble };

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
    if (seen.at === "absent" || seen.at === "other type") return { steps: 1 };
    if (seen.at !== "there") return undefined;
    const steps = Math.max(this.#stepsOf(seen).length, seen.signing === "wrong" ? 1 : 0);
    return { serial: seen.serial, steps };
  }

  #stepsOf({ changes, looked }: There): readonly (readonly RRsetChange[])[] {
    return looked === undefined ? inSteps(changes) : inMessages(looked, this.#task.content.zone);
  }

  /** There is nothing to write on a server that could not be read. */
  get isOver(): boolean {
    return this.#seen.at === "trouble";
  }

  async read(): Promise<void> {
    const found = await this.#found("all");
    if (found.ok) this.#seen = found.value;
    else if (answered(bindcarTrouble(found), 404)) {
      this.#forget();
      this.#seen = { at: "absent" };
    } else this.#seen = this.#unreadable(found.trouble);
  }

  /** 404: it has no such zone. */
  async #found(detail: LookTask["detail"]): Promise<{ readonly ok: true; readonly value: Seen } | Failed> {
    const { zone } = this.#task.content;
    const status = await this.#pod.zoneStatus(zone, this.#call);
    if (!status.ok) return status;
    const { type, serial = 0 } = status.value;
    if (type === "secondary") return { ok: true, value: { at: "other type" } };
    if (this.#known.isMute !== true) {
      const found = await this.#pod.rrsets(zone, this.#call);
      if (found.ok) return { ok: true, value: this.#seenIn(found.value) };
      if (!isUnknown(found.trouble)) return found;
      this.#known.isMute = true;
    }
    const { left, written } = this.#known;
    const isSigned = this.server.dnssecPolicy !== undefined;
    const before = [...(written?.values() ?? []), ...this.#task.before];
    const looked = await look({ content: this.#task.content, serial, isSigned, before, left, detail }, this.#place);
    // Perhaps it was only Bindcar that went wrong once.
    if (!looked.ok) {
      delete this.#known.isMute;
      return looked;
    }
    const seen = { ...this.#seenIn(looked.value), looked: looked.value };
    const { rrsets } = this.#task.content;
    if (seen.changes.length === 0 && seen.looked.isSure) this.#known.left = { serial: seen.serial, rrsets };
    return { ok: true, value: seen };
  }

  #seenIn({ serial, rrsets }: { readonly serial: number; readonly rrsets: readonly RRset[] }): There {
    const changes = changesTo(this.#task.content, rrsets);
    return { at: "there", serial, rrsets, changes, signing: this.#signingIn(rrsets) };
  }

  async write(serial: number): Promise<void> {
    const seen = this.#seen;
    if (seen.at === "unread" || seen.at === "trouble") return;
    const trouble = await this.#bring(seen, serial);
    if (trouble !== undefined) this.#failed(trouble);
  }

  async #bring(seen: Exclude<Seen, { at: "unread" | "trouble" }>, serial: number): Promise<ServerTrouble | undefined> {
    if (seen.at === "absent") return (await this.#make(serial)) ?? this.#readBack();
    if (seen.at === "other type" || seen.signing === "wrong") return (await this.#remake(serial)) ?? this.#readBack();
    // BIND raises the serial of what it signs by itself.
    const isBehind = seen.serial !== serial && this.server.dnssecPolicy === undefined;
    if (seen.changes.length === 0 && !isBehind)
      return (await this.#peers()) ?? this.#settled(seen.serial, seen.rrsets, seen.looked !== undefined);
    const trouble =
      seen.looked === undefined ? await this.#change(seen.changes, serial) : await this.#update(seen, serial);
    return trouble ?? (await this.#peers()) ?? this.#readBack();
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
      if (!put.ok && !answered(put.trouble, 409)) return put.trouble;
    }
    return undefined;
  }

  /** The same at the DNS port. Where somebody else was faster, or the answer was lost, what is there now is looked at. */
  async #update(found: There, target: number): Promise<ServerTrouble | undefined> {
    let seen = found;
    let last = target;
    let trouble: UpdateTrouble = { at: "update", why: "contended" };
    for (let tries = 0; tries < 3; tries += 1) {
      const sent = await this.#sendAll(seen, last);
      if (sent.ok && sent.value === "done") return undefined;
      if (!sent.ok && !isSilent(sent.trouble)) return sent.trouble;
      if (!sent.ok) trouble = sent.trouble;
      const again = await this.#found("all");
      if (!again.ok) return again.trouble;
      if (again.value.at !== "there" || again.value.looked === undefined) return trouble;
      seen = again.value;
      if (seen.changes.length === 0) return undefined;
      last = newest([last, following(seen.serial)]) ?? last;
    }
    return trouble;
  }

  async #sendAll(seen: There, last: number): ReturnType<typeof write> {
    const { content } = this.#task;
    const known = this.#known;
    let { looked } = seen;
    if (looked === undefined) return { ok: true, value: "unmet" };
    const steps = this.#stepsOf(seen);
    known.written = new Map([...(known.written ?? []), ...content.rrsets.map((it) => [keyOf(it), it] as const)]);
    const { isSure } = looked;
    delete known.left;
    for (const [i, serial] of serialsUpTo(last, Math.max(1, steps.length)).entries()) {
      const sent = await write(steps[i] ?? [], { serial, looked, content }, this.#place);
      if (!sent.ok || sent.value === "unmet") return sent;
      if (looked.soa !== undefined) looked = { ...looked, soa: soaAt(content, serial).value };
    }
    if (isSure) known.left = { serial: last, rrsets: content.rrsets };
    return { ok: true, value: "done" };
  }

  async #make(serial: number): Promise<Trouble | undefined> {
    const { content, transfers } = this.#task;
    const { keyName, dnssecPolicy } = this.server;
    const make = (alsoNotify: readonly string[]) => {
      const policy = dnssecPolicy === undefined ? {} : { dnssecPolicy };
      const options = { ...transfers, alsoNotify, serial, keyName, ...policy };
      return this.#pod.createZone(primaryZone(content, options), this.#call);
    };
    const first = await make(transfers.alsoNotify);
    // An older one takes no ports here: secondaries that nobody tells of news are asked to look.
    const isTooMuch = !first.ok && answered(first.trouble, 400) && transfers.alsoNotify.length > 0;
    const made = isTooMuch ? await make([]) : first;
    if (!made.ok) return made.trouble;
    // Where it was there all the same, nobody knows with what: the next look tells.
    if (made.value === "exists") return undefined;
    this.#known.peers = this.#wantedPeers;
    this.#known.left = { serial, rrsets: content.rrsets };
    this.#known.policy = dnssecPolicy ?? unsigned;
    return undefined;
  }

  async #remake(serial: number): Promise<Trouble | undefined> {
    const gone = await this.#pod.deleteZone(this.#task.content.zone, this.#call);
    return gone.ok ? this.#make(serial) : gone.trouble;
  }

  /** Secondaries come and go, and get new addresses (L-41). */
  async #peers(): Promise<Trouble | undefined> {
    const { content, transfers, zone } = this.#task;
    // Another leader may have told it otherwise: while somebody gets nothing new it is looked at again.
    if (this.#known.peers === this.#wantedPeers && !this.#around.memory.isBehind(zone.uid)) return undefined;
    const info = await this.#pod.zone(content.zone, this.#call);
    if (!info.ok) return info.trouble;
    const { alsoNotify, allowTransfer } = transfers;
    const isTold = info.value.alsoNotify !== undefined || info.value.allowTransfer !== undefined;
    const have = isTold ? peersOf(info.value) : (this.#known.peers ?? peersOf({}));
    if (have !== this.#wantedPeers) {
      const both = await this.#pod.modifyZone(content.zone, { alsoNotify, allowTransfer }, this.#call);
      // One that takes no ports here lets them transfer all the same; who is not told of news is asked to look.
      const isTooMuch = !both.ok && answered(both.trouble, 400) && alsoNotify.length > 0;
      const changed = isTooMuch ? await this.#pod.modifyZone(content.zone, { allowTransfer }, this.#call) : both;
      if (!changed.ok) return changed.trouble;
    }
    this.#known.peers = this.#wantedPeers;
    return undefined;
  }

  async #readBack(): Promise<ServerTrouble | undefined> {
    const found = await this.#found("each");
    if (!found.ok) return found.trouble;
    const seen = found.value;
    if (seen.at !== "there") return undefined;
    if (seen.changes.length === 0) return this.#settled(seen.serial, seen.rrsets, seen.looked !== undefined);
    this.result = { is: "differs", left: seen.changes };
    return undefined;
  }

  #settled(serial: number, rrsets: readonly RRset[], isMute: boolean): undefined {
    this.result = { is: "served", serial, rrsets };
    if (!isMute) return undefined;
    const { content } = this.#task;
    this.#known.left = { serial, rrsets: content.rrsets };
    this.#known.written = new Map(content.rrsets.map((it) => [keyOf(it), it]));
    return undefined;
  }

  #failed(trouble: ServerTrouble): void {
    this.result = { is: "trouble", trouble };
  }

  /** Who refuses updates is known not to have what is new. */
  #unreadable(trouble: ServerTrouble): Seen {
    const isRefusal = trouble.at === "update" && !isSilent(trouble);
    this.result = { is: "trouble", trouble, ...(!isRefusal && { isUnread: true }) };
    return { at: "trouble", trouble };
  }

  get #place(): Place {
    return { updates: this.#around.updates, server: this.server, call: this.#call };
  }

  get #known() {
    return this.#around.memory.of(this.#task.zone.uid, this.server.uid);
  }

  #forget(): void {
    const known = this.#known;
    for (const field of ["peers", "left", "written", "policy", "isMute"] as const) delete known[field];
  }

  get #wantedPeers(): string {
    return peersOf(this.#task.transfers);
  }
}

const unsigned = "none";

const bindcarTrouble = ({ trouble }: Failed): Trouble | undefined => (trouble.at === "update" ? undefined : trouble);

/** Such a Bindcar does not know what it is asked. Of a zone that is there, 404 means the same. */
const isUnknown = (trouble: Trouble): boolean => answered(trouble, 404, 405, 501);

const peersOf = ({ alsoNotify = [], allowTransfer = [] }: Pick<ZoneInfo, "alsoNotify" | "allowTransfer">): string =>
  `${alsoNotify.toSorted().join(" ")} | ${allowTransfer.toSorted().join(" ")}`;
