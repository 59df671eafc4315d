// What one pass knows of a network. Values only.
import type { SafeText } from "@telltale/status";
import type { Provider, VMNetworkAttachment } from "../kinds/index.ts";
import type { Allocated } from "./allocate.ts";

export interface World {
  readonly network: VMNetworkAttachment;
  /** What is wrong with the spec. */
  readonly problem: SafeText | undefined;
  /** Why the pool cannot be used. */
  readonly poolTrouble: SafeText | undefined;
  /** By their keys, in order. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** How many machines that exist are on it. */
  readonly connected: number;
  readonly addresses: Allocated;
}
