// What a running controller has around it: made once, used by every pass.
import type { Tracer } from "@opentelemetry/api";
import type { Client } from "@telltale/client";
import type { Clock, Random } from "@telltale/clock";
import type { KindRef, KubeObject } from "@telltale/kinds";
import type { Aggregate } from "@telltale/status";
import type { Cache, Cached } from "../cache/cache.ts";
import type { Fence } from "../fence.ts";
import type { Key } from "../key.ts";
import type { Log } from "../log.ts";
import type { Subject } from "../outside/event-object.ts";
import type { Announcement } from "../outside/transitions.ts";
import type { Polling } from "../poll.ts";
import type { Sink } from "../samples.ts";
import type { StatusWriter } from "../write/status-writer.ts";
import type { Calls } from "./calls.ts";
import type { Controller } from "./declare.ts";
import type { Sightings } from "./sightings.ts";

/** What a manager gives to all its controllers. */
export interface Shared {
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly sink: Sink;
  readonly tracer?: Tracer;
  readonly fence: Fence;
  readonly fieldManager: string;
  /** Broken status rules throw: for tests and simulation. */
  readonly strict: boolean;
}

export interface Surroundings extends Shared {
  readonly controller: Controller;
  readonly announce: (subject: Subject, announcement: Announcement) => void;
  readonly own: Cached<KubeObject>;
  /** The cached kinds that the controller declares. */
  readonly inputs: ReadonlyMap<string, Cached<KubeObject>>;
  readonly pollings: ReadonlyMap<object, Polling<KubeObject, unknown>>;
  readonly calls: Calls;
  readonly sightings: Sightings;
  readonly writer: StatusWriter;
  readonly applied: WeakSet<object>;
  /** The condition that sums up this object's children, for each declared sum. */
  readonly aggregates: (object: KubeObject) => readonly { readonly condition: string; readonly aggregate: Aggregate }[];
  readonly enqueue: (key: Key) => void;
  /** How often in a row passes of this object failed. */
  readonly failures: (key: Key) => number;
}

export const kindId = ({ apiVersion, kind }: KindRef): string => `${apiVersion}/${kind}`;
