// What is outside: an oven that bakes by the clock, and can be slow, silent, late with its news, or not find what is in it.
import { type Clock, sleep } from "@telltale/clock";
import type { Instant, Ms } from "@telltale/kinds";
import type { Backend, BackendFault } from "../../src/index.ts";

/** What is in it. */
export interface Batch {
  readonly recipe: string;
  /** In percent. */
  readonly baked: number;
}

export const bakes: Ms = 30_000;

export class Oven implements Backend {
  readonly #clock: Clock;
  readonly #inside = new Map<string, { readonly recipe: string; readonly since: Instant }>();
  #fault: BackendFault | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What is baked for somebody. */
  async look(whose: string): Promise<Batch | undefined> {
    await this.#answer();
    const found = this.#inside.get(whose);
    if (found === undefined || this.#fault === "partial") return undefined;
    const late = this.#fault === "lagging" ? 20_000 : 0;
    const since = Math.max(0, this.#clock.now() - found.since - late);
    return { recipe: found.recipe, baked: Math.min(100, Math.floor((100 * since) / bakes)) };
  }

  /** The same again changes nothing; another recipe takes the place of the last. */
  async put(whose: string, recipe: string): Promise<void> {
    await this.#answer();
    if (this.#inside.get(whose)?.recipe !== recipe) this.#inside.set(whose, { recipe, since: this.#clock.now() });
  }

  async take(whose: string): Promise<void> {
    await this.#answer();
    this.#inside.delete(whose);
  }

  has(whose: string): boolean {
    return this.#inside.has(whose);
  }

  fail(how: BackendFault): void {
    this.#fault = how;
  }

  heal(): void {
    this.#fault = undefined;
  }

  async #answer(): Promise<void> {
    if (this.#fault === "slow") await sleep(this.#clock, 4_000);
    if (this.#fault === "failing") throw new Error("the oven does not answer");
  }
}
