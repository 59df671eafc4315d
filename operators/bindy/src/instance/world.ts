// What a pass over one Bind9Instance knows.
import type { Deployment, Pod, Secret, Service } from "@telltale/kinds/builtin";
import type { SafeText } from "@telltale/status";
import type { PodView } from "../aggregate/pod-view.ts";
import type { Nameserver } from "../build/index.ts";
import type { Bind9Cluster, Bind9GlobalCluster, Bind9Instance } from "../kinds/index.ts";
import type { Problem } from "../validate/index.ts";
import type { Sibling } from "./turns.ts";

export interface World {
  readonly it: Bind9Instance;
  readonly parent: Parent;
  /** As it has to be, or why it cannot be built. */
  readonly wanted: Wanted;
  readonly deployment: Deployment | undefined;
  readonly service: Service | undefined;
  /** Live pods. */
  readonly pods: readonly Pod[];
  readonly views: readonly PodView[];
  /** The other servers of its cluster. */
  readonly siblings: readonly Sibling[];
  readonly made: Made;
}

export type Wanted =
  | { readonly is: "sound"; readonly server: Nameserver; readonly keys: Keys }
  | { readonly is: "invalid"; readonly problem: Problem }
  | { readonly is: "unread"; readonly why: SafeText }; // the API server did not answer what it is made of

/** The Secrets that a key comes from, as far as they are there. */
export interface Keys {
  readonly secret: Secret | undefined;
  readonly copy: Secret | undefined;
}

/** The cluster that an instance takes its settings from. */
export type Parent =
  | { readonly is: "none" } // it stands alone
  | { readonly is: "missing"; readonly name: string }
  | { readonly is: "cluster"; readonly object: Bind9Cluster }
  | { readonly is: "global"; readonly object: Bind9GlobalCluster };

/** What became of making its objects in this pass. */
export interface Made {
  /** Why it stopped. */
  readonly refused?: SafeText;
  /** The Deployment could not even be looked for. */
  readonly isUnreadable?: boolean;
  /** The API server did not answer: whether its objects are as they have to be is unknown. */
  readonly unanswered?: SafeText;
  /** Something has to be tried again soon: an old object is still going away, or it is another server's turn. */
  readonly isWaiting?: boolean;
  /** The server of its cluster that has to be ready before it may roll, where that is news. */
  readonly waitsFor?: string;
  /** The key was replaced because it was time to. */
  readonly isRotated?: boolean;
  /** Names that somebody else has. */
  readonly taken: readonly string[];
}

export const nothingMade: Made = { taken: [] };
