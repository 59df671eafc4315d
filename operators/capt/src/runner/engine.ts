// What runs Workspaces, seen from the controller: one interface, with a real implementation (`process/`) and a simulated one
// (`simulated/`). A run is one operation of one Workspace; it outlives the pass that asked for it.
import type { Instant } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { ErrorClass } from "./error-class.ts";
import type { Inputs } from "./inputs.ts";
import type { Outputs } from "./outputs.ts";
import type { Snapshot } from "./state.ts";

/** `none`: no program runs Workspaces here. */
export type EngineName = "tofu" | "terraform" | "simulated" | "none";

/** `plan` also prepares, and reads the outputs where there is nothing to change. */
export type Operation = "plan" | "apply" | "destroy";

export interface Engine {
  readonly name: EngineName;
  /** Runs an order to its end. What goes wrong is an outcome; it rejects only where the machine itself fails. */
  run(order: Order, desk: Desk): Promise<Outcome>;
  /** A run that an earlier process began and whose end nobody has seen. */
  left(uid: string): Promise<LeftRun | undefined>;
  /** Follows such a run to its end. */
  resume(left: LeftRun, order: Order, desk: Desk): Promise<Outcome>;
  /** The state that is here, whatever a Secret says. */
  stateOf(uid: string): Promise<Snapshot | undefined>;
  /** Leaves nothing of a Workspace: no process, no file. */
  clear(uid: string): Promise<void>;
  /** Ends the processes of a Workspace that nobody claims, and keeps its files. */
  abandon(uid: string): Promise<void>;
  /** The Workspaces of which something is kept here. */
  known(): Promise<readonly string[]>;
}

/** What is to be run. */
export interface Order {
  readonly id: string;
  readonly uid: string;
  readonly workspace: { readonly name: string; readonly namespace?: string };
  readonly operation: Operation;
  readonly generation: number;
  readonly inputs: Inputs;
  /** The state as the Secret has it. */
  readonly stored?: Snapshot;
  /** What annotations tell a simulated run. A real one reads none. */
  readonly simulation?: { readonly script?: string; readonly outputs?: string };
}

/** How a run tells of itself, and how it is told to stop. */
export interface Desk {
  /** Aborted with a `Stopped`. */
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
  readonly state: (state: Snapshot) => void;
}

/** Why a run was stopped. */
export class Stopped extends Error {
  readonly why: "deleted" | "asked" | "shutdown" | "timeout" | "gone";

  constructor(why: Stopped["why"]) {
    super(`the run was stopped: ${why}`);
    this.name = "Stopped";
    this.why = why;
  }
}

/** How far an operation is. `current` is the address of a resource, never a value. */
export interface Progress {
  readonly operation: Operation;
  readonly total: number;
  readonly done: number;
  readonly current?: string;
}

export interface LeftRun {
  readonly id: string;
  readonly uid: string;
  readonly operation: Operation;
  readonly generation: number;
  readonly startedAt: Instant;
}

/** How a run ended. */
export type Outcome = {
  /** The newest state that there is, where there is one here. */
  readonly state?: Snapshot;
} & (
  | { readonly as: "changes" } // a plan is ready to be applied
  | { readonly as: "settled"; readonly outputs: Outputs } // there was nothing to change
  | { readonly as: "applied"; readonly outputs: Outputs }
  | { readonly as: "destroyed" }
  | { readonly as: "stale" } // the plan does not fit the state any more, or the operator stops: plan again
  | { readonly as: "failed"; readonly class: ErrorClass; readonly message: SafeText }
);
