// I6: a finalizer goes only after everything is cleaned up for that very object; never because cleaning up failed.
import type { KubeObject } from "@telltale/kinds";
import { kindOf, nameOf } from "../facts.ts";
import type { Change } from "../history.ts";
import type { Invariant } from "../invariant.ts";
import { lookAt } from "../look.ts";
import type { Pass } from "../pass.ts";

export const finalizers: Invariant = {
  id: "I6",
  what: "a finalizer goes only after cleaning up is done",
  watch(world, say) {
    const { scenario, server, backend } = world;
    let restores = 0;
    /** How often the server had been put back when a pass began. */
    const began = new WeakMap<Pass, number>();
    return {
      pass: (pass) => void began.set(pass, restores),
      restored() {
        restores += 1;
      },
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
          // What was cleaned up a moment ago is there again where the server was put back, and nobody can know. Who was shown
          // an earlier past knows nothing of what was made since.
          const isUndone = pass !== undefined && (began.get(pass) !== restores || pass.process.wentBack);
          const left =
            isUndone || pass?.finalized === "gaveUp"
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
