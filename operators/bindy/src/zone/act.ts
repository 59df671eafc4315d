// Does what was planned: claims records, brings the zone to every server, takes it from those that should not have it, and says
// on instances and records what is whose. Then the ledger tells the others.
import { isConflict, isNotFound } from "@telltale/client";
import { plus } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { Lag } from "../aggregate/pod-view.ts";
import type { Bindcar } from "../bindcar/client.ts";
import type { Trouble } from "../bindcar/outcome.ts";
import type { Updates } from "../dns-update/client.ts";
import type { Bind9Instance } from "../kinds/index.ts";
import { REASON_ZONE_TRANSFER_COMPLETE } from "../reasons.ts";
import type { Ledger, RecordName, RecordResult, ZoneReport } from "./ledger.ts";
import { claim, list, release, unlist, type ZoneHands } from "./marks.ts";
import { type Memory, patience } from "./memory.ts";
import type { Plan, Publishing } from "./plan.ts";
import type { UpServer } from "./pods.ts";
import { publish, type Result, type ServerTrouble } from "./primaries.ts";
import { type Followed, follow } from "./secondaries.ts";
import { isNotTransferred, isUnanswered, standingOf } from "./standing.ts";
import { placeOf } from "./targets.ts";
import { meaningIn } from "./trouble.ts";
import { withdraw } from "./withdraw.ts";
import { type Done, uidOf, type World } from "./world.ts";

/** What is told of pods: the prober's registry. */
export interface PodFindings {
  report(pod: string, trouble: Trouble | undefined, zone?: string): void;
  lags(pod: string, lag: Lag | undefined): void;
  /** Of a pod that has answered before, and that probes do not reach any more. */
  lost(pod: string): Trouble | undefined;
}

export interface Tools {
  readonly bindcar: Bindcar;
  readonly updates: Updates;
  readonly ledger: Ledger;
  readonly memory: Memory;
  readonly findings: PodFindings;
}

export async function act(plan: Plan, hands: ZoneHands, world: World, tools: Tools): Promise<World> {
  const crossings = new Crossings();
  // Before anything is published: who has data on a server must be found again when it goes.
  for (const record of world.records) await crossings.over(() => claim(record, world.zone, hands));
  const done = await bring(plan, hands, world, tools);
  // Where nobody knows what is wanted, whoever has the zone keeps it.
  const isKept = plan.is === "duplicate" || plan.is === "invalid";
  const left = isKept ? new Set<string>() : await takeAway(hands, world, tools);
  const isServed = plan.is === "publish" || plan.is === "mirror";
  const targets = isServed ? targetsOf(world) : [];
  const found = new Map(targets.map((it) => [it, standingOf(it, world, done)]));
  for (const [it, { at }] of found) if (at === "Configured") await crossings.over(() => list(it, world.zone, hands));
  // What is unknown, or may be there all the same, stays as it was last found.
  const isAbsent = (it: Bind9Instance) => isUntransferred(it, world, done);
  const kept = (it: Bind9Instance) => left.has(uidOf(it)) || (found.has(it) && !isAbsent(it));
  if (plan.is !== "invalid")
    for (const it of world.listing) if (!kept(it)) await crossings.over(() => unlist(it, world.zone, hands));
  if (isGoneFrom(plan, done))
    for (const record of world.released) await crossings.over(() => release(record, world.zone, hands));
  tools.ledger.tell(uidOf(world.zone), reportOf(plan, done, world), namesOf(world));
  return { ...world, done: { ...done, left, isCrossed: crossings.some } };
}

type Brought = Omit<Done, "left" | "isCrossed">;
const nothing: Brought = { primaries: new Map(), secondaries: new Map(), late: new Set() };

async function bring(plan: Plan, hands: ZoneHands, world: World, tools: Tools): Promise<Brought> {
  if (plan.is !== "publish" && plan.is !== "mirror") return nothing;
  const { bindcar, updates, memory } = tools;
  // At once: what a pod has answered says nothing of what it does when the others have, too.
  const report = (pod: string, trouble: Trouble | undefined) => tools.findings.report(pod, trouble, plan.name);
  const around = { bindcar, updates, memory, now: hands.now, signal: hands.signal, report };
  const zone = { uid: uidOf(world.zone) };
  const stored = world.zone.status?.serial;
  const { lost, reached } = sortedOut(plan, tools);
  const { primaries: servers, secondaries: followers } = reached;
  const published =
    plan.is === "publish" ? await publish({ ...plan, zone, stored, servers, followers }, around) : undefined;
  const isSigned = plan.is === "publish" && plan.primaries.some(({ dnssecPolicy }) => dnssecPolicy !== undefined);
  // Of a signed zone each primary has its own serials.
  const serial = isSigned ? undefined : published?.serial;
  // A server that said yes has the zone. Where primaries are not ours, nobody here knows.
  const isUnserved = published !== undefined && ![...published.results.values()].some(({ is }) => is !== "trouble");
  const followed = await follow({ zone, name: plan.name, serial, isUnserved, servers: followers }, around);
  const secondaries = new Map([...followed, ...lost.secondaries]);
  const primaries = new Map([...(published?.results ?? []), ...lost.primaries]);
  const late = lateOnes(plan, secondaries, serial, hands, world, tools);
  clear(memory.keep(zone.uid, new Set([...primaries.keys(), ...secondaries.keys()])), tools);
  return { primaries, secondaries, late, ...(published?.serial !== undefined && { serial: published.serial }) };
}

