// One step of a run as a process: written down before it does anything, followed while it goes on, stopped when it has to be,
// and with nothing of it left when it is over.
import { type Clock, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Desk, Order } from "../engine.ts";
import type { Step } from "../error-class.ts";
import { revisionOf } from "../inputs.ts";
import { snapshotOf } from "../state.ts";
import { argumentsOf, environmentOf } from "./commands.ts";
import { formatJournal, type Journal, parseJournal, type StepEnd, stepEnd, stepId } from "./journal.ts";
import { type Layout, layoutOf } from "./layout.ts";
import type { Machine, ProcessRef } from "./machine.ts";
import { progressIn } from "./printed.ts";

export interface StepsOptions {
  readonly file: string;
  readonly root: string;
  readonly path: string;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly patience?: { readonly interrupt: Ms; readonly terminate: Ms };
}

export type Ended = StepEnd & { readonly stdout: string; readonly stderr: string };

/** How often a running step is looked at: a state that was lost is at most so old. */
const glance: Ms = 1_000;
const standardPatience = { interrupt: 60_000, terminate: 10_000 };

export class Steps {
  readonly #options: StepsOptions;
  /** When each run began: it has several steps. */
  readonly #began = new Map<string, { readonly id: string; readonly at: Journal["startedAt"] }>();

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  /** Starts a step and follows it to its end. Rejects with the reason where it was stopped before it began. */
  async take(step: Step, order: Order, desk: Desk): Promise<Ended> {
    const { machine, file, path } = this.#options;
    desk.signal.throwIfAborted();
    const layout = this.#layout(order);
    const command = {
      id: stepId({ id: order.id, step }),
      file,
      args: argumentsOf(step, order.inputs, layout),
      cwd: layout.cwd,
      env: environmentOf(order.inputs, layout, path),
      stdout: layout.stdout,
      stderr: layout.stderr,
      exit: layout.exit,
    };
    await machine.remove(layout.exit);
    const begun = await machine.begin();
    const journal: Journal = {
      id: order.id,
      uid: order.uid,
      operation: order.operation,
      generation: order.generation,
      startedAt: this.#beginning(order),
      revision: revisionOf(order.inputs),
      step,
      phase: "running",
      process: begun.process,
    };
    try {
      await machine.write(layout.journal, formatJournal(journal));
    } catch (error) {
      begun.drop(); // what is not written down does not run
      throw error;
    }
    await begun.go(command);
    return this.follow(journal, order, desk);
  }

  /** Follows a step to its end, whoever started it. */
  async follow(journal: Journal, order: Order, desk: Desk): Promise<Ended> {
    const { machine } = this.#options;
    const layout = this.#layout(order);
    this.#began.set(order.uid, { id: journal.id, at: journal.startedAt });
    if (journal.process !== undefined) await this.#watch(journal.process, journal.step, order, desk, layout);
    const end = stepEnd(await machine.read(layout.exit), stepId(journal));
    await this.#sweep(layout, end.as === "crashed");
    if (journal.process !== undefined) machine.killGroup(journal.process);
    const [stdout = "", stderr = ""] = [await machine.read(layout.stdout), await machine.read(layout.stderr)];
    this.#tell(journal.step, order, desk, stdout, await expectedOf(machine, layout));
    return { ...end, stdout, stderr };
  }

  /** The run has come to an end: nobody has to go on with it. */
  async over(uid: string): Promise<void> {
    const { machine, root } = this.#options;
    const { journal: path } = layoutOf(root, uid);
    this.#began.delete(uid);
    const journal = parseJournal(await machine.read(path), uid);
    if (journal?.phase === "running") await machine.write(path, formatJournal({ ...journal, phase: "ended" }));
  }

  /** Ends every process of a Workspace. */
  async endAll(uid: string): Promise<void> {
    const { machine, root } = this.#options;
    const layout = layoutOf(root, uid);
    const journal = parseJournal(await machine.read(layout.journal), uid);
    if (journal?.process !== undefined && machine.isAlive(journal.process)) await this.#stop(journal.process);
    await this.#sweep(layout, true);
  }

  #layout({ uid, inputs }: Order): Layout {
    return layoutOf(this.#options.root, uid, inputs.entrypoint);
  }

  #beginning({ uid, id }: Order): Journal["startedAt"] {
    const known = this.#began.get(uid);
    if (known?.id === id) return known.at;
    const at = this.#options.clock.now();
    this.#began.set(uid, { id, at });
    return at;
  }

  /** Until the process is gone. Whoever aborts has it stopped, and waits for that. */
  async #watch(process: ProcessRef, step: Step, order: Order, desk: Desk, layout: Layout): Promise<void> {
    const { machine, clock } = this.#options;
    let isOver = false;
    const ended = machine.ended(process).then(() => {
      isOver = true;
    });
    const stop = () => void this.#stop(process);
    if (desk.signal.aborted) stop();
    else desk.signal.addEventListener("abort", stop, { once: true });
    const isLong = step === "apply" || step === "destroy";
    let stamp = await machine.stamp(layout.state);
    const expected = await expectedOf(machine, layout);
    while (!isOver) {
      await Promise.race([ended, sleep(clock, glance)]);
      if (!isLong || isOver) continue;
      this.#tell(step, order, desk, (await machine.read(layout.stdout)) ?? "", expected);
      const now = await machine.stamp(layout.state);
      if (now === stamp) continue;
      stamp = now;
      const state = snapshotOf((await machine.read(layout.state)) ?? "");
      if (state !== undefined) desk.state(state);
    }
    desk.signal.removeEventListener("abort", stop);
  }

  #tell(step: Step, { operation }: Order, desk: Desk, stdout: string, expected: number): void {
    if (step === "apply" || step === "destroy") desk.progress(progressIn(operation, stdout, expected));
  }

  /** Asks, tells, and kills. The program writes its state when it is asked. */
  async #stop(process: ProcessRef): Promise<void> {
    const { machine, patience = standardPatience } = this.#options;
    machine.signal(process, "SIGINT");
    if (await this.#within(process, patience.interrupt)) return;
    machine.signal(process, "SIGTERM");
    if (await this.#within(process, patience.terminate)) return;
    machine.killGroup(process);
  }

  async #within(process: ProcessRef, limit: Ms): Promise<boolean> {
    const { machine, clock } = this.#options;
    const given = new AbortController();
    const ended = machine.ended(process).then(() => true);
    const waited = sleep(clock, limit, given.signal).then(
      () => false,
      () => true,
    );
    const isOver = await Promise.race([ended, waited]);
    given.abort();
    return isOver;
  }

  /** What a run started and left behind. A program whose supervisor was killed is asked first: it has a state to write. */
  async #sweep({ home }: Layout, isGentle: boolean): Promise<void> {
    const { machine } = this.#options;
    const left = machine.livingIn(home);
    if (isGentle) await Promise.all(left.map((process) => this.#stop(process)));
    for (const process of machine.livingIn(home)) machine.signal(process, "SIGKILL");
    await Promise.all(left.map((process) => machine.ended(process)));
  }
}

/** How many changes the plan said that there would be. */
async function expectedOf(machine: Machine, { planned }: Layout): Promise<number> {
  const { total } = JSON.parse((await machine.read(planned)) ?? "{}") as { total?: unknown };
  return typeof total === "number" ? total : 0;
}
