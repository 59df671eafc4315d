// Runs Workspaces with `tofu` or `terraform`: prepares the folder, and takes one step after the other. How a step is started,
// followed and ended is in `steps.ts`.
import type { Clock } from "@telltale/clock";
import { canonicalJson, type Ms, sha256Hex } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { sanitize } from "../../sanitize.ts";
import type { Desk, Engine, Order, Outcome } from "../engine.ts";
import { classify, type ErrorClass, failedClass, lockId, type Step } from "../error-class.ts";
import { revisionOf } from "../inputs.ts";
import { declaresBackend } from "../module.ts";
import { parseOutputs } from "../outputs.ts";
import { chooseState, type Snapshot, snapshotOf } from "../state.ts";
import { stoppedOutcome } from "../stopped.ts";
import { type Journal, leftOf, parseJournal } from "./journal.ts";
import { isOfModule, isOfRun, type Layout, layoutOf, moduleFiles } from "./layout.ts";
import type { Machine } from "./machine.ts";
import { changesIn, errorsOf, isValid } from "./printed.ts";
import { type Ended, Steps } from "./steps.ts";

export interface ProcessEngineOptions {
  readonly name: "tofu" | "terraform";
  /** The program's path, and its version: another one is initialised anew. */
  readonly file: string;
  readonly version: string;
  /** The folder of all Workspaces' folders. */
  readonly root: string;
  /** Where the program finds others. */
  readonly path: string;
  readonly machine: Machine;
  readonly clock: Clock;
  /** How long a run is asked to stop before it is told to, and before it is killed. */
  readonly patience?: { readonly interrupt: Ms; readonly terminate: Ms };
}