/** Pods that probes reach, and what is to be said of the others. Those are not asked: with thousands of zones that would take hours. */
function sortedOut(plan: Extract<Plan, { is: "publish" | "mirror" }>, { findings }: Tools) {
  const lostOf = (servers: readonly UpServer[]) =>
    new Map(
      servers.flatMap(({ uid }): readonly [string, Unread][] => {
        const trouble = findings.lost(uid);
        return trouble === undefined ? [] : [[uid, { is: "trouble", trouble, isUnread: true }]];
      }),
    );
  const all = { primaries: plan.is === "publish" ? plan.primaries : [], secondaries: plan.secondaries };
  const lost = { primaries: lostOf(all.primaries), secondaries: lostOf(all.secondaries) };
  const reached = {
    primaries: all.primaries.filter(({ uid }) => !lost.primaries.has(uid)),
    secondaries: all.secondaries.filter(({ uid }) => !lost.secondaries.has(uid)),
  };
  return { lost, reached };
}

type Unread = Extract<Followed, { is: "trouble" }>;

/** Nothing is known of a zone on these pods any more: whatever they said of it, they stop to. */
export function clear(pods: readonly string[], { memory, findings }: Pick<Tools, "memory" | "findings">): void {
  for (const pod of pods) findings.lags(pod, memory.lagOf(pod));
}

/** Who has been behind for too long, and who has caught up: the pods say it. */
function lateOnes(
  { name }: { readonly name: string },
  secondaries: ReadonlyMap<string, Followed>,
  want: number | undefined,
  hands: ZoneHands,
  world: World,
  { memory, findings }: Tools,
): ReadonlySet<string> {
  const late = new Set<string>();
  const { now } = hands;
  const { zone, targets } = world;
  const told = toldLate(world);
  for (const [pod, it] of secondaries) {
    const known = memory.of(uidOf(zone), pod);
    if (it.is === "behind") known.behindSince ??= told.has(pod) ? plus(now, -patience) : now;
    else if (it.is !== "trouble") delete known.behindSince;
    const isLate = it.is === "behind" && now - (known.behindSince ?? now) >= patience;
    if (isLate) late.add(pod);
    const have = it.is === "behind" ? (it.have ?? 0) : 0;
    const lag: Lag =
      targets.primaries.length === 0
        ? { is: "cutOff", zone: name }
        : { is: "behind", zone: name, have, want: want ?? 0 };
    if (it.is === "follows" && known.lag !== undefined)
      hands.event(
        "Normal",
        REASON_ZONE_TRANSFER_COMPLETE,
        `A secondary has the serial ${it.serial} of zone ${name} again`,
      );
    if (isLate) known.lag = lag;
    else if (it.is !== "trouble") delete known.lag;
    findings.lags(pod, memory.lagOf(pod));
  }
  return late;
}

/** Pods of instances of which the zone says so already: whoever begins anew does not take it back. */
function toldLate({ zone, targets, servers }: World): ReadonlySet<string> {
  const said = zone.status?.bind9Instances?.filter(isNotTransferred);
  const named = new Set(said?.map(({ namespace, name }) => `${namespace}/${name}`));
  const instances = targets.secondaries.filter((it) => named.has(placeOf(it)));
  return new Set(instances.flatMap((it) => servers.get(uidOf(it)) ?? []).map(({ uid }) => uid));
}

/** Instances that had the zone and should not: by uid those that still have it. */
async function takeAway(hands: ZoneHands, world: World, { bindcar }: Tools): Promise<ReadonlySet<string>> {
  const left = new Set<string>();
  for (const instance of world.former)
    if ((await withdraw([instance], world, hands, bindcar)).length > 0) left.add(uidOf(instance));
  return left;
}

const targetsOf = ({ targets }: World): readonly Bind9Instance[] => [...targets.primaries, ...targets.secondaries];

