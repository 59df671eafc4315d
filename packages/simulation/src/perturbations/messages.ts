// P4, P5: requests and answers that get lost, and answers that lie.
import type { Fault } from "../fault.ts";
import type { Verdict } from "../network.ts";
import { numberIn, type Perturbation } from "../perturbation.ts";
import type { World } from "../world.ts";

/** One write of the operator is treated like this. */
export function onWrite(world: World, write: number, verdict: Verdict): void {
  world.network.rules.unshift({ request: (sent) => (sent.write === write ? verdict : undefined) });
}

const lies = ["timeout", "reset", 500, 503, 504] as const;

export const messages: readonly Perturbation[] = [
  {
    id: "P4",
    what: "a write is applied, and the client hears of an error",
    *plans({ writes }): Iterable<Fault> {
      for (const { write } of writes) for (const hears of lies) yield { p: "P4", write, hears };
    },
    arm(fault, world) {
      const status = lies.find((it) => it === fault["hears"]);
      if (status === undefined)
        throw new TypeError(`fault P4: hears is ${fault["hears"]}; give one of ${lies.join(", ")}`);
      onWrite(world, numberIn(fault, "write"), { do: "lie", status });
    },
  },
  {
    id: "P5",
    what: "a request is lost before it reaches the server",
    *plans({ writes }): Iterable<Fault> {
      for (const { write } of writes) yield { p: "P5", write };
    },
    arm: (fault, world) => onWrite(world, numberIn(fault, "write"), { do: "lose" }),
  },
];
