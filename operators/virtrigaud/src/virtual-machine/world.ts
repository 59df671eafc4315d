// What one pass knows of a machine: how Kubernetes stands, what the provider answered so far, and what is held of it. Values only.
import type { Instant } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { Answer } from "../contract/contract.ts";
import type {
  Provider,
  VirtualMachine,
  VirtualMachineStatus,
  VMClass,
  VMImage,
  VMNetworkAttachment,
  VMPlacementPolicy,
  VMSnapshot,
  VMSnapshotInfo,
} from "../kinds/index.ts";
import type { Link } from "../link/links.ts";
import type { ProviderError } from "../link/provider-error.ts";
import type { Task } from "../link/task.ts";
import type { Placing } from "../placement/engine.ts";
import type { Recorded } from "../recorded.ts";
import type { Rest } from "./step.ts";

export interface World extends Recorded {
  readonly vm: VirtualMachine;
  readonly now: Instant;
  /** A live VMMigration has it: it is looked at, and nothing is done. */
  readonly lock: string | undefined;
  /** What is wrong with the spec. */
  readonly problem: SafeText | undefined;
  readonly needs: Needs;
  /** How the provider is asked, or why it cannot be. */
  readonly channel: Channel;
  readonly snapshots: readonly VMSnapshotInfo[];
  readonly revert: Revert;
  /** Another one on the same provider with the same name there. */
  readonly namesake: VirtualMachine | undefined;
  /** Others' ids on the same provider. */
  readonly claimed: ReadonlySet<string>;
  /** Where a new one goes. */
  readonly placing: Placing | undefined;
  /** What is stored, and what this pass made of it. */
  readonly held: Held;
  /** What the provider answered in this pass. */
  readonly heard: Heard;
  /** What was said of it before this pass. */
  readonly told: Told;
  /** How often the present size was asked for without effect. */
  readonly resizes: number;
  /** Between 0 and 1, once per pass: spreads timers. */
  readonly chance: number;
  /** How the pass ended, once it has. */
  readonly rest?: Rest;
}

/** The fields of the status that are not derived from scratch in each pass. */
export type Held = Readonly<
  Pick<
    VirtualMachineStatus,
    | "id"
    | "powerState"
    | "ips"
    | "consoleURL"
    | "provider"
    | "lastTaskRef"
    | "reconfigureTaskRef"
    | "lastReconfigureTime"
    | "currentResources"
  >
>;

export interface Told {
  readonly phase: VirtualMachineStatus["phase"];
  readonly observedGeneration: number;
  readonly ready: Condition | undefined;
  readonly provisioning: Condition | undefined;
  readonly reconfiguring: Condition | undefined;
}

type Condition = NonNullable<VirtualMachineStatus["conditions"]>[number];

/** What it refers to. */
export type Needs =
  | { readonly is: "missing"; readonly what: SafeText }
  | { readonly is: "refused"; readonly what: SafeText } // another namespace's, which does not let it in
  | ({ readonly is: "there" } & Parts);

export interface Parts {
  readonly provider: Provider;
  readonly key: string;
  /** Absent: it is gone, which only keeps an existing machine from being resized. */
  readonly vmClass: VMClass | undefined;
  readonly image: VMImage | undefined;
  readonly networks: readonly (VMNetworkAttachment | undefined)[];
  readonly policy: VMPlacementPolicy | undefined;
}

export type Channel =
  | { readonly is: "open"; readonly link: Link }
  | { readonly is: "closed"; readonly why: SafeText; readonly again: Instant };

export type Revert =
  | { readonly is: "none"; readonly isMarked: boolean }
  | {
      readonly is: "wanted";
      readonly name: string;
      readonly snapshot: VMSnapshot | undefined;
      readonly isDone: boolean;
    };

export interface Heard {
  readonly task?: Task;
  readonly resize?: Task;
  readonly seen?: Seen;
  readonly listed?: Answer<"listVMs">["vms"];
  readonly capabilities?: Answer<"getCapabilities">;
  /** The hook that was run. */
  readonly hooked?: "preStop" | "postStart";
  /** Misses in a row, with this one, and when the first was. */
  readonly misses?: { readonly count: number; readonly since: Instant };
  /** What went wrong with the last thing that was tried. */
  readonly trouble?: Trouble;
  /** Something that it is made of lacks: found out while it was put together. */
  readonly lacking?: SafeText;
  /** The provider gave it a machine that is another's. */
  readonly taken?: SafeText;
  /** The provider took a change of size and did not apply it. */
  readonly unapplied?: SafeText;
  /** What was done. */
  readonly done?: Done;
}

/** How the provider describes it. */
export type Seen =
  | { readonly is: "there"; readonly power: "On" | "Off" | "Suspended" | "Unknown" }
  | { readonly is: "missing" };

export type Doing = "create" | "createTask" | "look" | "power" | "reconfigure" | "revert";

export interface Trouble {
  readonly during: Doing;
  readonly error: ProviderError;
  /** How often in a row, with this one. */
  readonly count: number;
  /** When it is tried again. Undefined: not before something else changes. */
  readonly again: Instant | undefined;
  /** The provider has a machine of its name: found in its list after it refused to make one. */
  readonly isNameTaken?: boolean;
}

/** What this pass did, after which it rests. */
export type Done =
  | { readonly is: "created" }
  | { readonly is: "forgotten" }
  | { readonly is: "powered"; readonly how: "power" | "graceful" | "forced" }
  | { readonly is: "resized" }
  | { readonly is: "reverting" };
