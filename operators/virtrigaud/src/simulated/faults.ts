// What goes wrong by order: each fault stands for what becomes of one call, or of every call from now on.
import type { Ms } from "@telltale/kinds";
import type { Method, Reply } from "../contract/contract.ts";
import type { Code } from "../contract/rpc-error.ts";

export type Fault<M extends Method> = { readonly times?: number; readonly after?: Ms } & (
  | { readonly is: "honest" } // as if nothing had been ordered; with `after`: later
  | { readonly is: "refuse"; readonly code: Code; readonly message: string } // not done
  | { readonly is: "lose"; readonly code: Code; readonly message: string } // done, and nobody hears of it
  | { readonly is: "answer"; readonly reply: Reply<M> } // said, and not done
  | { readonly is: "fail"; readonly message: string } // begun well: the task fails at its end
  | { readonly is: "hang" } // neither done nor answered
);

/** For every method alike. */
export type PlainFault = Exclude<Fault<Method>, { readonly is: "answer" }>;

export const refuse = (code: Code, message: string = code) => ({ is: "refuse", code, message }) as const;
export const lose = (code: Code = "UNAVAILABLE", message = "connection reset") =>
  ({ is: "lose", code, message }) as const;
export const answer = <const R>(reply: R) => ({ is: "answer", reply }) as const;
export const fail = (message: string) => ({ is: "fail", message }) as const;
export const hang = { is: "hang" } as const;
export const honest = { is: "honest" } as const;
/** After so long. */
export const slow = <F extends object>(after: Ms, fault: F) => ({ ...fault, after });
/** So many times, or from now on. */
export const repeat = <F extends object>(fault: F, times: number = Number.POSITIVE_INFINITY) => ({ ...fault, times });

type Queues = { [M in Method]?: Fault<M>[] };

/** What is ordered, by method. The first of a method's list counts for its next call. */
export class Faults {
  #queues: Queues = {};
  #everywhere: PlainFault | undefined;

  add<M extends Method>(method: M, faults: readonly Fault<M>[]): void {
    const known: Queues[M] = this.#queues[method];
    const queue: Fault<M>[] = known ?? [];
    queue.push(...faults);
    this.#queues = { ...this.#queues, [method]: queue };
  }

  /** For calls of every method that has nothing ordered of its own. */
  everywhere(fault: PlainFault | undefined): void {
    this.#everywhere = fault;
  }

  clear(method?: Method): void {
    if (method === undefined) this.#everywhere = undefined;
    this.#queues = method === undefined ? {} : { ...this.#queues, [method]: undefined };
  }

  take<M extends Method>(method: M): Fault<M> {
    const queue: Queues[M] = this.#queues[method];
    const first: Fault<M> | undefined = queue?.[0];
    if (queue === undefined || first === undefined) return this.#everywhere ?? honest;
    const left = (first.times ?? 1) - 1;
    if (left > 0) queue[0] = { ...first, times: left };
    else queue.shift();
    return first;
  }
}
