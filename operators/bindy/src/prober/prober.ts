// Asks the Bindcar of every pod at regular times, and tells its instance when the answer has changed for good (8.7). It asks
// nothing of the API server: which pods there are, the passes over instances say.
import { type Clock, jitter, type Random, type Timer } from "@telltale/clock";
import type { Instant, Ms } from "@telltale/kinds";
import type { Name, Source } from "@telltale/runtime";
import { type Finding, type Lag, notProbed, type ProbeState } from "../aggregate/pod-view.ts";
import type { Bindcar } from "../bindcar/client.ts";
import type { Trouble } from "../bindcar/outcome.ts";
import type { Target } from "./target.ts";
import { busyLimit, found, givenUp, isNews, judged, notAsked, succeeded, type Verdict } from "./verdict.ts";

export interface ProberOptions {
  readonly bindcar: Bindcar;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of each failure, for the metrics. */
  readonly onFailure?: (trouble: Trouble) => void;
}

/** A zone that an instance serves. */
export interface ServedZone {
  readonly namespace: string;
  readonly name: string;
  readonly zoneName: string;
}

interface Entry {
  readonly instance: string;
  target: Target;
  verdict: Verdict;
  /** When it answered, by uptime: a good verdict does not outlive it for long. */
  answeredAt: Ms;
  lag?: Lag;
  /** It has not answered since we work, nor begun anew: what its instance says of it counts, however late we are shown that. */
  isUnheard: boolean;
  /** It has answered since it last began. */
  hasAnswered: boolean;
  /** When it began, by uptime, as far as we know. */
  beganAt: Ms;
  /** Which zone is asked for next. */
  turn: number;
  timer?: Timer;
  call?: AbortController;
}

interface Kept {
  readonly name: Name;
  zones: readonly ServedZone[];
}

const period: Ms = 30_000;
const spread = 0.2;
/** After a first failure, as soon as the period allows. */
const shortest: Ms = period * (1 - spread);
const longest: Ms = period * (1 + spread);
/** A pod of which nothing is known is not left for that long. */
const firstRetryMs: Ms = 5_000;
/** For so long a pod that has not answered may be one that starts. */
const startMs: Ms = 60_000;
/** A good verdict rests on an answer that is not older. */
export const maxAnswerAgeMs: Ms = busyLimit;
const timeout: Ms = 3_000;
/** Between two probes of one pod, at most, and what the second takes. */
export const maxProbePauseMs: Ms = longest + timeout;
/** After a last answer a pod that cannot be reached fails one probe, and soon another. */
export const maxUnnoticedLossMs: Ms = maxProbePauseMs + shortest + timeout;
const mostInFlight = 20;

export class Prober {
  readonly #options: ProberOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #instances = new Map<string, Kept>();
  readonly #ready: Entry[] = [];
  #inFlight = 0;
  #wakeInstance: ((name: Name) => void) | undefined;
  #wakeZone: ((name: Name) => void) | undefined;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  /** For the controller of instances: it asks while that one works. Whoever works in between may find otherwise, so it begins anew. */
  readonly source: Source = (wake) => {
    this.#wakeInstance = wake;
    this.#clear();
    return () => {
      this.#wakeInstance = undefined;
      this.#clear();
    };
  };

  #clear(): void {
    for (const uid of this.#entries.keys()) this.#drop(uid);
    this.#instances.clear();
  }

  /** For the controller of zones: a zone is missing, or a server has begun anew. */
  readonly zoneSource: Source = (wake) => {
    this.#wakeZone = wake;
    return () => {
      this.#wakeZone = undefined;
    };
  };