export function processEngine(options: ProcessEngineOptions): Engine {
  const { name, root, machine } = options;
  const steps = new Steps(options);

  const journalOf = async (uid: string): Promise<Journal | undefined> =>
    parseJournal(await machine.read(layoutOf(root, uid).journal), uid);

  /** Every way in which a run can end, with the newest state. */
  async function toEnd(order: Order, desk: Desk, work: () => Promise<Outcome>): Promise<Outcome> {
    const layout = layoutOf(root, order.uid, order.inputs.entrypoint);
    let outcome: Outcome;
    try {
      outcome = await work();
    } catch (error) {
      if (!(error instanceof StepFailed)) {
        if (!desk.signal.aborted) throw error;
        outcome = stoppedOutcome(desk.signal.reason);
      } else outcome = desk.signal.aborted ? stoppedOutcome(desk.signal.reason) : error.outcome;
    }
    const state = await stateIn(machine, layout);
    await steps.over(order.uid);
    return state === undefined ? outcome : { ...outcome, state };
  }

  async function step(
    which: Step,
    order: Order,
    desk: Desk,
  ): Promise<{ readonly code: number; readonly stdout: string }> {
    return checked(which, await steps.take(which, order, desk));
  }

  function checked(which: Step, end: Ended) {
    if (end.as === "crashed") throw new StepFailed(crashed(which));
    const isGood = which === "plan" ? end.code === 0 || end.code === 2 : end.code === 0;
    if (isGood && (which !== "validate" || isValid(end.stdout))) return end;
    const printed = errorsOf(which, end.stdout, end.stderr);
    const found = classify(which, printed);
    if (found === "stale") throw new StepFailed({ as: "stale" });
    const lock = found === "StateLocked" ? lockId(printed.text) : undefined;
    const summary = sanitize(printed.summary);
    throw new StepFailed(failed(found, lock === undefined ? summary : text`${summary} (lock ${lock})`));
  }

  async function outputs(order: Order, desk: Desk) {
    const { stdout } = await step("outputs", order, desk);
    await machine.remove(layoutOf(root, order.uid).stdout); // it holds the sensitive ones in clear
    const found = parseOutputs(stdout);
    if (found === undefined)
      throw new StepFailed(failed(failedClass[order.operation], text`the outputs cannot be read`));
    return found;
  }

  async function initialise(order: Order, layout: Layout, desk: Desk): Promise<void> {
    const { module, format, provider, args } = order.inputs;
    const { version } = options;
    const key = sha256Hex(canonicalJson({ module, format, provider: provider ?? "", init: args.init, name, version }));
    if ((await machine.read(layout.initialised)) !== key) {
      await machine.remove(layout.initialised);
      await step("init", order, desk);
      await machine.write(layout.initialised, key);
    }
    if ((await machine.stamp(layout.errored)) === undefined) return;
    // What could not be written at the end of a run is newer than what is there.
    await step("push", order, desk);
    await machine.remove(layout.errored);
  }

  async function plan(order: Order, layout: Layout, desk: Desk): Promise<Outcome> {
    const revision = revisionOf(order.inputs);
    await initialise(order, layout, desk);
    await step("validate", order, desk);
    const { code, stdout } = await step("plan", order, desk);
    if (code === 0) {
      await machine.remove(layout.plan);
      return { as: "settled", outputs: await outputs(order, desk) };
    }
    await machine.write(layout.planned, JSON.stringify({ revision, total: changesIn(stdout) }));
    return { as: "changes" };
  }

  async function apply(order: Order, layout: Layout, desk: Desk): Promise<Outcome> {
    const planned = JSON.parse((await machine.read(layout.planned)) ?? "{}") as { revision?: string };
    if (planned.revision !== revisionOf(order.inputs) || (await machine.stamp(layout.plan)) === undefined) {
      return { as: "stale" };
    }
    try {
      await step("apply", order, desk);
    } finally {
      await machine.remove(layout.plan);
      await machine.remove(layout.planned);
    }
    return { as: "applied", outputs: await outputs(order, desk) };
  }

  async function destroy(order: Order, layout: Layout, desk: Desk): Promise<Outcome> {
    await initialise(order, layout, desk);
    await step("destroy", order, desk);
    return { as: "destroyed" };
  }

  return {
    name,
    run: (order, desk) =>
      toEnd(order, desk, async () => {
        const layout = layoutOf(root, order.uid, order.inputs.entrypoint);
        if (order.operation === "apply") return apply(order, layout, desk);
        const conflict = await prepare(machine, order, layout);
        if (conflict !== undefined) return conflict;
        return order.operation === "plan" ? plan(order, layout, desk) : destroy(order, layout, desk);
      }),
    async left(uid) {
      const journal = await journalOf(uid);
      return journal?.phase === "running" ? leftOf(journal) : undefined;
    },
    resume: (left, order, desk) =>
      toEnd(order, desk, async () => {
        const journal = await journalOf(left.uid);
        if (journal === undefined) return crashed("plan");
        const end = await steps.follow(journal, order, desk);
        checked(journal.step, end);
        if (journal.step === "destroy") return { as: "destroyed" };
        if (journal.operation !== "apply") return { as: "stale" }; // nothing is lost by doing it again
        return { as: "applied", outputs: await outputs(order, desk) };
      }),
    stateOf: (uid) => stateIn(machine, layoutOf(root, uid)),
    async clear(uid) {
      await steps.endAll(uid);
      await machine.remove(layoutOf(root, uid).folder);
    },
    abandon: (uid) => steps.endAll(uid),
    known: () => machine.names(root),
  };
}

/** A step ended badly: this is what the run comes to. */
class StepFailed extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.as === "failed" ? outcome.message : outcome.as);
    this.name = "StepFailed";
    this.outcome = outcome;
  }
}

const failed = (which: ErrorClass, message: SafeText): Outcome => ({ as: "failed", class: which, message });
const crashed = (step: Step): Outcome => failed("RunnerCrashed", text`${step} ended without saying how`);

/** Puts the newest state and the module into the folder. Says where that cannot be done. */
async function prepare(machine: Machine, order: Order, layout: Layout): Promise<Outcome | undefined> {
  for (const folder of [layout.cwd, layout.home, layout.temporary]) await machine.folder(folder);
  const choice = chooseState(await stateIn(machine, layout), order.stored);
  if (choice.use === "conflict") {
    return failed("StateConflict", text`the state in the folder and the one in the Secret are of different origin`);
  }
  if (choice.use === "stored" && !declaresBackend(order.inputs.module)) {
    await machine.write(layout.state, choice.state.text);
  }
  for (const name of await machine.names(layout.cwd))
    if (isOfModule(name)) await machine.remove(`${layout.cwd}/${name}`);
  for (const name of await machine.names(layout.folder)) {
    if (isOfRun(name)) await machine.remove(`${layout.folder}/${name}`);
  }
  for (const [path, content] of Object.entries(moduleFiles(order.inputs, layout))) await machine.write(path, content);
  return undefined;
}

async function stateIn(machine: Machine, layout: Layout): Promise<Snapshot | undefined> {
  const found = await machine.read(layout.state);
  return found === undefined ? undefined : snapshotOf(found);
}
