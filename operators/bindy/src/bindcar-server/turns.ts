// One after the other, for each key. A turn that fails does not stop the next.

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(key: string, act: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(act, act);
    this.#last.set(key, mine);
    const over = () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(over, over);
    return mine;
  }
}
