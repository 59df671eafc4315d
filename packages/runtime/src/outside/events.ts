// Kubernetes Events: told once for each transition, never more than the server or a reader can bear. A recorder decides what
// is worth a request (`event-memory.ts`), and sends it when there is room; whoever tells it something does not wait.
import { ApiError, type Client, ConnectionError, isAlreadyExists, isNotFound, TimeoutError } from "@telltale/client";
import { type Clock, jitter, type Random, sleep } from "@telltale/clock";
import { isQualifiedName, type KubeObject, type Ms } from "@telltale/kinds";
import { CoreEvent, Event } from "@telltale/kinds/builtin";
import { type Fence, NotLeaderError, openFence } from "../fence.ts";
import type { Log } from "../log.ts";
import type { EventOutcome, Sink } from "../samples.ts";
import { EventMemory, type MemoryLimits, standardLimits, type Told } from "./event-memory.ts";
import {
  coreEventOf,
  eventOf,
  type Happening,
  happening,
  recounted,
  type Said,
  type Subject,
  type Tally,
  type Teller,
} from "./event-object.ts";
import { toAll } from "./sinks.ts";

export interface Recorder {
  /** Tells of something that happened to an object. Returns at once, and never throws. */
  record(subject: Subject, said: Said): void;
  /** Until everything is told, or the time is up; what is left then is dropped. For a graceful stop, before the lease goes. */
  flush(within?: Ms): Promise<void>;
}

export interface RecorderOptions extends Teller {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly sink: Sink;
  readonly log: Log;
  readonly fence?: Fence;
  /** Default: `events.k8s.io/v1`. */
  readonly api?: "events.k8s.io/v1" | "v1";
  readonly limits?: Partial<MemoryLimits & SendLimits>;
}

interface SendLimits {
  /** Requests at a time. */
  readonly inFlight: number;
  /** Events that wait for one; the oldest goes when there are more. */
  readonly queued: number;
  /** Attempts where no answer comes, */
  readonly attempts: number;
  /** and how long to wait between two. */
  readonly pause: Ms;
}

const standardSending: SendLimits = { inFlight: 4, queued: 1000, attempts: 5, pause: 10_000 };

/**
 * The same Event (object, type, reason, message) within five minutes is only counted. When it recurs after that, the stored
 * one is counted up (`series`, or `count` in core `v1`) instead of adding another: the total then has those that were held
 * back too, `kubectl` shows "x7 over 35m", and the server keeps one object, not seven.
 */
