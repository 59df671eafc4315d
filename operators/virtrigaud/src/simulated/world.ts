// Everything that a simulated host has, and what its methods share: finding a machine, and doing work that takes time.
import { type Clock, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Handlers, Method, Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { bringUpToDate, type Disk, type Guest, type Machine } from "./machine.ts";
import type { Profile } from "./profile.ts";
import type { Staging } from "./staging.ts";
import type { Tasks, Work } from "./tasks.ts";

/** How long each kind of work takes. */
export interface Durations {
  readonly create: Ms;
  readonly delete: Ms;
  readonly power: Ms;
  readonly reconfigure: Ms;
  readonly snapshotCreate: Ms;
  readonly snapshotDelete: Ms;
  readonly snapshotRevert: Ms;
  readonly clone: Ms;
  readonly image: Ms;
  readonly export: Ms;
  readonly import: Ms;
}

export const standardDurations: Durations = {
  create: 2_000,
  delete: 1_000,
  power: 1_000,
  reconfigure: 3_000,
  snapshotCreate: 5_000,
  snapshotDelete: 2_000,
  snapshotRevert: 4_000,
  clone: 10_000,
  image: 15_000,
  export: 20_000,
  import: 20_000,
};

export interface Image {
  readonly target: string;
  readonly id: string;
  readonly path: string;
  isReady: boolean;
}

/** What may be used up at most. Undefined: as much as anybody wants. */
export interface Quota {
  vcpus?: number | undefined;
  machines?: number | undefined;
}

export interface World {
  readonly clock: Clock;
  readonly profile: Profile;
  readonly durations: Durations;
  readonly guest: Guest;
  readonly quota: Quota;
  readonly staging: Staging;
  readonly tasks: Tasks;
  readonly machines: Map<string, Machine>;
  /** Work that has a machine to itself, by the machine's id. */
  readonly busy: Map<string, string>;
  readonly images: Map<string, Image>;
  /** Disks that belong to no machine, by their path. */
  readonly disks: Map<string, Disk>;
  /** Finished exports, by what was asked. */
  readonly exports: Map<string, Reply<"exportDisk">>;
  serial: number;
}

/** How one call is to be answered: `fail` is what its task is to end with. */
export interface How {
  readonly fail?: string;
}

/** A method as the host has it, before anything is ordered to go wrong. */
export type Act<M extends Method> = (request: Requested<M>, how: How) => Promise<Reply<M>>;
export type Acts = { readonly [M in keyof Handlers]: Act<M> };

export function has(world: World, extension: string): boolean {
  return world.profile.capabilities.extensions?.includes(extension) === true;
}

/** The machine of an id, or the error that such a hypervisor gives. */
export function machineOf(world: World, id: string): Machine {
  const machine = world.machines.get(id);
  if (machine === undefined) throw new RpcError("NOT_FOUND", `machine ${JSON.stringify(id)} not found`);
  bringUpToDate(machine, world.clock.now());
  return machine;
}

/** As ours does it: a machine that has work refuses other work until that is done. */
export function assertIdle(world: World, id: string): void {
  const other = world.profile.refusesBusy ? world.busy.get(id) : undefined;
  if (other !== undefined) throw new RpcError("ABORTED", `machine ${id} is busy: ${other}`);
}

/** Work that keeps a machine busy until its end. */
export function holding(world: World, id: string, one: Work): Work {
  world.busy.set(id, one.stage);
  const free = () => world.busy.delete(id);
  return {
    ...one,
    end(at) {
      free();
      return one.end(at);
    },
    lost() {
      free();
      one.lost?.();
    },
  };
}

/** Begins work as the profile does it: a task to look after, or an answer that comes when all is done. */
export async function work(world: World, how: How, one: Work): Promise<{ task?: { id: string }; result?: object }> {
  const { fail } = how;
  const wanted: Work = fail === undefined ? one : { ...one, end: () => failing(one, fail) };
  if (world.profile.work === "task" && one.takes > 0) return { task: world.tasks.begin(wanted) };
  if (one.takes > 0) await sleep(world.clock, one.takes);
  const result = wanted.end(world.clock.now());
  return result === undefined ? {} : { result };
}

function failing(one: Work, message: string): never {
  one.lost?.();
  throw new RpcError("INTERNAL", message);
}
