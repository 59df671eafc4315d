// A cluster as it is now, and told of whenever it changes: one watch for each kind.
import { type Client, type Discovered, discover } from "@telltale/client";
import type { Clock, Random } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { Cache, type Cached, silentLog } from "@telltale/runtime";
import { isSilent, named, readable } from "./read.ts";

export interface Followed {
  objects(): readonly KubeObject[];
  /** How often something has changed. */
  readonly changes: number;
  stop(): Promise<void>;
}

export interface FollowOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace?: string;
  /** Those that may be read. Default: all that the server has. */
  readonly kinds?: readonly Discovered[];
  readonly onChange: () => void;
}

/** Resolves when everything has been read once. */
export async function follow(options: FollowOptions): Promise<Followed> {
  const { client, clock, random, namespace, onChange } = options;
  const kinds = options.kinds ?? readable((await discover(client)).resources);
  const cache = new Cache({
    client,
    clock,
    random,
    log: silentLog,
    sink: () => {},
    ...(namespace !== undefined && { namespaces: [namespace] }),
  });
  const followed = kinds.map((kind): { kind: Discovered; cached: Cached<KubeObject> } => ({
    kind,
    cached: cache.of(kind, isSilent(kind) ? { metadataOnly: true } : {}),
  }));
  let changes = 0;
  for (const { cached } of followed)
    cached.store.subscribe(() => {
      changes += 1;
      onChange();
    });
  cache.start();
  await Promise.all(followed.map(({ cached }) => cached.synced()));
  return {
    objects: () => followed.flatMap(({ kind, cached }) => [...cached.store.values()].map((it) => named(kind, it))),
    get changes() {
      return changes;
    },
    stop: () => cache.stop(),
  };
}
