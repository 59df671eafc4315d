// A machine of a simulated host: what it has, whether it is on, and what its guest has come to by now.
import type { Instant, Ms } from "@telltale/kinds";
import type { ReadNic } from "./reading.ts";

export interface Machine {
  readonly id: string;
  readonly name: string;
  readonly serial: number;
  power: "On" | "Off" | "Suspended";
  /** Since when it is on. */
  onSince: Instant;
  /** When its guest, asked to go down, will have done so. */
  downAt?: Instant | undefined;
  cpu: number;
  memoryMiB: number;
  disks: Disk[];
  readonly nics: readonly ReadNic[];
  readonly tags: readonly string[];
  readonly userData: string;
  readonly metaData: string;
  readonly host: string;
  readonly requestId: string;
  /** What makes it. */
  task?: string;
  hardware: number;
  snapshots: Snapshot[];
  /** The snapshot that it stands on. */
  current?: string | undefined;
  /** It is being deleted. */
  isGoing: boolean;
  /** Of the machine whose disks it stands on. */
  readonly linkedTo?: string;
  guest: Guest;
}

export interface Disk {
  readonly id: string;
  readonly path: string;
  sizeGiB: number;
  readonly format: string;
  /** What is on it: the same after it was moved. */
  content: string;
  readonly backing: string;
}

export interface Snapshot {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  parent: string | undefined;
  readonly hasMemory: boolean;
  readonly power: Machine["power"];
  readonly contents: readonly string[];
}

/** What the guest does. */
export interface Guest {
  /** From the start until it has an address. */
  address: Ms;
  /** From being asked until it is down; or it does not listen. */
  shutdown: Ms | "ignored";
}

/** Its guest may have gone down since somebody looked. */
export function bringUpToDate(machine: Machine, now: Instant): void {
  if (machine.downAt === undefined || machine.downAt > now) return;
  machine.power = "Off";
  machine.downAt = undefined;
}

export function switchOn(machine: Machine, now: Instant): void {
  machine.downAt = undefined;
  if (machine.power === "On") return;
  machine.power = "On";
  machine.onSince = now;
}

export function switchOff(machine: Machine): void {
  machine.downAt = undefined;
  machine.power = "Off";
}

export function addressesOf(machine: Machine, now: Instant): readonly string[] {
  if (machine.power !== "On" || now < machine.onSince + machine.guest.address) return [];
  const fixed = machine.nics.map(({ address }) => address).filter((address) => address !== "");
  const { serial } = machine;
  return fixed.length > 0 ? fixed : [`10.20.${Math.floor(serial / 250)}.${(serial % 250) + 1}`];
}
