// Everything that was written to the server, in its order, with who wrote it: what invariants are checked against.
import type { ApiServer } from "@telltale/apiserver";
import type { Clock } from "@telltale/clock";
import type { Instant, KubeObject } from "@telltale/kinds";
import type { Sent } from "./network.ts";
import { keyOf } from "./target.ts";

export interface Change {
  readonly revision: number;
  readonly at: Instant;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** `/apps/deployments/default/web` */
  readonly key: string;
  readonly before?: KubeObject;
  readonly after: KubeObject;
  /** Who asked for it. Undefined: a person, the cluster, or a fault. */
  author?: string;
  sent?: Sent;
  /** Short, for the trace: `MODIFIED /apps/deployments/default/web`. */
  readonly says: string;
}

export class History {
  readonly changes: Change[] = [];
  /** Whether the server was put back to an earlier state: versions are no measure of time then. */
  isRewound = false;
  readonly #listeners = new Set<(change: Change) => void>();
  /** When something was last written that counts: neither Events nor Leases. */
  changedAt: Instant;

  constructor(server: ApiServer, clock: Clock) {
    this.changedAt = clock.now();
    const told: Parameters<ApiServer["store"]["subscribe"]>[2] = ({ revision, type, key, record, previous }) => {
      const change: Change = {
        revision,
        at: clock.now(),
        type,
        key,
        after: record.object() as KubeObject,
        ...(previous === undefined ? {} : { before: previous.object() as KubeObject }),
        says: `${type} ${key}`,
      };
      this.changes.push(change);
      if (!isNoise(key)) this.changedAt = change.at;
      for (const listener of this.#listeners) listener(change);
    };
    // A server that is put back to an earlier state lets its followers go.
    const follow = () => server.store.subscribe("/", server.store.revision, told, follow);
    follow();
  }

  get length(): number {
    return this.changes.length;
  }

  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Gives what a request changed its author. Others may have written at the same time. */
  claim(from: number, author: string, sent: Sent, status: number, body: string | undefined): readonly Change[] {
    if (status >= 300) return []; // what changed meanwhile is not its work
    const made = sent.method === "POST" ? nameIn(body) : sent.target.name;
    const key = keyOf({ ...sent.target, ...(made === undefined ? {} : { name: made }) });
    const found = this.#answered(
      this.changes.slice(from).filter((change) => change.key === key && change.author === undefined),
      sent,
      body,
    );
    for (const change of found) {
      change.author = author;
      change.sent = sent;
    }
    return found;
  }

  /** Of the changes of one object the one that an answer tells of: an object with its version, or that it is gone. */
  #answered(found: readonly Change[], { method }: Sent, body: string | undefined): readonly Change[] {
    const [, told] = version.exec(body ?? "") ?? [];
    const named = found.filter((change) => change.revision === Number(told));
    if (named.length > 0) return named;
    if (told === undefined && found.length === 1) return found;
    // Whoever deletes it, or takes the last finalizer off, hears of it as it was.
    const isEnd = method === "DELETE" || body?.includes('"deletionTimestamp"') === true;
    return isEnd ? found.filter(({ type }) => type === "DELETED").slice(-1) : [];
  }
}

/** The version in an answer: of an object it is the first. */
const version = /"resourceVersion":"(\d+)"/;

/** What is written all the time, and changes nothing. */
export const isNoise = (key: string): boolean =>
  key.startsWith("//events/") || key.startsWith("/events.k8s.io/") || key.startsWith("/coordination.k8s.io/leases/");

function nameIn(body: string | undefined): string | undefined {
  if (body === undefined) return undefined;
  const { metadata } = JSON.parse(body) as KubeObject;
  return metadata?.name;
}
