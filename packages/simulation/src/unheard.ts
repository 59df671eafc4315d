// Writes that were carried out, and whose sender was told otherwise or nothing: it cannot but try again.
import { resourceIn } from "./facts.ts";
import type { Change } from "./history.ts";
import type { Heard, Sent } from "./network.ts";
import { keyOf } from "./target.ts";
import type { World } from "./world.ts";

export class Unheard {
  readonly #world: World;
  readonly #open = new Map<Sent, readonly Change[]>();

  constructor(world: World) {
    this.#world = world;
  }

  applied(sent: Sent, changes: readonly Change[]): void {
    if (sent.write !== undefined && changes.length > 0) this.#open.set(sent, changes);
  }

  heard(sent: Sent, { as }: Heard): void {
    if (as !== "answer") return;
    this.#open.delete(sent);
    // What was made without a name stays unknown, whatever else is heard.
    for (const it of this.#open.keys()) if (it.method !== "POST" && isSame(it, sent)) this.#open.delete(it);
  }

  /** How many objects of a resource were made so. Whoever starts anew looks at the server first: a crash explains nothing. */
  creates(resource: string): number {
    let count = 0;
    for (const [{ process }, changes] of this.#open) {
      if (this.#world.process(process)?.state === "crashed") continue;
      count += changes.filter(({ type, key }) => type === "ADDED" && resourceIn(key) === resource).length;
    }
    return count;
  }

  /** Whether one of this sender to the same object is open: until it hears the truth, it may say it again. */
  explains(again: Sent): boolean {
    for (const sent of this.#open.keys()) if (sent !== again && isSame(sent, again)) return true;
    return false;
  }
}

const isSame = (a: Sent, b: Sent): boolean => a.process === b.process && keyOf(a.target) === keyOf(b.target);
