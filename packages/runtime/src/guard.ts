// Who of several processes works: the only one, the one that holds the lease, or each on its share.
import type { Client } from "@telltale/client";
import { type Clock, type Random, uuid } from "@telltale/clock";
import { type Fence, openFence } from "./fence.ts";
import type { Key } from "./key.ts";
import { type ElectionOptions, elect } from "./lease/election.ts";
import { shard } from "./lease/shards.ts";
import type { Times } from "./lease/times.ts";
import type { Log } from "./log.ts";
import type { Sink } from "./samples.ts";

export type Replicas =
  | { readonly as: "one" } // there is no other process
  | ({ readonly as: "lease" } & Shared) // one of several works, the others stand by with warm caches
  | ({ readonly as: "shards" } & Shared); // all of them work, each on its share of the objects

interface Shared extends Partial<Times> {
  /** Where the Leases are. */
  readonly namespace: string;
  /** Default: the manager's name. */
  readonly lease?: string;
  /** Of this process alone. Default: the manager's name and something random. */
  readonly identity?: string;
}

type Mine = (key: Key) => boolean;

/** What a guard tells those that work. */
export interface Told {
  gained(): void;
  lost(why: string): void;
  /** Other keys are ours. Resolves when nothing runs any more for those that are not. */
  moved(mine: Mine, before: Mine): Promise<void>;
}

export interface Guard {
  readonly fence: Fence;
  readonly identity: string;
  /** Resolves when it is over. */
  start(told: Told): Promise<void>;
  /** To be called when nothing is written any more: others take over at once. */
  release(): Promise<void>;
}

export interface GuardContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly sink: Sink;
}

export function guardOf(name: string, replicas: Replicas = { as: "one" }, cx: GuardContext): Guard {
  if (replicas.as === "one") {
    const start: Guard["start"] = async ({ gained }) => gained();
    return { fence: openFence, identity: name, start, release: async () => {} };
  }
  const { as, lease = name, identity = `${name}-${uuid(cx.random).slice(0, 8)}`, ...times } = replicas;
  const options = { ...cx, ...times, name: lease, identity };
  return as === "lease" ? byLease(options) : byShards(options);
}

const all: Mine = () => true;
const none: Mine = () => false;

function byLease(options: ElectionOptions): Guard {
  const election = elect(options);
  const ending = new AbortController();
  return {
    fence: election,
    identity: options.identity,
    async start({ gained, lost, moved }) {
      election.onChange((change) => {
        if (!change.held) return lost(`the lease is not ours any more: ${change.why}`);
        gained();
        // Somebody else may have been in charge: everything is looked at again.
        return moved(all, none);
      });
      await election.start(ending.signal);
    },
    async release() {
      await election.release();
      ending.abort();
    },
  };
}

function byShards(options: ElectionOptions): Guard {
  const shards = shard(options);
  const ending = new AbortController();
  return {
    fence: shards,
    identity: options.identity,
    async start({ gained, moved }) {
      gained();
      shards.onChange((mine, before) => moved(mine, before));
      await shards.start(ending.signal);
    },
    async release() {
      await shards.release();
      ending.abort();
    },
  };
}
