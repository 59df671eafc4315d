// One API server and several processes around it in one virtual time. A process can be paused, killed, cut off and given
// another wall clock; `settle` looks after every timer.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, ConnectionError, createClient, inProcessTransport, type Transport } from "@telltale/client";
import { type Clock, type Random, seededRandom, turn, VirtualClock } from "@telltale/clock";
import { instant, type Ms } from "@telltale/kinds";
import { Lease } from "@telltale/kinds/builtin";
import type { Fields, Log } from "../../src/log.ts";
import type { Sample } from "../../src/samples.ts";

export const namespace = "default";

export interface World {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly server: ApiServer;
  /** Of nobody: for what a person would do. */
  readonly client: Client;
  process(name: string): Process;
  lease(name: string): Promise<Lease>;
  /** Moves time on, timer by timer, and calls `check` after each of them. */
  settle(by: Ms, check?: () => void): Promise<void>;
}

export interface Process {
  readonly name: string;
  readonly clock: Clock;
  readonly client: Client;
  readonly random: Random;
  readonly log: Log;
  readonly lines: string[];
  readonly sink: (sample: Sample) => void;
  readonly samples: Sample[];
  /** No timer fires and no answer arrives until `resume`. Time goes on. */
  pause(): void;
  resume(): void;
  /** As `pause`, for good. */
  kill(): void;
  /** Puts its wall clock elsewhere. */
  jump(by: Ms): void;
}

export async function world(seed = 1): Promise<World> {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const server = await startApiServer({ listen: false, clock, random: seededRandom(seed + 1), controllers: "none" });
  const client = createClient({ transport: inProcessTransport(server.client), clock, random });
  return {
    clock,
    random,
    server,
    client,
    process: (name) => process(name, clock, seededRandom(Math.floor(random.next() * 2 ** 32)), server),
    lease: (name) => client.get(Lease, name, { namespace }),
    async settle(by, check = () => {}) {
      const until = clock.uptime() + by;
      const due = () => instant(clock.now() + until - clock.uptime());
      await turn();
      check();
      while (clock.fire(due())) {
        check();
        await turn();
        check();
      }
      clock.advance(until - clock.uptime());
      await turn();
      check();
    },
  };
}

function process(name: string, base: VirtualClock, random: Random, server: ApiServer): Process {
  const lines: string[] = [];
  const samples: Sample[] = [];
  let state: "running" | "paused" | "killed" = "running";
  let held: (() => void)[] = [];
  let offset = 0;
  /** Now, or when the process goes on. */
  const run = (call: () => void): void => {
    if (state === "running") call();
    else if (state === "paused") held.push(call);
  };
  const clock: Clock = {
    now: () => instant(base.now() + offset),
    uptime: () => base.uptime(),
    after(delay, call) {
      let wanted = true;
      const timer = base.after(delay, () => run(() => wanted && call()));
      return {
        cancel() {
          wanted = false;
          timer.cancel();
        },
      };
    },
  };
  return {
    name,
    clock,
    random,
    client: createClient({ transport: gated(inProcessTransport(server.client), run), clock, random, userAgent: name }),
    log: remembering(lines),
    lines,
    sink: (sample) => samples.push(sample),
    samples,
    pause() {
      if (state === "running") state = "paused";
    },
    resume() {
      if (state !== "paused") return;
      state = "running";
      const calls = held;
      held = [];
      for (const call of calls) call();
    },
    kill() {
      state = "killed";
    },
    jump(by) {
      offset += by;
    },
  };
}

/** An answer reaches a process only while it runs. A request that was given up goes its way all the same. */
function gated(inner: Transport, run: (call: () => void) => void): Transport {
  return {
    send: ({ signal: _, ...request }) =>
      new Promise((resolve, reject) => {
        inner.send(request).then(
          (response) => run(() => resolve(response)),
          (error: unknown) => run(() => reject(new ConnectionError("exchange", String(error)))),
        );
      }),
    close: () => inner.close(),
  };
}

/** `warn lost the lease {"why":"expired"}`, without the fields that every line has. */
function remembering(lines: string[]): Log {
  const line = (level: string) => (message: string, fields?: Fields) => {
    lines.push(`${level} ${message}${fields === undefined ? "" : ` ${JSON.stringify(fields)}`}`);
  };
  const log: Log = {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    with: () => log,
  };
  return log;
}
