// What a manager puts between its client and the server: the fence, at the last moment before a write leaves, and a limit of
// requests per second where one is wanted.
import type { Request, Transport } from "@telltale/client";
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

/** An Event waits so long for a moment when nobody else does. */
const patience: Ms = 30_000;

/**
 * At most so many requests per second; more wait their turn. Streams count as one when they are opened. Events give way to all
 * others: they tell of work, and must not hold it up.
 */
export function limited(transport: Transport, clock: Clock, { perSecond, burst }: Rate): Transport {
  const each: Ms = 1000 / perSecond;
  /** When the bucket will be full again. */
  let full = clock.uptime();
  /** How long one more would have to wait. */
  const wait = (): Ms => Math.ceil(Math.max(full - clock.uptime(), 0) + each - burst * each);
  return {
    async send(request) {
      const { signal } = request;
      if (isEvent(request)) {
        const until = clock.uptime() + patience;
        for (let left = patience; left > 0 && wait() > 0; left = until - clock.uptime())
          await sleep(clock, Math.min(wait(), left), signal);
      }
      const mine = wait();
      full = Math.max(full, clock.uptime()) + each;
      if (mine > 0) await sleep(clock, mine, signal);
      return transport.send(request);
    },
    close: () => transport.close(),
  };
}

const events = /\/(?:api\/v1|apis\/events\.k8s\.io\/v1)\/namespaces\/[^/]+\/events(?:[/?]|$)/;
const isEvent = ({ method, path }: Request): boolean => method !== "GET" && events.test(path);
