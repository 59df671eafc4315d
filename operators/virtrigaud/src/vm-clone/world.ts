// What one pass knows of a clone: how Kubernetes stands, what the provider answered so far, and what is held of it. Values only.
import type { Instant } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { Answer } from "../contract/contract.ts";
import type { VirtualMachine, VMClass, VMClone, VMCloneStatus } from "../kinds/index.ts";
import type { ProviderError } from "../link/provider-error.ts";
import type { Task } from "../link/task.ts";
import type { Placing } from "../placement/engine.ts";
import type { Recorded } from "../recorded.ts";
import type { Name } from "../references.ts";
import type { Channel } from "../vm-snapshot/reach.ts";
import type { Rest } from "./step.ts";

export interface World extends Recorded {
  readonly clone: VMClone;
  readonly now: Instant;
  /** What is wrong with the spec, whatever else there is. */
  readonly problem: SafeText | undefined;
  readonly source: Source;
  readonly target: Target;
  /** Of the copy: the one that is asked for, or the source's. */
  readonly vmClass:
    | { readonly is: "there"; readonly object: VMClass }
    | { readonly is: "missing"; readonly what: SafeText };
  readonly channel: Channel;
  /** Where the copy goes; undefined: nobody asks for a place. */
  readonly placing: Placing | undefined;
  /** Ids of all machines that are objects on the provider. */
  readonly claimed: ReadonlySet<string>;
  readonly held: Held;
  readonly told: Told;
  readonly heard: Heard;
  /** How the pass ended. */
  readonly rest?: Rest;
}

/** What is copied. */
export type Source =
  | { readonly is: "missing"; readonly what: SafeText } // it does not exist
  | { readonly is: "waiting"; readonly what: SafeText } // it cannot be copied yet
  | { readonly is: "refused"; readonly what: SafeText } // it cannot be copied at all
  | {
      readonly is: "machine";
      readonly vm: VirtualMachine;
      readonly id: string;
      /** Empty: as it is now. */
      readonly snapshotId: string;
      readonly provider: Name;
    }
  | { readonly is: "image"; readonly provider: Name };

/** The object that the copy becomes. */
export interface Target {
  /** As it would be made. */
  readonly wanted: VirtualMachine;
  readonly object: VirtualMachine | undefined;
  readonly isOurs: boolean;
  /** Another machine on the provider that has its name there. */
  readonly namesake: VirtualMachine | undefined;
}

/** The fields of the status that are not derived from scratch in each pass. */
export type Held = Readonly<
  Pick<
    VMCloneStatus,
    | "targetVMID"
    | "taskRef"
    | "actualCloneType"
    | "startTime"
    | "completionTime"
    | "retryCount"
    | "lastRetryTime"
    | "customizationStatus"
    | "progress"
    | "targetRef"
  >
>;

type Condition = NonNullable<VMCloneStatus["conditions"]>[number];

/** What was said of it before this pass. */
export interface Told {
  readonly phase: VMCloneStatus["phase"];
  readonly isSameSpec: boolean;
  readonly ready: Condition | undefined;
  readonly cloning: Condition | undefined;
  readonly customizing: Condition | undefined;
  readonly failed: Condition | undefined;
}

/** What was learnt in this pass. */
export interface Heard {
  readonly capabilities?: Answer<"getCapabilities">;
  readonly listed?: Answer<"listVMs">["vms"];
  readonly task?: Task;
  readonly request?: Requesting;
  /** What went wrong while something was looked up: it is looked up again. */
  readonly trouble?: ProviderError;
  /** A Secret that the customization needs. */
  readonly lacking?: SafeText;
  /** The object has the id of the copy: the server says so itself. */
  readonly bound?: "yes" | { readonly foreign: SafeText };
  /** The provider was asked in this pass. */
  readonly isSent?: boolean;
  /** What is known of the clone is what the server has. */
  readonly isFresh?: boolean;
}

/** Where a request to copy stands, and, for one that somebody else sent before us, what became of it. */
export type Requesting =
  | { readonly is: "running" }
  | { readonly is: "refused"; readonly error: ProviderError }
  | { readonly is: "found"; readonly id: string }
  | { readonly is: "many" } // several machines have the name
  | { readonly is: "lost" } // nothing came of it
  | { readonly is: "unsure"; readonly error: ProviderError }; // nobody could be asked
