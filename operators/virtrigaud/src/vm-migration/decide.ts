// What comes next in a pass over a migration, by its phase (3.3). Pure.
import { formatTime, type Ms, parseTime, plus } from "@telltale/kinds";
import { findCondition, type SafeText, text } from "@telltale/status";
import type { ProviderError } from "../link/provider-error.ts";
import { pollAfter, taskPolls } from "../link/task.ts";
import { unanswered } from "../vm-snapshot/reach.ts";
import { checking } from "./checking.ts";
import { readsFormat } from "./checks.ts";
import { converting } from "./converting.ts";
import { awaited, nextCleaning, policyOf, troubles } from "./leftovers.ts";
import { resumeAt, retryAt, timeoutAt, withoutExport, withoutImport } from "./retrying.ts";
import { attemptOf, exportsOf, stagedFormat } from "./staging.ts";
import { ask, deed, failed, learn, move, rest, type Step, unsaid, wait } from "./step.ts";
import { exported, exportedByTask, imported, importedByTask } from "./transfer.ts";
import { validating } from "./validating.ts";
import type { Held, Side, World } from "./world.ts";

export const exportOp = "ExportDisk";
export const importOp = "ImportDisk";
export const busyOp = "Busy";

const second: Ms = 1_000;
const poll = 10 * second;
const unheard = 60 * second;

export function decide(world: World): Step {
  const { phase } = world;
  if (phase === undefined) return move("Pending");
  if (phase === "Ready") return tidying(world, "success");
  if (phase === "Failed") return afterFailure(world);
  return isOver(world) ? tooLong(world) : phases[phase](world);
}

const isOver = (world: World): boolean => world.now >= timeoutAt(world);
const tooLong = ({ migration }: World): Step =>
  failed("Timeout", text`it took longer than ${migration.spec.options?.timeout ?? "4h"}`);

const phases = {
  Pending: () => move("Validating"),
  Validating: validating,
  Snapshotting: snapshotting,
  Exporting: exporting,
  Transferring: transferring,
  Converting: converting,
  Importing: importing,
  Creating: creating,
  "Validating-Target": checking,
} as const satisfies Readonly<Record<string, (world: World) => Step>>;

function snapshotting({ snapshot, migration, source, held, heard }: World): Step {
  const asked = migration.spec.source.snapshotRef;
  if (heard.taken !== undefined) return failed("ProviderError", heard.taken);
  if (snapshot === undefined) {
    return asked === undefined
      ? deed({ is: "snapshot" })
      : failed("ProviderError", text`VMSnapshot ${asked.name} not found`);
  }
  const { name = "", deletionTimestamp, ownerReferences = [] } = snapshot.metadata;
  if (snapshot.spec.vmRef.name !== source.at.name) {
    return failed("ValidationFailed", text`VMSnapshot ${name} is not one of VM ${source.at.name}`);
  }
  if (asked === undefined && !ownerReferences.some(({ uid }) => uid === migration.metadata.uid)) {
    return failed("ProviderError", text`VMSnapshot ${name} exists, and is somebody else's`);
  }
  if (deletionTimestamp !== undefined) return wait(text`VMSnapshot ${name} is going away`, poll);
  const { phase, snapshotID = "", message = "" } = snapshot.status ?? {};
  if (phase === "Failed") return failed("ProviderError", text`VMSnapshot ${name} failed: ${message}`);
  if (phase !== "Ready" || snapshotID === "") return wait(text`Waiting for VMSnapshot ${name}`, poll);
  if (held.snapshotID !== snapshotID) return learn({ ...held, snapshotRef: name, snapshotID });
  return move("Exporting");
}

function exporting(world: World): Step {
  const { held, record, from, source } = world;
  if ((held.taskRef ?? "") === "" && (held.exportID ?? "") !== "") return move("Transferring");
  if (source.lock !== "ours" || (source.vm?.status?.id ?? "") === "") {
    return failed("SourceNotFound", text`Source VM "${source.at.name}" is no longer the one that was checked`);
  }
  if (from.channel.is === "closed") return unsaid(from.channel.why, poll);
  if ((held.taskRef ?? "") !== "") {
    return task(world, from, (result) => exportedByTask(held, result), withoutExport, refusedExport);
  }
  return record?.op === exportOp ? sent(world, "export", refusedExport) : (later(world) ?? deed({ is: "export" }));
}

