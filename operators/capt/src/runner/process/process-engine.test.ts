// The process engine on a machine that is made up: what it does with its files, and whom it sends which signal.
import { turn, VirtualClock } from "@telltale/clock";
import { beforeEach, describe, expect, it } from "vitest";
import { type Desk, type Engine, type Operation, type Order, type Outcome, Stopped } from "../engine.ts";
import type { Inputs } from "../inputs.ts";
import { snapshotOf } from "../state.ts";
import type { Command, Machine, ProcessRef, Signal } from "./machine.ts";
import { processEngine } from "./process-engine.ts";

/** What the made-up program does when it is called. Undefined: it goes on until somebody ends it. */
type Play = (
  command: Command,
  files: Map<string, string>,
) => { code: number; stdout?: string; stderr?: string } | undefined;

const state = (serial: number, lineage = "l") => JSON.stringify({ lineage, serial, resources: [{ mode: "managed" }] });
const root = "/runs";
const at = (name: string) => `/runs/u/${name}`;

class MadeUpMachine implements Machine {
  readonly files = new Map<string, string>();
  readonly calls: string[] = [];
  readonly signals: string[] = [];
  readonly #living = new Map<number, () => void>();
  readonly #ended = new Map<number, Promise<void>>();
  play: Play = () => ({ code: 0 });
  /** Which signals the program heeds. */
  heeds: readonly Signal[] = ["SIGINT", "SIGTERM"];
  strays: ProcessRef[] = [];
  #pid = 100;

