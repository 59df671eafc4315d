// Jobs that have ended, and go after a while: `ttlSecondsAfterFinished`.
import { type Instant, parseTime, plus } from "@telltale/kinds";
import { Job } from "@telltale/kinds/builtin";
import { type Controller, controller } from "@telltale/runtime";
import { isTerminating } from "../pods/facts.ts";
import { outcomeOf, seconds } from "./facts.ts";

export function expiredJobs(): Controller {
  return controller(Job, "ttl-after-finished-controller")
    .writes(Job, "delete")
    .reconcile<Job, boolean>({
      observe: (job) => job,
      plan: (job, now) => (expiryOf(job) ?? now + 1) <= now,
      async act(isDue, hands, job) {
        if (!isDue) return;
        // Its limit may just have been raised.
        const { name = "", namespace = "", uid } = job.metadata ?? {};
        const live = await hands.live(Job, { name, namespace });
        const expiry = live?.metadata?.uid === uid ? expiryOf(live ?? {}) : undefined;
        if (live !== undefined && expiry !== undefined && expiry <= hands.now) {
          await hands.remove(Job, live, "Foreground");
        }
      },
      status: (job, _, now) => {
        const wakeAt = expiryOf(job);
        return { status: undefined, ...(wakeAt === undefined || wakeAt <= now ? {} : { wakeAt }) };
      },
    });
}

/** When it has to go. Undefined: it stays, or is going already, or has not ended. */
export function expiryOf(job: Job): Instant | undefined {
  const ttl = job.spec?.ttlSecondsAfterFinished;
  const end = parseTime(outcomeOf(job)?.lastTransitionTime);
  return ttl === undefined || end === undefined || isTerminating(job) ? undefined : plus(end, seconds(ttl));
}
