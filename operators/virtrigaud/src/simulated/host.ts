// A hypervisor in memory with a provider in front of it: every method, work that takes time, a record of what was asked, and what is
// ordered to go wrong. Deterministic: its time and its chance are given.
import { type Clock, type Random, sleep } from "@telltale/clock";
import type { Instant, Ms } from "@telltale/kinds";
import type { Asked, Handlers, Method, Reply, Requested } from "../contract/contract.ts";
import { type Code, RpcError } from "../contract/rpc-error.ts";
import { copyActs } from "./copies.ts";
import { type Furnished, furnish, standardMachines } from "./demo.ts";
import { type Fault, Faults, type PlainFault } from "./faults.ts";
import { bringUpToDate, type Guest, type Machine } from "./machine.ts";
import { machineActs } from "./machines.ts";
import { type Profile, type ProfileName, profiles } from "./profile.ts";
import { snapshotActs } from "./snapshots.ts";
import { Staging } from "./staging.ts";
import { Tasks } from "./tasks.ts";
import { type Act, type Acts, type Durations, type Quota, standardDurations, type World } from "./world.ts";

export interface HostOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Which family it is like. Default: one that has everything. */
  readonly like?: ProfileName;
  /** What is otherwise than in the family. */
  readonly profile?: Partial<Profile>;
  readonly durations?: Partial<Durations>;
  readonly guest?: Partial<Guest>;
  /** Shared with another host, so that disks can move. */
  readonly staging?: Staging;
}

/** One call, as it came in. */
export interface Call<M extends Method = Method> {
  readonly at: Instant;
  readonly method: M;
  readonly request: Requested<M>;
  /** How it ended, once it has. */
  outcome?: "OK" | Code;
}

export class SimulatedHost {
  readonly handlers: Handlers;
  readonly staging: Staging;
  /** What may be used up. */
  readonly quota: Quota;
  /** By how much every call is late: up to the second of the two. */
  latency: readonly [Ms, Ms] = [0, 0];
  readonly #world: World;
  readonly #random: Random;
  readonly #faults = new Faults();
  #calls: Call[] = [];
  #isUp = true;
  readonly #listeners = new Set<() => void>();
  /** Those who wait for an answer, and hear at once when the process goes. */
  readonly #waiting = new Set<(error: RpcError) => void>();

