// A follower over a server that answers as it is told, in virtual time.
import { getEventListeners } from "node:events";
import { type Client, ConnectionError, type ListOptions, type WatchOptions } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { expect } from "vitest";
import { Follower, type FollowOptions } from "../src/cache/follow.ts";
import { interner } from "../src/cache/intern.ts";
import { Store } from "../src/cache/store.ts";
import type { WatchHappening } from "../src/samples.ts";

export type Line = { readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; readonly object: KubeObject };

/** What the server does with the next request. */
export type Answer =
  | { readonly page: readonly KubeObject[]; readonly version: string; readonly next?: string }
  | { readonly lines: Iterable<Line>; readonly then?: "end" | "hang" | Error }
  | Error;

export const map = (name: string, version: number): KubeObject => ({
  metadata: { namespace: "a", name, uid: name, resourceVersion: String(version) },
});
export const added = (name: string, version: number): Line => ({ type: "ADDED", object: map(name, version) });
export const modified = (name: string, version: number): Line => ({ type: "MODIFIED", object: map(name, version) });
export const removed = (name: string, version: number): Line => ({ type: "DELETED", object: map(name, version) });
export const bookmark = (version: number): Line => ({
  type: "BOOKMARK",
  object: { metadata: { resourceVersion: String(version) } },
});
export const endOfList = (version: number): Line => ({
  type: "BOOKMARK",
  object: { metadata: { resourceVersion: String(version), annotations: { "k8s.io/initial-events-end": "true" } } },
});
/** What is asked for is there, as it is known. */
const held: readonly KubeObject[] = [];
export const at = (version: number): Answer => ({ page: held, version: String(version) });

let ending: (() => Promise<void>) | undefined;

/** After each test: what it began has ended, and nothing of it is left. */
export const end = (): Promise<void> | undefined => ending?.();

/** A follower over a server that answers as it is told, one request after the other, and then fails. */
export async function following(answers: readonly Answer[], options: Partial<FollowOptions<KubeObject>> = {}) {
  const clock = new VirtualClock();
  const store = new Store<KubeObject>();
  const left = [...answers];
  const asked: string[] = [];
  const times: number[] = [];
  const told: WatchHappening[] = [];
  const next = () => {
    times.push(clock.uptime());
    return left.shift() ?? new ConnectionError("connect", "there is no server");
  };
  const client = {
    async list(_kind: unknown, { limit, continue: token, metadataOnly }: ListOptions) {
      asked.push(metadataOnly === true ? "ask" : `list ${limit ?? "all"}${token === undefined ? "" : ` ${token}`}`);
      const answer = next();
      if (answer instanceof Error) throw answer;
      if (!("page" in answer)) throw new Error("a stream was to be asked for");
      const items =
        answer.page === held ? [(options.store ?? store).newest()].filter((it) => it !== undefined) : answer.page;
      return { items, resourceVersion: answer.version, ...(answer.next ? { continue: answer.next } : {}) };
    },
    async *watch(_kind: unknown, { resourceVersion, signal }: WatchOptions) {
      asked.push(`watch ${resourceVersion ?? "all"}`);
      const answer = next();
      if (answer instanceof Error) throw answer;
      if (!("lines" in answer)) throw new Error("a list was to be asked for");
      yield* answer.lines;
      const { then = "hang" } = answer;
      if (then instanceof Error) throw then;
      if (then === "hang") await raised(signal);
    },
  };
  const follower = new Follower<KubeObject>({
    client: client as unknown as Client,
    clock,
    random: seededRandom(1),
    kind: ConfigMap,
    select: {},
    store,
    intern: interner(),
    onHappening: (what) => told.push(what),
    ...options,
  });
  const stop = new AbortController();
  const run = follower.run(stop.signal);
  ending = async () => {
    stop.abort();
    await run;
    expect(follower.state).toEqual({ at: "stopped" });
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
    expect(clock.next()).toBeUndefined();
  };
  const pass = async (ms = 0) => {
    for (let i = 0; i < 5; i += 1) await turn();
    await clock.settle(ms);
    for (let i = 0; i < 5; i += 1) await turn();
  };
  await pass();
  const shown = () =>
    [...store.values()].map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`).sort();
  return { clock, store, follower, asked, times, told, pass, shown, signal: stop.signal };
}

const raised = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
