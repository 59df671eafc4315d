// A pass over a migration: asks and does what `decide` says, until it says to rest.
import { formatTime } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import type { EffectRecord, Hands } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import { checkHost, s3Host } from "../addresses.ts";
import type { Answer, Method, Request } from "../contract/contract.ts";
import type { VMMigration } from "../kinds/index.ts";
import { deadlines } from "../link/deadlines.ts";
import { powerOf } from "../link/observed.ts";
import { ProviderError } from "../link/provider-error.ts";
import { lookAtTask } from "../link/task.ts";
import { s3Credentials } from "../payload/storage.ts";
import { decide } from "./decide.ts";
import { type Deeds, deeds } from "./deeds.ts";
import type { Senses } from "./observe.ts";
import type { Credentials } from "./outside.ts";
import { renewed, withoutExport } from "./retrying.ts";
import type { S3Object } from "./s3.ts";
import { exportsOf } from "./staging.ts";
import type { Deed, Question, Rest } from "./step.ts";
import type { Heard, Held, Side, Transfer, World } from "./world.ts";

export type MigrationHands = Hands<typeof VMMigration>;

/** More than any pass takes: a table that leads nowhere is a defect, and not the end of the process. */
const enough = 80;

export async function act(world: World, hands: MigrationHands, senses: Senses): Promise<World> {
  // Without its beginning it would never take too long.
  const { startTime = formatTime(world.now) } = world.held;
  let now: World = world.phase === undefined ? world : { ...world, held: { ...world.held, startTime } };
  for (let i = 0; i < enough; i += 1) {
    const step = decide(now);
    if (step.is === "rest") {
      const isOpen = step.as.is === "wait" && now.record !== undefined && (now.held.taskRef ?? "") === "";
      if (!isOpen) hands.settled();
      return { ...now, held: after(now, step.as), rest: step.as };
    }
    now = step.is === "ask" ? await ask(step.what, now, hands, senses) : await perform(step.deed, now, hands, senses);
  }
  throw new Error(`a pass over ${world.migration.metadata.namespace}/${world.migration.metadata.name} comes to no end`);
}

/** What is known when a phase is left for another. */
function after({ held, phase, now }: World, rest: Rest): Held {
  if (rest.is === "move" && rest.to === "Pending") return { ...held, startTime: formatTime(now), retryCount: 0 };
  if (rest.is === "move" && rest.to === "Exporting" && phase === "Transferring") return withoutExport(held);
  if (rest.is === "failed") {
    return { ...(rest.isStale === true ? withoutExport(held) : held), completionTime: formatTime(now) };
  }
  if (rest.is !== "retry") return held;
  const retryCount = (held.retryCount ?? 0) + 1;
  return { ...renewed(held, rest.to), retryCount, lastRetryTime: formatTime(now) };
}

export const hearing = (world: World, heard: Heard): World => ({ ...world, heard: { ...world.heard, ...heard } });

