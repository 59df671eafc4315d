// Places that were given and are not on record yet. Machines are placed by several passes at once, and until the annotation of one
// is written, another would be given the same place. In memory only: who begins anew has given none that is not on record.
import type { VirtualMachine } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { decisionOf } from "./decision.ts";
import { type Around, type Placing, place } from "./engine.ts";

export class Reservations {
  /** Decisions by the machine's uid. */
  readonly #given = new Map<string, string>();

  /** As `place`, with the places of others that only this process knows of; and what it finds is known from then on. */
  place(vm: VirtualMachine, policy: Parameters<typeof place>[1], around: Around): Placing {
    const others = around.others.map((other) => this.#asPlaced(other));
    const placing = place(vm, policy, { ...around, others });
    const { uid = "" } = vm.metadata;
    if (placing.is === "placed") this.#given.set(uid, placing.decision);
    else this.#given.delete(uid);
    return placing;
  }

  /** The machine is there no longer. */
  forget({ metadata }: VirtualMachine): void {
    this.#given.delete(metadata.uid ?? "");
  }

  #asPlaced(vm: VirtualMachine): VirtualMachine {
    const { uid = "" } = vm.metadata;
    const given = this.#given.get(uid);
    if (given === undefined) return vm;
    if (decisionOf(vm) !== undefined) {
      this.#given.delete(uid); // it is on record
      return vm;
    }
    const on = { ...vm.metadata.annotations, [annotations.placement]: given };
    return { ...vm, metadata: { ...vm.metadata, annotations: on } };
  }
}