/** Every pod of it was asked, and has waited for a first transfer for too long. */
function isUntransferred(instance: Bind9Instance, { servers }: World, { secondaries, late }: Brought): boolean {
  const pods = servers.get(uidOf(instance)) ?? [];
  return (
    pods.length > 0 &&
    pods.every(({ uid }) => {
      const result = secondaries.get(uid);
      return late.has(uid) && result?.is === "behind" && result.have === undefined;
    })
  );
}

/** Whether what a record left behind is gone from every primary that can be reached. */
function isGoneFrom(plan: Plan, { primaries }: Brought): boolean {
  if (plan.is !== "publish") return plan.is === "mirror" || plan.is === "homeless" || plan.is === "duplicate";
  return isPublished([...primaries.values()]);
}

/** On one at least, and refused by none. */
const isPublished = (results: readonly Result[]): boolean =>
  results.some(({ is }) => is === "served") && results.every((it) => it.is === "served" || isAway(it));

/** Nobody there is nobody who refuses: who comes back is looked at again. */
const isAway = (result: Result): boolean => result.is === "trouble" && isGone(result.trouble);

/** Whose Bindcar answers is there, whatever becomes of updates. */
const isGone = ({ at }: ServerTrouble): boolean => at === "unreachable" || at === "aborted";

function reportOf(plan: Plan, done: Brought, world: World): ZoneReport {
  const loaded = new Set<string>();
  for (const [pod, it] of done.primaries) if (it.is === "served") loaded.add(pod);
  for (const [pod, it] of done.secondaries)
    if (it.is === "follows" || (it.is === "behind" && it.have !== undefined)) loaded.add(pod);
  switch (plan.is) {
    case "duplicate":
    case "homeless":
      return { publication: { is: "nowhere", why: plan.said }, loaded: "nobody waits" };
    case "headless":
      return { publication: { is: "mirrored" }, loaded: "nobody waits" };
    case "invalid":
      return { publication: { is: "refused", why: plan.said }, loaded: "nobody waits" };
    case "mirror":
      return { publication: { is: "mirrored" }, loaded };
    case "publish":
      return {
        publication: { is: "published", records: recordResults(plan, done, world), isWhole: isGoneFrom(plan, done) },
        loaded,
      };
  }
}

function recordResults(plan: Publishing, done: Brought, world: World): ReadonlyMap<string, RecordResult> {
  const { placed, rejected } = plan.content;
  const results = [...done.primaries.values()];
  const obstacle = isPublished(results) ? undefined : obstacleIn(results, plan.name);
  return new Map(
    world.records.flatMap((record): readonly [string, RecordResult][] => {
      const uid = uidOf(record);
      const rejection = rejected.get(uid);
      if (rejection !== undefined) return [[uid, { is: "rejected", rejection }]];
      const place = placed.get(uid);
      if (place === undefined) return [];
      const why = missing(results, place.rrset);
      const result = obstacle ?? (why === undefined ? undefined : ({ is: "failed", why } as const));
      return [[uid, result ?? { is: "served", hash: place.hash, name: place.name }]];
    }),
  );
}

type Obstacle = Extract<RecordResult, { is: "failed" | "unknown" }>;

/** Why a record is on no primary, or refused by one. What a server only did not take over concerns its own records alone. */
function obstacleIn(results: readonly Result[], zone: string): Obstacle | undefined {
  const troubles = results.flatMap((it) => (it.is === "trouble" ? [it] : []));
  const refusal = troubles.find((it) => !isUnanswered(it));
  if (refusal !== undefined) return { is: "failed", why: meaningIn(refusal.trouble, zone).message };
  // Of those that cannot be reached nothing is asked while another one has the zone.
  const unknown = troubles.find(({ trouble }) => !isGone(trouble)) ?? troubles[0];
  const isElsewhere = results.some(({ is }) => is !== "trouble");
  if (unknown === undefined) return isElsewhere ? undefined : { is: "failed", why: text`no primary pod is running` };
  if (isElsewhere && isGone(unknown.trouble)) return undefined;
  const { reason, message } = meaningIn(unknown.trouble, zone);
  return { is: "unknown", reason, why: message };
}

function missing(
  results: readonly Result[],
  { name, type }: { readonly name: string; readonly type: string },
): SafeText | undefined {
  const isLeft = results.some(
    (it) => it.is === "differs" && it.left.some((change) => change.name === name && change.type === type),
  );
  return isLeft ? text`a server did not take it over` : undefined;
}

function namesOf({ records, released }: World): ReadonlyMap<string, RecordName> {
  return new Map(
    [...records, ...released].map((record) => {
      const { namespace = "", name = "" } = record.metadata;
      return [uidOf(record), { kind: record.kind, namespace, name }];
    }),
  );
}

/** Writes that others may have made in the meantime: the next look settles them. */
class Crossings {
  some = false;

  async over(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      this.some = true;
    }
  }
}