/** Asks a provider, and gives back what it refused. */
export async function tried<M extends Exclude<Method, "exportDisk" | "importDisk">>(
  { channel }: Side,
  method: M,
  request: Request<M>,
  hands: MigrationHands,
): Promise<Answer<M> | ProviderError> {
  if (channel.is === "closed") return ProviderError.unsent("UNAVAILABLE", "Unavailable", channel.why);
  const known: Readonly<Record<string, number>> = deadlines;
  try {
    return await channel.link.ask(method, request, {
      deadline: known[method] ?? deadlines.create,
      signal: hands.signal,
    });
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}

async function ask(what: Question, world: World, hands: MigrationHands, senses: Senses): Promise<World> {
  const { migration, from, to, source, held } = world;
  switch (what) {
    case "host": {
      const { type, s3, nfs } = migration.spec.storage ?? {};
      const host = type === "nfs" ? nfs?.server : s3Host(s3?.endpoint);
      if (host === undefined) return hearing(world, { host: { is: "denied", why: text`the endpoint is no URL` } });
      return hearing(world, { host: await checkHost(host, senses.addresses, senses.lookup) });
    }
    case "secret": {
      const found = await credentialsOf(migration, hands);
      return hearing(world, { secret: "lacking" in found ? { lacking: found.lacking } : "complete" });
    }
    case "disk": {
      const answer = await tried(from, "getDiskInfo", { vmId: source.vm?.status?.id ?? "" }, hands);
      if (!(answer instanceof ProviderError)) return hearing(world, { disk: answer });
      return hearing(world, answer.failure === "NotSupported" ? { disk: "untold" } : { trouble: answer });
    }
    case "list": {
      const answer = await tried(from, "listVMs", {}, hands);
      if (answer instanceof ProviderError) {
        return hearing(world, answer.failure === "NotSupported" ? { disks: [] } : { trouble: answer });
      }
      const found = answer.vms.find(({ id }) => id === source.vm?.status?.id);
      return hearing(world, { disks: (found?.disks ?? []).map(({ id, path }) => (id === "" ? path : id)) });
    }
    case "power": {
      const answer = await tried(from, "describe", { id: source.vm?.status?.id ?? "" }, hands);
      if (answer instanceof ProviderError) return hearing(world, { power: "untold", trouble: answer });
      const power = powerOf(answer.powerState);
      // One that is suspended holds its disk as one that runs does.
      return hearing(world, { power: power === "Unknown" ? "untold" : power === "Off" ? "Off" : "On" });
    }
    case "transfer":
      return hearing(world, { transfer: transferred(world, hands) });
    case "task":
      return task(world, world.phase === "Exporting" ? from : to, hands);
    case "proof":
      return proof(world, hands, senses);
    case "targetDisk": {
      const answer = await tried(to, "getDiskInfo", { vmId: held.targetVMID ?? "" }, hands);
      if (!(answer instanceof ProviderError)) return hearing(world, { targetDisk: answer });
      return hearing(world, answer.failure === "NotSupported" ? { targetDisk: "untold" } : { trouble: answer });
    }
    case "knock": {
      const ips = world.target.object?.status?.ips ?? [];
      const answers = await Promise.all(ips.slice(0, 8).map((ip) => senses.outside.knock(ip, [22, 3389, 443])));
      return hearing(world, { isAnswering: answers.includes(true) });
    }
  }
}

/** Each request has its own name. */
export const callName = ({ op, id, attempt }: EffectRecord): string => `${op} ${id} ${attempt}`;

/** The request of this attempt, if this process sent it. */
function transferred(world: World, hands: MigrationHands): Transfer {
  if (world.record === undefined) return { is: "lost" };
  const called = hands.call<Transfer>(callName(world.record), async () => ({ is: "lost" }));
  if (called.as === "failed") throw called.error;
  return called.as === "running" ? { is: "running" } : called.result;
}

async function task(world: World, { channel }: Side, hands: MigrationHands): Promise<World> {
  if (channel.is === "closed") return world;
  const request = { task: { id: world.held.taskRef ?? "" } };
  const options = { deadline: deadlines.taskStatus, signal: hands.signal };
  try {
    return hearing(world, { task: await lookAtTask(() => channel.link.ask("taskStatus", request, options)) });
  } catch (error) {
    if (error instanceof ProviderError) return hearing(world, { trouble: error });
    throw error;
  }
}

async function proof(world: World, hands: MigrationHands, { outside }: Senses): Promise<World> {
  const credentials = await credentialsOf(world.migration, hands);
  if ("lacking" in credentials) return hearing(world, { proof: { is: "unknown", why: credentials.lacking } });
  const object = objectOf(world.migration, exportsOf(world.staged).at(-1) ?? "");
  return hearing(world, { proof: await outside.head(object, credentials.map, hands.now) });
}

/** The object of a staging URL. */
export function objectOf({ spec }: VMMigration, url: string): S3Object {
  const { bucket = "", endpoint = "", region = "", usePathStyle = false } = spec.storage?.s3 ?? {};
  return { bucket, endpoint, region, usePathStyle, key: url.replace(/^s3:\/\/[^/]*\//, "") };
}

/** Read when they are needed, from the server itself, and kept nowhere. Only S3 has any. */
export async function credentialsOf(
  { metadata, spec }: VMMigration,
  hands: MigrationHands,
): Promise<{ readonly map: Credentials } | { readonly lacking: SafeText }> {
  const { s3 } = spec.storage ?? {};
  if (s3 === undefined) return { map: {} };
  const { name } = s3.credentialsSecretRef;
  const secret = await hands.live(Secret, { namespace: metadata.namespace ?? "", name });
  const found = s3Credentials(name, secret === undefined ? undefined : (secret.data ?? {}));
  return isLacking(found) ? { lacking: found.lacking } : { map: found };
}

const isLacking = (found: ReturnType<typeof s3Credentials>): found is { readonly lacking: SafeText } =>
  "lacking" in found;

const perform = (what: Deed, world: World, hands: MigrationHands, senses: Senses): Promise<World> => {
  // Each deed has its own function in the table.
  const doing = deeds[what.is] as Deeds[Deed["is"]];
  return (doing as (deed: Deed, world: World, hands: MigrationHands, senses: Senses) => Promise<World>)(
    what,
    world,
    hands,
    senses,
  );
};
