// What a pass knows of one set.
import type { Instant } from "@telltale/kinds";
import type { ControllerRevision, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import type { SafeText } from "@telltale/status";
import type { VirtualMachine, VMSet, VMSetUpdateStatus } from "../kinds/index.ts";
import type { Member } from "./members.ts";
import type { Template } from "./objects.ts";
import type { Rules } from "./rules.ts";

export interface World {
  readonly set: VMSet;
  readonly now: Instant;
  readonly rules: Rules;
  /** What is wrong with the spec. */
  readonly problem: SafeText | undefined;
  /** Its machines, by ordinal. */
  readonly members: readonly Member[];
  /** Selected, named as one of its own, and nobody's. */
  readonly orphans: readonly VirtualMachine[];
  /** Its own, and not selected any more. */
  readonly strays: readonly VirtualMachine[];
  /** Ordinals whose names are others'. */
  readonly taken: ReadonlySet<number>;
  /** In their order, the newest last. */
  readonly revisions: readonly ControllerRevision[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly told: Told;
  /** The revision of the present template. Undefined until it is made. */
  readonly update: Revision | undefined;
  readonly current: Revision | undefined;
  readonly made: Made;
}

export interface Revision {
  readonly name: string;
  readonly hash: string;
  readonly template: Template;
}

/** What was said before this pass. */
export interface Told {
  readonly collisions: number | undefined;
  readonly currentRevision: string | undefined;
  readonly updateRevision: string | undefined;
  readonly update: ToldUpdate;
}

/** What is read back of an update: what the machines themselves cannot tell. */
export type ToldUpdate = Pick<VMSetUpdateStatus, "phase" | "startTime" | "completionTime" | "failedVMs">;

/** What this pass did. */
export interface Made {
  /** Machines that were taken for the update. */
  readonly taken: number;
  /** Whatever it did. */
  readonly done: number;
  /** What the server said when it refused. */
  readonly refused?: SafeText;
}

export const nothingMade: Made = { taken: 0, done: 0 };
