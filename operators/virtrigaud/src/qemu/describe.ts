// How machines are. Cheap, and never waits for who changes them.
import { stat } from "node:fs/promises";
import type { Ms } from "@telltale/kinds";
import type { Reply } from "../contract/contract.ts";
import { addressesIn } from "./agent.ts";
import type { Box } from "./box.ts";
import { disksOf, type Machine } from "./machine.ts";
import { cpuCount, memoryBytes } from "./reconfigure.ts";

const addressesKept: Ms = 30_000;
const MiB = 2 ** 20;

export class Describing {
  readonly #box: Box;
  readonly #addresses = new Map<string, { readonly at: Ms; readonly ips: readonly string[] }>();

  constructor(box: Box) {
    this.#box = box;
  }

  async describe(id: string): Promise<Reply<"describe">> {
    const machine = this.#box.machines.get(id);
    if (machine === undefined) return { exists: false };
    const process = await this.#box.running.process(machine);
    const live = process === undefined ? undefined : await this.#live(machine);
    const raw = {
      accel: process?.accelerator ?? (await this.#box.running.accelerator()),
      state: machine.state,
      cpu: live?.cpu ?? machine.cpu,
      memory_mib: live?.memoryMiB ?? machine.memoryMiB,
      disks: await this.#sizes(machine),
      ...(process === undefined ? {} : { pid: process.pid, power_state_raw: live?.status ?? "unknown" }),
      ...(isBehind(machine, live) ? { restart_required: true } : {}),
      ...forwarded(machine),
    };
    return {
      exists: true,
      powerState: process === undefined ? "Off" : "On",
      ips: process === undefined ? [] : [...(await this.#ips(machine))],
      consoleUrl: "",
      providerRawJson: JSON.stringify(raw),
    };
  }

  async list(): Promise<Reply<"listVMs">> {
    const machines = this.#box.machines.all().filter(({ state }) => state === "defined");
    return { vms: await Promise.all(machines.map((machine) => this.#summary(machine))) };
  }

  /** What is known of a machine that is gone. */
  forget(id: string): void {
    this.#addresses.delete(id);
  }

  async #summary(machine: Machine) {
    const isOn = (await this.#box.running.process(machine)) !== undefined;
    const paths = this.#box.layout.machine(machine.id);
    const disks = [{ name: "root", sizeGiB: machine.root.sizeGiB ?? 0, layer: machine.root.layer }, ...machine.disks];
    const ips = isOn ? fixedAddresses(machine) : [];
    return {
      id: machine.id,
      name: machine.name,
      powerState: isOn ? "On" : "Off",
      ips: [...ips],
      cpu: machine.cpu,
      memoryMib: BigInt(machine.memoryMiB),
      disks: disks.map(({ name, sizeGiB, layer }) => ({
        id: name,
        path: paths.disk(name, layer),
        sizeGib: sizeGiB,
        format: "qcow2",
      })),
      networks: machine.nics.map(({ name, mac, address }) => ({ name, mac, ipAddress: address?.ip ?? "" })),
      providerRaw: { uuid: machine.uuid, firmware: machine.firmware },
    };
  }

  /** What QEMU says within its two seconds; the rest is left out. */
  async #live(machine: Machine) {
    const status = await this.#box.running.status(machine);
    if (status === undefined) return undefined;
    try {
      const qmp = await this.#box.running.monitor(machine);
      const [cpu, memory] = await Promise.all([cpuCount(qmp), memoryBytes(qmp)]);
      return { status, cpu, memoryMiB: memory / MiB };
    } catch {
      return { status, cpu: undefined, memoryMiB: undefined };
    }
  }

  async #ips(machine: Machine): Promise<readonly string[]> {
    const known = this.#addresses.get(machine.id);
    const now = this.#box.host.clock.uptime();
    if (known !== undefined && now - known.at < addressesKept) return known.ips;
    const said = await this.#box.running
      .agent(machine, 500, async (ask) => addressesIn(await ask("guest-network-get-interfaces", {}, 1000)))
      .catch(() => []);
    const ips = said.length > 0 ? said : fixedAddresses(machine);
    this.#addresses.set(machine.id, { at: now, ips });
    return ips;
  }

  async #sizes(machine: Machine): Promise<Readonly<Record<string, number>>> {
    const paths = this.#box.layout.machine(machine.id);
    const disks = disksOf(machine);
    const sizes = await Promise.all(
      disks.map(({ name, layer }) =>
        stat(paths.disk(name, layer)).then(
          ({ blocks }) => blocks * 512,
          () => 0,
        ),
      ),
    );
    return Object.fromEntries(disks.map(({ name }, at) => [name, sizes[at] ?? 0]));
  }
}

/** Addresses that need no guest to tell them: given ones, else the one that QEMU's own DHCP gives to every guest behind NAT. */
function fixedAddresses({ nics }: Machine): readonly string[] {
  const given = nics.flatMap(({ address }) => (address === undefined ? [] : [address.ip]));
  if (given.length > 0) return given;
  return nics.some(({ net }) => net.is === "user") ? ["10.0.2.15"] : [];
}

function isBehind(
  machine: Machine,
  live: { cpu: number | undefined; memoryMiB: number | undefined } | undefined,
): boolean {
  if (live?.cpu === undefined || live.memoryMiB === undefined) return false;
  return live.cpu !== machine.cpu || live.memoryMiB !== machine.memoryMiB;
}

function forwarded({ nics }: Machine): { readonly ssh_port?: number } {
  const net = nics.map((nic) => nic.net).find(({ is }) => is === "user");
  return net?.is === "user" ? { ssh_port: net.sshPort } : {};
}
