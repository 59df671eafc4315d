// The objects of one kind by namespace, for questions that are asked at every write: most namespaces have none, and must not
// notice.
import type { StoredRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";

export class ByNamespace {
  readonly #store: Store;
  /** `//resourcequotas/` */
  readonly #prefix: string;
  readonly #keys = new Map<string, Set<string>>();

  constructor(store: Store, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
    this.#follow();
  }

  has(namespace: string): boolean {
    return this.#keys.has(namespace);
  }

  /** By name. */
  in(namespace: string): StoredRecord[] {
    const keys = this.#keys.get(namespace);
    return keys === undefined ? [] : [...keys].sort().flatMap((key) => this.#store.get(key) ?? []);
  }

  #follow(): void {
    this.#keys.clear();
    for (const { key } of this.#store.scan(this.#prefix).records) this.#add(key);
    this.#store.subscribe(
      this.#prefix,
      this.#store.revision,
      ({ type, key }) => (type === "DELETED" ? this.#remove(key) : this.#add(key)),
      () => this.#follow(), // goes on after a restore
    );
  }

  #add(key: string): void {
    const namespace = this.#namespaceOf(key);
    const keys = this.#keys.get(namespace);
    if (keys === undefined) this.#keys.set(namespace, new Set([key]));
    else keys.add(key);
  }

  #remove(key: string): void {
    const namespace = this.#namespaceOf(key);
    const keys = this.#keys.get(namespace);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(namespace);
  }

  #namespaceOf(key: string): string {
    return key.slice(this.#prefix.length, key.indexOf("/", this.#prefix.length));
  }
}
