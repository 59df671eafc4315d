// What a pass knows of one policy: the machines that use it, the types of providers around, and the other policies.
import type { Provider, VirtualMachine, VMClass, VMPlacementPolicy } from "../kinds/index.ts";
import type { NamespaceLabels } from "../placement/terms.ts";
import type { Answering } from "../reachable.ts";

export interface World {
  readonly policy: VMPlacementPolicy;
  /** In the order of their names. */
  readonly users: readonly User[];
  /** In their order, each once: those of the Providers here, and of the Providers of its machines. */
  readonly types: readonly ProviderType[];
  /** Those Providers, in the order of their keys. */
  readonly providers: readonly { readonly key: string; readonly answers: Answering }[];
  readonly others: readonly Other[];
  readonly namespaceLabels: NamespaceLabels;
}

export type ProviderType = Provider["spec"]["type"];

export interface User {
  readonly vm: VirtualMachine;
  readonly vmClass: VMClass | undefined;
}

export interface Other {
  readonly policy: VMPlacementPolicy;
  readonly vms: readonly VirtualMachine[];
}
