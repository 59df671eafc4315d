// Something that must hold: after every step, or when everything has become quiet.
import type { KubeObject } from "@telltale/kinds";
import type { Sample } from "@telltale/runtime";
import type { Change } from "./history.ts";
import type { Sent } from "./network.ts";
import type { Process } from "./process.ts";
import type { Reference } from "./reference.ts";
import type { World } from "./world.ts";

/** One that watches over one run. It says what it finds. */
export interface Watcher {
  /** Something was written to the server. Its author is known by then, but of what a person or the cluster wrote. */
  change?(change: Change): void;
  /** A request of the operator was carried out. */
  applied?(sent: Sent, changes: readonly Change[], status: number): void;
  pass?(process: Process, controller: string, object: KubeObject): void;
  sample?(process: Process, sample: Sample): void;
  /** Everything is quiet. `reference`: the run without faults, where this is another one. */
  end?(reference: Reference | undefined): void;
}

export interface Invariant {
  readonly id: string;
  readonly what: string;
  watch(world: World, say: (what: string) => void): Watcher;
}
