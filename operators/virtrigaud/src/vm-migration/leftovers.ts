// What a migration has to put in order at its end, one thing after the other (3.3, "Finish steps" and "Cleanup by policy"). Pure:
// each follows from how things stand, so that a pass that was cut short does no harm.
import { annotations, labels } from "../names.ts";
import { exportsOf, importsOf } from "./staging.ts";
import { isCompleted } from "./target.ts";
import type { World } from "./world.ts";

export type Cleaning =
  | { readonly is: "complete" } // the target says that it is whole
  | { readonly is: "removeTarget" } // a machine that never became whole
  | { readonly is: "removeSource" }
  | { readonly is: "release"; readonly isRestored: boolean } // the source is free, switched on again or not
  | { readonly is: "removeSnapshot" }
  | { readonly is: "removeStaged"; readonly url: string }
  /** They go with their claim, or stay, and some are told of. */
  | { readonly is: "forgetStaged"; readonly entries: readonly string[]; readonly told: readonly string[] }
  | { readonly is: "removeClaim" }
  | { readonly is: "unlabel" }; // the claim of a person

/** How it ended. `deleted`: the object goes before its end. */
export type End = "success" | "failure" | "deleted";

/** The next thing to do. Undefined: all is done that can be. */
export function nextCleaning(world: World, end: End): Cleaning | undefined {
  return (
    (end === "success" ? ofTarget(world) : ofPartialTarget(world, end)) ??
    ofSource(world, end) ??
    ofSnapshot(world) ??
    ofStaged(world, end) ??
    ofClaim(world, end)
  );
}

export const policyOf = ({ migration }: World) => migration.spec.options?.cleanupPolicy ?? "OnSuccess";

function ofTarget({ target }: World): Cleaning | undefined {
  return target.isOurs && !isCompleted(target.object) ? { is: "complete" } : undefined;
}

function ofPartialTarget(world: World, end: End): Cleaning | undefined {
  const { target } = world;
  if (!target.isOurs || isCompleted(target.object)) return undefined;
  if (end === "failure" && policyOf(world) === "Never") return undefined;
  return target.object?.metadata.deletionTimestamp === undefined ? { is: "removeTarget" } : undefined;
}

/** Only a source that carries our lock is touched: another machine may have its name meanwhile. */
function ofSource({ source, migration }: World, end: End): Cleaning | undefined {
  if (source.lock !== "ours" || source.vm === undefined) return undefined;
  const { deletionTimestamp } = source.vm.metadata;
  const isUnwanted = end === "success" && migration.spec.source.deleteAfterMigration === true;
  if (isUnwanted && deletionTimestamp === undefined) return { is: "removeSource" };
  // Two copies must not run: what was switched off for a migration that succeeded stays off.
  return { is: "release", isRestored: end !== "success" };
}

function ofSnapshot(world: World): Cleaning | undefined {
  const { snapshot, migration } = world;
  if (snapshot === undefined || migration.spec.source.snapshotRef !== undefined) return undefined;
  if (policyOf(world) === "Never" || snapshot.metadata.deletionTimestamp !== undefined) return undefined;
  return { is: "removeSnapshot" };
}

function ofStaged(world: World, end: End): Cleaning | undefined {
  const { staged, heard, claim, held } = world;
  const policy = policyOf(world);
  const isRemoved = policy === "Always" || (policy === "OnSuccess" && end === "success");
  const isGoing = claim !== undefined && !claim.isUsers && (isRemoved || end === "deleted");
  const urls = exportsOf(staged);
  if (isGoing && urls.length > 0) return { is: "forgetStaged", entries: urls, told: [] };
  const url = isRemoved ? urls.find((it) => heard.stuck?.[it] === undefined) : undefined;
  if (url !== undefined) return { is: "removeStaged", url };
  const disks = importsOf(staged);
  if (disks.length === 0 || (policy === "Never" && end !== "deleted")) return undefined;
  // Nobody can be asked to delete a disk: those that no machine has are told of.
  const isTaken = end === "success" || (held.targetVMID ?? "") !== "";
  return { is: "forgetStaged", entries: disks, told: isTaken ? disks.slice(0, -1) : disks };
}

function ofClaim(world: World, end: End): Cleaning | undefined {
  const { claim } = world;
  if (claim?.object === undefined) return undefined;
  const { metadata } = claim.object;
  if (claim.isUsers) {
    const isLabelled = metadata?.labels?.[labels.migration] !== undefined;
    // As long as something has to be removed from it, it stays mounted.
    return isLabelled && !claim.isShared && world.heard.stuck === undefined ? { is: "unlabel" } : undefined;
  }
  const policy = policyOf(world);
  const isRemoved = policy === "Always" || (policy === "OnSuccess" && end === "success") || end === "deleted";
  const isOurs = metadata?.annotations?.[annotations.createdBy] !== undefined;
  return isRemoved && isOurs && metadata?.deletionTimestamp === undefined ? { is: "removeClaim" } : undefined;
}
