// Whether a machine fits on a name, given who is there already, and how well (3.5 steps 2 and 4). Pure.
import { type SafeText, text } from "@telltale/status";
import type { VirtualMachine, VMPlacementPolicy } from "../kinds/index.ts";
import type { Dimension, Topology } from "./decision.ts";
import type { Neighbour, Neighbours } from "./neighbours.ts";
import { affinityOf, antiAffinityOf, listsOf, precedes } from "./rules.ts";
import { topologyOf, type VMAffinity, type VMAffinityTerm } from "./terms.ts";

export type Best =
  | { readonly is: "found"; readonly name: string | undefined } // undefined: there was nothing to choose from
  | { readonly is: "none"; readonly why: readonly SafeText[] };

/** Points for a wish that is met, times the weight of the policy; and for each machine that is there already. */
const points = { wish: 10, crowd: -5 } as const;

export class Fit {
  readonly #vm: VirtualMachine;
  readonly #policy: VMPlacementPolicy | undefined;
  /** Other policies that go before this one. */
  readonly #above: readonly VMPlacementPolicy[];
  readonly #neighbours: Neighbours;
  #applicationsBy: Topology = "host";

  constructor(
    vm: VirtualMachine,
    policy: VMPlacementPolicy | undefined,
    policies: readonly VMPlacementPolicy[],
    neighbours: Neighbours,
  ) {
    this.#vm = vm;
    this.#policy = policy;
    this.#above = policies.filter((other) => other.metadata.uid !== policy?.metadata.uid && precedes(other, policy));
    this.#neighbours = neighbours;
  }

  /** What the machines of one application share or do not share: a host, or a cluster where no host is chosen. */
  applicationsBy(of: Topology): void {
    this.#applicationsBy = of;
  }

  /** Where those are that the machine has to be near. */
  near(of: Topology): readonly string[] {
    const found = this.#terms("affinity", of).flatMap((term) => this.#neighbours.meant(term, of));
    return [...new Set(found.flatMap(({ at }) => at[of] ?? []))].sort();
  }

