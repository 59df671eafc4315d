// One process of an operator: it starts, works, and ends in good order or not at all.

import type { Transport } from "@telltale/client";
import { type Clock, seededRandom } from "@telltale/clock";
import type { KindRef, KubeObject } from "@telltale/kinds";
import { type Controller, type Manager, manager, type Sample } from "@telltale/runtime";
import { LocalClock } from "./local-clock.ts";
import { type Pass, presentPass, seen } from "./pass.ts";
import { reading } from "./reads.ts";
import type { Around } from "./scenario.ts";

export interface ProcessOptions {
  readonly name: string;
  readonly operator: string;
  readonly seed: number;
  readonly clock: Clock;
  readonly replicas: 1 | 2;
  readonly transport: (clock: LocalClock) => Transport;
  readonly controllers: (around: Omit<Around<unknown>, "backend">) => readonly Controller[];
  readonly on: ProcessEvents;
}

/** What a process shows to those who watch over it. */
export interface ProcessEvents {
  /** A pass begins with this object. */
  begins(process: Process, controller: Controller, object: KubeObject): Pass;
  passed(pass: Pass): void;
  /** One of its steps reads objects of a kind. */
  reads?(kind: KindRef): void;
  sample(process: Process, sample: Sample): void;
  log(process: Process, line: string): void;
  /** It broke a rule of status, and ended. */
  broke(process: Process, error: unknown): void;
}

export type ProcessState =
  | "runs"
  | "paused" // it stands still, and does not know
  | "crashed" // for good
  | "stopping" // in good order
  | "stopped";

/**
 * Long terms: quiet minutes with a renewal every other second would cost more than all the rest. Shorter than requests wait
 * for an answer, as everywhere: who is paused for a whole term may still go on where it was.
 */
export const terms = { duration: 28_000, renewDeadline: 26_000, retry: 12_500 } as const;

export class Process {
  readonly name: string;
  readonly clock: LocalClock;
  readonly manager: Manager;
  readonly controllers: readonly Controller[];
  /** Whether it works only while it holds the lease. */
  readonly elects: boolean;
  readonly #transport: Transport;
  readonly #stop = new AbortController();
  readonly #wakes = new Map<string, Wake>();
  readonly #ended: Promise<void>;
  #state: ProcessState = "runs";
  #wentBack = false;

  constructor(options: ProcessOptions) {
    const { name, operator, seed, on, replicas } = options;
    this.name = name;
    this.elects = replicas > 1;
    this.clock = new LocalClock(options.clock);
    this.#transport = options.transport(this.clock);
    const random = seededRandom(seed);
    this.controllers = options
      .controllers({ clock: this.clock, random, transport: this.#transport })
      .map((it) => (on.reads === undefined ? it : reading(it, on.reads)))
      .map((it) => seen(it, (object) => on.begins(this, it, object)))
      .map((it) => woken(it, this.#wakes));
    this.manager = manager({
      name: operator,
      transport: this.#transport,
      controllers: this.controllers,
      clock: this.clock,
      random,
      strict: true,
      events: "none",
      log: logOf((line) => on.log(this, line)),
      sinks: [(sample) => this.#told(sample, on)],
      ...(replicas === 1 ? {} : { replicas: { as: "lease", namespace: "kube-system", identity: name, ...terms } }),
    });
    this.#ended = this.manager.run(this.#stop.signal).then(
      () => {
        if (this.#state === "stopping") this.#state = "stopped";
      },
      (error: unknown) => {
        if (this.#state === "crashed") return;
        this.#state = "stopped";
        on.broke(this, error);
      },
    );
  }

  /** Whether it has taken the server for one that was put back to an earlier state: then older is right. */
  get wentBack(): boolean {
    return this.#wentBack;
  }

  /** A process that is gone says nothing, although its last steps still run here. */
  #told(sample: Sample, on: ProcessEvents): void {
    if (this.#state === "crashed") return;
    if (sample.is === "watch" && sample.what === "rewound") this.#wentBack = true;
    const pass = sample.is === "pass" ? presentPass() : undefined;
    if (sample.is === "pass" && pass?.process === this) {
      pass.result = sample.result;
      on.passed(pass);
    }
    on.sample(this, sample);
  }

  get state(): ProcessState {
    return this.#state;
  }

  get isAlive(): boolean {
    return this.#state === "runs" || this.#state === "paused" || this.#state === "stopping";
  }

  /** Ends where it is: nothing that it began goes on. */
  crash(): void {
    if (!this.isAlive) return;
    this.#state = "crashed";
    this.clock.end();
    void this.#transport.close();
  }

  pause(): void {
    if (this.#state !== "runs") return;
    this.#state = "paused";
    this.clock.pause();
  }

  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "runs";
    this.clock.resume();
  }

  /** Asks a controller for a pass over an object, as a second delivery of its key would. */
  wake(controller: string, { metadata }: KubeObject): void {
    const { name = "", namespace } = metadata ?? {};
    this.#wakes.get(controller)?.({ name, ...(namespace === undefined ? {} : { namespace }) });
  }

  /** Asks it to end in good order. */
  stop(): Promise<void> {
    if (this.#state === "runs") this.#state = "stopping";
    this.#stop.abort("asked to stop");
    return this.#ended;
  }
}

type Wake = Parameters<Controller["sources"][number]>[0];

/** The same controller, and passes of it can be asked for. */
function woken(it: Controller, wakes: Map<string, Wake>): Controller {
  const source: Controller["sources"][number] = (wake) => {
    wakes.set(it.name, wake);
    return () => wakes.delete(it.name);
  };
  return { ...it, sources: [...it.sources, source] };
}

function logOf(write: (line: string) => void): Parameters<typeof manager>[0]["log"] & object {
  const none = () => {};
  const at = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    write(`${level}: ${message}${fields === undefined ? "" : ` ${JSON.stringify(fields, plain)}`}`);
  const log = { debug: none, info: none, warn: at("warn"), error: at("error"), with: () => log };
  return log;
}

const plain = (_key: string, value: unknown): unknown => (value instanceof Error ? value.message : value);
