// The operator put together: its controller, and what it follows the masters with.

import type { Transport } from "@telltale/client";
import { type Clock, systemClock } from "@telltale/clock";
import type { Job } from "@telltale/kinds/builtin";
import { usage } from "@telltale/kinds/usage";
import { type Controller, type Log, type Look, silentLog } from "@telltale/runtime";
import { webOptions } from "./build/index.ts";
import { type Config, configWarnings } from "./config.ts";
import { locustTests } from "./locust-test/controller.ts";
import { endedAt } from "./locust-test/job-pods.ts";
import { classifyJob, endOf, masterStartedAt } from "./locust-test/jobs.ts";
import { Memory } from "./locust-test/memory.ts";
import { lastOf, objectOf, type World } from "./locust-test/world.ts";
import type { MasterEnd } from "./telemetry/numbers.ts";
import { telemetryPoller } from "./telemetry/poller.ts";
import { type Resolver, targetOf } from "./telemetry/target.ts";
import { Targets } from "./telemetry/targets.ts";
import { type TelemetryView, telemetryView } from "./telemetry/view.ts";
import { type WebApi, webApi } from "./telemetry/web-api.ts";
import { violations } from "./validate.ts";

export interface OperatorOptions {
  readonly config: Config;
  /** To the API server: for masters that are reached through its proxy. */
  readonly transport: Transport;
  readonly clock?: Clock;
  /** For what the configuration may surprise with. */
  readonly log?: Log;
  /** Default: the masters' real web API. */
  readonly api?: WebApi;
  /** Where a master is. Default: by `config.telemetry.mode`. */
  readonly resolve?: Resolver;
}

export function locustOperator(options: OperatorOptions): readonly Controller[] {
  const { transport, clock = systemClock, log = silentLog, resolve = targetOf } = options;
  const config = usage().settings("locust", options.config);
  for (const warning of configWarnings(config)) log.warn(warning);
  const api = options.api ?? webApi(config.telemetry, transport);
  const targets = new Targets();
  const poller = telemetryPoller({ config: config.telemetry, api, targets, clock });
  const memory = new Memory();

  const reachOf = ({ test, masterPod }: Pick<World, "test" | "masterPod">) =>
    resolve(test, masterPod, webOptions(test), config.telemetry);

  function telemetry(seen: Omit<World, "telemetry" | "making">, look: Look): TelemetryView {
    const { test, worker, pods } = seen;
    return telemetryView({
      stored: test.status,
      reach: reachOf(seen),
      polled: look.polled(poller),
      worker: objectOf(worker),
      workerPods: pods.worker.map(({ metadata }) => metadata?.name ?? ""),
      workerFailures: pods.worker
        .filter(({ status }) => status?.phase === "Failed")
        .flatMap((pod) => endedAt(pod) ?? []),
      masterStartedAt: masterStartedAt(seen),
      end: endOfMaster(objectOf(seen.master) ?? lastOf(seen, "master")),
      now: look.now,
      config: config.telemetry,
      options: webOptions(test),
    });
  }

  const follow = (world: World) => targets.set(world.test, reachOf(world));
  const senses = { config, memory, invalid: violations, telemetry, follow };
  return [locustTests(senses, { poller, source: targets.source, forget: (test) => targets.forget(test) })];
}

function endOfMaster(job: Job | undefined): MasterEnd | undefined {
  const at = job === undefined ? undefined : endOf(job);
  return at === undefined ? undefined : { at, hasFailed: classifyJob(job) === "Failed" };
}
