// What one process remembers of tests beyond the server's state. Losing it only makes a wait longer or a message plainer.
import type { Job } from "@telltale/kinds/builtin";
import type { Role } from "../config.ts";
import type { Making } from "./world.ts";

/** What was made and what was found missing since the last time that it was told. */
export type Untold = Pick<Making, "created" | "missing">;

interface Remembered {
  last: Partial<Record<Role, Job>>;
  masterPod?: string;
  untold?: Untold;
}

export class Memory {
  readonly #tests = new Map<string, Remembered>();

  /** A Job of a test is gone: this is how it was. */
  buried(test: string, role: Role, job: Job): void {
    const known = this.#of(test);
    known.last = { ...known.last, [role]: job };
  }

  lastOf(test: string): Readonly<Partial<Record<Role, Job>>> {
    return this.#tests.get(test)?.last ?? {};
  }

  /** To be told as soon as a status is written: the one of this pass may not be. */
  made(test: string, { created, missing }: Untold): void {
    if (created.length + missing.length === 0) return;
    const known = this.#of(test);
    const before = known.untold ?? { created: [], missing: [] };
    known.untold = {
      created: [...before.created, ...created],
      missing: [...new Set([...before.missing, ...missing])],
    };
  }

  untold(test: string): Untold {
    return this.#tests.get(test)?.untold ?? { created: [], missing: [] };
  }

  /** Whether the master pod is another one than the last that was told of. */
  isReplaced(test: string, pod: string | undefined): boolean {
    const before = this.#tests.get(test)?.masterPod;
    return before !== undefined && pod !== undefined && before !== pod;
  }

  /** All was told; this was the master pod. */
  told(test: string, pod: string | undefined): void {
    const known = this.#of(test);
    delete known.untold;
    if (pod !== undefined) known.masterPod = pod;
  }

  forget(test: string): void {
    this.#tests.delete(test);
  }

  #of(test: string): Remembered {
    const known = this.#tests.get(test) ?? { last: {} };
    this.#tests.set(test, known);
    return known;
  }
}
