// The end of a migration object: nothing new is begun, a machine that is whole stays, and everything else is put in order (3.3).
import { type Ms, parseTime } from "@telltale/kinds";
import { done, type Finalized, gaveUp, waiting } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import type { VMMigration } from "../kinds/index.ts";
import { deadlines } from "../link/deadlines.ts";
import { ProviderError } from "../link/provider-error.ts";
import { lookAtTask } from "../link/task.ts";
import { annotations } from "../names.ts";
import type { MigrationHands } from "./act.ts";
import { clean } from "./clean.ts";
import { stuckSaid } from "./decide.ts";
import { awaited, type End, nextCleaning, troubles } from "./leftovers.ts";
import { observe, type Senses } from "./observe.ts";
import { filesOf } from "./staging.ts";
import type { MigrationDraft } from "./status.ts";
import type { World } from "./world.ts";

/** So long a task of a provider is waited for. */
const taskPatience: Ms = 120_000;
/** After so long what cannot be removed is left behind. */
export const patience: Ms = 600_000;
/** More than there is to do. */
const enough = 80;

export async function finalize(
  migration: VMMigration,
  hands: MigrationHands,
  draft: MigrationDraft,
  senses: Senses,
): Promise<Finalized> {
  senses.flights.abort(migration.metadata.uid ?? "");
  let world = await observe(migration, hands, senses);
  const age = hands.now - (parseTime(migration.metadata.deletionTimestamp) ?? hands.now);
  const isForced = migration.metadata.annotations?.[annotations.forceDelete] === "true";
  if (!isForced && age < taskPatience && (await isBusy(world, hands))) {
    return says(world, draft, text`Waiting until the provider is through`, 5_000);
  }
  const end: End = world.phase === "Ready" ? "success" : "deleted";
  for (let i = 0; i < enough; i += 1) {
    const what = nextCleaning(world, end);
    if (what === undefined) break;
    world = await clean(what, world, hands, senses);
  }
  const stuck = troubles(world);
  const why = stuck === undefined ? awaited(world) : stuckSaid(stuck);
  if (why === undefined) return done;
  if (isForced) {
    hands.event("Warning", "ForceDeleted", why);
    return done;
  }
  if (age >= patience) return gaveUp([...Object.keys(stuck ?? {}), ...filesOf(world.staged)].join(", "));
  if (stuck !== undefined) hands.event("Warning", "CleanupErrors", why);
  return says(world, draft, why, 30_000);
}

/** With the deletion comes another generation: every condition speaks for that one too. */
function says({ phase }: World, draft: MigrationDraft, why: SafeText, again: Ms): Finalized {
  draft.keep("Ready", "Validating", "Snapshotting", "Exporting", "Transferring", "Importing", "Failed");
  if (phase !== "Ready" && phase !== "Failed") draft.condition("Ready", false, "Cancelled", why);
  draft.set({ message: why });
  return waiting(again);
}

/** Whether a provider is still at an export or import. What cannot be asked is not waited for. */
async function isBusy({ held, phase, from, to }: World, hands: MigrationHands): Promise<boolean> {
  const { channel } = (held.progress?.currentPhase ?? phase) === "Exporting" ? from : to;
  const id = held.taskRef ?? "";
  if (id === "" || channel.is === "closed") return false;
  const options = { deadline: deadlines.taskStatus, signal: hands.signal };
  try {
    return (await lookAtTask(() => channel.link.ask("taskStatus", { task: { id } }, options))).is === "running";
  } catch (error) {
    if (error instanceof ProviderError) return false;
    throw error;
  }
}
