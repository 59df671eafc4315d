// One machine for several operators: whoever has the turn has it alone, and gives it to who has waited longest.
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  /** Does all of `work` in a turn of its own, except for where it passes. */
  async hold(work: () => Promise<void>): Promise<void> {
    await this.#take();
    try {
      await work();
    } finally {
      this.#give();
    }
  }

  /** Lets all who wait have a turn before it goes on. */
  async pass(): Promise<void> {
    const next = this.#take();
    this.#give();
    await next;
  }

  async #take(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}
