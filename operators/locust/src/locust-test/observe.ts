// Reads what a pass has to know of one test.
import { ApiError, ConnectionError, TimeoutError } from "@telltale/client";
import { type KindRef, type KubeObject, parseTime, plus } from "@telltale/kinds";
import { CoreEvent, Job, Pod, Service } from "@telltale/kinds/builtin";
import type { Look, Name } from "@telltale/runtime";
import { nodeName, specHash } from "../build/index.ts";
import type { Config, Role } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import { sanitize } from "../sanitize.ts";
import type { TelemetryView } from "../telemetry/view.ts";
import { bornAt, jobPods } from "./job-pods.ts";
import { classifyJob, newestOf } from "./jobs.ts";
import type { Memory } from "./memory.ts";
import { type Complaint, creationDelay, isCreating } from "./pod-health.ts";
import { type Found, nothingMade, objectOf, type World } from "./world.ts";

export interface Senses {
  readonly config: Config;
  readonly memory: Memory;
  /** The rules that a spec breaks, in words. */
  readonly invalid: (test: LocustTest) => readonly string[];
  /** What the master's web API tells. */
  readonly telemetry: (seen: Omit<World, "telemetry" | "making">, look: Look) => TelemetryView;
  /** Reads the master's web API from now on, where it is. */
  readonly follow?: (world: World) => void;
}

/** A read that the server refuses says nothing of what is there: the test's own conditions say that, and nothing is done. */
export async function observe(test: LocustTest, look: Look, senses: Senses): Promise<World> {
  try {
    return await observeAll(test, look, senses);
  } catch (error) {
    if (!isFailedRead(error)) throw error;
    return unreadWorld(test, readFailure(error), look, senses);
  }
}

const isFailedRead = (error: unknown): boolean =>
  error instanceof ApiError || error instanceof ConnectionError || error instanceof TimeoutError;

/** In words that do not change from one try to the next. */
function readFailure(error: unknown): string {
  if (error instanceof ApiError) return sanitize(error.status.message || `the API server answers ${error.code}`);
  return error instanceof TimeoutError ? "the API server does not answer in time" : "the API server cannot be reached";
}

function unreadWorld(test: LocustTest, unread: string, look: Look, senses: Senses): World {
  const { config, memory } = senses;
  const seen = {
    test,
    config,
    unread,
    service: { is: "absent" },
    master: { is: "absent" },
    worker: { is: "absent" },
    last: memory.lastOf(test.metadata.uid ?? ""),
    pods: { master: [], worker: [] },
    complaints: new Map(),
    masterPod: undefined,
    isMasterReplaced: false,
    invalid: [],
    hash: specHash(test.spec),
  } as const;
  return { ...seen, telemetry: senses.telemetry(seen, look), making: nothingMade };
}

async function observeAll(test: LocustTest, look: Look, senses: Senses): Promise<World> {
  const { config, memory } = senses;
  const { name = "", namespace = "", uid = "" } = test.metadata;
  const at = (role: Role) => ({ namespace, name: nodeName(name, role) });
  const service = await presently(Service, at("master"), test, look);
  const master = await presently(Job, at("master"), test, look);
  const worker = await presently(Job, at("worker"), test, look);
  const pods = { master: await masterPods(test, master, look), worker: podsOf(worker, look) };
  const newest = newestOf(pods.master.filter(({ metadata }) => metadata?.deletionTimestamp === undefined));
  const why = isOver(test) ? noComplaints : await complaintsOf(test, { master, worker, pods }, config, look);
  const seen = {
    test,
    config,
    service,
    master,
    worker,
    last: memory.lastOf(uid),
    pods,
    ...why,
    masterPod: newest,
    isMasterReplaced: memory.isReplaced(uid, newest?.metadata?.uid),
    invalid: senses.invalid(test),
    hash: specHash(test.spec),
  };
  return { ...seen, telemetry: senses.telemetry(seen, look), making: nothingMade };
}

