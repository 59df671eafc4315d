// The machines of this provider: what is in `vms/`, kept in memory too, and one at a time who may change one.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { RpcError } from "../contract/rpc-error.ts";
import type { Host } from "./host.ts";
import { isMachineId } from "./ids.ts";
import { type Layout, socketFolder } from "./layout.ts";
import type { Machine } from "./machine.ts";

export class Machines {
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #shortDir: string;
  readonly #machines = new Map<string, Machine>();
  readonly #held = new Map<string, string>();

  constructor(host: Host, layout: Layout, shortDir: string) {
    this.#host = host;
    this.#layout = layout;
    this.#shortDir = shortDir;
  }

  /** Reads all of them. A folder without a `vm.json` is one that was being made or taken away: it goes. */
  async load(): Promise<void> {
    for (const id of await readdir(this.#layout.machines)) {
      if (!isMachineId(id)) continue;
      const text = await readFile(this.#layout.machine(id).config, "utf8").catch(() => undefined);
      if (text === undefined) {
        await this.#trash(id);
        continue;
      }
      const machine: Machine = JSON.parse(text);
      this.#machines.set(id, machine);
    }
  }

  all(): readonly Machine[] {
    return [...this.#machines.values()];
  }

  get(id: string): Machine | undefined {
    return this.#machines.get(id);
  }

  need(id: string): Machine {
    const machine = this.#machines.get(id);
    if (machine === undefined) throw new RpcError("NOT_FOUND", `machine ${isMachineId(id) ? id : ""} not found`);
    return machine;
  }

  find(is: (machine: Machine) => boolean): Machine | undefined {
    return this.all().find(is);
  }

  async save(machine: Machine): Promise<void> {
    await this.#host.write(this.#layout.machine(machine.id).config, `${JSON.stringify(machine, undefined, 2)}\n`);
    this.#machines.set(machine.id, machine);
  }

  /** Takes it away: at once for everybody who looks, and from the disk afterwards. */
  async drop(id: string): Promise<void> {
    await this.#trash(id);
    this.#machines.delete(id);
    await this.emptyTrash();
  }

  async emptyTrash(): Promise<void> {
    for (const name of await readdir(this.#layout.trash)) await this.#host.remove(join(this.#layout.trash, name));
  }

  /** Where its sockets are. */
  sockets(id: string): string {
    return socketFolder(this.#layout.machine(id).run, id, this.#shortDir);
  }

  /** Who holds it, and for what. */
  heldFor(id: string): string | undefined {
    return this.#held.get(id);
  }

  /** Does something that nobody else may do to the same machine meanwhile. Who comes second is told so, and does not wait. */
  async exclusive<T>(id: string, what: string, act: () => Promise<T>): Promise<T> {
    const other = this.#held.get(id);
    if (other !== undefined) throw busy(id, other);
    this.#held.set(id, what);
    try {
      return await act();
    } finally {
      this.#held.delete(id);
    }
  }

  async #trash(id: string): Promise<void> {
    const sockets = this.sockets(id);
    if (sockets !== this.#layout.machine(id).run) await this.#host.remove(sockets);
    const unique = Buffer.from(this.#host.random.bytes(4)).toString("hex");
    await this.#host.rename(this.#layout.machine(id).folder, join(this.#layout.trash, `${id}-${unique}`));
  }
}

export function busy(id: string, what: string): RpcError {
  return new RpcError("ABORTED", `machine ${id} is busy: ${what}`);
}
