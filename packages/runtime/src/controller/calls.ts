// Long calls that outlive the pass which started them, keyed by object and name. They never block a worker; when one ends,
// its object gets a pass.
import type { Clock } from "@telltale/clock";
import type { Called } from "./steps.ts";

interface Entry {
  state: Called<unknown>;
  readonly stop: AbortController;
}

export class Calls {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Map<string, Entry>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Where a call stands. The first time it is started. */
  call<R>(uid: string, name: string, start: (signal: AbortSignal) => Promise<R>, onEnd: () => void): Called<R> {
    const known = this.#entries.get(uid)?.get(name);
    // What was started under a name is what is found under it: the caller's own types.
    if (known !== undefined) return known.state as Called<R>;
    const stop = new AbortController();
    const entry: Entry = { state: { as: "running", since: this.#clock.now() }, stop };
    const own = this.#entries.get(uid) ?? new Map<string, Entry>();
    this.#entries.set(uid, own.set(name, entry));
    const ended = (state: Called<unknown>) => {
      if (this.#entries.get(uid)?.get(name) !== entry) return;
      entry.state = state;
      onEnd();
    };
    start(stop.signal).then(
      (result) => ended({ as: "done", result }),
      (error: unknown) => ended({ as: "failed", error }),
    );
    return entry.state as Called<R>;
  }

  /** The results that a pass has seen are its own from now on. */
  settle(uid: string, names: Iterable<string>): void {
    const own = this.#entries.get(uid);
    for (const name of names) if (own?.get(name)?.state.as !== "running") own?.delete(name);
    if (own?.size === 0) this.#entries.delete(uid);
  }

  /** The object is gone: nobody wants the results. */
  drop(uid: string): void {
    for (const { stop } of this.#entries.get(uid)?.values() ?? []) stop.abort(new Error("the object is gone"));
    this.#entries.delete(uid);
  }

  stop(): void {
    for (const uid of [...this.#entries.keys()]) this.drop(uid);
  }
}
