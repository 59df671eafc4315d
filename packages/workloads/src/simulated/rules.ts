// What a test or a person says at run time of how pods behave: rules by name, and single blows. They live as long as the process.
import type { Pod } from "@telltale/kinds/builtin";
import { uidOf } from "../pods/facts.ts";
import { type Behaviour, defined } from "./behaviour.ts";
import { isMatch, type Match } from "./match.ts";

/** How the pods that match behave. Where several match, the later one has the last word; annotations have it over all. */
export interface Rule extends Behaviour {
  readonly match: Match;
}

export interface Rules {
  /** From now on. Returns what takes it away again. */
  add(rule: Rule): () => void;
  /** Ends what runs now, once, as if from outside. */
  kill(match: Match & { readonly container?: string }, exitCode?: number): void;
  clear(): void;
}

interface Blow {
  readonly match: Match & { readonly container?: string };
  readonly exitCode: number;
  /** The uids of the pods that there were. */
  readonly aim: ReadonlySet<string>;
  /** What each container was when it was hit: the one that comes after it is spared. By pod and name. */
  readonly hit: Map<string, string>;
}

export class RuleBook implements Rules {
  #rules: readonly Rule[];
  #blows: readonly Blow[] = [];
  readonly #pods: () => Iterable<string>;
  readonly #changed: () => void;

  /** `pods`: the uids of those that are known. */
  constructor(rules: readonly Rule[], pods: () => Iterable<string>, changed: () => void) {
    this.#rules = rules;
    this.#pods = pods;
    this.#changed = changed;
  }

  add(rule: Rule): () => void {
    const own = { ...rule };
    this.#rules = [...this.#rules, own];
    this.#changed();
    return () => {
      this.#rules = this.#rules.filter((it) => it !== own);
      this.#changed();
    };
  }

  kill(match: Blow["match"], exitCode = 137): void {
    this.#blows = [...this.#blows, { match, exitCode, aim: new Set(this.#pods()), hit: new Map() }];
    this.#changed();
  }

  clear(): void {
    this.#rules = [];
    this.#blows = [];
    this.#changed();
  }

  behaviourOf(pod: Pod): Behaviour {
    let behaviour: Behaviour = {};
    for (const { match, ...own } of this.#rules) {
      if (isMatch(match, pod)) behaviour = { ...behaviour, ...defined(own) };
    }
    return behaviour;
  }

  /** The code that a container which runs is ended with, if it is. */
  blowTo(pod: Pod, container: string, containerID: string): number | undefined {
    const key = `${uidOf(pod)}/${container}`;
    for (const { match, exitCode, aim, hit } of this.#blows) {
      if (!aim.has(uidOf(pod)) || !isMatch(match, pod) || (match.container ?? container) !== container) continue;
      if (!hit.has(key)) hit.set(key, containerID);
      if (hit.get(key) === containerID) return exitCode;
    }
    return undefined;
  }
}
