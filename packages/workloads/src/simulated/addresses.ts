// Addresses for pods, out of 10.244.0.0/16: each free one in its turn, none that a pod on the server has.
import type { References } from "../kubelet/pod-runtime.ts";

const size = 1 << 16;

export class Addresses {
  /** Given, and perhaps not yet written: by address the pod's uid. */
  readonly #given = new Map<string, string>();
  readonly #byPod = new Map<string, string>();
  #next = 1;

  /** The pod's address. The same again and again, also where nobody has written it down yet. */
  of(uid: string, holders: NonNullable<References["holders"]>): string {
    const known = this.#byPod.get(uid);
    if (known !== undefined) return known;
    for (let tries = 0; tries < size; tries += 1) {
      const address = this.#candidate();
      if (address === undefined || this.#given.has(address)) continue;
      if (holders(address).some((holder) => holder !== uid)) continue;
      this.#given.set(address, uid);
      this.#byPod.set(uid, address);
      return address;
    }
    throw new Error("no pod address is left in 10.244.0.0/16; delete pods that are not needed");
  }

  /** The pod is gone: its address may be given to another one. */
  free(uid: string): void {
    const address = this.#byPod.get(uid);
    if (address !== undefined) this.#given.delete(address);
    this.#byPod.delete(uid);
  }

  /** The first and the last of each 256 belong to nobody. */
  #candidate(): string | undefined {
    const at = this.#next;
    this.#next = (at + 1) % size;
    const low = at % 256;
    return low === 0 || low === 255 ? undefined : `10.244.${at >> 8}.${low}`;
  }
}
