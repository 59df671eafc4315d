// A stand-in for a Locust master: the same web API, the same states at the same times, the same exit codes, and no Python. It runs in
// the process of a test or of a simulation, on whatever clock it is given; `listen` puts it on a port.
import type { Clock, Random } from "@telltale/clock";
import type { Instant } from "@telltale/kinds";
import { control } from "./control.ts";
import { type Delivery, deliver } from "./delivery.ts";
import { Faults } from "./faults.ts";
import { listen } from "./listen.ts";
import { Load, type LoadOptions } from "./load.ts";
import { type Asked, Web, type WebOptions } from "./routes.ts";
import { Runner, type RunOptions } from "./runner.ts";
import { scaled } from "./scaled.ts";

export interface StandInOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly run?: Partial<RunOptions>;
  readonly web?: Partial<WebOptions>;
  readonly load?: Partial<LoadOptions>;
  /** How many times as fast everything goes. Default: 1. */
  readonly timeScale?: number;
  /** Where to listen; 0: a free port. Default: nowhere. */
  readonly listen?: { readonly host?: string; readonly port?: number; readonly controlPort?: number };
}

export interface Logged extends Asked {
  readonly at: Instant;
}

export interface StandIn {
  readonly runner: Runner;
  readonly faults: Faults;
  /** Everything that was asked, the control plane left out. */
  readonly requests: readonly Logged[];
  /** Asks without a socket. */
  ask(asked: Asked): Delivery;
  /** Where it listens, where it does. */
  readonly url?: string;
  readonly controlUrl?: string;
  readonly exited: Promise<number>;
  /** Ends it, if it has not ended, and closes its ports. */
  stop(): Promise<void>;
}

export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const { random, timeScale = 1, listen: where } = options;
  const clock = scaled(options.clock, timeScale);
  const load = new Load(random, { ...standardLoad, ...options.load });
  const run = { ...standardRun, ...options.run };
  const runner = new Runner(load, clock, run);
  const web = new Web(runner, clock, { basePath: "", login: false, ...options.web });
  // Faults last as long as somebody outside says: their clock is not the fast one.
  const faults = new Faults(options.clock);
  const requests: Logged[] = [];

  const ask = (asked: Asked): Delivery => {
    const met = faults.take();
    if (runner.isOver || run.headless || met.some(({ is }) => is === "refuse")) return { as: "refused" };
    requests.push({ ...asked, at: options.clock.now() });
    return deliver(met, (those) => web.answer(asked, those));
  };
  const direct = (asked: Asked): Delivery =>
    deliver([], () => control(asked, { runner, faults, requests, now: () => clock.now() }));

  const { host = "127.0.0.1", port = 0, controlPort } = where ?? {};
  const at = { host, clock: options.clock };
  const site = where === undefined || run.headless ? undefined : await listen({ ...at, port, ask, faults });
  const desk = controlPort === undefined ? undefined : await listen({ ...at, port: controlPort, ask: direct });
  runner.exited.then(() => site?.close());
  return {
    runner,
    faults,
    requests,
    ask,
    ...(site !== undefined && { url: site.url }),
    ...(desk !== undefined && { controlUrl: desk.url }),
    exited: runner.exited,
    async stop() {
      if (!runner.isOver) runner.end(runner.exitCode);
      faults.clear();
      await Promise.all([site?.close(), desk?.close()]);
    },
  };
}

const standardLoad: LoadOptions = { rate: 5, failRatio: 0, names: 2 };

const standardRun: RunOptions = {
  expectWorkers: 1,
  autostart: false,
  headless: false,
  rebalancing: false,
  resetStats: false,
  exitCodeOnError: 1,
};
