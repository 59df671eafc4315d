// What people want to be gone, by what they asked for last: an object that is on its way out shows no second wish for its end.
import type { Transport } from "@telltale/client";
import { keyOf, targetOf } from "./target.ts";

export class Wishes {
  readonly #unwanted = new Set<string>();

  /** The same way to the server, and what is asked for on it is noted. */
  over(transport: Transport): Transport {
    return {
      ...transport,
      send: (request) => {
        const { method, path } = request;
        const key = keyOf(targetOf(path));
        if (method === "DELETE") this.#unwanted.add(key);
        else if (method !== "GET") this.#unwanted.delete(key);
        return transport.send(request);
      },
    };
  }

  isUnwanted(key: string): boolean {
    return this.#unwanted.has(key);
  }
}
