// Something that must hold: after every step, or when everything has become quiet.
import type { KindRef } from "@telltale/kinds";
import type { Sample } from "@telltale/runtime";
import type { Dump } from "./dump.ts";
import type { Change } from "./history.ts";
import type { Witness } from "./network.ts";
import type { Pass } from "./pass.ts";
import type { Process } from "./process.ts";
import type { Reference } from "./reference.ts";
import type { World } from "./world.ts";

/** One that watches over one run. It says what it finds. */
export interface Watcher extends Witness {
  started?(process: Process): void;
  /** Something was written to the server. Its author is known by then, but of what a person or the cluster wrote. */
  change?(change: Change): void;
  /** A pass begins. */
  pass?(pass: Pass): void;
  /** A step of a pass reads objects of a kind. Only in a run without faults. */
  reads?(kind: KindRef): void;
  /** It has ended, with a result. */
  passed?(pass: Pass): void;
  /** Nothing is left to do at this instant: time goes on. */
  moment?(): void;
  sample?(process: Process, sample: Sample): void;
  /** The server was put back to an earlier state: what was written since has not happened. */
  restored?(): void;
  /** Everything is quiet. `reference`: the run without faults, where this is another one. `end`: what is there now. */
  end?(reference: Reference | undefined, end: Dump): void;
  /** All processes have ended, another one has started and looked at everything: what it has written. */
  reborn?(changes: readonly Change[]): void;
}

export interface Invariant {
  readonly id: string;
  readonly what: string;
  watch(world: World, say: (what: string) => void): Watcher;
}
