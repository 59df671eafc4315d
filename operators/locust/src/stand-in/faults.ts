// What goes wrong with a stand-in, each for so many requests, for a time, or until it is cleared.
import type { Clock, Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

export type Fault =
  | { readonly is: "refuse" } // nobody listens
  | { readonly is: "reset" } // the connection is cut after it was accepted
  | { readonly is: "hang" } // never answers
  | { readonly is: "slow"; readonly ms: Ms } // answers late
  | { readonly is: "drip" } // one byte each 100 ms
  | { readonly is: "status"; readonly code: number }
  | { readonly is: "html" }
  | { readonly is: "truncate" } // half of the JSON
  | { readonly is: "nan" }
  | { readonly is: "types" } // strings for numbers, negative counts, null totals
  | { readonly is: "huge" } // 10 MiB of errors
  | { readonly is: "old-2.10" } // the shapes of these versions
  | { readonly is: "old-2.31" }
  | { readonly is: "old-2.44" }
  | { readonly is: "no-aggregate" }
  | { readonly is: "reset-stats" } // totals are zero
  | { readonly is: "flap-workers" } // the count is N and N-1 in turn
  | { readonly is: "clock"; readonly ms: Ms }; // moves first_seen and last_seen

export type FaultName = Fault["is"];

/** No limit: until it is cleared. */
export interface FaultLimit {
  readonly times?: number;
  readonly ms?: Ms;
}

interface Active {
  readonly fault: Fault;
  left: number;
  readonly timer?: Timer;
}

export class Faults {
  readonly #clock: Clock;
  #active: readonly Active[] = [];
  #listeners: readonly (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(fault: Fault, { times = Number.POSITIVE_INFINITY, ms }: FaultLimit = {}): void {
    const timer = ms === undefined ? undefined : this.#clock.after(ms, () => this.#remove(active));
    const active: Active = { fault, left: times, ...(timer !== undefined && { timer }) };
    this.#active = [...this.#active, active];
    this.#tell();
  }

  clear(name?: FaultName): void {
    const gone = this.#active.filter(({ fault }) => name === undefined || fault.is === name);
    for (const it of gone) this.#remove(it);
  }

  has(name: FaultName): boolean {
    return this.#active.some(({ fault }) => fault.is === name);
  }

  /** Those that a request meets. Each counts it. */
  take(): readonly Fault[] {
    const met = this.#active;
    for (const it of met) {
      it.left -= 1;
      if (it.left <= 0) this.#remove(it);
    }
    return met.map(({ fault }) => fault);
  }

  /** Called when a fault comes or goes. */
  onChange(listener: () => void): void {
    this.#listeners = [...this.#listeners, listener];
  }

  #remove(active: Active): void {
    active.timer?.cancel();
    this.#active = this.#active.filter((it) => it !== active);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

const plain: ReadonlySet<string> = new Set<FaultName>([
  "refuse",
  "reset",
  "hang",
  "drip",
  "html",
  "truncate",
  "nan",
  "types",
  "huge",
  "old-2.10",
  "old-2.31",
  "old-2.44",
  "no-aggregate",
  "reset-stats",
  "flap-workers",
]);

const isPlain = (is: unknown): is is Exclude<FaultName, "slow" | "status" | "clock"> =>
  typeof is === "string" && plain.has(is);

export const isFaultName = (is: string): is is FaultName => isPlain(is) || ["slow", "status", "clock"].includes(is);

/** A fault that came as JSON: `{"is": "slow", "ms": 500}`. */
export function faultFrom({ is, ms, code }: Readonly<Record<string, unknown>>): Fault | undefined {
  if (isPlain(is)) return { is };
  if ((is === "slow" || is === "clock") && typeof ms === "number" && Number.isFinite(ms)) return { is, ms };
  const isCode = typeof code === "number" && Number.isInteger(code) && code >= 200 && code <= 599;
  return is === "status" && isCode ? { is, code } : undefined;
}
