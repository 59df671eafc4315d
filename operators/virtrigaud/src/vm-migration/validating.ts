// The checks before a migration begins, in their order (3.3, V1 to V16). Pure. A row either has something to say, or lets the next
// one speak.
import { formatTime, type Ms, parseTime, plus } from "@telltale/kinds";
import { findCondition, type SafeText, text } from "@telltale/status";
import { annotations, labels } from "../names.ts";
import { unknownBecause } from "../reachable.ts";
import { gibibytes } from "../vm-snapshot/sizes.ts";
import { pairProblem } from "./checks.ts";
import { ask, deed, failed, learn, move, type Step, wait } from "./step.ts";
import { isCompleted } from "./target.ts";
import type { Side, World } from "./world.ts";

type Row = (world: World) => Step | undefined;

const second: Ms = 1_000;
const prerequisites = 30 * second;
const poll = 5 * second;
/** So long the pods of a provider may take to get the claim. */
const mountLimit = 300 * second;

export function validating(world: World): Step {
  for (const row of rows) {
    const step = row(world);
    if (step !== undefined) return step;
  }
  const { createSnapshot = true, snapshotRef } = world.migration.spec.source;
  return move(createSnapshot || snapshotRef !== undefined ? "Snapshotting" : "Exporting");
}

const exists: Row = ({ source, problem }) => {
  if (source.vm === undefined) return failed("SourceNotFound", text`Source VM "${source.at.name}" not found`);
  return problem === undefined ? undefined : failed(problem.reason, problem.why);
};

/** Whoever waits for its machine holds up nobody who makes it, makes it again or removes it: a locked one is left alone. */
const notYet = ({ source }: World, why: SafeText): Step =>
  source.lock === "ours"
    ? deed({ is: "clean", what: { is: "release", isRestored: true } })
    : wait(why, prerequisites, "SourceNotReady");

const isThere: Row = (world) => {
  const { vm, at } = world.source;
  const { id = "", phase, conditions } = vm?.status ?? {};
  const unknown = vm === undefined || id !== "" ? undefined : unknownBecause(vm);
  if (unknown !== undefined && world.source.lock !== "ours") {
    const why = text`it is not known whether source VM ${at.name} is on its provider: ${unknown}`;
    return wait(why, prerequisites, "SourceProviderNotReady");
  }
  if (id === "" || vm?.metadata.deletionTimestamp !== undefined)
    return notYet(world, text`Source VM ${at.name} is not there on its provider`);
  if (findCondition(conditions, "Ready")?.reason === "VMNotFound")
    return notYet(world, text`Source VM ${at.name} is not found on its provider`);
  // It has its id before it is there: until then nothing can be taken of it, and it may still be lost.
  return phase === "Provisioning" ? notYet(world, text`Source VM ${at.name} is being made`) : undefined;
};

const lock: Row = ({ source }) => {
  if (source.lock === "ours") return undefined;
  if (source.lock === "free") return deed({ is: "lock" });
  return wait(text`Source VM is locked by VMMigration ${source.lock.holder}`, prerequisites, "SourceLocked");
};

const providers: Row = ({ from, to }) =>
  side(from, "SourceProviderNotReady") ?? side(to, "TargetProviderNotReady") ?? undefined;

function side(
  { channel, refusal }: Side,
  reason: "SourceProviderNotReady" | "TargetProviderNotReady",
): Step | undefined {
  if (refusal !== undefined) return failed("ValidationFailed", refusal);
  if (channel.is === "open") return undefined;
  return channel.provider === undefined
    ? failed("ProviderError", channel.why)
    : wait(channel.why, prerequisites, reason);
}

const target: Row = ({ target: { at, object, isOurs }, lacking }) => {
  if (object !== undefined && (!isOurs || isCompleted(object))) {
    return failed("TargetExists", text`VirtualMachine ${at.namespace}/${at.name} exists already`);
  }
  return lacking === undefined ? undefined : failed("ValidationFailed", lacking);
};

const pair: Row = (world) => {
  const problem = pairProblem(world);
  return problem === undefined ? undefined : failed(problem.reason, problem.why);
};

