// What a pod as a whole asks for and may have: its containers together, or its largest step of initialisation, and overhead.
import { type Amounts, amountsIn, larger, sum } from "./amounts.ts";
import { at, isRecord, listAt, textAt } from "./fields.ts";

export interface PodResources {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

export function podResources(pod: object): PodResources {
  const overhead = amountsIn(at(pod, "spec", "overhead"));
  const requests = together(pod, "requests");
  const limits = together(pod, "limits");
  const limited = [...overhead].filter(([name]) => limits.has(name));
  return { requests: sum(requests, overhead), limits: sum(limits, new Map(limited)) };
}

/** Whether the pod says itself what it needs, in place of its containers. */
export const hasOwnResources = (pod: object): boolean =>
  (["requests", "limits"] as const).some((which) => amountsIn(at(pod, "spec", "resources", which)).size > 0);

function together(pod: object, which: "requests" | "limits"): Amounts {
  const of = (container: unknown) => amountsIn(at(container, "resources", which));
  let running = listAt(pod, "spec", "containers").reduce<Amounts>(
    (all, container) => sum(all, of(container)),
    new Map(),
  );
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of listAt(pod, "spec", "initContainers")) {
    if (textAt(container, "restartPolicy") === "Always") {
      // A sidecar stays: it runs beside the containers, and beside every step that comes after it.
      running = sum(running, of(container));
      sidecars = sum(sidecars, of(container));
      starting = larger(starting, sidecars);
    } else {
      starting = larger(starting, sum(of(container), sidecars));
    }
  }
  const own = amountsIn(at(pod, "spec", "resources", which));
  return new Map([...larger(running, starting), ...own]);
}

/** Whether no container asks for processor or memory, or is limited in them: the first to go when a node is short. */
export function isBestEffort(pod: object): boolean {
  const holders = [
    at(pod, "spec"),
    ...listAt(pod, "spec", "containers"),
    ...listAt(pod, "spec", "initContainers"),
  ].filter(isRecord);
  return !holders.some((holder) =>
    (["requests", "limits"] as const).some((which) => {
      const amounts = amountsIn(at(holder, "resources", which));
      return ["cpu", "memory"].some((name) => (amounts.get(name)?.nano ?? 0n) > 0n);
    }),
  );
}
