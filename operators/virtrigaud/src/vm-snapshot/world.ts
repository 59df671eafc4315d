// What one pass knows of a snapshot: how Kubernetes stands, what the provider answered so far, and what is held of it. Values only.
import type { Instant } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { Answer } from "../contract/contract.ts";
import type { VirtualMachine, VMSnapshot, VMSnapshotStatus } from "../kinds/index.ts";
import type { ProviderError } from "../link/provider-error.ts";
import type { Task } from "../link/task.ts";
import type { Recorded } from "../recorded.ts";
import type { Channel } from "./reach.ts";
import type { Rest } from "./step.ts";
import type { Timetable } from "./timetable.ts";

export interface World extends Recorded {
  readonly snapshot: VMSnapshot;
  readonly now: Instant;
  readonly problem: Problem | undefined;
  /** Undefined: it is a snapshot, and no schedule of them. */
  readonly schedule: Schedule | undefined;
  readonly vm: VirtualMachine | undefined;
  /** How maps call the provider of the machine. */
  readonly key: string;
  readonly channel: Channel;
  /** The others of the same machine. */
  readonly siblings: readonly VMSnapshot[];
  /** Who needs it to stay. */
  readonly user: SafeText | undefined;
  readonly held: Held;
  readonly told: Told;
  readonly heard: Heard;
  /** How the pass ended. */
  readonly rest?: Rest;
}

export interface Problem {
  readonly reason: "ValidationError" | "InvalidSchedule";
  readonly why: SafeText;
}

export interface Schedule {
  readonly timetable: Timetable;
  /** The run that was last made or passed over; before the first one, when the object was made. */
  readonly last: Instant;
  /** What it made. */
  readonly children: readonly VMSnapshot[];
}

type Entry = NonNullable<VMSnapshotStatus["providerStatus"]>[string];

/** The fields of the status that are not derived from scratch in each pass. */
export type Held = Readonly<
  Pick<
    VMSnapshotStatus,
    "snapshotID" | "taskRef" | "creationTime" | "completionTime" | "progress" | "parent" | "size" | "virtualSize"
  >
> & {
  /** On its provider: `path` is the name that was sent. */
  readonly entry?: Entry;
};

type Condition = NonNullable<VMSnapshotStatus["conditions"]>[number];

/** What was said of it before this pass. */
export interface Told {
  readonly phase: VMSnapshotStatus["phase"];
  readonly isSameSpec: boolean;
  readonly ready: Condition | undefined;
  readonly creating: Condition | undefined;
  readonly expired: Condition | undefined;
}

/** What the provider answered in this pass. */
export interface Heard {
  readonly capabilities?: Answer<"getCapabilities">;
  readonly task?: Task;
  /** `unsupported`: the provider does not tell which snapshots there are. */
  readonly disk?: Answer<"getDiskInfo"> | "missing" | "unsupported";
  readonly request?: Requesting;
  /** Whether its state at the provider was looked up. */
  readonly isLookedUp?: boolean;
  /** What went wrong while something was looked up: it is looked up again. */
  readonly trouble?: ProviderError;
  /** What the machine stands on was noted. */
  readonly isMarked?: boolean;
  /** It was deleted. */
  readonly isRemoved?: boolean;
}

/** Where a request to take it stands, and, for one that somebody else sent before us, what became of it. */
export type Requesting =
  | { readonly is: "running" }
  | { readonly is: "refused"; readonly error: ProviderError }
  | { readonly is: "lost" } // nothing came of it
  | { readonly is: "unsure"; readonly error: ProviderError }; // nobody could be asked
