// What a migration has to put in order at its end, one thing after the other (3.3, "Finish steps" and "Cleanup by policy"). Pure:
// each follows from how things stand, so that a pass that was cut short does no harm.
import { type Ms, plus } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { annotations, labels } from "../names.ts";
import { removeName } from "./job.ts";
import { isOpen, type Work } from "./job-state.ts";
import { sourceRemoval } from "./source-removal.ts";
import { filesOf, importsOf, isOwn, stagedIn } from "./staging.ts";
import { isCompleted } from "./target.ts";
import type { World } from "./world.ts";

export type Cleaning =
  | { readonly is: "complete" } // the target says that it is whole
  | { readonly is: "removeTarget" } // a machine that never became whole
  | { readonly is: "removeSource" }
  /** The source is free, switched on again or not. `kept`: why it is not deleted although it should be. */
  | { readonly is: "release"; readonly isRestored: boolean; readonly kept?: SafeText }
  | { readonly is: "removeSnapshot" }
  | { readonly is: "removeJob"; readonly work: Work }
  | { readonly is: "removeStaged"; readonly url: string }
  | { readonly is: "removeByJob"; readonly urls: readonly string[] } // from the claim of a person
  | { readonly is: "disown"; readonly entries: readonly string[] } // of which somebody else says that we staged it
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
    ofJobs(world, end) ??
    (awaited(world) === undefined ? (ofStaged(world, end) ?? ofClaim(world, end)) : undefined)
  );
}

/** What is under way, and has to be over before more can be removed. */
export function awaited(world: World): SafeText | undefined {
  const { jobs, claim } = world;
  const source = sourceAwaits(world);
  if (source !== undefined) return source;
  const removal = removalIn(world);
  const writing = jobs.find((it) => it !== removal && (it.state.is === "going" || isOpen(it)));
  if (writing !== undefined) return text`Job ${writing.name} is being stopped`;
  if (removal === undefined || removal.state.is === "done" || removal.state.is === "failed") return undefined;
  const why = removal.state.is === "waiting" ? text`: ${removal.state.why}` : text``;
  return text`Job ${removal.name} removes what was staged on claim ${claim?.name ?? ""}${why}`;
}

/** What cannot be removed now, and why. */
export function troubles(world: World): Readonly<Record<string, SafeText>> | undefined {
  const removal = removalIn(world);
  const failure = removal?.state.is === "failed" ? { [removal.name]: removal.state.why } : undefined;
  const { stuck } = world.heard;
  return stuck === undefined && failure === undefined ? undefined : { ...stuck, ...failure };
}

const removalIn = ({ jobs, migration }: World): Work | undefined =>
  jobs.find(({ name }) => name === removeName(migration));

/** After so long a removal that failed is tried again. */
const pause: Ms = 300_000;

/** What still writes is stopped first. A Job that is through goes with what it made; one that failed is kept with that, to be looked at. */
function ofJobs(world: World, end: End): Cleaning | undefined {
  const { jobs, now, staged } = world;
  const removal = removalIn(world);
  const writing = jobs.find((it) => it !== removal && isOpen(it));
  if (writing !== undefined) return { is: "removeJob", work: writing };
  if (removal?.state.is === "done") {
    const entries = stagedIn(removal.job).filter((it) => staged.includes(it));
    return entries.length > 0 ? { is: "forgetStaged", entries, told: [] } : { is: "removeJob", work: removal };
  }
  const failedAt = removal?.state.is === "failed" ? (removal.state.at ?? now) : undefined;
  if (removal !== undefined && failedAt !== undefined && now >= plus(failedAt, pause)) {
    return { is: "removeJob", work: removal };
  }
  const done = jobs.find((it) => it !== removal && it.state.is !== "going");
  return done !== undefined && end !== "deleted" && isRemoved(world, end) ? { is: "removeJob", work: done } : undefined;
}

/** Whether what was staged goes. */
function isRemoved(world: World, end: End): boolean {
  const policy = policyOf(world);
  return policy === "Always" || (policy === "OnSuccess" && end === "success");
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
function ofSource(world: World, end: End): Cleaning | undefined {
  const { source, heard } = world;
  if (source.lock !== "ours" || source.vm === undefined) return undefined;
  // Two copies must not run: what was switched off for a migration that succeeded stays off.
  if (!isSourceUnwanted(world, end)) return { is: "release", isRestored: end !== "success" };
  const removal = sourceRemoval(world);
  if (removal.is === "refused") return { is: "release", isRestored: removal.isTargetGone, kept: removal.why };
  return removal.is === "safe" && heard.stuck?.[source.at.name] === undefined ? { is: "removeSource" } : undefined;
}

const isSourceUnwanted = ({ source, migration }: World, end: End): boolean =>
  end === "success" &&
  migration.spec.source.deleteAfterMigration === true &&
  source.vm?.metadata.deletionTimestamp === undefined;

/** Why the source, which is to be deleted, is not yet. */
function sourceAwaits(world: World): SafeText | undefined {
  const { source, phase } = world;
  const isOurs = source.lock === "ours" && source.vm !== undefined && phase === "Ready";
  if (!isOurs || !isSourceUnwanted(world, "success")) return undefined;
  const removal = sourceRemoval(world);
  return removal.is === "waits" ? text`Source VM ${source.at.name} is kept meanwhile: ${removal.why}` : undefined;
}

function ofSnapshot(world: World): Cleaning | undefined {
  const { snapshot, migration } = world;
  if (snapshot === undefined || migration.spec.source.snapshotRef !== undefined) return undefined;
  // Somebody else may have made one of this name.
  if (!snapshot.metadata.ownerReferences?.some(({ uid }) => uid === migration.metadata.uid)) return undefined;
  if (policyOf(world) === "Never" || snapshot.metadata.deletionTimestamp !== undefined) return undefined;
  return { is: "removeSnapshot" };
}

function ofStaged(world: World, end: End): Cleaning | undefined {
  const { staged, heard, claim, held, migration } = world;
  const urls = filesOf(staged);
  const goes = isRemoved(world, end);
  const isGoing = claim !== undefined && !claim.isUsers && (goes || end === "deleted");
  if (isGoing && urls.length > 0) return { is: "forgetStaged", entries: urls, told: [] };
  const foreign = goes ? urls.filter((it) => !isOwn(migration, it)) : [];
  if (foreign.length > 0) return { is: "disown", entries: foreign };
  const { stuck = {}, unreached = [] } = heard;
  // While a removal that failed waits for its next try, nothing else is tried.
  const isTried = removalIn(world) !== undefined;
  const url = goes && !isTried ? urls.find((it) => stuck[it] === undefined && !unreached.includes(it)) : undefined;
  if (url !== undefined) return { is: "removeStaged", url };
  if (unreached.length > 0 && !isTried) return { is: "removeByJob", urls: unreached };
  const disks = importsOf(staged);
  if (disks.length === 0 || (policyOf(world) === "Never" && end !== "deleted")) return undefined;
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
    return isLabelled && !claim.isShared && troubles(world) === undefined ? { is: "unlabel" } : undefined;
  }
  const goes = isRemoved(world, end) || end === "deleted";
  const isOurs = metadata?.annotations?.[annotations.createdBy] !== undefined;
  return goes && isOurs && metadata?.deletionTimestamp === undefined ? { is: "removeClaim" } : undefined;
}