  /** The best of some names that break no rule. A machine that has to be near others cannot be just anywhere. */
  best(of: Topology, names: readonly string[]): Best {
    const broken = new Map<string, SafeText>();
    const fitting = names.filter((name) => {
      const rules = this.#broken(of, name);
      for (const rule of rules) broken.set(rule, text`${of}: ${rule}`);
      return rules.length === 0;
    });
    if (names.length === 0) {
      const lonely = this.#terms("affinity", of).filter((term) => this.#isFar(term, of, undefined));
      return lonely.length === 0 ? { is: "found", name: undefined } : { is: "none", why: [text`${of}: ${away}`] };
    }
    if (fitting.length === 0) return { is: "none", why: [...broken.values()] };
    const scored = fitting.map((name) => ({ name, score: this.#score(of, name) }));
    scored.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
    return { is: "found", name: scored[0]?.name };
  }

  /** The rules that being on a name would break. */
  #broken(of: Topology, name: string): SafeText[] {
    const there = this.#neighbours.on(of, name);
    const rules: SafeText[] = [];
    const ceiling = this.#policy === undefined ? undefined : antiAffinityOf(this.#policy.spec, of);
    if (ceiling?.isStrict === true && this.#ours(there) >= ceiling.most) {
      rules.push(text`no room: at most ${ceiling.most} of the policy on each`);
    }
    if (this.#terms("affinity", of).some((term) => this.#isFar(term, of, name))) rules.push(away);
    const isShunned = this.#terms("antiAffinity", of).some((term) => there.some(({ vm }) => this.#means(term, vm)));
    if (isShunned) rules.push(text`a machine is there that the policy keeps away from`);
    return [...rules, ...this.#applications(of, there), ...this.#others(of, there)];
  }

  #applications(of: Topology, there: readonly Neighbour[]): SafeText[] {
    if (of !== this.#applicationsBy) return [];
    const { affinity, antiAffinity } = this.#policy?.spec ?? {};
    const [near, far] = [affinity?.applicationAffinity, antiAffinity?.applicationAntiAffinity];
    const rules: SafeText[] = [];
    if (near?.enabled === true && near.scope === "strict") {
      const kin = this.#kin(near).filter(({ at }) => at[of] !== undefined);
      if (kin.length > 0 && !there.some((it) => kin.includes(it))) rules.push(text`the application is elsewhere`);
    }
    if (far?.enabled === true && far.scope === "strict" && this.#kin(far).some((it) => there.includes(it))) {
      rules.push(text`the application is there already`);
    }
    return rules;
  }

  /** What others' policies that go before ours do not want, and what a machine that wants to be alone does not. */
  #others(of: Topology, there: readonly Neighbour[]): SafeText[] {
    const rules: SafeText[] = [];
    const policy = this.#policy;
    if (of === "host" && policy !== undefined && isAlone(policy)) {
      if (there.some((it) => !this.#neighbours.isOf(it, policy))) rules.push(text`machines of others are there`);
    }
    for (const other of this.#above) {
      if (!there.some((it) => this.#neighbours.isOf(it, other))) continue;
      const name = other.metadata.name ?? "";
      const terms = other.spec.antiAffinity?.vmAntiAffinity?.requiredDuringScheduling ?? [];
      const isShunned = terms.some((term) => topologyOf(term) === of && this.#means(term, this.#vm));
      if (isShunned || (of === "host" && isAlone(other))) rules.push(text`policy ${name} keeps its machines apart`);
    }
    return rules;
  }

  /** Whether a name is not where those are that a term wants to be near. The first of its own kind may be anywhere. */
  #isFar(term: VMAffinityTerm, of: Topology, name: string | undefined): boolean {
    if (topologyOf(term) === undefined) return true;
    const meant = this.#neighbours.meant(term, of);
    if (meant.length === 0) return !this.#means(term, this.#vm);
    return !meant.some(({ at }) => at[of] === name);
  }

  #score(of: Topology, name: string): number {
    const there = this.#neighbours.on(of, name);
    const { spec } = this.#policy ?? {};
    const wish = (spec?.weight ?? 1) * points.wish;
    let score = there.length * points.crowd;
    if (spec === undefined) return score;
    const soft = of === "zone" ? undefined : listsOf(spec.soft, of satisfies Dimension);
    if (soft?.allowed?.includes(name) === true) score += wish;
    if (soft?.excluded.includes(name) === true) score -= wish;
    const [affinity, ceiling] = [affinityOf(spec, of), antiAffinityOf(spec, of)];
    if (affinity?.isStrict === false && affinity.names.includes(name)) score += wish;
    if (ceiling?.isStrict === false && this.#ours(there) >= ceiling.most) score -= wish;
    score +=
      this.#preferred(spec.affinity?.vmAffinity, of, there) -
      this.#preferred(spec.antiAffinity?.vmAntiAffinity, of, there);
    return score + this.#applicationScore(of, there) * wish;
  }

  #applicationScore(of: Topology, there: readonly Neighbour[]): number {
    if (of !== this.#applicationsBy) return 0;
    const { affinity, antiAffinity } = this.#policy?.spec ?? {};
    const isThere = (rule: Application | undefined): boolean =>
      rule?.enabled === true && rule.scope !== "strict" && this.#kin(rule).some((it) => there.includes(it));
    return Number(isThere(affinity?.applicationAffinity)) - Number(isThere(antiAffinity?.applicationAntiAffinity));
  }

  #preferred(terms: VMAffinity | undefined, of: Topology, there: readonly Neighbour[]): number {
    let sum = 0;
    for (const { weight, vmAffinityTerm: term } of terms?.preferredDuringScheduling ?? []) {
      if (topologyOf(term) === of && there.some(({ vm }) => this.#means(term, vm))) sum += weight;
    }
    return sum;
  }

  /** What must hold for a topology. Of a key that nobody knows, what must be near cannot be. */
  #terms(which: "affinity" | "antiAffinity", of: Topology): readonly VMAffinityTerm[] {
    const { affinity, antiAffinity } = this.#policy?.spec ?? {};
    const terms = which === "affinity" ? affinity?.vmAffinity : antiAffinity?.vmAntiAffinity;
    return (terms?.requiredDuringScheduling ?? []).filter((term) => (topologyOf(term) ?? "zone") === of);
  }

  #means(term: VMAffinityTerm, vm: VirtualMachine): boolean {
    return topologyOf(term) !== undefined && this.#neighbours.speaksOf(term, vm);
  }

  #ours(there: readonly Neighbour[]): number {
    const policy = this.#policy;
    return policy === undefined ? 0 : there.filter((it) => this.#neighbours.isOf(it, policy)).length;
  }

  #kin({ applicationLabel = "app" }: Application): readonly Neighbour[] {
    return this.#neighbours.sharing(this.#vm, applicationLabel);
  }
}

interface Application {
  readonly enabled: boolean;
  readonly scope?: string;
  readonly applicationLabel?: string;
}

const away = text`the machines that it has to be near are not there`;

const isAlone = ({ spec }: VMPlacementPolicy): boolean => spec.securityConstraints?.isolationLevel === "maximum";