  /** These are the live pods of an instance, and these its zones. */
  keep(instance: Name, targets: readonly Target[], zones: readonly ServedZone[]): void {
    const key = keyOf(instance);
    this.#instances.set(key, { name: instance, zones });
    const uids = new Set(targets.map(({ uid }) => uid));
    for (const [uid, entry] of this.#entries) if (entry.instance === key && !uids.has(uid)) this.#drop(uid);
    for (const target of targets) this.#see(key, target);
  }

  forget(instance: Name): void {
    const key = keyOf(instance);
    for (const [uid, entry] of this.#entries) if (entry.instance === key) this.#drop(uid);
    this.#instances.delete(key);
  }

  /** What is wrong with a pod, as far as is known. */
  finding(uid: string): Finding {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return { probe: notProbed };
    const { lag } = entry;
    return { probe: this.#probeState(entry), ...(lag === undefined ? {} : { lag }) };
  }

  #probeState({ verdict, answeredAt }: Entry): ProbeState {
    if (verdict.is === "failing" && verdict.fault !== undefined) return { kind: "failed", fault: verdict.fault };
    if (verdict.is !== "good") return notProbed;
    const isFresh = this.#options.clock.uptime() - answeredAt <= maxAnswerAgeMs;
    return isFresh ? { kind: "succeeded" } : { kind: "unknown", wasAnswered: true };
  }

  /** Why a pod cannot be reached any more that has answered before. Until it is probed again nobody else has to try. */
  lost(uid: string): Trouble | undefined {
    const { verdict, hasAnswered = false } = this.#entries.get(uid) ?? {};
    const trouble = verdict?.is === "failing" ? verdict.fault?.trouble : undefined;
    return hasAnswered && trouble?.at === "unreachable" ? trouble : undefined;
  }

  /** What somebody else met with a pod: as good as an answer to a question of our own. Undefined: all went well. */
  report(uid: string, trouble: Trouble | undefined, zone?: string): void {
    const entry = this.#entries.get(uid);
    if (entry !== undefined) this.#judge(entry, trouble, zone);
  }

  /** A secondary has not got a zone for too long, or has it again. */
  lags(uid: string, lag: Lag | undefined): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined || JSON.stringify(entry.lag) === JSON.stringify(lag)) return;
    if (lag === undefined) delete entry.lag;
    else entry.lag = lag;
    this.#tell(entry);
  }

