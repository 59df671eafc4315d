// P1-P3: the process ends where it hurts.
import type { Fault } from "../fault.ts";
import { numberIn, type Perturbation } from "../perturbation.ts";
import type { Reference } from "../reference.ts";
import type { World } from "../world.ts";

function* afterEachWrite(p: string, { writes }: Reference): Iterable<Fault> {
  for (const { write } of writes) yield { p, write };
}

function crashAt(world: World, write: number, when: "applied" | "answered"): void {
  world.network.rules.unshift({
    request(sent) {
      if (sent.write !== write) return undefined;
      const crash = () => {
        const process = world.processes.find(({ name }) => name === sent.process);
        if (process !== undefined) world.crash(process);
      };
      return when === "applied" ? { do: "then", applied: crash } : { do: "then", answered: crash };
    },
  });
}

export const crashes: readonly Perturbation[] = [
  {
    id: "P1",
    what: "crash after a write is applied, before its answer",
    plans: (reference) => afterEachWrite("P1", reference),
    arm: (fault, world) => crashAt(world, numberIn(fault, "write"), "applied"),
  },
  {
    id: "P2",
    what: "crash after the answer, before the next request",
    plans: (reference) => afterEachWrite("P2", reference),
    arm: (fault, world) => crashAt(world, numberIn(fault, "write"), "answered"),
  },
];
