// How long a machine takes to get its first address (8.2), told once for each. Only machines that this process has seen from their
// first status on count: of others nobody knows here whether they had one before.
import { type Ms, parseTime } from "@telltale/kinds";
import type { VirtualMachineStatus } from "../kinds/index.ts";
import type { World } from "./world.ts";

export interface AddressSample {
  /** Of the provider. */
  readonly type: string;
  /** Since the object was made. */
  readonly took: Ms;
}

export class FirstAddresses {
  readonly #awaited = new Set<string>();
  readonly #tell: (sample: AddressSample) => void;

  constructor(tell: (sample: AddressSample) => void) {
    this.#tell = tell;
  }

  /** A status was written. */
  see(
    { vm: { metadata }, needs, now }: Pick<World, "vm" | "needs" | "now">,
    before: VirtualMachineStatus | undefined,
    after: VirtualMachineStatus,
  ): void {
    const { uid = "", creationTimestamp = "" } = metadata;
    if (before?.conditions === undefined) this.#awaited.add(uid);
    if ((after.ips ?? []).length === 0 || !this.#awaited.delete(uid)) return;
    const made = parseTime(creationTimestamp);
    if (needs.is !== "there" || made === undefined) return;
    this.#tell({ type: needs.provider.spec.type, took: now - made });
  }

  forget(uid: string): void {
    this.#awaited.delete(uid);
  }
}