function importing(world: World): Step {
  const { held, record, to } = world;
  if ((held.taskRef ?? "") === "" && (held.importID ?? "") !== "") return move("Creating");
  if (to.channel.is === "closed") return unsaid(to.channel.why, poll);
  if ((held.taskRef ?? "") !== "") {
    const type = to.channel.provider.spec.type;
    return task(world, to, (result) => importedByTask(held, result, type), withoutImport, refusedImport);
  }
  return record?.op === importOp ? sent(world, "import", refusedImport) : (later(world) ?? deed({ is: "import" }));
}

/** A provider that was too busy, maybe with an attempt of which nobody has heard, is asked again after a while. */
function later({ record, now }: World): Step | undefined {
  if (record?.op !== busyOp) return undefined;
  const at = plus(parseTime(record.at) ?? now, poll);
  return now < at ? wait(text`The provider is busy with this machine or disk`, at - now) : undefined;
}

type Refused = (why: SafeText, error?: ProviderError) => Step;

const refusedExport: Refused = (why, error) =>
  failed(error?.failure === "NotSupported" ? "UnsupportedByProvider" : "ProviderError", why);

/** What was staged is bad, or not there: it has to be exported again. */
const refusedImport: Refused = (why, error) => {
  const isBad = error?.code === "DATA_LOSS" || error?.failure === "NotFound" || /checksum/i.test(why);
  return isBad ? failed("StorageError", why) : refusedExport(why, error);
};

/** A request whose answer has not come yet. */
function sent(world: World, way: "export" | "import", refused: Refused): Step {
  const { transfer } = world.heard;
  if (transfer === undefined) return ask("transfer");
  switch (transfer.is) {
    case "running":
      return wait(transferSaid[way], unheard); // its end asks for a pass
    case "lost":
      return deed({ is: way });
    case "refused": {
      const { failure, said } = transfer.error;
      return failure === "Busy" ? deed({ is: "withdraw" }) : refused(said, transfer.error);
    }
    case "exported":
      return learn(exported(world, transfer.answer));
    case "imported": {
      const held = imported(world.held, transfer.answer, world.to.channel.provider?.spec.type);
      return held === undefined ? refused(text`the provider named no disk`) : learn(held);
    }
  }
}

const transferSaid = {
  export: text`Exporting disk from source provider`,
  import: text`Importing disk into target provider`,
} as const;

function task(
  world: World,
  side: Side,
  done: (result: Readonly<Record<string, unknown>>) => Held | undefined,
  forgotten: (held: Held) => Held,
  refused: Refused,
): Step {
  const { heard, held, now } = world;
  const said = world.phase === "Exporting" ? transferSaid.export : transferSaid.import;
  if (heard.trouble !== undefined) return unsaid(unanswered(heard.trouble, side).why, taskPolls.transfer);
  if (heard.task === undefined) return ask("task");
  switch (heard.task.is) {
    case "running": {
      // A clock that was put back has it begin in the future.
      const elapsed = Math.max(0, now - (parseTime(held.progress?.phaseStartTime) ?? now));
      const polls = Math.floor(Math.log2(elapsed / (2 * second) + 1));
      return wait(said, pollAfter(taskPolls.transfer, polls, side.channel.provider?.spec.type === "qemu"));
    }
    case "failed":
      return refused(heard.task.said);
    case "forgotten":
      return learn(forgotten(held));
    case "done": {
      const known = done(heard.task.result ?? {});
      return known === undefined ? refused(text`the provider named no disk`) : learn(known);
    }
  }
}

/** How often what is missing is staged again, beyond what retries bring. */
const again = 2;

function transferring(world: World): Step {
  const { migration, held, heard, now, staged, to, from } = world;
  const storageInfo = held.storageInfo ?? {};
  if (storageInfo.uploadedAt !== undefined) {
    const format = stagedFormat(migration, from.channel.provider?.spec.type);
    return move(readsFormat(to.channel.provider, format) ? "Importing" : "Converting");
  }
  const uploadedAt = formatTime(now);
  if (migration.spec.storage?.type !== "s3") return learn({ ...held, storageInfo: { ...storageInfo, uploadedAt } });
  if (heard.proof === undefined) return ask("proof");
  if (heard.proof.is === "unknown") return failed("StorageError", heard.proof.why);
  const isThere = heard.proof.is === "there" && heard.proof.size > 0;
  if (!isThere) {
    const extra = attemptOf(exportsOf(staged).at(-1)) - 1 - (held.retryCount ?? 0);
    return extra < again ? move("Exporting") : failed("StorageError", text`the staged object is not there`);
  }
  const size = sizeText(heard.proof.size);
  if (storageInfo.size !== undefined && storageInfo.size !== size) {
    return failed("StorageError", text`the staged object has ${size} bytes in place of ${storageInfo.size}`);
  }
  return learn({ ...held, storageInfo: { ...storageInfo, size, uploadedAt } });
}

