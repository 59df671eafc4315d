// What one pass knows of a migration: how Kubernetes stands, what was answered so far, and what is held of it. Values only.
import type { Instant } from "@telltale/kinds";
import type { PersistentVolumeClaim } from "@telltale/kinds/builtin";
import type { EffectRecord } from "@telltale/runtime";
import type { SafeText } from "@telltale/status";
import type { Checked } from "../addresses.ts";
import type { Answer } from "../contract/contract.ts";
import type { VirtualMachine, VMMigration, VMMigrationStatus, VMSnapshot } from "../kinds/index.ts";
import type { MigrationPhase } from "../kinds/vm-migration-status.ts";
import type { ProviderError } from "../link/provider-error.ts";
import type { Task } from "../link/task.ts";
import type { Name } from "../references.ts";
import type { Channel } from "../vm-snapshot/reach.ts";
import type { JobTools } from "./job.ts";
import type { Work } from "./job-state.ts";
import type { Proof } from "./outside.ts";
import type { FailReason, Rest, WaitReason } from "./step.ts";

export interface World {
  readonly migration: VMMigration;
  readonly now: Instant;
  readonly phase: MigrationPhase | undefined;
  readonly source: Source;
  /** The provider that has the disk, and the one that gets it. */
  readonly from: Side;
  readonly to: Side;
  readonly target: Target;
  /** The one that is named, or our own. */
  readonly snapshot: VMSnapshot | undefined;
  readonly claim: Claim | undefined;
  /** What Jobs are made of. Undefined: there are none. */
  readonly tools: JobTools | undefined;
  /** Those of this migration, by their names. */
  readonly jobs: readonly Work[];
  /** What is wrong with what is asked for, whoever is ready or not. */
  readonly problem: Problem | undefined;
  /** What the new machine needs and does not find. */
  readonly lacking: SafeText | undefined;
  /** Everything that was staged or imported so far: one entry for each attempt. */
  readonly staged: readonly string[];
  /** Of a call whose result is not stored yet (2.9). */
  readonly record: EffectRecord | undefined;
  readonly held: Held;
  readonly told: Told;
  readonly heard: Heard;
  /** How the pass ended. */
  readonly rest?: Rest;
}

export interface Problem {
  readonly reason: FailReason;
  readonly why: SafeText;
}

export interface Source {
  readonly at: Name;
  readonly vm: VirtualMachine | undefined;
  /** Who has it: this migration, a live other one, or nobody. */
  readonly lock: "ours" | { readonly holder: string } | "free";
}

export interface Side {
  readonly at: Name;
  readonly channel: Channel;
  readonly refusal: SafeText | undefined;
  /** Undefined: its pods have the claim, or none is needed. */
  readonly unmounted: { readonly reason: WaitReason; readonly why: SafeText } | undefined;
}

/** The machine that is to be. */
export interface Target {
  readonly at: Name;
  readonly object: VirtualMachine | undefined;
  readonly isOurs: boolean;
}

/** The claim of the storage, which may not be there yet. */
export interface Claim {
  readonly name: string;
  /** It was here before: it is never deleted. */
  readonly isUsers: boolean;
  readonly object: PersistentVolumeClaim | undefined;
  /** Whether another migration that has not ended uses it. */
  readonly isShared: boolean;
}

/** The fields of the status that are not derived from scratch in each pass. */
export type Held = Readonly<Omit<VMMigrationStatus, "conditions" | "phase" | "observedGeneration" | "message">>;

type Condition = NonNullable<VMMigrationStatus["conditions"]>[number];

/** What was said of it before this pass. */
export interface Told {
  readonly ready: Condition | undefined;
  readonly failed: Condition | undefined;
}

/** What was learnt in this pass. */
export interface Heard {
  readonly host?: Checked;
  /** `complete`, or what is missing. */
  readonly secret?: "complete" | { readonly lacking: SafeText };
  /** `untold`: the provider does not tell. */
  readonly disk?: Answer<"getDiskInfo"> | "untold";
  readonly disks?: readonly string[];
  readonly power?: "On" | "Off" | "untold";
  readonly transfer?: Transfer;
  readonly task?: Task;
  readonly proof?: Proof;
  readonly targetDisk?: Answer<"getDiskInfo"> | "untold";
  readonly isAnswering?: boolean;
  /** What went wrong while something was looked up: it is looked up again. */
  readonly trouble?: ProviderError;
  /** Somebody else has the name of something that we make. */
  readonly taken?: SafeText;
  /** Staged on a person's claim, where no provider could remove it. */
  readonly unreached?: readonly string[];
  /** What could not be removed in this pass, and why. */
  readonly stuck?: Readonly<Record<string, SafeText>>;
}

/** What became of an export or import that was sent. */
export type Transfer =
  | { readonly is: "running" }
  | { readonly is: "exported"; readonly answer: Answer<"exportDisk"> }
  | { readonly is: "imported"; readonly answer: Answer<"importDisk"> }
  | { readonly is: "refused"; readonly error: ProviderError }
  | { readonly is: "lost" }; // whoever sent it is gone
