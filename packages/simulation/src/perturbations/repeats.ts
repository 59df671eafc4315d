// P6: the same news twice.
import type { Fault } from "../fault.ts";
import { numberIn, type Perturbation, textIn } from "../perturbation.ts";
import { onEvent } from "./moments.ts";
import { spread } from "./places.ts";

const most = 12;

export const repeats: readonly Perturbation[] = [
  {
    id: "P6",
    what: "a key or an event is delivered again",
    *plans({ passes, events }): Iterable<Fault> {
      const all = Array.from({ length: passes }, (_, i) => i + 1);
      for (const pass of spread(all, most)) for (const times of [1, 3]) yield { p: "P6", pass, times };
      for (const { kind, event } of spread(events, most)) yield { p: "P6", kind, event };
    },
    arm(fault, world) {
      if ("event" in fault) {
        onEvent(world, textIn(fault, "kind"), numberIn(fault, "event"), () => ({ do: "twice" }));
        return;
      }
      const [first, times] = [numberIn(fault, "pass"), numberIn(fault, "times")];
      let count = 0;
      world.watch({
        pass({ process, controller, object }) {
          count += 1;
          // A second delivery during a pass is another pass after it, which is delivered again.
          if (count >= first && count < first + times) process.wake(controller.name, object);
        },
      });
    },
  },
];