  read = async (path: string) => this.files.get(path);
  write = async (path: string, text: string) => void this.files.set(path, text);
  folder = async () => {};
  async remove(path: string) {
    for (const name of [...this.files.keys()])
      if (name === path || name.startsWith(`${path}/`)) this.files.delete(name);
  }
  names = async (path: string) =>
    [
      ...new Set(
        [...this.files.keys()]
          .filter((it) => it.startsWith(`${path}/`))
          .map((it) => it.slice(path.length + 1).split("/")[0] ?? ""),
      ),
    ].sort();
  stamp = async (path: string) => this.files.get(path);
  async begin() {
    this.#pid += 1;
    const process = { pid: this.#pid, started: "then" };
    const ended = new Promise<void>((resolve) => this.#living.set(process.pid, resolve));
    this.#ended.set(process.pid, ended);
    return { process, drop: () => this.end(process), go: async (command: Command) => this.#go(process, command) };
  }
  ended = async ({ pid }: ProcessRef) => this.#ended.get(pid);
  isAlive = ({ pid }: ProcessRef) => this.#living.has(pid);
  signal(process: ProcessRef, name: Signal) {
    this.signals.push(`${name} ${process.pid}`);
    if (name === "SIGKILL" || this.heeds.includes(name)) this.end(process);
  }
  killGroup(process: ProcessRef) {
    if (this.isAlive(process)) this.signal(process, "SIGKILL");
  }
  livingIn = () => this.strays.filter((it) => this.isAlive(it));

  end({ pid }: ProcessRef) {
    this.#living.get(pid)?.();
    this.#living.delete(pid);
    this.strays = this.strays.filter((it) => it.pid !== pid);
  }

  stray(): ProcessRef {
    this.#pid += 1;
    const { pid } = { pid: this.#pid };
    this.#ended.set(pid, new Promise<void>((resolve) => this.#living.set(pid, resolve)));
    const process = { pid, started: "then" };
    this.strays.push(process);
    return process;
  }

  #go(process: ProcessRef, command: Command) {
    this.calls.push(command.args.join(" "));
    const played = this.play(command, this.files);
    if (played === undefined) return;
    const { code, stdout = "", stderr = "" } = played;
    this.files.set(command.stdout, stdout).set(command.stderr, stderr);
    this.files.set(command.exit, JSON.stringify({ id: command.id, code, signal: null }));
    this.end(process);
  }
}

const inputs: Inputs = {
  module: "# m",
  format: "HCL",
  entrypoint: "",
  variables: {},
  variableFiles: [],
  env: {},
  args: { init: [], plan: [], apply: [], destroy: [] },
  hasLog: false,
};
const order = (operation: Operation, more: Partial<Order> = {}): Order => ({
  id: "r1",
  uid: "u",
  workspace: { name: "demo" },
  operation,
  generation: 1,
  inputs,
  ...more,
});

let machine: MadeUpMachine;
let clock: VirtualClock;
let engine: Engine;
let stop: AbortController;
beforeEach(() => {
  machine = new MadeUpMachine();
  clock = new VirtualClock();
  stop = new AbortController();
  engine = processEngine({ name: "tofu", file: "tofu", version: "1", root, path: "", machine, clock });
});

const desk = (): Desk => ({ signal: stop.signal, progress: () => {}, state: () => {} });
const run = (it: Order): Promise<Outcome> => engine.run(it, desk());
const words = () => machine.calls.map((call) => call.split(" ")[0]);
const verb = ({ args }: Command) => args[0];

/** A program to which there is something to change, until it was applied. */
const honest: Play = (command, files) => {
  if (verb(command) === "validate") return { code: 0, stdout: '{"valid":true}' };
  if (verb(command) === "plan") {
    if (files.has(at("terraform.tfstate"))) return { code: 0 };
    files.set(at("tfplan"), "a plan");
    return { code: 2, stdout: "Plan: 1 to add, 0 to change, 0 to destroy." };
  }
  if (verb(command) === "apply") files.set(at("terraform.tfstate"), state(1));
  if (verb(command) === "output") return { code: 0, stdout: '{"a":{"value":1,"sensitive":false}}' };
  return { code: 0 };
};

describe("a run", () => {
  it("12.4 is one step after the other, and a plan that was made is what is applied", async () => {
    machine.play = honest;
    expect(await run(order("plan"))).toEqual({ as: "changes" });
    expect(await run(order("apply"))).toMatchObject({
      as: "applied",
      outputs: { a: { value: 1 } },
      state: { serial: 1 },
    });
    expect(await run(order("plan"))).toMatchObject({ as: "settled" });
    expect(words()).toEqual(["init", "validate", "plan", "apply", "output", "validate", "plan", "output"]);
    expect(machine.files.has(at("tfplan"))).toBe(false);
    expect(machine.files.has(at("run.ndjson"))).toBe(false);
  });

  it("12.4 is initialised again when the module or its options change", async () => {
    machine.play = honest;
    await run(order("plan"));
    await run(order("plan", { inputs: { ...inputs, module: "# two" } }));
    await run(order("plan", { inputs: { ...inputs, module: "# two", args: { ...inputs.args, init: ["-upgrade"] } } }));
    expect(words().filter((word) => word === "init")).toHaveLength(3);
  });

  it("12.4 is planned again where the plan is gone, or of other inputs, or too old", async () => {
    machine.play = honest;
    expect(await run(order("apply"))).toEqual({ as: "stale" });
    await run(order("plan"));
    expect(await run(order("apply", { inputs: { ...inputs, module: "# two" } }))).toEqual({ as: "stale" });
    machine.play = (command, files) =>
      verb(command) === "apply" ? { code: 1, stderr: "Error: Saved plan is stale" } : honest(command, files);
    await run(order("plan"));
    expect(await run(order("apply"))).toEqual({ as: "stale" });
  });

  it("12.8 begins with the newer of two states, and with none of two lineages", async () => {
    machine.play = honest;
    const stored = snapshotOf(state(5));
    if (stored === undefined) throw new Error("no state");
    machine.files.set(at("terraform.tfstate"), state(3));
    expect(await run(order("plan", { stored }))).toMatchObject({ state: { serial: 5 } });
    machine.files.set(at("terraform.tfstate"), state(9));
    expect(await run(order("plan", { stored }))).toMatchObject({ state: { serial: 9 } });
    machine.calls.length = 0;
    machine.files.set(at("terraform.tfstate"), state(9, "other"));
    expect(await run(order("plan", { stored }))).toMatchObject({ as: "failed", class: "StateConflict" });
    expect(machine.calls).toEqual([]);
    expect(machine.files.get(at("terraform.tfstate"))).toBe(state(9, "other"));
  });

  it("12.8 pushes a state that could not be written before it does anything with it", async () => {
    machine.play = honest;
    machine.files.set(at("errored.tfstate"), state(2));
    await run(order("plan"));
    expect(machine.calls.slice(0, 3)).toEqual([
      "init -input=false -no-color",
      `state push ${at("errored.tfstate")}`,
      "validate -json",
    ]);
    expect(machine.files.has(at("errored.tfstate"))).toBe(false);
  });

  it("12.7 says what went wrong, and names the lock that a state is held by", async () => {
    machine.play = () => ({
      code: 1,
      stderr: "Error: Error acquiring the state lock\n\nLock Info:\n  ID:  abcd1234-ef",
    });
    expect(await run(order("plan"))).toMatchObject({
      as: "failed",
      class: "StateLocked",
      message: "Error acquiring the state lock (lock abcd1234-ef)",
    });
  });

  it("is written down before the program is told anything", async () => {
    let journal: string | undefined;
    machine.play = (command, files) => {
      journal ??= files.get(at("run.json"));
      return honest(command, files);
    };
    await run(order("plan"));
    expect(JSON.parse(journal ?? "{}")).toMatchObject({
      id: "r1",
      step: "init",
      phase: "running",
      process: { pid: 101 },
    });
    expect(JSON.parse(machine.files.get(at("run.json")) ?? "{}")).toMatchObject({ phase: "ended" });
    expect(await engine.left("u")).toBeUndefined();
  });
});

describe("12.8 a run that is stopped", () => {
  const hung = async (heeds: readonly Signal[], why: Stopped["why"]) => {
    machine.heeds = heeds;
    machine.play = () => undefined;
    const outcome = run(order("destroy"));
    for (let i = 0; i < 20; i += 1) await turn();
    stop.abort(new Stopped(why));
    await clock.settle(80_000);
    return outcome;
  };

  it("is asked first, then told, then killed", async () => {
    expect(await hung(["SIGINT"], "deleted")).toMatchObject({ as: "failed", class: "Cancelled" });
    expect(machine.signals).toEqual(["SIGINT 101"]);
  });

  it("is told after a minute", async () => {
    await hung(["SIGTERM"], "timeout").then((outcome) => expect(outcome).toMatchObject({ class: "TimedOut" }));
    expect(machine.signals).toEqual(["SIGINT 101", "SIGTERM 101"]);
  });

  it("is killed ten seconds later", async () => {
    await hung([], "shutdown");
    expect(machine.signals).toEqual(["SIGINT 101", "SIGTERM 101", "SIGKILL 101"]);
  });

  it("leaves no process behind, also none that left its group", async () => {
    const stray = machine.stray();
    machine.heeds = [];
    machine.play = honest;
    const outcome = run(order("plan"));
    await clock.settle(1_000);
    await outcome;
    expect(machine.isAlive(stray)).toBe(false);
  });

  it("begins nothing when it was stopped before", async () => {
    stop.abort(new Stopped("deleted"));
    expect(await run(order("plan"))).toMatchObject({ class: "Cancelled" });
    expect(machine.calls).toEqual([]);
  });
});

describe("12.8 a run whose operator is gone", () => {
  const leave = async (operation: Operation, step: string) => {
    machine.play = (command, files) => (verb(command) === step ? undefined : honest(command, files));
    if (operation === "apply") await run(order("plan"));
    void run(order(operation)).catch(() => {});
    for (let i = 0; i < 60; i += 1) await turn();
    const left = await engine.left("u");
    if (left === undefined) throw new Error("nothing was left");
    const pid = JSON.parse(machine.files.get(at("run.json")) ?? "{}").process as ProcessRef;
    return { left, process: pid };
  };

  it("is followed to its end", async () => {
    const { left, process } = await leave("apply", "apply");
    const outcome = engine.resume(left, order("apply"), desk());
    await turn();
    machine.play = honest;
    machine.files.set(at("terraform.tfstate"), state(4));
    machine.files.set(at("exit.json"), JSON.stringify({ id: "r1/apply", code: 0, signal: null }));
    machine.end(process);
    expect(await outcome).toMatchObject({ as: "applied", state: { serial: 4 } });
    expect(words().filter((word) => word === "apply")).toHaveLength(1);
  });

  it("has crashed where it ended without a word, and its state counts all the same", async () => {
    const { left, process } = await leave("apply", "apply");
    machine.files.set(at("terraform.tfstate"), state(4));
    machine.end(process);
    expect(await engine.resume(left, order("apply"), desk())).toMatchObject({
      as: "failed",
      class: "RunnerCrashed",
      state: { serial: 4 },
    });
  });

  it("is begun again where it had made nothing yet", async () => {
    const { left, process } = await leave("plan", "plan");
    machine.files.set(at("exit.json"), JSON.stringify({ id: "r1/plan", code: 2, signal: null }));
    machine.end(process);
    expect(await engine.resume(left, order("plan"), desk())).toEqual({ as: "stale" });
  });

  it("is gone with everything when it is cleared", async () => {
    const { process } = await leave("apply", "apply");
    await engine.clear("u");
    expect([machine.isAlive(process), await engine.known()]).toEqual([false, []]);
  });
});
