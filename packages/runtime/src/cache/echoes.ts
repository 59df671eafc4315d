// Our own writes that a watch will tell of: what it tells is known already, and is parsed only where it turns out not to be.
import type { KubeObject } from "@telltale/kinds";

/** More than are ever under way between a write and its echo; one that was forgotten is only parsed. */
const many = 1_000;

type Named = NonNullable<KubeObject["metadata"]>;

export class Echoes {
  /** Two generations: the older one is forgotten as a whole. */
  #young = new Map<string, Named>();
  #old = new Map<string, Named>();

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** A write of ours succeeded, and this came back. */
  add({ metadata }: KubeObject): void {
    const { resourceVersion, uid, name, namespace } = metadata ?? {};
    if (resourceVersion === undefined || uid === undefined || name === undefined) return;
    if (this.#young.size >= many) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(resourceVersion, {
      resourceVersion,
      uid,
      name,
      ...(namespace === undefined ? {} : { namespace }),
    });
  }

  /** What we wrote at a version. Several watches may tell of it, so that it stays. */
  at(version: string): Named | undefined {
    return this.#young.get(version) ?? this.#old.get(version);
  }
}

/**
 * What seems to be the echo of a write of ours, as an object that only has its name. Only whoever holds the very same state
 * may do without the rest: versions are counted anew by a server that was put back, and by another one on their own.
 */
export class Echo implements KubeObject {
  readonly metadata: Named;
  /** The object itself. */
  readonly whole: () => unknown;

  constructor(metadata: Named, whole: () => unknown) {
    this.metadata = metadata;
    this.whole = whole;
  }
}
