// What can be done about a set, and how much of it at once (3.4).
import type { PersistentVolumeClaim } from "@telltale/kinds/builtin";
import type { VirtualMachine } from "../kinds/index.ts";
import type { Member } from "./members.ts";
import type { Revision } from "./world.ts";

export type Action =
  | { readonly do: "adopt" | "release"; readonly vm: VirtualMachine }
  | { readonly do: "remove"; readonly member: Member; readonly why: "scale" | "update" | "retry" }
  | { readonly do: "change"; readonly member: Member; readonly to: Revision }
  | { readonly do: "create"; readonly ordinal: number; readonly of: Revision }
  | { readonly do: "drop claim"; readonly claim: PersistentVolumeClaim };

/** Deletions that are under way at once. */
export const mostLeaving = 10;
/** Machines that one pass makes or changes: 1 + 2 + 4 + ... + 64. */
export const mostAtOnce = 127;
/** So often a replaced machine is replaced again before the update has failed. */
export const mostRetries = 3;
