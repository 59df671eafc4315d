// Puts one thing in order at the end of a migration. What cannot be removed now becomes part of the world, and is tried again.
import { ApiError } from "@telltale/client";
import { formatTime } from "@telltale/kinds";
import { Job, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import type { Ensured } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import { VirtualMachine, VMSnapshot } from "../kinds/index.ts";
import { ProviderError } from "../link/provider-error.ts";
import { annotations, labels } from "../names.ts";
import { storageOptionsJson } from "../payload/storage.ts";
import { bareUrl, redact } from "../redact.ts";
import { credentialsOf, hearing, type MigrationHands, objectOf, tried } from "./act.ts";
import { changed, marked } from "./change.ts";
import { removeJob } from "./job.ts";
import { type Work, workOf } from "./job-state.ts";
import type { Cleaning } from "./leftovers.ts";
import type { Senses } from "./observe.ts";
import { claimPlace, diskName } from "./staging.ts";
import type { World } from "./world.ts";

export async function clean(what: Cleaning, world: World, hands: MigrationHands, senses: Senses): Promise<World> {
  const { target, source, snapshot, claim } = world;
  switch (what.is) {
    case "complete": {
      if (target.object === undefined) return world;
      const marks = {
        [annotations.migrationCompleted]: "true",
        [annotations.migrationCompletedAt]: formatTime(hands.now),
      };
      const object = await changed(VirtualMachine, target.object, marked(target.object, "annotations", marks), hands);
      return { ...world, target: { ...target, object } };
    }
    case "removeTarget":
      if (target.object !== undefined) await hands.remove(VirtualMachine, target.object, "Background");
      return { ...world, target: { ...target, object: undefined, isOurs: false } };
    case "removeSource": {
      if (source.vm === undefined) return world;
      await hands.remove(VirtualMachine, source.vm, "Background");
      const vm = await hands.live(VirtualMachine, source.at);
      return { ...world, source: { ...source, vm: vm?.metadata.uid === source.vm.metadata.uid ? vm : undefined } };
    }
    case "release":
      return release(what.isRestored, world, hands);
    case "removeSnapshot":
      if (snapshot !== undefined) await hands.remove(VMSnapshot, snapshot, "Background");
      return { ...world, snapshot: undefined };
    case "removeJob":
      return removeWork(what.work, world, hands);
    case "removeStaged":
      return removeStaged(what.url, world, hands, senses);
    case "removeByJob":
      return removeByJob(what.urls, world, hands);
    case "disown":
      for (const entry of what.entries) {
        const said = text`${redact(bareUrl(entry) ?? "an entry")} is not what this migration stages: it was not touched`;
        hands.event("Warning", "StagingObjectRetained", said);
      }
      return forgotten(what.entries, world, hands);
    case "forgetStaged":
      for (const entry of what.told) {
        const disk = diskName(entry);
        hands.event("Warning", "StagingObjectRetained", `Provider ${world.to.at.name} may keep the disk ${disk}`);
      }
      return forgotten(what.entries, world, hands);
    case "removeClaim":
      if (claim?.object !== undefined) await hands.remove(PersistentVolumeClaim, claim.object, "Background");
      return { ...world, claim: claim && { ...claim, object: undefined } };
    case "unlabel": {
      if (claim?.object === undefined) return world;
      const marks = { [labels.part]: undefined, [labels.migration]: undefined };
      const object = await changed(PersistentVolumeClaim, claim.object, marked(claim.object, "labels", marks), hands);
      return { ...world, claim: { ...claim, object } };
    }
  }
}

async function release(isRestored: boolean, world: World, hands: MigrationHands): Promise<World> {
  const { vm } = world.source;
  if (vm === undefined) return world;
  const before = vm.metadata.annotations?.[annotations.preMigrationPowerState];
  const isOff = isRestored && before !== undefined && vm.spec.powerState !== before;
  const operations = [
    ...marked(vm, "annotations", {
      [annotations.migrationLock]: undefined,
      [annotations.preMigrationPowerState]: undefined,
    }),
    ...(isOff ? [{ op: "add", path: "/spec/powerState", value: before } as const] : []),
  ];
  const freed = await changed(VirtualMachine, vm, operations, hands);
  return { ...world, source: { ...world.source, vm: freed, lock: "free" } };
}

/** Whoever can reach it removes it: the manager in S3, a provider on what it mounts. Where nobody can, that is told. */
async function removeStaged(url: string, world: World, hands: MigrationHands, senses: Senses): Promise<World> {
  const { migration, from, to } = world;
  const stuck = (why: SafeText) => hearing(world, { stuck: { ...world.heard.stuck, [url]: why } });
  const { storage } = migration.spec;
  if (storage?.type === "s3") {
    const credentials = await credentialsOf(migration, hands);
    if ("lacking" in credentials) return stuck(credentials.lacking);
    const why = await senses.outside.remove(objectOf(migration, url), credentials.map, hands.now);
    return why === undefined ? forgotten([url], world, hands) : stuck(why);
  }
  const request = {
    url,
    backendType: storage?.type ?? "pvc",
    storageOptionsJson: storage === undefined ? "" : storageOptionsJson(storage),
  };
  let trouble: SafeText | undefined;
  for (const side of [to, from]) {
    const answer = await tried(side, "cleanupStaged", request, hands);
    if (!(answer instanceof ProviderError)) return forgotten([url], world, hands);
    if (answer.failure !== "NotSupported") trouble = answer.said;
  }
  if (world.tools !== undefined && world.claim?.isUsers === true) {
    return hearing(world, { unreached: [...(world.heard.unreached ?? []), url] });
  }
  if (trouble !== undefined) return stuck(trouble);
  hands.event("Warning", "StagingObjectRetained", text`No provider can remove ${bareUrl(url) ?? ""}`);
  return forgotten([url], world, hands);
}

/** One that still works is there until its pods are gone: nothing is written after that. */
async function removeWork({ job, name, state }: Work, world: World, hands: MigrationHands): Promise<World> {
  const others = world.jobs.filter((it) => it.name !== name);
  const isOver = state.is === "done" || state.is === "failed";
  await hands.remove(Job, job, isOver ? "Background" : "Foreground");
  return { ...world, jobs: isOver ? others : [...others, { name, job, state: { is: "going" } }] };
}

/** By its names alone, each of which is one that this migration stages. */
async function removeByJob(urls: readonly string[], world: World, hands: MigrationHands): Promise<World> {
  const { migration, tools, from } = world;
  const files = urls.flatMap((it) => claimPlace(migration, it)?.file ?? []);
  if (tools === undefined) return world;
  const wanted = removeJob(migration, tools, { urls, files, provider: from.channel.provider });
  const name = wanted.metadata?.name ?? "";
  const { unreached: _tried, ...heard } = world.heard;
  const stuck = (why: SafeText): World => {
    const all = Object.fromEntries(urls.map((url) => [url, why]));
    return { ...world, heard: { ...heard, stuck: { ...heard.stuck, ...all } } };
  };
  let made: Ensured<Job>;
  try {
    made = await hands.ensure(Job, wanted, { mode: "createOnly" });
  } catch (error) {
    if (!(error instanceof ApiError) || ![403, 422].includes(error.code)) throw error;
    if (!error.causes.some(({ reason }) => reason === "NamespaceTerminating"))
      return stuck(redact(error.status.message));
    // The claim goes with its namespace, and no Job is made there any more.
    hands.event("Warning", "StagingObjectRetained", text`No Job can remove ${files.join(", ")}: the namespace goes`);
    return forgotten(urls, { ...world, heard }, hands);
  }
  const { live, as } = made;
  if (as === "foreign") return stuck(text`Job ${name} is somebody else's`);
  if (as === "created") {
    const said = text`Job ${name} removes ${files.join(", ")} from claim ${world.claim?.name ?? ""}`;
    hands.event("Normal", "CleanupStarted", said);
  }
  return { ...world, heard, jobs: [...world.jobs, workOf(live, [])] };
}

/** What is not there is on the list no longer. */
export async function forgotten(entries: readonly string[], world: World, hands: MigrationHands): Promise<World> {
  const staged = world.staged.filter((it) => !entries.includes(it));
  await hands.annotate({ [annotations.stagedObjects]: staged.length === 0 ? undefined : JSON.stringify(staged) });
  return { ...world, staged };
}