export function recorder(options: RecorderOptions): Recorder {
  const { client, clock, random, log, controller, instance, fence = openFence, api = "events.k8s.io/v1" } = options;
  if (!isQualifiedName(controller)) {
    throw new TypeError(
      `events of "${controller}": the server refuses every Event of a controller with such a name; use a qualified name, such as locusttest-controller`,
    );
  }
  const limits = { ...standardLimits, ...standardSending, ...options.limits };
  const sink = toAll([options.sink], (error) => log.warn("a sink threw", { err: error }));
  const memory = new EventMemory(limits);
  const queue: Told[] = [];
  const idle = new Set<() => void>();
  const stopping = new AbortController();
  /** What went wrong and was logged, until something goes right again. */
  const logged = new Set<string>();
  let inFlight = 0;

  const count = (outcome: EventOutcome) => sink({ is: "event", controller, outcome });

  function drop(told: Told): void {
    memory.forget(told);
    count("dropped");
  }

  function pump(): void {
    while (inFlight < limits.inFlight) {
      const told = queue.shift();
      if (told === undefined) break;
      inFlight += 1;
      const failed = (): EventOutcome => "failed"; // whatever a log or a fence may throw
      void deliver(told)
        .catch(failed)
        .then((outcome) => {
          inFlight -= 1;
          if (outcome !== "sent") memory.forget(told);
          count(outcome);
          pump();
        });
    }
    if (inFlight > 0) return;
    for (const done of idle) done();
    idle.clear();
  }

  async function deliver(told: Told): Promise<EventOutcome> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (!fence.allows(whose(told))) return "dropped";
        await send(told);
        logged.clear();
        return "sent";
      } catch (error) {
        if (error instanceof NotLeaderError) return "dropped";
        complain(told, error);
        if (!mayPass(error) || attempt >= limits.attempts || stopping.signal.aborted) return "failed";
        // Woken by a stop, it is tried once more.
        await sleep(clock, jitter(random, limits.pause, 0.25), stopping.signal).catch(() => {});
      }
    }
  }

  const create = (it: Happening, tally: Tally): Promise<unknown> =>
    api === "v1" ? client.create(CoreEvent, coreEventOf(it, tally)) : client.create(Event, eventOf(it, tally));
  const recount = (it: Happening, tally: Tally): Promise<unknown> =>
    client.patch<KubeObject>(api === "v1" ? CoreEvent : Event, it, recounted(api, tally));

  async function send(told: Told): Promise<void> {
    const tally = { count: told.count, last: told.last };
    if (told.at === "again") {
      try {
        await recount(told.happening, tally);
        told.at = "told";
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
        told.at = "new"; // the server keeps Events for an hour only
      }
    }
    try {
      await create(told.happening, tally);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error; // an attempt whose answer was lost: nobody else makes up that name
    }
    told.at = "told";
  }

  function complain({ happening }: Told, error: unknown): void {
    const what = faultOf(error);
    if (logged.has(what)) return;
    logged.add(what);
    const fields = {
      err: error,
      kind: happening.regarding.kind,
      namespace: happening.namespace,
      reason: happening.said.reason,
    };
    // Objects outlive the right to write events beside them when their namespace goes: nobody can do anything about it.
    if (isNamespaceGone(error)) log.debug("an event was not told: its namespace is going", fields);
    else log.warn("an event was not told; the same trouble is logged again only after one was", fields);
  }

  return {
    record(subject, said) {
      try {
        const { uid = "", namespace = "", name = "" } = subject.object.metadata ?? {};
        const object = uid || `${subject.kind.apiVersion}/${subject.kind.kind}/${namespace}/${name}`;
        const key = JSON.stringify([object, said.type, said.reason, said.message]);
        const fresh = () => happening(subject, said, { controller, instance }, clock.now(), random);
        const told = memory.judge(object, key, clock.now(), clock.uptime(), fresh);
        if (told === undefined) {
          count("suppressed");
          return;
        }
        queue.push(told);
        if (queue.length > limits.queued) for (const oldest of queue.splice(0, 1)) drop(oldest);
        pump();
      } catch (error) {
        count("failed");
        log.error("an event could not be made", { err: error, reason: said.reason });
      }
    },
    async flush(within = 5_000) {
      stopping.abort();
      if (inFlight === 0 && queue.length === 0) return;
      await new Promise<void>((resolve) => {
        const timer = clock.after(within, () => {
          idle.delete(done);
          for (const told of queue.splice(0)) drop(told);
          resolve();
        });
        const done = () => {
          timer.cancel();
          resolve();
        };
        idle.add(done);
      });
    },
  };
}

function whose({ happening: { regarding } }: Told): { readonly namespace?: string; readonly name: string } {
  const { name = "", namespace } = regarding;
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Whether the trouble may be over in a while. A refusal stays one. */
function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 429 || error.code >= 500;
  return error instanceof TimeoutError || (error instanceof ConnectionError && error.step !== "closed");
}

function isNamespaceGone(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return isNotFound(error) || error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}

function faultOf(error: unknown): string {
  if (error instanceof ApiError) return `${error.code} ${error.reason} ${isNamespaceGone(error)}`;
  if (error instanceof ConnectionError) return error.step;
  return error instanceof Error ? error.name : "unknown";
}
