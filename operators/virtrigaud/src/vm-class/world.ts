// What one pass knows of a class. Values only.
import type { SafeText } from "@telltale/status";
import type { ProviderType, VMClass } from "../kinds/index.ts";
import type { Answering } from "../reachable.ts";

export interface World {
  readonly vmClass: VMClass;
  /** What is wrong with the spec. */
  readonly problem: SafeText | undefined;
  /** Types of providers that the cluster has, in the order of their names. */
  readonly types: readonly ProviderType[];
  /** Machines that refer to it. */
  readonly used: number;
  /** The Providers of the cluster, in the order of their keys. */
  readonly providers: readonly { readonly key: string; readonly type: ProviderType; readonly answers: Answering }[];
}
