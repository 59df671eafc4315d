// Puts one thing in order at the end of a migration. What cannot be removed now becomes part of the world, and is tried again.
import { formatTime } from "@telltale/kinds";
import { PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { annotationPatch, labelPatch } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import { VirtualMachine, VMSnapshot } from "../kinds/index.ts";
import { ProviderError } from "../link/provider-error.ts";
import { annotations, labels } from "../names.ts";
import { storageOptionsJson } from "../payload/storage.ts";
import { bareUrl, redact } from "../redact.ts";
import { credentialsOf, hearing, type MigrationHands, objectOf, tried } from "./act.ts";
import { changed } from "./change.ts";
import type { Cleaning } from "./leftovers.ts";
import type { Senses } from "./observe.ts";
import { removeByJob, removeWork } from "./remove-by-job.ts";
import { sourceRemoval } from "./source-removal.ts";
import { diskName } from "./staging.ts";
import { isOurs } from "./target.ts";
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
      const object = await changed(VirtualMachine, target.object, annotationPatch(target.object, marks), hands);
      return { ...world, target: { ...target, object } };
    }
    case "removeTarget":
      if (target.object !== undefined) await hands.remove(VirtualMachine, target.object, "Background");
      return { ...world, target: { ...target, object: undefined, isOurs: false } };
    case "removeSource":
      return removeSource(world, hands);
    case "release":
      if (what.kept !== undefined) {
        hands.event("Warning", "SourceRetained", text`Source VM ${source.at.name} is not deleted: ${what.kept}`);
      }
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
      const object = await changed(PersistentVolumeClaim, claim.object, labelPatch(claim.object, marks), hands);
      return { ...world, claim: { ...claim, object } };
    }
  }
}

/** What the cache says of the new machine may be old: the server and its provider are asked first. */
async function removeSource(world: World, hands: MigrationHands): Promise<World> {
  const { source, target, migration, held } = world;
  if (source.vm === undefined) return world;
  const object = await hands.live(VirtualMachine, target.at);
  const now = { ...world, target: { ...target, object, isOurs: isOurs(object, migration) } };
  if (sourceRemoval(now).is !== "safe") return now;
  const answer = await tried(world.to, "describe", { id: held.targetVMID ?? "" }, hands);
  const lack = answer instanceof ProviderError ? answer.said : text`it does not exist there`;
  if (answer instanceof ProviderError || !answer.exists) {
    const why = text`kept, as provider ${world.to.at.name} does not confirm the new VM ${target.at.name}: ${lack}`;
    return hearing(now, { stuck: { ...world.heard.stuck, [source.at.name]: why } });
  }
  await hands.remove(VirtualMachine, source.vm, "Background");
  const vm = await hands.live(VirtualMachine, source.at);
  return { ...now, source: { ...source, vm: vm?.metadata.uid === source.vm.metadata.uid ? vm : undefined } };
}

async function release(isRestored: boolean, world: World, hands: MigrationHands): Promise<World> {
  const { vm } = world.source;
  if (vm === undefined) return world;
  const before = vm.metadata.annotations?.[annotations.preMigrationPowerState];
  const isOff = isRestored && before !== undefined && vm.spec.powerState !== before;
  const operations = [
    ...annotationPatch(vm, {
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

/** What is not there is on the list no longer. */
export async function forgotten(entries: readonly string[], world: World, hands: MigrationHands): Promise<World> {
  const staged = world.staged.filter((it) => !entries.includes(it));
  await hands.annotate({ [annotations.stagedObjects]: staged.length === 0 ? undefined : JSON.stringify(staged) });
  return { ...world, staged };
}
