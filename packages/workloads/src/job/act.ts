// Doing what a Job's plan says, in an order in which nothing is lost when it is cut short: pods go and come, their ends are
// noted in the status, the noted lose their finalizer. The numbers follow with the status that ends the pass.
import { deepEqual, type Instant } from "@telltale/kinds";
import { Job, Pod } from "@telltale/kinds/builtin";
import type { Hands } from "@telltale/runtime";
import { unlessEnding } from "../objects/ending.ts";
import { type Batched, slowStart } from "../pods/batch.ts";
import { type Claim, settleClaim } from "../pods/claim.ts";
import { nameOf } from "../pods/facts.ts";
import { withoutFinalizer } from "../pods/finalizers.ts";
import type { Rounded } from "../pods/rounds.ts";
import { wordsOf } from "../pods/words.ts";
import type { Failures } from "./backoff.ts";
import { tally } from "./counting.ts";
import { completionOf, type Ending } from "./ending.ts";
import { holds, type JobStatus, letsGo, tracking } from "./facts.ts";
import { type Noted, noteEnds } from "./ledger.ts";
import { type Plan, plan } from "./plan.ts";
import { podOf } from "./pod.ts";
import { interimStatus } from "./status.ts";

export interface World {
  readonly job: Job;
  readonly claim: Claim<Pod>;
  readonly pods: readonly Pod[];
  readonly failures: Failures;
  readonly proven: Set<Pod>;
  readonly done?: Done;
}

/** What came of a pass. */
interface Done extends Rounded {
  /** The status that it began with. */
  readonly before: JobStatus | undefined;
  readonly ending: Ending | undefined;
  readonly due: Instant | undefined;
}

type Working = Hands<typeof Job>;

export async function act(
  planned: Plan,
  hands: Working,
  begun: World,
  see: (job: Job) => Promise<World>,
): Promise<World> {
  const { job } = begun;
  const todo = await claimed(planned, hands, begun, see);
  const failure = await carryOut(todo, hands, job);
  const after = await see(job);
  const found = tally(job, after.pods);
  // Nothing has ended while something could not be stopped.
  const stopped = found.active.length === 0 ? todo.ending : undefined;
  const ending = todo.ending === undefined ? completionOf(job, found) : stopped;
  const noted = noteEnds(job, after.pods, ending);
  const written = letsGo(job) ? job : await noteDown(noted, hands, { ...after, ending });
  const stuck = await free(noted.release, hands);
  const isUnfinished = todo.isCut === true || noted.isCut;
  const done: Done = { before: job.status, ending, due: todo.due, isUnfinished, ...(failure ?? stuck) };
  return { ...(await see(written)), done };
}

/** Pods that came or left by their labels change what is to be done. */
async function claimed(planned: Plan, hands: Working, { job, claim }: World, see: (job: Job) => Promise<World>) {
  if (claim.adopt.length === 0 && claim.release.length === 0) return planned;
  await settleClaim(hands, Pod, { kind: Job, object: job }, claim, tracking);
  const { pods, failures } = await see(job);
  return plan(job, pods, failures, hands.now);
}

type Trouble = Required<Pick<Rounded, "failure">>;

async function carryOut({ stop, drop, create }: Plan, hands: Working, job: Job): Promise<Trouble | undefined> {
  const remove = async (pod: Pod) => {
    await hands.remove(Pod, pod, "Background");
    hands.event("Normal", "SuccessfulDelete", `Deleted pod: ${nameOf(pod)}`);
  };
  const stopped = await each(stop, remove);
  const dropped = await each(drop, async (pod) => {
    // First it is no longer counted, then it goes.
    await unmark(pod, hands);
    await remove(pod);
  });
  const made = await each(create, (birth) =>
    unlessEnding(async () => {
      const pod = await hands.create(Pod, podOf(job, birth));
      hands.event("Normal", "SuccessfulCreate", `Created pod: ${nameOf(pod)}`);
    }),
  );
  return (
    trouble(stopped, "FailedDelete", "Error deleting", hands) ??
    trouble(dropped, "FailedDelete", "Error deleting", hands) ??
    trouble(made, "FailedCreate", "Error creating", hands)
  );
}

const each = <T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<Batched> =>
  slowStart(items.length, async (i) => {
    const item = items[i];
    if (item !== undefined) await run(item);
  });

function trouble({ error }: Batched, reason: string, doing: string, hands: Working): Trouble | undefined {
  if (error === undefined) return undefined;
  hands.event("Warning", reason, `${doing}: ${wordsOf(error)}`);
  return { failure: wordsOf(error) };
}

/** Written only where something depends on it. It is refused when the Job is no longer the one that was read. */
async function noteDown(
  { ledger, release }: Noted,
  hands: Working,
  { job, pods, ending }: World & { readonly ending: Ending | undefined },
): Promise<Job> {
  const status = interimStatus({ job, pods, ledger, ending }, hands.now);
  const isEnd = ending !== undefined && !holds(job, ending.type);
  const isMore = status.completedIndexes !== job.status?.completedIndexes;
  if (!(isEnd || isMore || release.length > 0) || deepEqual(status, job.status)) return job;
  return hands.patchStatus(Job, job, [
    { op: "test", path: "/metadata/resourceVersion", value: job.metadata?.resourceVersion },
    { op: "add", path: "/status", value: status },
  ]);
}

/** One that has changed meanwhile, or is gone, is found so by the next pass. */
async function free(pods: readonly Pod[], hands: Working): Promise<Trouble | undefined> {
  const ends = await Promise.allSettled(pods.map((pod) => unmark(pod, hands)));
  const failed = ends.find((end) => end.status === "rejected");
  return failed === undefined ? undefined : { failure: wordsOf(failed.reason) };
}

async function unmark(pod: Pod, hands: Working): Promise<void> {
  const operations = withoutFinalizer(pod, tracking);
  if (operations.length > 0) await hands.patch(Pod, pod, operations);
}
