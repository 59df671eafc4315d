// The versions that our own writes left behind: what a watch tells of them is no news to us.

/** More than are ever under way between a write and its echo; one that was forgotten is only parsed. */
const most = 2_000;

export class Echoes {
  readonly #versions = new Set<string>();

  get size(): number {
    return this.#versions.size;
  }

  add(version: string): void {
    this.#versions.add(version);
    if (this.#versions.size <= most) return;
    for (const oldest of this.#versions) {
      this.#versions.delete(oldest);
      break;
    }
  }

  /** Several watches may tell of it, so that it stays. */
  has(version: string): boolean {
    return this.#versions.has(version);
  }
}
