// Removes what was staged from a person's claim by a Job, and Jobs that are not needed any more (3.3, "Cleanup by policy").
import { ApiError } from "@telltale/client";
import { Job, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { type SafeText, text } from "@telltale/status";
import { redact } from "../redact.ts";
import type { MigrationHands } from "./act.ts";
import { forgotten } from "./clean.ts";
import { removeJob } from "./job.ts";
import { type Work, workOf } from "./job-state.ts";
import { claimFile } from "./staging.ts";
import type { World } from "./world.ts";

/** One that still works is there until its pods are gone: nothing is written after that. */
export async function removeWork({ job, name, state }: Work, world: World, hands: MigrationHands): Promise<World> {
  const others = world.jobs.filter((it) => it.name !== name);
  const isOver = state.is === "done" || state.is === "failed";
  await hands.remove(Job, job, isOver ? "Background" : "Foreground");
  return { ...world, jobs: isOver ? others : [...others, { name, job, state: { is: "going" } }] };
}

/** By names alone, each of which is one that this migration stages. */
export async function removeByJob(urls: readonly string[], world: World, hands: MigrationHands): Promise<World> {
  const { unreached: _tried, ...heard } = world.heard;
  const begun: World = { ...world, heard };
  const { namespace = "" } = world.migration.metadata;
  const claim = await hands.live(PersistentVolumeClaim, { namespace, name: world.claim?.name ?? "" });
  // What was on a claim that is gone is gone.
  if (claim === undefined) return forgotten(urls, begun, hands);
  try {
    return await withJob(urls, begun, hands);
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined) throw error;
    if (refusal.is === "no") return stuck(urls, begun, refusal.why);
    hands.event("Warning", "StagingObjectRetained", text`No Job can remove ${urls.join(", ")}: the namespace goes`);
    return forgotten(urls, begun, hands);
  }
}

async function withJob(urls: readonly string[], world: World, hands: MigrationHands): Promise<World> {
  const { migration, tools, from, claim } = world;
  if (tools === undefined) return world;
  const files = urls.flatMap((it) => claimFile(migration, it) ?? []);
  const wanted = removeJob(migration, tools, { urls, files, provider: from.channel.provider });
  const name = wanted.metadata?.name ?? "";
  const { live, as } = await hands.ensure(Job, wanted, { mode: "createOnly" });
  if (as === "foreign") return stuck(urls, world, text`Job ${name} is somebody else's`);
  const said = text`Job ${name} removes ${files.join(", ")} from claim ${claim?.name ?? ""}`;
  if (as === "created") hands.event("Normal", "CleanupStarted", said);
  return { ...world, jobs: [...world.jobs, workOf(live, [])] };
}

function stuck(urls: readonly string[], world: World, why: SafeText): World {
  const all = Object.fromEntries(urls.map((url) => [url, why]));
  return { ...world, heard: { ...world.heard, stuck: { ...world.heard.stuck, ...all } } };
}

/** How the server refuses a Job. `never`: its namespace goes, and the claim with it. Undefined: it is another trouble. */
function refusalIn(
  error: unknown,
): { readonly is: "never" } | { readonly is: "no"; readonly why: SafeText } | undefined {
  if (!(error instanceof ApiError) || ![403, 422].includes(error.code)) return undefined;
  if (error.causes.some(({ reason }) => reason === "NamespaceTerminating")) return { is: "never" };
  return { is: "no", why: redact(error.status.message) };
}
