// Asks providers at regular times whether they are well, and what they can do (3.2 steps 8 and 9). It decides nothing about a
// Provider: each answer asks for a pass, which does.
import type { Clock } from "@telltale/clock";
import { type Instant, type Ms, parseTime } from "@telltale/kinds";
import { type Poller, poller } from "@telltale/runtime";
import { findCondition, hysteresis, type Probe, type SafeText, text } from "@telltale/status";
import type { Answer } from "../contract/contract.ts";
import type { Provider, ReportedCapabilities } from "../kinds/provider.ts";
import { deadlines } from "../link/deadlines.ts";
import { isUnreachable } from "../link/failure.ts";
import type { Link, Links } from "../link/links.ts";
import { ProviderError } from "../link/provider-error.ts";
import { redact } from "../redact.ts";
import { reportedOf, type Totals, totalsOf } from "./capabilities.ts";
import { type HealthCheck, healthCheckOf } from "./health.ts";
import type { Sighting, Sightings } from "./sightings.ts";

/** One answer, and what it makes of those before it. */
export interface Probed {
  readonly at: Instant;
  readonly answer: HealthAnswer;
  readonly verdict: Probe;
  /** Undefined: it has not been asked, because it was never well. */
  readonly abilities?: Told;
  readonly interval: Ms;
}

interface HealthAnswer {
  readonly is:
    | "well"
    | "unwell" // it answers, and cannot work
    | "reached" // it answers, and was not asked for its health
    | "unreachable";
  readonly said: SafeText;
}

/** What a provider said of what it can do, the last time that it said something. */
export interface Told {
  readonly at: Instant;
  /** Which pods there were. */
  readonly pods: string;
  readonly known?: { readonly reported: ReportedCapabilities; readonly totals: Totals };
  /** Why it said nothing the last time. */
  readonly trouble?: SafeText;
  /** It could not be asked at all. */
  readonly isUnreached?: boolean;
}

export type HealthProbe = Poller<Provider, Probed>;

interface ProbeTools {
  readonly links: Links;
  readonly sightings: Sightings;
  readonly clock: Clock;
}

/** What a provider can do changes with its process: seldom. */
const refresh: Ms = 300_000;
/** Until it is asked again after it did not say. */
const retry: Ms = 60_000;
/** Until a pass has seen the provider. */
const soon: Ms = 1_000;
const share = 0.1;

export function healthProbe({ links, sightings, clock }: ProbeTools): HealthProbe {
  return poller<Provider, Probed>({
    name: "provider-health",
    every: 30_000,
    jitter: share,
    inFlight: 64,
    // Each question has its own deadline.
    timeout: 600_000,
    when: isProbed,
    async poll(provider, { signal, last }) {
      const sighting = sightings.of(provider.metadata.uid ?? "");
      if (sighting === undefined) throw new Unseen();
      const check = healthCheckOf(provider);
      const link = links.of(provider, sighting.tls);
      if (!check.isEnabled) return askWithoutHealth(link, check, last?.value, sighting, clock, signal);
      const answer = await askHealth(link, check, signal);
      const at = clock.now();
      const verdict = hysteresis(last?.value?.verdict ?? remembered(provider, check), answer.is === "well", {
        fail: check.failures,
        ok: check.successes,
      });
      const before = last?.value?.abilities;
      const isDue = answer.is === "well" && isOld(before, sighting, at);
      const abilities = isDue ? await askAbilities(link, before, sighting, clock, signal) : before;
      return { at, answer, verdict, interval: check.interval, ...(abilities === undefined ? {} : { abilities }) };
    },
    // Each one is worth a pass: `lastHealthCheck` is in the status.
    changed: (_before, { error }) => !(error instanceof Unseen),
    again: ({ interval }) => interval,
    pause: (_failures, error) => (error instanceof Unseen ? soon : 30_000),
  });
}

/** No pass of this process has looked at it yet. */
class Unseen extends Error {}

/** While it runs, and as long as it is taken for healthy or connected: both are true only while it answers (L-11). */
export function isProbed({ metadata, status: { runtime, conditions, healthy } = {} }: Provider): boolean {
  if (metadata.deletionTimestamp !== undefined || runtime?.endpoint === undefined) return false;
  const isExternal = runtime.serviceRef === undefined;
  const answered = healthy === true || findCondition(conditions, "Connected")?.status === "True";
  return runtime.phase === "Running" || answered || (isExternal && runtime.phase === "Starting");
}

/** Without health checks: that it answers is known from asking what it can do. */
async function askWithoutHealth(
  link: Link,
  { interval }: HealthCheck,
  last: Probed | undefined,
  sighting: Sighting,
  clock: Clock,
  signal: AbortSignal,
): Promise<Probed> {
  const now = clock.now();
  const before = last?.abilities;
  const isDue = last?.answer.is === "unreachable" || isOld(before, sighting, now);
  const abilities = before === undefined || isDue ? await askAbilities(link, before, sighting, clock, signal) : before;
  const { trouble = text`The provider answers`, isUnreached = false } = abilities;
  const answer: HealthAnswer = { is: isUnreached ? "unreachable" : "reached", said: trouble };
  return { at: clock.now(), answer, verdict: { verdict: "bad", against: 0 }, abilities, interval };
}

async function askHealth(link: Link, { timeout }: HealthCheck, signal: AbortSignal): Promise<HealthAnswer> {
  try {
    const { ok, message } = await link.probe(timeout, signal);
    if (ok) return { is: "well", said: redact(message) || text`The provider is well` };
    return { is: "unwell", said: redact(message) || text`The provider says that it cannot work` };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { is: isUnreachable(error.failure) ? "unreachable" : "unwell", said: error.said };
  }
}

/**
 * What stored status still knows of the answers before this process: whether it was healthy, and, where it could not be reached, how
 * many probes in a row at least: as many as there must have been between the moment since when and the last one. Any other count
 * begins anew, which only lengthens the wait.
 */
export function remembered({ status }: Provider, { interval, timeout }: HealthCheck): Probe {
  const connected = findCondition(status?.conditions, "Connected");
  if (connected?.status !== "False") return { verdict: status?.healthy === true ? "good" : "bad", against: 0 };
  const ready = findCondition(status?.conditions, "Ready");
  if (ready?.status !== "Unknown") return { verdict: "bad", against: 0 };
  const since = parseTime(connected.lastTransitionTime);
  const last = parseTime(status?.lastHealthCheck);
  if (since === undefined || last === undefined) return { verdict: "good", against: 0 };
  // The ends of two probes are never further apart than this, and times are stored in whole seconds.
  const furthest = interval * (1 + share) + timeout;
  return { verdict: "good", against: 1 + Math.max(0, Math.ceil((last - since - 1_000) / furthest)) };
}

function isOld(told: Told | undefined, { pods }: Sighting, now: Instant): boolean {
  if (told === undefined || told.pods !== pods) return true;
  return now - told.at >= (told.trouble === undefined ? refresh : retry);
}

async function askAbilities(
  link: Link,
  before: Told | undefined,
  { pods }: Sighting,
  clock: Clock,
  signal: AbortSignal,
): Promise<Told> {
  try {
    const answer: Answer<"getCapabilities"> = await link.ask(
      "getCapabilities",
      {},
      { deadline: deadlines.getCapabilities, signal },
    );
    return { at: clock.now(), pods, known: { reported: reportedOf(answer), totals: totalsOf(answer) } };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const known = before?.known;
    const isUnreached = isUnreachable(error.failure);
    return { at: clock.now(), pods, trouble: error.said, isUnreached, ...(known === undefined ? {} : { known }) };
  }
}
