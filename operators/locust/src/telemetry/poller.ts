// Follows the masters of running tests: one request per test at a time, and only to the target that the test's own controller
// named. What it finds feeds the queue, nothing else.
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { type Polled, type Poller, poller } from "@telltale/runtime";
import type { Telemetry } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import { heldReading, nextReading, type Reading } from "./reading.ts";
import { parseSample } from "./sample.ts";
import type { Targets } from "./targets.ts";
import { refusalOf, troubleOf, Unread } from "./trouble.ts";
import type { WebApi } from "./web-api.ts";

/** Nothing where no master was ever read. */
export type Read = Reading | undefined;

export interface TelemetryPollerOptions {
  readonly config: Telemetry;
  readonly api: WebApi;
  readonly targets: Targets;
  readonly clock: Clock;
}

export function telemetryPoller(options: TelemetryPollerOptions): Poller<LocustTest, Read> {
  const { config, api, targets, clock } = options;
  return poller<LocustTest, Read>({
    name: "locust-web-api",
    every: config.interval,
    jitter: share,
    inFlight: config.maxConcurrency,
    timeout: config.timeout,
    when: ({ metadata, status }) =>
      status?.phase === "Running" && metadata.deletionTimestamp === undefined && targets.isFollowed(metadata.uid),
    async poll({ metadata }, { signal, last }) {
      const target = targets.of(metadata.uid);
      if (target === undefined) return heldReading(last?.value);
      const answer = await api.read(target, signal);
      const refusal = refusalOf(answer);
      if (refusal !== undefined) throw refusal;
      const sample = parseSample(answer.body, clock.now());
      if ("invalid" in sample) throw new Unread("InvalidResponse", sample.invalid);
      return nextReading(last?.value, target.master, sample, config.statusInterval);
    },
    changed,
    again: (reading) => (reading?.isTurning === true ? Math.min(config.interval, afterTurn) : config.interval),
    pause: (failures, error) => {
      if (isCertain(troubleOf(error))) return longest;
      const pause = config.interval * 2 ** Math.max(0, failures - patience + 1);
      return Math.max(Math.min(pause, longest), config.interval);
    },
  });
}

const share = 0.1;

/** Workers report every 3 s, and Locust answers from a cache of 2 s. */
const afterTurn: Ms = 3_500;

/** A minute at most, moved as it may be. */
const longest: Ms = 60_000 / (1 + share);

/** So many failures in a row are more than chance. */
const patience = 3;

/** What is wrong, once it is certain. */
export function verdictOf(polled: Polled<Read> | undefined): "good" | "open" | ReturnType<typeof troubleOf> {
  if (polled === undefined) return "open";
  if (polled.failures === 0) return polled.value === undefined ? "open" : "good";
  const trouble = troubleOf(polled.error);
  return polled.failures >= patience || isCertain(trouble) ? trouble : "open";
}

/** A refusal needs no second one. */
const isCertain = ({ reason }: ReturnType<typeof troubleOf>): boolean =>
  reason === "AuthenticationRequired" || reason === "PermissionDenied";

function changed(before: Polled<Read> | undefined, after: Polled<Read>): boolean {
  const [was, is] = [verdictOf(before), verdictOf(after)];
  if (is === "open") return false;
  if (is === "good") return typeof was === "object" || after.value?.isNews === true;
  return typeof was !== "object" || was.reason !== is.reason || was.what !== is.what;
}