/** What an earlier test of this name has left may be gone already, and the cache not know it: a test must not wait for that. */
async function presently<T extends KubeObject>(
  kind: KindRef<T>,
  at: Name & { readonly namespace: string },
  test: LocustTest,
  look: Look,
): Promise<Found<T>> {
  const first = found(test, await known(kind, at, test, look));
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

/** What was there, and is not, was deleted: only the server's own word counts for that. A cache may have gone back in time. */
async function known<T extends KubeObject>(
  kind: KindRef<T>,
  at: Name & { readonly namespace: string },
  test: LocustTest,
  look: Look,
): Promise<T | undefined> {
  const cached = look.get(kind, at);
  if (cached !== undefined || test.status?.appliedGeneration === undefined || isOver(test)) return cached;
  return look.live(kind, at);
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

type Complaints = Pick<World, "complaints" | "unreadEvents">;

const noComplaints: Complaints = { complaints: new Map() };

/** Why pods that should long have started have not, and why Jobs have fewer pods than they need: only Events say it. */
async function complaintsOf(
  test: LocustTest,
  { master, worker, pods }: Pick<World, "master" | "worker" | "pods">,
  { timers }: Config,
  look: Look,
): Promise<Complaints> {
  const complaints = new Map<string, Complaint>();
  const isLate = (pod: Pod) => isCreating(pod) && plus(bornAt(pod), timers.podStartupGrace) <= look.now;
  const late = [...pods.master, ...pods.worker].filter(isLate).sort(byName).slice(0, mostAsked);
  const short = [shortOf(master, pods.master, look), shortOf(worker, pods.worker, look)].filter(
    (it) => it !== undefined,
  );
  const { namespace = "" } = test.metadata;
  try {
    for (const { metadata } of late) {
      const uid = metadata?.uid ?? "";
      note(uid, await newestEvent(uid, notStarted, namespace, look));
    }
    for (const { uid, changedAt } of short) {
      const event = await newestEvent(uid, ["FailedCreate"], namespace, look);
      if (event !== undefined && (parseTime(timeOf(event)) ?? 0) >= changedAt) note(uid, event);
    }
    return { complaints };
  } catch (error) {
    if (!isFailedRead(error)) throw error;
    return { complaints, unreadEvents: readFailure(error) };
  }

  function note(uid: string, event: CoreEvent | undefined): void {
    const { reason = "", message = "" } = event ?? {};
    complaints.set(uid, { reason, message });
  }
}

/** A Job that has had time to create its pods, and has too few. */
function shortOf(found: Found<Job>, pods: readonly Pod[], { now }: Look) {
  const job = objectOf(found);
  if (job === undefined) return undefined;
  const { expected, live, changedAt } = jobPods(job, pods);
  if (live >= expected || now < plus(changedAt, creationDelay)) return undefined;
  return { uid: job.metadata?.uid ?? "", changedAt };
}

const notStarted = ["FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "Pulling"];

/** Pods whose Events are read in one reconcile. */
const mostAsked = 10;

const byName = (a: Pod, b: Pod): number => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1);

async function newestEvent(
  uid: string,
  reasons: readonly string[],
  namespace: string,
  look: Look,
): Promise<CoreEvent | undefined> {
  const fieldSelector = `involvedObject.uid=${uid}`;
  const { items } = await look.server.list(CoreEvent, { namespace, fieldSelector, signal: look.signal });
  return items
    .filter(({ reason = "" }) => reasons.includes(reason))
    .sort(byTime)
    .at(-1);
}

const timeOf = (event: CoreEvent | undefined): string =>
  event?.series?.lastObservedTime ??
  event?.lastTimestamp ??
  event?.eventTime ??
  event?.metadata.creationTimestamp ??
  "";
const byTime = (a: CoreEvent, b: CoreEvent): number => (timeOf(a) < timeOf(b) ? -1 : 1);
