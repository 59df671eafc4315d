// P1-P3: the process ends where it hurts.
import type { Fault } from "../fault.ts";
import type { Change } from "../history.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import type { Reference } from "../reference.ts";
import type { World } from "../world.ts";
import { onRequest } from "./moments.ts";

function* afterEachWrite(p: string, { writes }: Reference): Iterable<Fault> {
  for (const { write } of writes) yield { p, write };
}

type When = "sent" | "applied" | "answered";

function crashAt(world: World, write: number, when: When): void {
  onRequest(world, (sent) => {
    if (sent.write !== write) return undefined;
    const crash = () => {
      const process = world.process(sent.process);
      if (process !== undefined) world.crash(process);
    };
    if (when !== "sent") return when === "applied" ? { do: "then", applied: crash } : { do: "then", answered: crash };
    crash();
    return { do: "lose" };
  });
}

/** A write that let an object go: it took one of its finalizers away, and after the last one it is gone. */
function isLettingGo({ before, after, type, sent }: Change): boolean {
  if (before?.metadata?.deletionTimestamp === undefined || sent?.method === "DELETE") return false;
  const [had, has] = [before.metadata.finalizers ?? [], after.metadata?.finalizers ?? []];
  return type === "DELETED" || had.some((it) => !has.includes(it));
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
  {
    id: "P3",
    what: "crash when all is cleaned up, before the finalizer is removed and after",
    *plans({ writes }): Iterable<Fault> {
      for (const { write, changes } of writes) {
        if (changes.some(isLettingGo)) for (const when of ["before", "after"]) yield { p: "P3", write, when };
      }
    },
    arm: (fault, world) =>
      crashAt(world, numberIn(fault, "write"), textIn(fault, "when") === "before" ? "sent" : "applied"),
  },
];
