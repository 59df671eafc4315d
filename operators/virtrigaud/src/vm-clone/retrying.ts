// When an attempt that failed is followed by another (3.9, "Retry"), out of what is stored. Pure.
import { type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { nextAttempt, type SafeText } from "@telltale/status";
import { lengthOr } from "../durations.ts";
import type { Failure } from "../link/failure.ts";
import { busyDelay } from "../link/wait.ts";
import { type FailReason, failed, rest, type Step } from "./step.ts";
import type { World } from "./world.ts";

const minute: Ms = 60_000;

/** An attempt failed: there is another one, or that was it. */
export function afterFailure({ clone, held, now }: World, reason: FailReason, why: SafeText): Step {
  const at = retryAt({ clone, held }, now, now);
  return at === undefined ? failed(reason, why) : rest({ is: "retrying", reason, why, at });
}

/** Undefined: there is none. */
export function retryAt(
  { clone, held }: Pick<World, "clone" | "held">,
  since: Instant,
  now: Instant,
): Instant | undefined {
  const { retryPolicy } = clone.spec.options ?? {};
  if (retryPolicy === undefined) return undefined;
  const { maxRetries = 3, retryDelay, backoffMultiplier = 2 } = retryPolicy;
  const { retryAt: at } = nextAttempt(
    {
      count: held.retryCount ?? 0,
      max: maxRetries,
      since: new Date(since).toISOString(),
      delay: lengthOr(retryDelay, 5 * minute),
      factor: Math.max(1, backoffMultiplier),
      cap: 30 * minute,
    },
    now,
  );
  return at;
}

/** When the last failure was told of: the next attempt is counted from there. */
export function pendingRetry(world: World): Instant | undefined {
  const { told, now } = world;
  if (told.ready?.reason !== "Retrying") return undefined;
  return retryAt(world, parseTime(told.cloning?.lastTransitionTime) ?? now, now) ?? now;
}

/** When a busy machine is asked again, after it was found busy at that time. */
export const askedAgainAt = ({ held, now }: World, since: Instant): Instant =>
  plus(since, busyDelay(since - (parseTime(held.startTime) ?? now)));

/** Undefined: it was not busy when it was last asked. A time that is still to come is of a clock that was wrong. */
export function busyUntil(world: World): Instant | undefined {
  const { told, now } = world;
  if (told.ready?.reason !== "Busy") return undefined;
  const since = parseTime(told.cloning?.lastTransitionTime) ?? now;
  return since > now ? now : askedAgainAt(world, since);
}

/** Whose time may come. */
export const isRetryable = (failure: Failure): boolean =>
  failure !== "InvalidSpec" && failure !== "NotSupported" && failure !== "NotFound";

export const timeoutOf = ({ clone, held, now }: World): Instant =>
  plus(parseTime(held.startTime) ?? now, lengthOr(clone.spec.options?.timeout, 30 * minute));
