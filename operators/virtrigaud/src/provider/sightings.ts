// What the last pass saw of each provider, for the probe between passes: the certificates to ask with, and which pods there are.
// Losing it means that a pass looks again.
import type { TlsSecret } from "../wire/wire.ts";

export interface Sighting {
  /** Absent: plaintext. */
  readonly tls?: TlsSecret;
  /** Another text after each restart of a pod. */
  readonly pods: string;
}

export class Sightings {
  readonly #seen = new Map<string, Sighting>();

  of(uid: string): Sighting | undefined {
    return this.#seen.get(uid);
  }

  saw(uid: string, sighting: Sighting): void {
    this.#seen.set(uid, sighting);
  }

  forget(uid: string): void {
    this.#seen.delete(uid);
  }
}