const address: Row = ({ migration, heard }) => {
  const { type } = migration.spec.storage ?? {};
  if (type === "pvc") return undefined;
  if (heard.host === undefined) return ask("host");
  if (heard.host.is === "denied")
    return failed("ValidationFailed", text`spec.storage.${type ?? ""}: ${heard.host.why}`);
  if (heard.host.is === "unknown") return wait(heard.host.why, prerequisites);
  if (type === "nfs") return undefined;
  if (heard.secret === undefined) return ask("secret");
  return heard.secret === "complete" ? undefined : failed("ValidationFailed", heard.secret.lacking);
};

const claimed: Row = (world) => {
  const { claim, migration, held, now, from, to } = world;
  if (claim === undefined) return undefined;
  const since = parseTime(held.progress?.phaseStartTime) ?? now;
  const isLate = now >= plus(since, mountLimit);
  const waiting = (why: ReturnType<typeof text>, reason: "WaitingForStorageMount" | "WaitingForProviderIdle") =>
    isLate ? failed("StorageError", text`after 5 minutes: ${why}`) : wait(why, poll, reason);
  const { object, name, isUsers } = claim;
  if (object === undefined) {
    if (!isUsers) return deed({ is: "claim" });
    return waiting(text`claim ${name} does not exist`, "WaitingForStorageMount");
  }
  const { metadata } = object;
  if (metadata?.deletionTimestamp !== undefined) {
    return waiting(text`claim ${name} is going away`, "WaitingForStorageMount");
  }
  const isOurs = metadata?.ownerReferences?.some(({ uid }) => uid === migration.metadata.uid);
  if (!isUsers && isOurs !== true) return failed("StorageError", text`claim ${name} exists, and is somebody else's`);
  if (metadata?.labels?.[labels.part] !== stagingPart) return deed({ is: "claim" });
  if (held.storagePVCName !== name) {
    // The five minutes count from the moment that this migration first saw the claim.
    const progress = { ...held.progress, phaseStartTime: formatTime(now) };
    return learn({ ...held, storagePVCName: name, progress });
  }
  const late = from.unmounted ?? to.unmounted;
  if (late === undefined) return undefined;
  return waiting(late.why, late.reason === "WaitingForProviderIdle" ? late.reason : "WaitingForStorageMount");
};

export const stagingPart = "migration-storage";

const disks: Row = (world) => {
  const { heard, held, migration, source } = world;
  if (heard.trouble !== undefined) return wait(heard.trouble.said, prerequisites);
  if (heard.disk === undefined) return ask("disk");
  if (heard.disk !== "untold" && held.diskInfo?.sourceDiskID !== heard.disk.diskId) {
    const { diskId, format, virtualSizeBytes } = heard.disk;
    const sourceSize = gibibytes(virtualSizeBytes);
    return learn({ ...held, diskInfo: { ...held.diskInfo, sourceDiskID: diskId, sourceFormat: format, sourceSize } });
  }
  if (migration.metadata.annotations?.[annotations.primaryDiskOnly] === "true") return undefined;
  if (heard.disks === undefined) return ask("list");
  const more = source.vm?.spec.disks?.map(({ name }) => name) ?? [];
  const all = heard.disks.length > 1 || more.length === 0 ? heard.disks : [...heard.disks, ...more];
  if (all.length <= 1 && more.length === 0) return undefined;
  return failed(
    "ValidationFailed",
    text`Source VM has more than one disk, and only the first can move: ${all.join(", ")}; set the annotation ${annotations.primaryDiskOnly} to "true" to leave the others behind`,
  );
};

const power: Row = ({ migration, source, from, heard }) => {
  const isAsked = migration.spec.source.powerOffBeforeMigration === true;
  const isLocked = from.channel.provider?.spec.type === "vsphere";
  if (!isAsked && !isLocked) return undefined;
  if (heard.power === undefined) return ask("power");
  // One that is off and is to be on would be switched on when the migration is through, beside its copy.
  const isToBeOn = isAsked && (source.vm?.spec.powerState ?? "On") !== "Off";
  if (heard.power === "Off") return isToBeOn ? deed({ is: "powerOff" }) : undefined;
  if (!isAsked) {
    return heard.power === "untold"
      ? undefined
      : failed(
          "ValidationFailed",
          text`Source VM is on, and a running vSphere disk is locked: switch it off, or set spec.source.powerOffBeforeMigration`,
        );
  }
  return heard.power === "On"
    ? deed({ is: "powerOff" })
    : wait(text`Switching the source VM off`, poll, "PoweringOffSource");
};

const rows: readonly Row[] = [exists, isThere, lock, providers, target, pair, address, claimed, disks, power];