  constructor(options: HostOptions) {
    const { clock, random, staging = new Staging() } = options;
    this.#random = random;
    this.staging = staging;
    this.#world = {
      clock,
      profile: { ...profiles[options.like ?? "complete"], ...options.profile },
      durations: { ...standardDurations, ...options.durations },
      guest: { address: 5_000, shutdown: 20_000, ...options.guest },
      quota: {},
      staging,
      tasks: new Tasks(clock),
      machines: new Map(),
      busy: new Map(),
      images: new Map(),
      disks: new Map(),
      exports: new Map(),
      serial: 0,
    };
    this.quota = this.#world.quota;
    this.handlers = this.#handlers();
  }

  /** Tells of everything that is done to it, and whenever its process goes or comes back. */
  listen(changed: () => void): void {
    this.#listeners.add(changed);
  }

  /** What was asked, oldest first. */
  get calls(): readonly Call[] {
    return this.#calls;
  }

  /** What was asked of one method. */
  asked<M extends Method>(method: M): readonly Call<M>[] {
    return this.#calls.filter((call): call is Call<M> & Call => call.method === method);
  }

  /** From here on the record is empty. */
  forgetCalls(): void {
    this.#calls = [];
  }

  /** As they are now, oldest first. */
  get machines(): readonly Machine[] {
    this.#settle();
    const all = [...this.#world.machines.values()];
    for (const machine of all) bringUpToDate(machine, this.#world.clock.now());
    return all;
  }

  machine(name: string): Machine | undefined {
    return this.machines.find((one) => one.name === name);
  }

  get images() {
    this.#settle();
    return [...this.#world.images.values()];
  }

  /** Imported disks that no machine has taken. */
  get disks() {
    this.#settle();
    return [...this.#world.disks.values()];
  }

  /** Puts a few machines there, as if somebody had used it before. */
  furnish(machines: readonly Furnished[] = standardMachines): void {
    furnish(this.#world, machines);
  }

  /** Somebody removes a machine behind everybody's back. */
  vanish(id: string): void {
    this.#world.machines.delete(id);
    this.#tell();
  }

  /** The next calls of a method, in this order. */
  script<M extends Method>(method: M, ...faults: readonly Fault<M>[]): void {
    this.#faults.add(method, faults);
  }

  /** Every call that nothing else is ordered for. Undefined: no more. */
  everywhere(fault: PlainFault | undefined): void {
    this.#faults.everywhere(fault);
  }

  /** Nothing goes wrong any more, or nothing of one method. */
  heal(method?: Method): void {
    this.#faults.clear(method);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Whether its process runs. Who waits for an answer when it goes gets none. */
  set isUp(isUp: boolean) {
    this.#isUp = isUp;
    this.#tell();
    if (isUp) return;
    for (const give of this.#waiting) give(new RpcError("UNAVAILABLE", "connection closed"));
    this.#waiting.clear();
  }

  /** The process begins anew: it knows no task any more, while the hypervisor goes on or not. */
  restart(work: "goes on" | "is lost" = "goes on"): void {
    this.isUp = false;
    this.#settle();
    this.#world.tasks.forget(work);
    this.isUp = true;
  }

  #tell(): void {
    for (const changed of this.#listeners) changed();
  }

  #settle(): void {
    this.#world.tasks.settle();
  }

  async #answer<M extends Method>(method: M, request: Requested<M>, asked: Asked, act: Act<M>): Promise<Reply<M>> {
    const call: Call<M> = { at: this.#world.clock.now(), method, request };
    this.#calls.push(call);
    try {
      if (!this.#isUp) throw new RpcError("UNAVAILABLE", "connection refused", { isUnsent: true });
      const fault = this.#faults.take(method);
      const late = this.#late() + (fault.after ?? 0);
      const done =
        late > 0 || fault.is === "hang" ? this.#later(late, fault, request, asked, act) : this.#do(fault, request, act);
      const reply = await this.#unlessDown(done);
      call.outcome = "OK";
      return reply;
    } catch (error) {
      const told = this.#told(error);
      call.outcome = told.code;
      throw told;
    }
  }

  async #later<M extends Method>(late: Ms, fault: Fault<M>, request: Requested<M>, asked: Asked, act: Act<M>) {
    if (fault.is === "hang") return never(asked.signal);
    await sleep(this.#world.clock, late);
    return this.#do(fault, request, act);
  }

  async #do<M extends Method>(fault: Fault<M>, request: Requested<M>, act: Act<M>): Promise<Reply<M>> {
    this.#settle();
    if (fault.is === "refuse") throw new RpcError(fault.code, fault.message);
    if (fault.is === "answer") return fault.reply;
    const reply = await act(request, fault.is === "fail" ? { fail: fault.message } : {});
    this.#tell();
    if (fault.is === "lose") throw new RpcError(fault.code, fault.message);
    return reply;
  }

  /** The answer, unless the process goes before. */
  #unlessDown<R>(done: Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      done.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  #late(): Ms {
    const [least, most] = this.latency;
    return most <= 0 ? 0 : least + Math.floor(this.#random.next() * (most - least));
  }

  /** As this family says it. */
  #told(error: unknown): RpcError {
    if (!(error instanceof RpcError)) return new RpcError("INTERNAL", String(error), { cause: error });
    const isPlain = this.#world.profile.plainErrors && !["UNAVAILABLE", "CANCELLED"].includes(error.code);
    return isPlain ? new RpcError("UNKNOWN", error.message) : error;
  }

  #handlers(): Handlers {
    const world = this.#world;
    const acts: Acts = {
      validate: async () => ({ ok: true, message: "simulated" }),
      getCapabilities: async () => world.profile.capabilities,
      ...machineActs(world),
      ...snapshotActs(world),
      ...copyActs(world),
    };
    const by =
      <M extends Method>(method: M, act: Act<M>) =>
      (request: Requested<M>, asked: Asked): Promise<Reply<M>> =>
        this.#answer(method, request, asked, act);
    return {
      validate: by("validate", acts.validate),
      create: by("create", acts.create),
      delete: by("delete", acts.delete),
      power: by("power", acts.power),
      reconfigure: by("reconfigure", acts.reconfigure),
      hardwareUpgrade: by("hardwareUpgrade", acts.hardwareUpgrade),
      describe: by("describe", acts.describe),
      taskStatus: by("taskStatus", acts.taskStatus),
      snapshotCreate: by("snapshotCreate", acts.snapshotCreate),
      snapshotDelete: by("snapshotDelete", acts.snapshotDelete),
      snapshotRevert: by("snapshotRevert", acts.snapshotRevert),
      clone: by("clone", acts.clone),
      imagePrepare: by("imagePrepare", acts.imagePrepare),
      getCapabilities: by("getCapabilities", acts.getCapabilities),
      exportDisk: by("exportDisk", acts.exportDisk),
      importDisk: by("importDisk", acts.importDisk),
      getDiskInfo: by("getDiskInfo", acts.getDiskInfo),
      listVMs: by("listVMs", acts.listVMs),
      cleanupStaged: by("cleanupStaged", acts.cleanupStaged),
      guestExec: by("guestExec", acts.guestExec),
    };
  }
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = () => reject(new RpcError("CANCELLED", "the caller gave up"));
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
}
