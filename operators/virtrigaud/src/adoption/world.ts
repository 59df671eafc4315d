// What a pass over the adoption of one Provider's machines knows.
import type { Instant, Ms } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { Provider } from "../kinds/index.ts";
import type { TlsSecret } from "../wire/wire.ts";
import type { Known } from "./discovery.ts";
import type { Filter } from "./filter.ts";

export interface World {
  readonly it: Provider;
  readonly state: State;
  /** Adopted machines that have their ids. */
  readonly adopted: number;
  readonly outcome?: Outcome;
}

export type State =
  | { readonly is: "unwanted" } // no annotation
  | { readonly is: "waiting"; readonly said: SafeText; readonly again: Ms }
  | { readonly is: "recent"; readonly again: Ms } // the last discovery was a moment ago
  | { readonly is: "due"; readonly filter: Filter; readonly known: Known; readonly tls?: TlsSecret };

/** What became of a discovery in this pass. */
export type Outcome =
  | { readonly is: "asking" } // the provider has not answered yet
  | { readonly is: "refused"; readonly said: SafeText }
  | {
      readonly is: "discovered";
      readonly at: Instant;
      readonly found: number;
      readonly adopted: number;
      readonly left: number;
      readonly taken: readonly string[];
      readonly failed: readonly { readonly name: string; readonly why: SafeText }[];
    };
