// Reads what a pass has to know of one test.
import { isForbidden } from "@telltale/client";
import { type KindRef, type KubeObject, plus } from "@telltale/kinds";
import { CoreEvent, Job, Pod, Service } from "@telltale/kinds/builtin";
import type { Look, Name } from "@telltale/runtime";
import { nodeName, specHash } from "../build/index.ts";
import type { Config, Role } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import type { TelemetryView } from "../telemetry/view.ts";
import { classifyJob, newestOf } from "./jobs.ts";
import type { Memory } from "./memory.ts";
import { bornAt, isCreating } from "./pod-health.ts";
import { type Found, isMissing, nothingMade, objectOf, type World } from "./world.ts";

export interface Senses {
  readonly config: Config;
  readonly memory: Memory;
  /** The rules that a spec breaks, in words. */
  readonly invalid: (test: LocustTest) => readonly string[];
  /** What the master's web API tells; `master` is its newest pod. */
  readonly telemetry: (seen: Omit<World, "telemetry" | "making">, master: Pod | undefined, look: Look) => TelemetryView;
}

export async function observe(test: LocustTest, look: Look, senses: Senses): Promise<World> {
  const { config, memory } = senses;
  const { name = "", namespace = "", uid = "" } = test.metadata;
  const at = (role: Role) => ({ namespace, name: nodeName(name, role) });
  const service = await presently(Service, at("master"), test, look, look.get(Service, at("master")));
  const master = await presently(Job, at("master"), test, look, await jobAt(at("master"), test, look));
  const worker = await presently(Job, at("worker"), test, look, await jobAt(at("worker"), test, look));
  const pods = { master: await masterPods(test, master, look), worker: podsOf(worker, look) };
  const newest = newestOf(pods.master.filter(({ metadata }) => metadata?.deletionTimestamp === undefined));
  const isGone = isMissing(worker) && test.status?.appliedGeneration !== undefined;
  const seen = {
    test,
    config,
    service,
    master,
    worker,
    last: memory.lastOf(uid),
    workerGoneSince: memory.workerGoneSince(uid, isGone, look.now),
    pods,
    complaints: isOver(test) ? new Map() : await complaints([...pods.master, ...pods.worker], config, look),
    masterPod: newest?.metadata?.uid,
    isMasterReplaced: memory.isReplaced(uid, newest?.metadata?.uid),
    invalid: senses.invalid(test),
    hash: specHash(test.spec),
  };
  return { ...seen, telemetry: senses.telemetry(seen, newest, look), making: nothingMade };
}

/** What an earlier test of this name has left may be gone already, and the cache not know it: a test must not wait for that. */
async function presently<T extends KubeObject>(
  kind: KindRef<T>,
  at: Name & { readonly namespace: string },
  test: LocustTest,
  look: Look,
  known: T | undefined,
): Promise<Found<T>> {
  const first = found(test, known);
  return first.is === "leaving" && first.of === "earlier" ? found(test, await look.live(kind, at)) : first;
}

/** Whose the object under one of our names is. */
function found<T extends KubeObject>(test: LocustTest, object: T | undefined): Found<T> {
  if (object === undefined) return { is: "absent" };
  const owner = object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.uid === test.metadata.uid) {
    const isLeaving = object.metadata?.deletionTimestamp !== undefined;
    return isLeaving ? { is: "leaving", object, of: "this" } : { is: "ours", object };
  }
  const isSameName = owner?.kind === test.kind && owner.name === test.metadata.name;
  return isSameName ? { is: "leaving", object, of: "earlier" } : { is: "foreign", object };
}

/** A Job that was there, and is not, ends the test: only the server's own word counts for that. A cache may have gone back in time. */
async function jobAt(
  at: Name & { readonly namespace: string },
  test: LocustTest,
  look: Look,
): Promise<Job | undefined> {
  const known = look.get(Job, at);
  if (known !== undefined || test.status?.appliedGeneration === undefined || isOver(test)) return known;
  return look.live(Job, at);
}

const isOver = ({ status }: LocustTest): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

const podsOf = (job: Found<Job>, look: Look): readonly Pod[] => {
  const object = objectOf(job);
  return object === undefined ? [] : look.children(Pod, object);
};

/** A Job that has failed did so because of its pods. Where these are still to be heard of, they are asked for: what is said of a failure stays. */
async function masterPods(test: LocustTest, job: Found<Job>, look: Look): Promise<readonly Pod[]> {
  const known = podsOf(job, look);
  const object = objectOf(job);
  if (object === undefined || isOver(test) || classifyJob(object) !== "Failed" || known.some(hasEnded)) return known;
  const { namespace = "", name = "" } = object.metadata ?? {};
  const labelSelector = `batch.kubernetes.io/job-name=${name}`;
  const { items } = await look.server.list(Pod, { namespace, labelSelector, signal: look.signal });
  return items.filter(({ metadata }) => metadata?.ownerReferences?.some(({ uid }) => uid === object.metadata?.uid));
}

const hasEnded = ({ status }: Pod): boolean =>
  status?.containerStatuses?.some(({ state }) => state?.terminated !== undefined) ?? false;

const telling = ["FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox"];

/** Why the first of the pods that should long have started has not: what the others would say is shown to nobody. */
async function complaints(pods: readonly Pod[], config: Config, look: Look): Promise<ReadonlyMap<string, string>> {
  const isLate = (pod: Pod) => isCreating(pod) && plus(bornAt(pod), config.timers.podStartupGrace) <= look.now;
  const { uid = "", namespace = "" } = pods.find(isLate)?.metadata ?? {};
  const message = uid === "" ? undefined : await complaint(uid, namespace, look);
  return new Map(message === undefined ? [] : [[uid, message]]);
}

async function complaint(uid: string, namespace: string, look: Look): Promise<string | undefined> {
  const fieldSelector = `involvedObject.uid=${uid}`;
  try {
    const { items } = await look.server.list(CoreEvent, { namespace, fieldSelector, signal: look.signal });
    const told = items.filter(({ reason = "" }) => telling.includes(reason));
    return told.sort(byTime).at(-1)?.message;
  } catch (error) {
    // Whoever may not read Events still learns how a test goes.
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

const timeOf = ({ lastTimestamp, eventTime, metadata }: CoreEvent): string =>
  lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
const byTime = (a: CoreEvent, b: CoreEvent): number => (timeOf(a) < timeOf(b) ? -1 : 1);
