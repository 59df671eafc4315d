// What must hold of each write.
import type { Invariant } from "../invariant.ts";

export const writes: readonly Invariant[] = [
  {
    id: "I11",
    what: "no write leaves the object as it was",
    watch(_world, say) {
      return {
        applied({ method, request, write }, changes, status) {
          if (write === undefined || method === "DELETE" || changes.length > 0 || status >= 300) return;
          say(`#${write} ${method} ${request.path} changed nothing`);
        },
      };
    },
  },
];
