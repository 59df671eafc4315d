// Exports and imports that wait for their answer, by migration: whoever deletes one of those gives up waiting at once.

export class Flights {
  readonly #open = new Map<string, AbortController>();

  /** Raised by `abort`, until the returned call says that it is over. */
  begin(uid: string, signal: AbortSignal): { readonly signal: AbortSignal; readonly end: () => void } {
    const stop = new AbortController();
    this.#open.set(uid, stop);
    const end = () => {
      if (this.#open.get(uid) === stop) this.#open.delete(uid);
    };
    return { signal: AbortSignal.any([signal, stop.signal]), end };
  }

  abort(uid: string): void {
    this.#open.get(uid)?.abort(new Error("the migration is deleted"));
    this.#open.delete(uid);
  }
}
