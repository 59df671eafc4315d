// Writes that were carried out, and whose sender was told otherwise or nothing: it cannot but try again.
import { resourceIn } from "./facts.ts";
import type { Change } from "./history.ts";
import type { Heard, Sent } from "./network.ts";
import type { Pass } from "./pass.ts";
import { keyOf } from "./target.ts";
import type { World } from "./world.ts";

export class Unheard {
  readonly #world: World;
  readonly #open = new Map<Sent, readonly Change[]>();
  /** By the passes that sent them: a pass knows only what it hears itself. */
  readonly #lies = new WeakMap<Pass, Sent[]>();

  constructor(world: World) {
    this.#world = world;
  }

  applied(sent: Sent, changes: readonly Change[]): void {
    if (sent.write !== undefined && changes.length > 0) this.#open.set(sent, changes);
  }

  heard(sent: Sent, { as }: Heard): void {
    const { pass } = sent;
    if (as !== "answer") {
      if (pass !== undefined) this.#lies.set(pass, [...(this.#lies.get(pass) ?? []), sent]);
      return;
    }
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
    const told = again.pass === undefined ? [] : (this.#lies.get(again.pass) ?? []);
    return told.some((sent) => isSame(sent, again));
  }
}

const isSame = (a: Sent, b: Sent): boolean => a.process === b.process && keyOf(a.target) === keyOf(b.target);
