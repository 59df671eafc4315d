// What a zone says of itself: on which instances it is, which records it has, and what is in the way (5.6, 8.5). Pure.
import { formatTime, type Instant, plus } from "@telltale/kinds";
import { type Draft, type SafeText, text } from "@telltale/status";
import { meaningOf } from "../http-errors.ts";
import type { Bind9Instance, DNSZone, DNSZoneStatus } from "../kinds/index.ts";
import { zoneSays } from "../messages.ts";
import { earliest, nextLook, nextTry } from "../moments.ts";
import { apiVersion } from "../names.ts";
import { notTransferred } from "./memory.ts";
import { type Plan, plan as planOf } from "./plan.ts";
import { signingIn } from "./signing.ts";
import { type Done, uidOf, type World } from "./world.ts";

type ZoneDraft = Draft<typeof DNSZone>;

export function status(world: World, draft: ZoneDraft, now: Instant): void {
  const plan = planOf(world);
  const { done } = world;
  if (done === undefined) return;
  const isReady = say(plan, world, done, draft);
  if (plan.is !== "invalid" && plan.is !== "duplicate") {
    const bind9Instances = instancesOf(world, done, now);
    const records = recordsOf(plan, world, done, now);
    draft.set({ bind9Instances, bind9InstancesCount: bind9Instances.length, records, recordsCount: records.length });
    if (done.serial !== undefined && isAgreed(done)) draft.set({ serial: done.serial });
    const dnssec = signingOf(plan, done);
    if (dnssec === undefined) draft.unset("dnssec");
    else draft.set({ dnssec });
  }
  draft.wake(wakeAt(world, done, isReady, now));
}

/** How far the zone has got on one instance. */
type Standing =
  | { readonly at: "Configured" }
  | { readonly at: "Claimed"; readonly why: SafeText } // it will come
  | { readonly at: "Failed"; readonly why: SafeText };

function standingOf(instance: Bind9Instance, { servers, zone }: World, done: Done): Standing {
  const { primaries, secondaries, late } = done;
  const pods = servers.get(uidOf(instance)) ?? [];
  const found = pods.flatMap(({ uid }) => {
    const result = primaries.get(uid) ?? secondaries.get(uid);
    return result === undefined ? [] : [{ uid, result }];
  });
  for (const { uid, result } of found) {
    if (result.is === "trouble")
      return { at: "Failed", why: meaningOf({ trouble: result.trouble, zone: zone.spec.zoneName }).message };
    if (result.is === "differs")
      return { at: "Failed", why: text`${result.left.length} RRset(s) are not as they were sent` };
    if (late.has(uid)) return { at: "Failed", why: notTransferred };
  }
  const isComing = found.some(
    ({ result }) => result.is === "waiting" || (result.is === "behind" && result.have === undefined),
  );
  if (found.length === 0) return { at: "Claimed", why: text`waiting for a pod` };
  return isComing ? { at: "Claimed", why: text`waiting for the first transfer` } : { at: "Configured" };
}

interface Count {
  readonly ready: number;
  readonly total: number;
  readonly failed: number;
}

function count(instances: readonly Bind9Instance[], world: World, done: Done): Count {
  const all = instances.map((it) => standingOf(it, world, done).at);
  const of = (at: Standing["at"]) => all.filter((it) => it === at).length;
  return { ready: of("Configured"), total: all.length, failed: of("Failed") };
}

/** True where the zone is ready. */
function say(plan: Plan, world: World, done: Done, draft: ZoneDraft): boolean {
  switch (plan.is) {
    case "invalid":
      return no(draft.condition("Ready", false, "ConfigurationInvalid", plan.said));
    case "duplicate":
      return no(draft.condition("Ready", false, "DuplicateZone", plan.said));
    case "homeless":
      return no(draft.condition("Ready", false, "NoTargets", plan.said));
    case "headless":
      return noPrimary(draft, text`No primary instance is for the zone`);
    case "mirror":
    case "publish":
      return counted(plan, world, done, draft);
  }
}

function no(draft: ZoneDraft): false {
  draft.condition("Progressing", false, "ReconcileComplete", "Nothing more can be done").keep("Degraded");
  return false;
}

function noPrimary(draft: ZoneDraft, said: SafeText): false {
  draft
    .condition("Ready", false, "PrimaryFailed", said)
    .condition("Progressing", false, "PrimaryFailed", said)
    .condition("Degraded", true, "PrimaryFailed", said);
  return false;
}

function counted(plan: Plan & { readonly name: string }, world: World, done: Done, draft: ZoneDraft): boolean {
  const { primaries, secondaries } = world.targets;
  const [p, s] = [count(primaries, world, done), count(secondaries, world, done)];
  const zone = plan.name;
  if (p.ready === p.total && keySetsOf(done) > 1) {
    const said = text`Primaries sign zone ${zone} with different keys: put its keys into the Secret of keysFrom.secretRef`;
    draft
      .condition("Ready", false, "ReconcileDegraded", said)
      .condition("Progressing", false, "ReconcileComplete", "The pass is over")
      .condition("Degraded", true, "PrimaryFailed", said);
    return false;
  }
  if (p.ready === p.total && s.ready === s.total && done.left.size === 0) {
    const endpoints = done.primaries.size + done.secondaries.size;
    const at = { primaries: p.total, secondaries: s.total, endpoints, records: world.records.length };
    draft
      .condition("Ready", true, "ReconcileSucceeded", zoneSays.configured(zone, at))
      .condition("Progressing", false, "ReconcileComplete", "Every instance has the zone")
      .condition("Degraded", false, "ReconcileSucceeded", "Every instance has the zone");
    return true;
  }
  if (p.total > 0 && p.ready === 0 && p.failed === p.total) return noPrimary(draft, refusedBy(world, done));
  if (p.ready === p.total && s.failed > 0) {
    draft
      .condition("Ready", false, "ReconcileDegraded", zoneSays.degraded(zone))
      .condition("Progressing", false, "ReconcileComplete", "The pass is over")
      .condition("Degraded", true, "SecondaryFailed", text`${s.ready}/${s.total} secondary instance(s) have the zone`);
    return false;
  }
  const pending = p.total - p.ready + s.total - s.ready + done.left.size;
  const said = zoneSays.partial(zone, p, s, pending);
  draft
    .condition("Ready", false, "PartialReconciliation", said)
    .condition("Degraded", true, "PartialReconciliation", said);
  if (p.ready < p.total)
    draft.condition("Progressing", true, "PrimaryReconciling", "Primaries do not have the zone yet");
  else draft.condition("Progressing", true, "SecondaryReconciling", "Secondaries do not have the zone yet");
  return false;
}

