// Job: pods that run to their end, as many as are wanted. `plan.ts` decides, `ledger.ts` counts, `status.ts` tells, and
// `act.ts` does what they say.
import type { Instant } from "@telltale/kinds";
import { Job, Pod } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look, type StatusValue, type Told } from "@telltale/runtime";
import { claim, claiming, orphans } from "../pods/claim.ts";
import { find } from "../pods/conditions.ts";
import { isFinished, isTerminating, uidOf } from "../pods/facts.ts";
import { nextPass } from "../pods/rounds.ts";
import { act, type World } from "./act.ts";
import { noFailures, remember } from "./backoff.ts";
import { deadlineOf } from "./ending.ts";
import { isLeaving, isOurs, isTracked, letsGo, outcomeOf } from "./facts.ts";
import { isNews, settled } from "./ledger.ts";
import { Memory } from "./memory.ts";
import { type Plan, plan } from "./plan.ts";
import { finalStatus } from "./status.ts";

export function jobs(): Controller {
  const memory = new Memory();
  return claiming(controller(Job, "job-controller").owns(Pod), Job, Pod)
    .gate((job) => (isOurs(job) && outcomeOf(job) === undefined ? "go" : "ignore"))
    .untilGone()
    .reconcile<World, Plan>({
      observe: (job, look) => observe(job, look, memory, new Set()),
      plan: ({ job, pods, failures }, now) => plan(job, pods, failures, now),
      act(todo, hands, world) {
        memory.keep(uidOf(world.job), world.failures);
        return act(todo, hands, world, (job) => observe(job, hands, memory, world.proven));
      },
      status: said,
      after: announce,
    });
}

/** `proven`: pods whose state the server has confirmed in this pass. */
async function observe(job: Job, look: Look, memory: Memory, proven: Set<Pod>): Promise<World> {
  const namespace = job.metadata?.namespace ?? "";
  // What a Job that goes away owns is its own, whatever the labels: nobody else would take off the finalizer.
  const selector = isTerminating(job) ? {} : job.spec?.selector;
  const claimed = claim(job, selector, look.children(Pod), look.where(Pod, orphans, namespace));
  // Of those that have ended and are counted nothing more is to be learned, and there may be thousands.
  const open = claimed.mine.filter((pod) => isTracked(pod) || !isFinished(pod));
  const pods = (await Promise.all(open.map((pod) => confirmed(pod, job, look, proven)))).flatMap((pod) => pod ?? []);
  const known = memory.of(uidOf(job));
  const failures = remember(known ?? noFailures, known === undefined ? claimed.mine : pods, job, look.now);
  return { job, claim: claimed, pods, failures, proven };
}

/**
 * The state of a pod that decides whether it is counted must not be older than the Job's: a cache of pods that lags behind
 * would show one with its finalizer that another process has already counted.
 */
async function confirmed(pod: Pod, job: Job, look: Look, proven: Set<Pod>): Promise<Pod | undefined> {
  if (!isNews(pod, job) || proven.has(pod)) return pod;
  const { name = "", namespace = "", resourceVersion } = pod.metadata ?? {};
  const live = await look.live(Pod, { name, namespace });
  if (live === undefined || uidOf(live) !== uidOf(pod)) return undefined;
  if (live.metadata?.resourceVersion !== resourceVersion) return live;
  proven.add(pod);
  return pod;
}

function said({ pods, done }: World, job: Job, now: Instant): StatusValue<typeof Job> {
  if (letsGo(job) || isLeaving(job, pods)) return { status: undefined };
  const status = finalStatus({ job, pods, ledger: settled(job, pods), ending: done?.ending }, now);
  const deadline = done?.ending === undefined ? deadlineOf({ ...job, status }) : undefined;
  const due = [done?.due, deadline].flatMap((at) => at ?? []).sort((a, b) => a - b);
  return { status, ...nextPass(done ?? {}, due[0], now) };
}

/** What has become true with this pass. */
function announce({ world: { done }, object: job }: Told<typeof Job, World>, hands: Hands<typeof Job>): void {
  const before = done?.before;
  const isSuspended = find(job.status?.conditions, "Suspended")?.status;
  if (isSuspended !== find(before?.conditions, "Suspended")?.status) {
    if (isSuspended === "True") hands.event("Normal", "Suspended", "Job suspended");
    else hands.event("Normal", "Resumed", "Job resumed");
  }
  const outcome = outcomeOf(job);
  if (outcome === undefined) return;
  const { reason = "", message = "" } = outcome;
  if (outcome.type === "Failed") hands.event("Warning", reason, message);
  else {
    const { succeeded = 0 } = job.status ?? {};
    if (succeeded > (job.spec?.completions ?? succeeded)) {
      hands.event("Warning", "TooManySucceededPods", "Too many succeeded pods running after completion count reached");
    }
    hands.event("Normal", "Completed", "Job completed");
  }
}
