// Runs controllers: starts what they read, waits for the lease, lets them work, and ends in good order.
import type { Tracer } from "@opentelemetry/api";
import { type Client, createClient, type Transport } from "@telltale/client";
import { type Clock, type Random, systemClock, systemRandom } from "@telltale/clock";
import { isDnsSubdomain, type KubeObject, type Ms } from "@telltale/kinds";
import type { StatusViolation } from "@telltale/status";
import { Cache } from "./cache/cache.ts";
import { decode, watchDecoder } from "./cache/decode.ts";
import { Echoes } from "./cache/echoes.ts";
import type { Controller } from "./controller/declare.ts";
import { isDeclared } from "./controller/declared.ts";
import { type Environment, Run } from "./controller/run.ts";
import { guardOf, type Replicas } from "./guard.ts";
import { type Log, silentLog } from "./log.ts";
import { type Announcer, announcer } from "./outside/announcer.ts";
import { cacheChecks, passCheck } from "./outside/checks.ts";
import type { Subject } from "./outside/event-object.ts";
import { type Recorder, recorder } from "./outside/events.ts";
import type { Check, ProbeOptions, Probes } from "./outside/probes.ts";
import type { Prometheus } from "./outside/prometheus.ts";
import { toAll } from "./outside/sinks.ts";
import { Pressure } from "./pressure.ts";
import type { Gauges, Sink } from "./samples.ts";
import { Thrift } from "./thrift.ts";
import { fenced, limited, type Rate } from "./transport.ts";
import type { Step } from "./write/status-writer.ts";

export interface ManagerOptions {
  /** Names the operator: field manager, lease, user agent. */
  readonly name: string;
  readonly transport: Transport;
  readonly controllers: readonly Controller[];
  /** Only these namespaces. Default: all. */
  readonly namespaces?: readonly string[];
  /** Who of several processes works. Default: this one is alone. */
  readonly replicas?: Replicas;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly sinks?: readonly Sink[];
  readonly tracer?: Tracer;
  readonly events?: "events.k8s.io/v1" | "v1" | "none";
  /** Requests per second. Default: as many as the server takes. */
  readonly rate?: Rate;
  /** How long running passes may take once it stops. Default: 30 s. */
  readonly grace?: Ms;
  /** Where `/healthz`, `/readyz` and `/metrics` are answered, or these last elsewhere or nowhere. Default: nowhere. */
  readonly probes?: { readonly port: number; readonly host?: string; readonly metrics?: ProbeOptions["listen"] };
  /** Metrics of the operator's own, beside those of the runtime where `probes` are answered: given a meter, it says what to tell. */
  readonly metrics?: (meter: Prometheus["meter"], cache: Cache) => Sink;
  /** Checks of the operator's own, beside those of caches and passes. */
  readonly checks?: readonly Check[];
  /** A kept cache, shared by several managers of one process. Default: its own. */
  readonly cache?: Cache;
  /** Whether memory is given back after a burst of work. Default: yes, in real time. */
  readonly thrift?: boolean;
  /** For tests: objects from the cache are frozen, and a broken status rule ends the run. */
  readonly strict?: boolean;
  /** How the world is read first. Default: `stream`. */
  readonly lists?: "stream" | "pages";
}

export interface Manager {
  /** Works until the signal is raised, and resolves when everything has ended in good order. */
  run(signal: AbortSignal): Promise<void>;
  /** What keeps it from being ready, in words. Empty: it is. */
  troubles(): readonly string[];
  /** Whether its controllers are working here: it holds the lease, or needs none. */
  isActive(): boolean;
  readonly gauges: Gauges;
  /** Where probes are answered, once it runs. */
  probes(): Probes["address"] | undefined;
  readonly cache: Cache;
  /** For whatever else has to be asked or written: under the same fence. */
  readonly client: Client;
}

