// Our own writes that a watch will tell of: what it tells is known already, and is parsed only where it turns out not to be.
import type { KubeObject } from "@telltale/kinds";

/** More than are ever under way between a write and its echo; one that was forgotten is only parsed. */
const most = 2_000;

type Named = NonNullable<KubeObject["metadata"]>;

export class Echoes {
  readonly #writes = new Map<string, Named>();

  get size(): number {
    return this.#writes.size;
  }

  /** A write of ours succeeded, and this came back. */
  add({ metadata }: KubeObject): void {
    const { resourceVersion, uid, name, namespace } = metadata ?? {};
    if (resourceVersion === undefined || uid === undefined || name === undefined) return;
    this.#writes.set(resourceVersion, {
      resourceVersion,
      uid,
      name,
      ...(namespace === undefined ? {} : { namespace }),
    });
    if (this.#writes.size <= most) return;
    for (const oldest of this.#writes.keys()) {
      this.#writes.delete(oldest);
      return;
    }
  }

  /** What we wrote at a version. Several watches may tell of it, so that it stays. */
  at(version: string): Named | undefined {
    return this.#writes.get(version);
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
