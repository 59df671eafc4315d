// What a manager puts between its client and the server: the fence, at the last moment before a write leaves, and a limit of
// requests per second where one is wanted.
import type { Transport } from "@telltale/client";
import { type Clock, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { type Fence, NotLeaderError } from "./fence.ts";

/** Sends no write that the fence does not allow. */
export function fenced(transport: Transport, fence: Fence): Transport {
  return {
    send(request) {
      const isRead = request.method === "GET" || request.method === "HEAD";
      if (!isRead && !fence.allows()) throw new NotLeaderError(`${request.method} ${request.path}`);
      return transport.send(request);
    },
    close: () => transport.close(),
  };
}

export interface Rate {
  readonly perSecond: number;
  /** So many at once after a quiet time. */
  readonly burst: number;
}

/** At most so many requests per second; more wait their turn. Streams count as one when they are opened. */
export function limited(transport: Transport, clock: Clock, { perSecond, burst }: Rate): Transport {
  const each: Ms = 1000 / perSecond;
  /** When the bucket will be full again. */
  let full = clock.uptime();
  return {
    async send(request) {
      const now = clock.uptime();
      full = Math.max(full, now) + each;
      const wait = full - now - burst * each;
      if (wait > 0) await sleep(clock, Math.ceil(wait), request.signal);
      return transport.send(request);
    },
    close: () => transport.close(),
  };
}
