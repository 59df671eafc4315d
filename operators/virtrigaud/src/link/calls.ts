// What is told of calls: neutral samples that `metrics.ts` turns into the names of 8.2.
import type { Ms } from "@telltale/kinds";
import type { Method } from "../contract/contract.ts";
import type { Code } from "../contract/rpc-error.ts";
import type { Breaker } from "./breaker.ts";

export interface Asked {
  readonly namespace: string;
  readonly provider: string;
  readonly type: string;
}

export type CallSample = Asked &
  (
    | { readonly is: "call"; readonly method: Method; readonly code: "OK" | Code; readonly took: Ms }
    | { readonly is: "breaker"; readonly at: Breaker["at"] }
    | { readonly is: "counted" } // a failure that the breaker counts
    | { readonly is: "tasks"; readonly open: number } // tasks that are not known to have ended
    | { readonly is: "gone" } // nobody asks it any more
  );
