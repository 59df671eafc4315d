// The QEMU process of a machine: found, started, talked to and ended. It outlives the provider, so that nothing here trusts memory.
import { access, constants, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { RpcError } from "../contract/rpc-error.ts";
import { type AskAgent, withAgent } from "./agent.ts";
import { argvOf } from "./argv.ts";
import type { Host } from "./host.ts";
import type { Layout } from "./layout.ts";
import { member } from "./lines.ts";
import type { Accelerator, Machine, Process } from "./machine.ts";
import type { Machines } from "./machines.ts";
import { argvOfProcess, isAlive, startOf, withArguments } from "./processes.ts";
import { failureOf } from "./qemu-img.ts";
import { Qmp } from "./qmp.ts";
import type { Settings } from "./settings.ts";

/** Whether KVM works with a program: the same for everybody on this box. */
const kvm = new Map<string, Promise<boolean>>();
const greeting: Ms = 10_000;
const ending: Ms = 10_000;

export class Running {
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #settings: Settings;
  readonly #machines: Machines;
  readonly #talks = new Map<string, Promise<Qmp>>();
  readonly #agents = new Map<string, Promise<unknown>>();

  constructor(host: Host, layout: Layout, settings: Settings, machines: Machines) {
    this.#host = host;
    this.#layout = layout;
    this.#settings = settings;
    this.#machines = machines;
  }

  /** The machine's process, if it has one. Cheap: a file and /proc. */
  async process({ id, uuid }: Machine): Promise<Process | undefined> {
    const paths = this.#layout.machine(id);
    const stored = await readFile(paths.process, "utf8").catch(() => undefined);
    if (stored !== undefined) {
      const known: Process = JSON.parse(stored);
      if (await isAlive(known)) return known;
    }
    // A provider that ended just after it started the process has left no record of it, but QEMU has.
    const pid = Number(await readFile(paths.pidFile, "utf8").catch(() => "0"));
    if (!(pid > 0)) return undefined;
    const argv = await argvOfProcess(pid);
    const start = argv.includes(uuid) && argv.includes("-uuid") ? await startOf(pid) : undefined;
    return start === undefined ? undefined : { pid, start, accelerator: argv.includes("kvm") ? "kvm" : "tcg" };
  }

  /** A talk with the machine's QEMU, which is kept open. */
  async monitor({ id }: Machine, limit: Ms = 2000): Promise<Qmp> {
    const open = await this.#talks.get(id)?.catch(() => undefined);
    if (open?.isOpen === true) return open;
    const talk = Qmp.open(this.#host, join(this.#machines.sockets(id), "qmp.sock"), limit);
    this.#talks.set(id, talk);
    talk.catch(() => this.#talks.delete(id));
    return talk;
  }

  /** Talks with the guest's agent; QEMU takes one at a time, so that others wait. */
  agent<T>({ id }: Machine, limit: Ms, use: (ask: AskAgent) => Promise<T>): Promise<T> {
    const before = this.#agents.get(id) ?? Promise.resolve();
    const talk = before
      .catch(() => {})
      .then(() => withAgent(this.#host, join(this.#machines.sockets(id), "qga.sock"), limit, use));
    this.#agents.set(id, talk);
    return talk;
  }

  /** `running`, `paused` and so on; undefined where QEMU says nothing in time. */
  async status(machine: Machine): Promise<string | undefined> {
    try {
      const qmp = await this.monitor(machine);
      const status = member(await qmp.execute("query-status", {}, 2000), "status");
      return typeof status === "string" ? status : undefined;
    } catch {
      return undefined;
    }
  }

  /** Starts the machine, unless it runs: whatever is left of an earlier process is taken away first. */
  async start(machine: Machine): Promise<void> {
    const found = await this.#processes(machine);
    if (found.length > 0) {
      await this.#greeted(machine, found[0]);
      return;
    }
    const accelerator = await this.accelerator();
    const paths = this.#layout.machine(machine.id);
    const sockets = this.#machines.sockets(machine.id);
    this.forget(machine.id);
    // A short folder for sockets is in a place that the system empties when it starts.
    await this.#host.folder(sockets);
    for (const path of [paths.process, paths.pidFile, paths.log]) await this.#host.remove(path);
    for (const name of ["qmp.sock", "qga.sock"]) await this.#host.remove(join(sockets, name));
    const { ovmfCode, bridgeHelper, programs } = this.#settings;
    const argv = argvOf(machine, {
      program: programs.system,
      accelerator,
      paths,
      sockets,
      ...(ovmfCode === undefined ? {} : { ovmfCode }),
      ...(bridgeHelper === undefined ? {} : { bridgeHelper }),
    });
    const launched = await this.#host.launch(argv, paths.log);
    if (launched === undefined) throw missingQemu();
    const process: Process = { ...launched, accelerator };
    await this.#host.write(paths.process, `${JSON.stringify(process)}\n`);
    await this.#greeted(machine, process);
  }

  /** Ends the process at once; the guest is not asked. */
  async stop(machine: Machine): Promise<void> {
    const found = await this.#processes(machine);
    if (found.length > 0) {
      const qmp = await this.monitor(machine).catch(() => undefined);
      // It may end before it has answered.
      await qmp?.execute("quit", {}, ending).catch(() => undefined);
      if (qmp === undefined || !(await this.hasEnded(machine, ending)))
        for (const process of await this.#processes(machine)) await this.#host.kill(process);
      if (!(await this.hasEnded(machine, ending)))
        throw new RpcError("INTERNAL", `the process of machine ${machine.id} cannot be ended`);
    }
    this.forget(machine.id);
    const paths = this.#layout.machine(machine.id);
    for (const path of [paths.process, paths.pidFile]) await this.#host.remove(path);
  }

  /** Waits until there is no process of the machine; false when there still is one after so long. */
  async hasEnded(machine: Machine, limit: Ms, signal?: AbortSignal): Promise<boolean> {
    const until = this.#host.clock.uptime() + limit;
    while ((await this.#processes(machine)).length > 0) {
      if (this.#host.clock.uptime() >= until) return false;
      await sleep(this.#host.clock, 100, signal);
    }
    return true;
  }

  forget(id: string): void {
    const talk = this.#talks.get(id);
    this.#talks.delete(id);
    talk?.then(
      (qmp) => qmp.close(),
      () => {},
    );
  }

  /** Ends all talks; every machine goes on. */
  close(): void {
    for (const id of [...this.#talks.keys()]) this.forget(id);
  }

  /** KVM where it is there and really works, which is tried once: a device that may be opened can still fail every guest. */
  async accelerator(): Promise<Accelerator> {
    const { system } = this.#settings.programs;
    const tried = kvm.get(system) ?? this.#hasKvm();
    kvm.set(system, tried);
    // Who could not try has learned nothing.
    tried.catch(() => kvm.delete(system));
    return (await tried) ? "kvm" : "tcg";
  }

  async #hasKvm(): Promise<boolean> {
    const isOpen = await access("/dev/kvm", constants.R_OK | constants.W_OK).then(
      () => true,
      () => false,
    );
    if (!isOpen) return false;
    const script = `printf '{"execute":"qmp_capabilities"}{"execute":"quit"}' | "$@"`;
    const { system } = this.#settings.programs;
    const machine = ["-accel", "kvm", "-cpu", "host", "-machine", "q35", "-m", "16M", "-nodefaults", "-no-user-config"];
    const quiet = ["-display", "none", "-S", "-qmp", "stdio"];
    return (await this.#host.run(["sh", "-c", script, "try", system, ...machine, ...quiet], 10_000)).code === 0;
  }

  /** Every process of the machine, also one that has written no pid file yet. */
  async #processes(machine: Machine): Promise<readonly Process[]> {
    const known = await this.process(machine);
    if (known !== undefined) return [known];
    const found = await withArguments(["-uuid", machine.uuid, this.#layout.machine(machine.id).pidFile]);
    return found.map((one) => ({ ...one, accelerator: "tcg" }));
  }

  async #greeted(machine: Machine, process: Process | undefined): Promise<void> {
    const until = this.#host.clock.uptime() + greeting;
    for (;;) {
      try {
        const qmp = await this.monitor(machine, greeting);
        await qmp.execute("query-status");
        return;
      } catch (error) {
        if (process !== undefined && !(await isAlive(process))) {
          const log = await readFile(this.#layout.machine(machine.id).log, "utf8").catch(() => "");
          throw failureOf("the machine does not start", log);
        }
        if (this.#host.clock.uptime() < until) {
          await sleep(this.#host.clock, 50);
          continue;
        }
        if (process !== undefined) await this.#host.kill(process);
        throw new RpcError("UNAVAILABLE", "QEMU did not greet in time", { cause: error });
      }
    }
  }
}

export function missingQemu(): RpcError {
  return new RpcError("UNAVAILABLE", "QEMU is not installed on this host: qemu-system-x86_64 and qemu-img are needed");
}
