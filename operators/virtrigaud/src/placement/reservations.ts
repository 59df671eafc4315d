// Places that were given and are not on record yet. Machines and copies are placed by several passes at once, and until the annotation
// of one is written, another would be given the same place. In memory only: who begins anew has given none that is not on record.
// One for all controllers that place: a clone and a VirtualMachine may ask for the same last place.
import type { VirtualMachine, VMPlacementPolicy } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { decisionOf } from "./decision.ts";
import { type Around, place } from "./engine.ts";

interface Reservation {
  /** The machine, with its place in the annotation. */
  readonly vm: VirtualMachine;
  /** `namespace/name` of its Provider. */
  readonly provider: string;
}

export class Reservations {
  /** By the uid of the VirtualMachine, or of the VMClone whose copy has none yet. */
  readonly #given = new Map<string, Reservation>();

  /**
   * As `place`, with the places of others that only this process knows of; and what it finds is known from then on. `owner`: the uid
   * of the object that asks.
   */
  place(
    vm: VirtualMachine,
    policy: VMPlacementPolicy | undefined,
    around: Around,
    owner = vm.metadata.uid ?? "",
  ): ReturnType<typeof place> {
    const provider = keyOf(around.provider);
    const placing = place(vm, policy, { ...around, others: this.#withReserved(around.others, provider, owner) });
    if (placing.is === "placed") this.#given.set(owner, { vm: placedAt(vm, placing.decision, owner), provider });
    else this.#given.delete(owner);
    return placing;
  }

  /** The object that asked is there no longer, or has no use for a place. */
  forget({ metadata }: { readonly metadata: { readonly uid?: string } }): void {
    this.#given.delete(metadata.uid ?? "");
  }

  #withReserved(others: readonly VirtualMachine[], provider: string, owner: string): readonly VirtualMachine[] {
    const named = new Set(others.map(keyOf));
    const all = others.map((other) => this.#asPlaced(other));
    for (const [uid, { vm, provider: on }] of this.#given)
      if (uid !== owner && on === provider && !named.has(keyOf(vm))) all.push(vm);
    return all;
  }

  #asPlaced(vm: VirtualMachine): VirtualMachine {
    const { uid = "", annotations: on } = vm.metadata;
    const given = this.#given.get(uid)?.vm;
    if (given === undefined) return vm;
    const isOnRecord =
      decisionOf(vm) !== undefined &&
      on?.[annotations.placement] === given.metadata.annotations?.[annotations.placement];
    if (!isOnRecord && (vm.status?.id ?? "") === "") return given;
    this.#given.delete(uid);
    return vm;
  }
}

const keyOf = ({ metadata }: { readonly metadata: { readonly namespace?: string; readonly name?: string } }): string =>
  `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

function placedAt(vm: VirtualMachine, decision: string, uid: string): VirtualMachine {
  const on = { ...vm.metadata.annotations, [annotations.placement]: decision };
  return { ...vm, metadata: { ...vm.metadata, uid, annotations: on } };
}
