// Who is owned by whom, by uid of the owner. Only those that name an owner are in it.

export class Dependents {
  readonly #byOwner = new Map<string, Set<string>>();
  readonly #owners = new Map<string, readonly string[]>();

  /** The keys of all that name an owner, in order. */
  of(uid: string): string[] {
    return [...(this.#byOwner.get(uid) ?? [])].sort();
  }

  set(key: string, owners: readonly string[]): void {
    this.delete(key);
    if (owners.length === 0) return;
    this.#owners.set(key, owners);
    for (const uid of owners) {
      const keys = this.#byOwner.get(uid) ?? new Set();
      keys.add(key);
      this.#byOwner.set(uid, keys);
    }
  }

  delete(key: string): void {
    for (const uid of this.#owners.get(key) ?? []) {
      const keys = this.#byOwner.get(uid);
      keys?.delete(key);
      if (keys?.size === 0) this.#byOwner.delete(uid);
    }
    this.#owners.delete(key);
  }

  clear(): void {
    this.#byOwner.clear();
    this.#owners.clear();
  }
}
