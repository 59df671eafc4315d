// The machines that were placed before, as the rules of a policy ask about them: who is where, whose they are, who is near whom.
import type { VirtualMachine, VMPlacementPolicy } from "../kinds/index.ts";
import { type Decision, decisionOf, type Topology } from "./decision.ts";
import { type NamespaceLabels, speaksOf, type VMAffinityTerm } from "./terms.ts";

export interface Neighbour {
  readonly vm: VirtualMachine;
  readonly at: Decision;
}

export class Neighbours {
  readonly all: readonly Neighbour[];
  readonly #home: string;
  readonly #labelsOf: NamespaceLabels;
  readonly #byName = new Map<Topology, ReadonlyMap<string | undefined, readonly Neighbour[]>>();
  /** A term has one topology. */
  readonly #meant = new Map<VMAffinityTerm, readonly Neighbour[]>();

  /** `vm` is the one to be placed, which is no neighbour of itself. */
  constructor(vm: VirtualMachine, others: readonly VirtualMachine[], labelsOf: NamespaceLabels) {
    const { namespace = "", name } = vm.metadata;
    this.#home = namespace;
    this.#labelsOf = labelsOf;
    this.all = others.flatMap((other) => {
      const at = decisionOf(other);
      const isSelf = other.metadata.namespace === namespace && other.metadata.name === name;
      return at === undefined || isSelf ? [] : [{ vm: other, at }];
    });
  }

  on(of: Topology, name: string): readonly Neighbour[] {
    const known = this.#byName.get(of) ?? Map.groupBy(this.all, ({ at }) => at[of]);
    this.#byName.set(of, known);
    return known.get(name) ?? [];
  }

  isOf({ vm }: Neighbour, policy: VMPlacementPolicy): boolean {
    return vm.metadata.namespace === policy.metadata.namespace && vm.spec.placementRef?.name === policy.metadata.name;
  }

  /** Those that a term speaks of and of which it is known where they are. */
  meant(term: VMAffinityTerm, of: Topology): readonly Neighbour[] {
    const known =
      this.#meant.get(term) ?? this.all.filter(({ vm, at }) => at[of] !== undefined && this.speaksOf(term, vm));
    this.#meant.set(term, known);
    return known;
  }

  speaksOf(term: VMAffinityTerm, vm: VirtualMachine): boolean {
    return speaksOf(term, vm, this.#home, this.#labelsOf);
  }

  /** Of the same application: they have the same value of a label. */
  sharing(vm: VirtualMachine, label: string): readonly Neighbour[] {
    const { namespace, labels } = vm.metadata;
    const value = labels?.[label];
    if (value === undefined) return [];
    return this.all.filter((it) => {
      return it.vm.metadata.namespace === namespace && it.vm.metadata.labels?.[label] === value;
    });
  }
}
