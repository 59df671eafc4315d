// Where disks lie between an export and an import: objects by their URL, each with its bytes. Two hosts that share one can move disks.
import { createHash } from "node:crypto";

export interface Staged {
  readonly bytes: Uint8Array;
  readonly checksum: string;
}

export class Staging {
  readonly #objects = new Map<string, Staged>();

  put(url: string, bytes: Uint8Array): Staged {
    const staged = { bytes, checksum: checksumOf(bytes) };
    this.#objects.set(url, staged);
    return staged;
  }

  get(url: string): Staged | undefined {
    return this.#objects.get(url);
  }

  /** Whether there was one. */
  remove(url: string): boolean {
    return this.#objects.delete(url);
  }

  get urls(): readonly string[] {
    return [...this.#objects.keys()].sort();
  }
}

export const checksumOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