function refusedBy(world: World, done: Done): SafeText {
  const [first] = world.targets.primaries.map((it) => standingOf(it, world, done));
  return first?.at === "Failed" ? text`No primary has the zone: ${first.why}` : text`No primary has the zone`;
}

/** Whether every primary that was asked has the serial. */
const isAgreed = ({ primaries, serial }: Done): boolean =>
  [...primaries.values()].some((it) => it.is === "served") &&
  [...primaries.values()].every(
    (it) => it.is !== "served" || it.serial === serial || it.rrsets.some(({ type }) => type === "DNSKEY"),
  );

type InstanceRefs = NonNullable<DNSZoneStatus["bind9Instances"]>;

function instancesOf(world: World, done: Done, now: Instant): InstanceRefs {
  const { targets, former, zone } = world;
  const before = new Map(zone.status?.bind9Instances?.map((it) => [`${it.namespace}/${it.name}`, it]));
  const ref = (instance: Bind9Instance, word: InstanceRefs[number]["status"], why?: SafeText): InstanceRefs[number] => {
    const { namespace = "", name = "" } = instance.metadata;
    const old = before.get(`${namespace}/${name}`);
    const isSame = old?.status === word && old.lastReconciledAt !== undefined;
    const at = isSame ? old.lastReconciledAt : formatTime(now);
    const said = why === undefined ? {} : { message: why };
    return { apiVersion, kind: instance.kind, name, namespace, status: word, lastReconciledAt: at ?? null, ...said };
  };
  const wanted = [...targets.primaries, ...targets.secondaries].map((it) => {
    const standing = standingOf(it, world, done);
    return standing.at === "Configured" ? ref(it, standing.at) : ref(it, standing.at, standing.why);
  });
  const leaving = former
    .filter((it) => done.left.has(uidOf(it)))
    .map((it) => ref(it, "Unclaimed", text`the zone is still there`));
  return [...wanted, ...leaving].sort((a, b) => (placeIn(a) < placeIn(b) ? -1 : 1));
}

const placeIn = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;

type RecordRefs = NonNullable<DNSZoneStatus["records"]>;

function recordsOf(plan: Plan, { records, zone }: World, done: Done, now: Instant): RecordRefs {
  const keyOf = ({ kind, name }: { readonly kind: string; readonly name: string }) => `${kind}/${name}`;
  const before = new Map(zone.status?.records?.map((it) => [keyOf(it), it.lastReconciledAt]));
  const isServed = [...done.primaries.values()].some((it) => it.is === "served");
  const refs = records.map((record) => {
    const { name = "", namespace = "", uid = "" } = record.metadata;
    const isPlaced = plan.is === "publish" && plan.content.placed.has(uid);
    const old = before.get(keyOf({ kind: record.kind, name })) ?? null;
    const lastReconciledAt = isPlaced ? (old ?? (isServed ? formatTime(now) : null)) : null;
    return { apiVersion, kind: record.kind, name, namespace, recordName: record.spec.name, lastReconciledAt };
  });
  return refs.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** What the parent zone has to know of a signed one. */
function signingOf(plan: Plan, { primaries }: Done): DNSZoneStatus["dnssec"] {
  if (plan.is !== "publish" || plan.primaries.every(({ dnssecPolicy }) => dnssecPolicy === undefined)) return undefined;
  return signingIn([...primaries.values()].flatMap((it) => (it.is === "served" ? it.rrsets : [])));
}

/** How many different sets of keys primaries were seen to sign with. */
function keySetsOf({ primaries }: Done): number {
  const sets = [...primaries.values()].flatMap((it) => {
    const keys = it.is === "served" ? it.rrsets.flatMap(({ type, values }) => (type === "DNSKEY" ? values : [])) : [];
    return keys.length === 0 ? [] : [keys.toSorted().join("\n")];
  });
  return new Set(sets).size;
}

function wakeAt({ zone }: World, done: Done, isReady: boolean, now: Instant): Instant | undefined {
  const isBehind = [...done.secondaries.values()].some((it) => it.is === "behind" || it.is === "waiting");
  const isTrouble = [...done.primaries.values(), ...done.secondaries.values()].some(
    (it) => it.is === "trouble" || it.is === "differs",
  );
  const ready = zone.status?.conditions?.find(({ type }) => type === "Ready");
  const since = ready?.status === "False" ? ready.lastTransitionTime : undefined;
  return earliest(
    nextLook(isReady, now),
    done.isCrossed ? plus(now, 1_000) : undefined,
    isBehind ? plus(now, 5_000) : undefined,
    isTrouble || done.left.size > 0 ? nextTry(since, now) : undefined,
  );
}
