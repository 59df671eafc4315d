// What a zone says of itself: on which instances it is, which records it has, and what is in the way (5.6, 8.5). Pure.
import { formatTime, type Instant, plus } from "@telltale/kinds";
import { type Draft, type SafeText, text } from "@telltale/status";
import type { Bind9Instance, DNSZone, DNSZoneStatus } from "../kinds/index.ts";
import { zoneSays } from "../messages.ts";
import { earliest, nextLook, nextTry } from "../moments.ts";
import { apiVersion } from "../names.ts";
import type { UnansweredReason } from "../reasons.ts";
import { type Plan, plan as planOf } from "./plan.ts";
import { signingIn } from "./signing.ts";
import { type Standing, type StandingReason, standingOf } from "./standing.ts";
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
    const dnssec = signingOf(plan, world, done);
    if (dnssec === "unsigned") draft.unset("dnssec");
    else if (dnssec !== "unread") draft.set({ dnssec });
  }
  draft.wake(wakeAt(world, done, isReady, now));
}

interface Count {
  readonly ready: number;
  readonly total: number;
  readonly failed: number;
  readonly unknown: number;
}

function count(instances: readonly Bind9Instance[], world: World, done: Done): Count {
  const all = instances.map((it) => standingOf(it, world, done).at);
  const of = (at: Standing["at"]) => all.filter((it) => it === at).length;
  return { ready: of("Configured"), total: all.length, failed: of("Failed"), unknown: of("Unknown") };
}

/** True where the zone is ready. */
function say(plan: Plan, world: World, done: Done, draft: ZoneDraft): boolean {
  switch (plan.is) {
    case "invalid":
      return untouched(draft, "ConfigurationInvalid", plan.said);
    case "duplicate":
      return untouched(draft, "DuplicateZone", plan.said);
    case "homeless":
      return untouched(draft, "NoTargets", plan.said);
    case "headless":
      return noPrimary(draft, text`No primary instance is for the zone`);
    case "mirror":
    case "publish":
      return counted(plan, world, done, draft);
  }
}

/** No server was asked in this pass: what an earlier one found is not repeated. */
function untouched(
  draft: ZoneDraft,
  reason: "ConfigurationInvalid" | "DuplicateZone" | "NoTargets",
  said: SafeText,
): false {
  draft
    .condition("Ready", false, reason, said)
    .condition("Progressing", false, "ReconcileComplete", "Nothing more can be done")
    .condition("Degraded", "Unknown", reason, "No server is asked for the zone");
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
  const [ready, unknown, total] = [p.ready + s.ready, p.unknown + s.unknown, p.total + s.total];
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
  const first = unknown === 0 ? undefined : firstUnknown(world, done);
  if (first !== undefined && ready + unknown === total && done.left.size === 0) {
    const said = zoneSays.unknown(zone, ready, total, unknown, first.why);
    draft
      .condition("Ready", "Unknown", first.reason, said)
      .condition("Progressing", false, "ReconcileComplete", "The pass is over")
      .condition("Degraded", "Unknown", first.reason, said);
    return false;
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
  const said = zoneSays.partial(zone, p, s, pending, unknown);
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
  const said = text`No primary has the zone as it should be`;
  return first?.at === "Failed" ? text`${said}: ${first.why}` : said;
}

function firstUnknown(
  world: World,
  done: Done,
): { readonly reason: UnansweredReason; readonly why: SafeText } | undefined {
  const { primaries, secondaries } = world.targets;
  for (const instance of [...primaries, ...secondaries]) {
    const standing = standingOf(instance, world, done);
    if (standing.at === "Unknown") return standing;
  }
  return undefined;
}

/** Whether every primary that was asked has the serial. */
const isAgreed = ({ primaries, serial }: Done): boolean =>
  [...primaries.values()].some((it) => it.is === "served") &&
  [...primaries.values()].every(
    (it) => it.is !== "served" || it.serial === serial || it.rrsets.some(({ type }) => type === "DNSKEY"),
  );

type InstanceRefs = NonNullable<DNSZoneStatus["bind9Instances"]>;
type Reported =
  | { readonly at: "Configured"; readonly reason?: never }
  | {
      readonly at: Exclude<InstanceRefs[number]["status"], "Configured">;
      readonly reason: StandingReason;
      readonly why: SafeText;
    };

function instancesOf(world: World, done: Done, now: Instant): InstanceRefs {
  const { targets, former, zone } = world;
  const before = new Map(zone.status?.bind9Instances?.map((it) => [`${it.namespace}/${it.name}`, it]));
  const ref = (instance: Bind9Instance, { at: word, ...rest }: Reported): InstanceRefs[number] => {
    const { namespace = "", name = "" } = instance.metadata;
    const old = before.get(`${namespace}/${name}`);
    const isSame = old?.status === word && old.lastReconciledAt !== undefined;
    const at = isSame ? old.lastReconciledAt : formatTime(now);
    const said = rest.reason === undefined ? {} : { reason: rest.reason, message: rest.why };
    return { apiVersion, kind: instance.kind, name, namespace, status: word, lastReconciledAt: at ?? null, ...said };
  };
  const wanted = [...targets.primaries, ...targets.secondaries].map((it) => ref(it, standingOf(it, world, done)));
  const leaving = former
    .filter((it) => done.left.has(uidOf(it)))
    .map((it) => ref(it, { at: "Unclaimed", reason: "StillThere", why: text`the zone may still be there` }));
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
function signingOf(
  plan: Plan,
  { signing }: World,
  { primaries }: Done,
): NonNullable<DNSZoneStatus["dnssec"]> | "unsigned" | "unread" {
  if (plan.is !== "publish" || signing.size === 0) return "unsigned";
  const served = [...primaries.values()].flatMap((it) => (it.is === "served" ? it.rrsets : []));
  // A zone that could be read has a SOA at least.
  return served.length === 0 ? "unread" : signingIn(served);
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
  const since = ready?.status === "True" ? undefined : ready?.lastTransitionTime;
  return earliest(
    nextLook(isReady, now),
    done.isCrossed ? plus(now, 1_000) : undefined,
    isBehind ? plus(now, 5_000) : undefined,
    isTrouble || done.left.size > 0 ? nextTry(since, now) : undefined,
  );
}
