// The wire to simulated Bindcars of this process: the simulated adapter of the port. No socket, and faults as a socket shows them.
import { unlessAborted } from "@telltale/client";
import { type Clock, sleep } from "@telltale/clock";
import { Unreached, type Wire } from "../bindcar/wire.ts";
import type { SimulatedBindcar } from "./bindcar.ts";

export interface SimulatedWireOptions {
  /** Who is behind an endpoint; nobody: the connection is refused. */
  readonly find: (endpoint: string) => SimulatedBindcar | undefined;
  readonly clock: Clock;
}

export function simulatedWire({ find, clock }: SimulatedWireOptions): Wire {
  return {
    async send({ endpoint, method, path, headers, body }, signal) {
      signal.throwIfAborted();
      const asked = { method, path, headers, ...(body !== undefined && { body }) };
      const delivery = (await find(endpoint)?.ask(asked)) ?? { as: "refused" };
      switch (delivery.as) {
        case "refused":
        case "reset":
          throw new Unreached(delivery.as);
        case "garbage":
          throw new Unreached("malformed");
        case "hang":
          return unlessAborted(new Promise<never>(() => {}), signal);
        case "truncated":
          throw new Unreached("reset");
        case "answer":
          if (delivery.after > 0) await sleep(clock, delivery.after, signal);
          return delivery.reply;
      }
    },
  };
}
