// I6: a finalizer goes only after everything is cleaned up for that very object; never because cleaning up failed.
import type { KubeObject } from "@telltale/kinds";
import { kindOf, nameOf } from "../facts.ts";
import type { Change } from "../history.ts";
import type { Invariant } from "../invariant.ts";
import { lookAt } from "../look.ts";

export const finalizers: Invariant = {
  id: "I6",
  what: "a finalizer goes only after cleaning up is done",
  watch(world, say) {
    const { scenario, server, backend } = world;
    return {
      applied({ process, pass }, changes) {
        for (const change of changes) {
          const { before } = change;
          const name = before === undefined ? undefined : kindOf(scenario.kinds, before)?.finalizer;
          if (before === undefined || name === undefined || !takesAway(change, name)) continue;
          const isPass = pass?.object.metadata?.uid === before.metadata?.uid;
          // Who looks after its finalizer itself is judged by what is left.
          const isByHand = isPass && pass?.controller.finalizer === undefined;
          if (!isByHand && (!isPass || (pass?.finalized !== "done" && pass?.finalized !== "gaveUp")))
            say(`${process} took ${name} off ${nameOf(before)}, and its cleaning up ${saying(pass?.finalized)}`);
          const left =
            pass?.finalized === "gaveUp"
              ? undefined
              : scenario.leftovers?.(before, backend, lookAt(server, change.revision));
          if (left !== undefined) say(`${process} took ${name} off ${nameOf(before)}, and there is still ${left}`);
        }
      },
    };
  },
};

/** Only from an object that is on its way out: before, nothing is lost with it. */
function takesAway({ before, after, type }: Change, name: string): boolean {
  const had = (object: KubeObject | undefined) => object?.metadata?.finalizers?.includes(name) === true;
  return before?.metadata?.deletionTimestamp !== undefined && had(before) && (type === "DELETED" || !had(after));
}

function saying(finalized: string | undefined): string {
  if (finalized === undefined) return "had not begun";
  return finalized === "threw" ? "had failed" : "was still going on";
}
