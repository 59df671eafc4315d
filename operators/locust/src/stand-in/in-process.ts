// The web API of stand-ins that run in this process: the simulated adapter of the port. No socket, and faults as a socket would
// show them.
import { unlessAborted } from "@telltale/client";
import { type Clock, sleep } from "@telltale/clock";
import type { Target } from "../telemetry/target.ts";
import { Unread } from "../telemetry/trouble.ts";
import type { Answer, WebApi } from "../telemetry/web-api.ts";
import type { Reply } from "./routes.ts";
import type { StandIn } from "./stand-in.ts";

export interface InProcessOptions {
  /** Who is behind a target; nobody: the connection is refused. */
  readonly find: (target: Target) => StandIn | undefined;
  readonly clock: Clock;
  readonly maxBody: number;
}

export function standInApi({ find, clock, maxBody }: InProcessOptions): WebApi {
  return {
    async read(target, signal) {
      const delivery = find(target)?.ask({ method: "GET", path: pathOf(target) }) ?? { as: "refused" };
      switch (delivery.as) {
        case "refused":
          throw new Unread("MasterUnreachable", "connection refused");
        case "reset":
          throw new Unread("MasterUnreachable", "connection reset");
        case "hang":
          return unlessAborted(new Promise<never>(() => {}), signal);
        case "answer":
          if (delivery.after > 0) await sleep(clock, delivery.after, signal);
          break;
        case "drip":
          await sleep(clock, delivery.reply.body.length * delivery.every, signal);
      }
      return bounded(delivery.reply, maxBody);
    },
  };
}

/** The path as the master sees it. */
const pathOf = (target: Target): string =>
  target.at === "address" ? new URL(target.url).pathname : target.path.slice(target.path.indexOf("/proxy") + 6);

function bounded({ status, headers, body }: Reply, maxBody: number): Answer {
  if (status === 200 && body.length > maxBody) throw new Unread("InvalidResponse", "too large");
  return { status, type: headers["content-type"] ?? "", body: status === 200 ? body : "" };
}