export function manager(options: ManagerOptions): Manager {
  check(options);
  const { name, controllers, clock = systemClock, random = systemRandom, log = silentLog, strict = false } = options;
  const thrift = (options.thrift ?? clock === systemClock) ? new Thrift(clock) : undefined;
  const sinks = [...(options.sinks ?? [])];
  if (thrift !== undefined) sinks.push(({ is }) => (is === "pass" ? thrift.busy() : undefined));
  const sink = toAll(sinks, (error) => log.warn("a sink threw", { err: error }));
  const pressure = new Pressure(clock);
  const echoes = new Echoes();
  const transport = options.rate === undefined ? options.transport : limited(options.transport, clock, options.rate);
  const guard = guardOf(name, options.replicas, { clock, random, log, sink, client: clientOver(transport) });
  const way = fenced(transport, guard.fence);
  const client = clientOver(way);
  const cache =
    options.cache ??
    new Cache({
      client: clientOver(way, watchDecoder(echoes)),
      clock,
      random,
      log,
      sink,
      freeze: strict,
      echoes,
      ...(options.namespaces === undefined ? {} : { namespaces: options.namespaces }),
      ...(options.lists === undefined ? {} : { lists: options.lists }),
    });
  let failed: { readonly error: StatusViolation } | undefined;
  let onFailed = () => {};
  const voices = new Map(controllers.map((it) => [it, voiceOf(it)] as const));
  const env: Environment = {
    client,
    cache,
    clock,
    random,
    log,
    sink,
    fence: guard.fence,
    fieldManager: name,
    strict,
    pressure,
    announce: (controller, subject, announcement) => voices.get(controller)?.say(subject, announcement),
    onWritten: (controller, step) => voices.get(controller)?.written(step),
    onViolation: (error) => {
      failed ??= { error };
      onFailed();
    },
    ...(options.tracer === undefined ? {} : { tracer: options.tracer }),
  };
  const runs = controllers.map((controller) => new Run(controller, env));
  const gauges: Gauges = { queues: () => runs.map((it) => it.gauge), caches: () => cache.gauges() };
  let isActive = false;
  let probes: readonly Probes[] = [];

  function clientOver(way: Transport, how = decode): Client {
    return createClient({
      transport: way,
      clock,
      random,
      fieldManager: name,
      userAgent: name,
      decode: how,
      onWarning: (text) => log.warn("the server warns", { text }),
      onAttempt: ({ method, code = 0, took, next }) => {
        pressure.heard({ code, took });
        sink({ is: "request", method, code, took, again: next !== undefined });
      },
    });
  }

  /** How a controller is heard of: events and samples of every transition. */
  function voiceOf(controller: Controller): Voice {
    const { events = "events.k8s.io/v1" } = options;
    const told: Recorder | undefined =
      events === "none"
        ? undefined
        : recorder({
            client,
            clock,
            random,
            sink,
            log,
            fence: guard.fence,
            api: events,
            controller: controller.name,
            instance: guard.identity,
          });
    const { kind } = controller;
    const record: Recorder["record"] = (subject, said) => told?.record(subject, said);
    const tell: Announcer | undefined = isDeclared(kind)
      ? announcer({
          kind,
          controller: controller.name,
          sink,
          events: { record },
          ...(controller.events === "none" ? { announce: [] } : {}),
        })
      : undefined;
    return {
      say: record,
      written: ({ before, said, after, failed }) =>
        tell?.written({ object: after, old: statusOf(before), next: said, now: clock.now(), failed }),
      flush: async (within) => told?.flush(within),
    };
  }

  async function run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    onFailed = () => stop.abort();
    // Not AbortSignal.any: Node.js keeps those that are never raised, and all who listen to them, for ever.
    signal.addEventListener("abort", () => stop.abort(signal.reason), { once: true });
    if (failed !== undefined || signal.aborted) stop.abort(signal.reason);
    const { grace = 30_000 } = options;
    probes = options.probes === undefined ? [] : await serve(options.probes);
    if (options.cache === undefined) cache.start();
    const working = new Set<Run>();
    for (const it of runs) {
      it.synced().then(() => {
        working.add(it);
        if (isActive) it.start();
      });
    }
    const guarded = guard.start({
      gained() {
        isActive = true;
        for (const it of working) it.start();
      },
      lost(why) {
        isActive = false;
        for (const it of runs) it.pause(why);
      },
      moved: async (mine, before) => {
        await Promise.all(runs.map((it) => it.handOver(mine, before)));
      },
    });
    await raised(stop.signal);
    isActive = false;
    await Promise.all(runs.map((it) => it.stop(grace)));
    await Promise.all([...voices.values()].map((voice) => voice.flush(5_000)));
    await guard.release();
    if (options.cache === undefined) await cache.stop();
    await guarded;
    for (const it of probes) await it.close();
    thrift?.stop();
    if (failed !== undefined) throw failed.error;
  }

  async function serve(asked: NonNullable<ManagerOptions["probes"]>): Promise<readonly Probes[]> {
    // Loaded only where somebody wants to see it.
    const [{ prometheus }, { startProbes }] = await Promise.all([
      import("./outside/prometheus.ts"),
      import("./outside/probes.ts"),
    ]);
    const metrics = prometheus({ gauges, controllers: controllers.map((it) => it.name) });
    sinks.push(metrics.sink);
    if (options.metrics !== undefined) sinks.push(options.metrics(metrics.meter, cache));
    const stuck = passCheck(gauges, 2 * Math.max(60_000, ...controllers.map(({ timeout }) => timeout)));
    const checks = () => [stuck, ...cacheChecks(gauges), ...(options.checks ?? [])];
    const { metrics: apart, ...listen } = asked;
    if (apart === undefined) return [await startProbes({ listen, clock, checks, metrics })];
    return [await startProbes({ listen, clock, checks }), await startProbes({ listen: apart, clock, metrics })];
  }

  return {
    run,
    troubles: () => runs.flatMap((it) => it.troubles().map((text) => `${it.controller.name}: ${text}`)),
    isActive: () => isActive && guard.fence.allows(),
    gauges,
    probes: () => probes[0]?.address,
    cache,
    client,
  };
}

function check({ name, controllers, namespaces }: ManagerOptions): void {
  const complain = (what: string): never => {
    throw new TypeError(`manager ${name}: ${what}`);
  };
  if (!isDnsSubdomain(name)) complain("its name becomes that of a Lease; use lower-case letters, digits and dashes");
  if (namespaces?.length === 0) complain("namespaces is empty; leave it out to watch all");
  const names = controllers.map((it) => it.name);
  const twice = names.find((it, i) => names.indexOf(it) !== i);
  if (twice !== undefined)
    complain(`two controllers are called ${twice}; give one another name: controller(kind, name)`);
}

interface Voice {
  say(subject: Subject, said: { type: "Normal" | "Warning"; reason: string; message: string }): void;
  written(step: Step): void;
  flush(within: Ms): Promise<void>;
}

const statusOf = (object: KubeObject) => (object as { status?: Record<string, unknown> }).status;

function raised(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