const sizeText = (bytes: number): string => String(bytes);

function creating({ target, held, heard }: World): Step {
  if ((held.diskInfo?.targetDiskID ?? "") === "") {
    return failed("ProviderError", text`status.diskInfo does not say which disk was imported`);
  }
  const { object, at, isOurs } = target;
  if (heard.taken !== undefined) return failed("TargetExists", heard.taken);
  if (object === undefined) return deed({ is: "create" });
  if (!isOurs) return failed("TargetExists", text`VirtualMachine ${at.namespace}/${at.name} is somebody else's`);
  if (object.metadata.deletionTimestamp !== undefined) {
    return wait(text`VirtualMachine ${at.name} of the last attempt is going away`, poll);
  }
  if (held.targetVMRef?.name !== at.name) return learn({ ...held, targetVMRef: { name: at.name } });
  const { id = "", phase, message = "", conditions } = object.status ?? {};
  if (phase === "Failed") return failed("ProviderError", text`VirtualMachine ${at.name} failed: ${message}`);
  if (id === "" || findCondition(conditions, "Ready")?.status !== "True") {
    return wait(text`Waiting for VirtualMachine ${at.name}`, poll);
  }
  return held.targetVMID === id ? move("Validating-Target") : learn({ ...held, targetVMID: id });
}

function afterFailure(world: World): Step {
  const { held, told, now, migration, heard, snapshot, target } = world;
  const reason = told.failed?.reason ?? "ProviderError";
  const at = retryAt(world, reason, held.completionTime);
  if (at === undefined) return tidying(world, "failure");
  if (isOver(world)) return tooLong(world);
  if (now < at) return rest({ is: "retryAt", at });
  const isStagedInS3 = migration.spec.storage?.type === "s3" && held.progress?.currentPhase === "Importing";
  if (isStagedInS3 && reason !== "StorageError" && heard.proof === undefined) return ask("proof");
  const to = resumeAt(world);
  const isOwnSnapshot = migration.spec.source.snapshotRef === undefined && snapshot?.status?.phase === "Failed";
  if (to === "Snapshotting" && isOwnSnapshot && snapshot.metadata.deletionTimestamp === undefined) {
    return deed({ is: "discard", what: "snapshot" });
  }
  if (to === "Creating" && target.isOurs && target.object?.metadata.deletionTimestamp === undefined) {
    return deed({ is: "discard", what: "target" });
  }
  return rest({ is: "retry", to });
}

/** What is left is put in order, and then nothing happens any more. */
function tidying(world: World, end: "success" | "failure"): Step {
  const { held, migration } = world;
  const isTidy = held.storageInfo?.cleanedUp === true;
  const { snapshotRef, ...others } = held;
  const isOwn = migration.spec.source.snapshotRef === undefined;
  // Whoever removes the snapshot looks here who needs it. A status that is final keeps the name.
  const isNamed = isOwn && snapshotRef !== undefined && policyOf(world) !== "Never";
  if (end === "failure" && isNamed && !isTidy) return learn(others);
  // Also after all was in order: a server that was put back has it again.
  const what = nextCleaning(world, end);
  if (what !== undefined) return deed({ is: "clean", what });
  const stuck = troubles(world);
  if (stuck !== undefined) return rest({ is: "untidy", why: stuckSaid(stuck) });
  const why = awaited(world);
  if (why !== undefined) return rest({ is: "tidying", why });
  if (isTidy) return rest({ is: "over" });
  return learn({ ...held, storageInfo: { ...held.storageInfo, cleanedUp: true } });
}

export const stuckSaid = (stuck: Readonly<Record<string, SafeText>>): SafeText =>
  text`Could not remove ${Object.entries(stuck)
    .map(([what, why]) => `${what}: ${why}`)
    .join("; ")}`;
