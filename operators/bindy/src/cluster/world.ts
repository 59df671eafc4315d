// What a pass over one Bind9Cluster knows.
import type { Instant } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { ChildView } from "../aggregate/child-view.ts";
import type { Bind9Cluster, Bind9ClusterSpec, Bind9Instance } from "../kinds/index.ts";
import type { Role } from "../names.ts";
import type { Checked } from "../validate/index.ts";

export interface World {
  readonly it: Bind9Cluster;
  readonly checked: Checked<Bind9ClusterSpec>;
  readonly children: readonly Child[];
  /** Wanted names that somebody else has. */
  readonly taken: readonly string[];
  /** When a child's word stops counting. */
  readonly graceEnds?: Instant;
  readonly made: Made;
}

export interface Child {
  readonly instance: Bind9Instance;
  readonly view: ChildView;
  /** Made by this cluster. */
  readonly isManaged: boolean;
}

/** An instance that the spec asks for. */
export interface Wanted {
  readonly name: string;
  readonly role: Role;
  readonly ordinal: number;
}

/** What this pass did. */
export interface Made {
  readonly hasActed: boolean;
  /** The first that was refused. */
  readonly refused?: { readonly name: string; readonly said: SafeText };
}