  #see(instance: string, target: Target): void {
    const known = this.#entries.get(target.uid);
    const { clock } = this.#options;
    const now = clock.now();
    const { probe, lag } = target.recorded;
    if (known === undefined) {
      const verdict = recalled(probe, now);
      const answeredAt = clock.uptime();
      const entry: Entry = {
        instance,
        target,
        verdict,
        answeredAt,
        isUnheard: true,
        hasAnswered: false,
        beganAt: answeredAt,
        turn: 0,
        ...(lag && { lag }),
      };
      this.#entries.set(target.uid, entry);
      this.#schedule(entry, 0);
      return;
    }
    const isRestarted = known.target.run !== target.run;
    const isReachable = known.target.endpoint !== target.endpoint;
    // What was found while it was starting is old by now.
    const hasBecomeReady = !known.target.isReady && target.isReady && known.verdict.is === "failing";
    known.target = target;
    if (known.isUnheard && known.verdict.is !== "failing" && probe.kind === "failed")
      known.verdict = found(probe.fault, now);
    else if (known.verdict.isTaken === true && probe.kind === "succeeded") {
      known.verdict = givenUp(known.verdict, now);
      known.answeredAt = clock.uptime();
    } else if (known.isUnheard && known.verdict.is === "unknown" && probe.kind === "succeeded") {
      known.verdict = succeeded(now);
      known.answeredAt = clock.uptime();
    }
    if (isRestarted) {
      known.isUnheard = false;
      known.hasAnswered = false;
      known.beganAt = clock.uptime();
      known.verdict = notAsked(now);
      delete known.lag;
      this.#wakeZones(known);
    }
    if (isRestarted || isReachable || hasBecomeReady) this.#schedule(known, 0);
  }

  #drop(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry !== undefined) rest(entry);
    this.#entries.delete(uid);
  }

  #schedule(entry: Entry, delay: Ms): void {
    rest(entry);
    if (this.#wakeInstance === undefined || entry.target.endpoint === undefined) return;
    entry.timer = this.#options.clock.after(delay, () => {
      delete entry.timer;
      this.#ready.push(entry);
      this.#next();
    });
  }

  #next(): void {
    while (this.#inFlight < mostInFlight) {
      const entry = this.#ready.shift();
      if (entry === undefined) return;
      if (this.#entries.get(entry.target.uid) !== entry || this.#wakeInstance === undefined) continue;
      this.#inFlight += 1;
      void this.#probe(entry).finally(() => {
        this.#inFlight -= 1;
        this.#next();
      });
    }
  }

  async #probe(entry: Entry): Promise<void> {
    const { endpoint } = entry.target;
    if (endpoint === undefined) return;
    const stop = new AbortController();
    entry.call = stop;
    const answer = await this.#ask(entry, endpoint, stop.signal);
    if (entry.call !== stop || this.#entries.get(entry.target.uid) !== entry) return;
    delete entry.call;
    this.#judge(entry, answer.trouble, answer.zone?.zoneName);
    if (answer.zone !== undefined && isMissing(answer.trouble)) this.#wakeZone?.(answer.zone);
    this.#schedule(entry, this.#pause(entry, answer.trouble));
  }

  async #ask(
    entry: Entry,
    endpoint: string,
    signal: AbortSignal,
  ): Promise<{ readonly trouble?: Trouble; readonly zone?: ServedZone }> {
    const pod = this.#options.bindcar.at(endpoint);
    const call = { signal, timeout, attempts: "once" } as const;
    const server = await pod.serverStatus(call);
    if (!server.ok) return { trouble: server.trouble };
    const zones = this.#instances.get(entry.instance)?.zones ?? [];
    const zone = zones[entry.turn % Math.max(1, zones.length)];
    entry.turn += 1;
    if (zone === undefined) return {};
    const status = await pod.zoneStatus(zone.zoneName, call);
    return status.ok ? {} : { trouble: status.trouble, zone };
  }

  #judge(entry: Entry, trouble: Trouble | undefined, zone: string | undefined): void {
    const { clock, onFailure } = this.#options;
    if (trouble !== undefined && trouble.at !== "aborted") onFailure?.(trouble);
    const about = { isReady: entry.target.isReady, ...(zone === undefined ? {} : { zone }) };
    const before = entry.verdict;
    if (trouble === undefined) {
      entry.isUnheard = false;
      entry.hasAnswered = true;
      entry.answeredAt = clock.uptime();
    }
    entry.verdict = judged(before, trouble, about, clock.now());
    if (isNews(before, entry.verdict)) this.#tell(entry);
    // What a zone says of the pod rests on answers as well.
    if (before.is !== entry.verdict.is && before.is !== "unknown") this.#wakeZones(entry);
  }

  #wakeZones({ instance }: Entry): void {
    for (const { namespace, name } of this.#instances.get(instance)?.zones ?? []) this.#wakeZone?.({ namespace, name });
  }

  #tell(entry: Entry): void {
    const kept = this.#instances.get(entry.instance);
    if (kept !== undefined) this.#wakeInstance?.(kept.name);
  }

  #pause({ verdict, hasAnswered, beganAt }: Entry, trouble: Trouble | undefined): Ms {
    // Asked for backoff: at most until the next probe would be due, else one answer could suspend probes for days.
    if (trouble?.at === "answered" && trouble.status === 429) {
      return Math.min(Math.max(trouble.retryAfter ?? 1_000, shortest), longest);
    }
    const isStarting = !hasAnswered && this.#options.clock.uptime() - beganAt < startMs;
    if (verdict.is === "unknown" || (isStarting && trouble !== undefined)) return firstRetryMs;
    const isOpen = verdict.is === "good" && verdict.failures > 0;
    return isOpen ? shortest : jitter(this.#options.random, period, spread);
  }
}

/** Where a new process starts from. */
function recalled(probe: ProbeState, now: Instant): Verdict {
  if (probe.kind === "failed") return found(probe.fault, now);
  return probe.kind === "succeeded" ? succeeded(now) : notAsked(now);
}

const isMissing = (trouble: Trouble | undefined): boolean => trouble?.at === "answered" && trouble.status === 404;

function rest(entry: Entry): void {
  entry.timer?.cancel();
  delete entry.timer;
  const { call } = entry;
  delete entry.call;
  call?.abort(new Error("the pod is not asked any more"));
}

const keyOf = ({ namespace = "", name }: Name): string => `${namespace}/${name}`;
