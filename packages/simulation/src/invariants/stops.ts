// I26: who has ended in good order writes nothing any more, and leaves nothing unwritten.
import type { Invariant } from "../invariant.ts";

export const stops: Invariant = {
  id: "I26",
  what: "nothing is written after a stop",
  watch(world, say) {
    return {
      sent({ process, write, method, request }) {
        if (write !== undefined && world.process(process)?.state === "stopped")
          say(`${process} has ended, and sends #${write} ${method} ${request.path}`);
      },
    };
  },
};
