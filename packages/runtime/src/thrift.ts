// Gives memory back when an operator has become quiet. The engine keeps what a burst of work has needed (a first list of 10,000
// objects: 210 MB of which 32 are in use) for as long as nothing more is allocated; one collection afterwards leaves 125.
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock, Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

/** So long nothing may have been done. */
const quiet: Ms = 3_000;
/** A collection takes some 80 ms: it has to be worth it. */
const worth = 24_000_000;

export class Thrift {
  readonly #clock: Clock;
  #done = 0;
  #timer: Timer | undefined;
  #kept = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something was done. Cheap: it is called with every pass. */
  busy(): void {
    this.#done += 1;
    if (this.#timer === undefined) this.#look(this.#done);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #look(before: number): void {
    this.#timer = this.#clock.after(quiet, () => {
      this.#timer = undefined;
      if (this.#done !== before) this.#look(this.#done);
      else this.#collect();
    });
  }

  #collect(): void {
    const { total_heap_size: total } = getHeapStatistics();
    if (total - this.#kept < worth) return;
    collector()({ type: "major", flavor: "last-resort" });
    this.#kept = getHeapStatistics().total_heap_size;
  }
}

type Collector = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

let made: Collector | undefined;

/** The engine's own, which programs see only when they ask for it. */
function collector(): Collector {
  if (made === undefined) {
    setFlagsFromString("--expose-gc");
    made = runInNewContext("gc") as Collector;
  }
  return made;
}
