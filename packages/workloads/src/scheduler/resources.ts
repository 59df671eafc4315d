// What a pod asks for and what a node has, as plain numbers: processors in thousandths, everything else in whole units. Pure.
import { amountsIn, podResources, toNumber } from "@telltale/kinds";
import type { Node, Pod } from "@telltale/kinds/builtin";

/** By resource: `cpu`, `memory`, `example.com/device`. */
export type Amounts = ReadonlyMap<string, number>;

export interface Requests {
  readonly amounts: Amounts;
  /** For the choice among nodes: a container that asks for nothing still takes some. */
  readonly likely: Likely;
}

export interface Likely {
  readonly cpu: number;
  readonly memory: number;
}

/** What a container is taken to need that does not say. */
const modest: Likely = { cpu: 100, memory: 200 * 1024 * 1024 };

export function requestsOf(pod: Pod): Requests {
  const amounts = numbers(podResources(pod).requests);
  const containers = pod.spec?.containers ?? [];
  const silent = (name: keyof Likely) =>
    containers.filter(({ resources }) => resources?.requests?.[name] === undefined);
  return {
    amounts,
    likely: {
      cpu: (amounts.get("cpu") ?? 0) + silent("cpu").length * modest.cpu,
      memory: (amounts.get("memory") ?? 0) + silent("memory").length * modest.memory,
    },
  };
}

/** Read once of each state of a node: it is asked for with every pod. */
const read = new WeakMap<Node, Amounts>();

export function allocatableOf(node: Node): Amounts {
  const known = read.get(node);
  if (known !== undefined) return known;
  const amounts = numbers(amountsIn(node.status?.allocatable));
  read.set(node, amounts);
  return amounts;
}

function numbers(amounts: ReturnType<typeof amountsIn>): Amounts {
  return new Map([...amounts].map(([name, it]) => [name, toNumber(it, name === "cpu" ? "milli" : "one")]));
}

/** What is on a node already. */
export interface Load {
  readonly used: Amounts;
  readonly likely: Likely;
  readonly pods: number;
}

export interface Shortage {
  readonly reason: string;
  /** Not even an empty node of its kind would do. */
  readonly isHopeless: boolean;
}

/** What a node lacks for one pod more. */
export function shortages({ amounts }: Requests, load: Load, allocatable: Amounts): readonly Shortage[] {
  const found: Shortage[] = [];
  if (load.pods + 1 > (allocatable.get("pods") ?? 0)) found.push({ reason: "Too many pods", isHopeless: false });
  for (const [name, amount] of amounts) {
    const there = allocatable.get(name) ?? 0;
    if (amount > 0 && amount > there - (load.used.get(name) ?? 0)) {
      found.push({ reason: `Insufficient ${name}`, isHopeless: amount > there });
    }
  }
  return found;
}
