// Sharded ownership: several processes divide the keys among them. Each holds a Lease of its own in the group; who is a member,
// and by which set of members it goes, is read from these Leases. The rule that keeps two members from one key is in `stage.ts`.
import { jitter, sleep } from "@telltale/clock";
import { boundedName, isDnsSubdomain, type Ms, sha256Hex } from "@telltale/kinds";
import { Lease } from "@telltale/kinds/builtin";
import type { Fence } from "../fence.ts";
import { keyOf } from "../key.ts";
import type { ElectionOptions } from "./election.ts";
import { type Change, Hold } from "./hold.ts";
import { keep } from "./keeper.ts";
import type { Marks } from "./lease.ts";
import { adoptedAnnotation, allAdopted, type Group, groupLabel, laggards, lookAt, membersOf } from "./membership.ts";
import { hashOf, ring } from "./ring.ts";
import { agreed, drained, mayActOn, moved, rightsOf, type Stage, written } from "./stage.ts";
import { sweeper } from "./sweep.ts";
import { checkTimes, defaultTimes } from "./times.ts";
import { Troubles } from "./trouble.ts";

/** `name` is the group's: all that divide the same keys give the same. */
export type ShardOptions = ElectionOptions;

export interface Shards extends Fence {
  /** Takes part until the signal is raised or `release` is called; then it resolves. It never rejects. Once. */
  start(signal: AbortSignal): Promise<void>;
  /** Whether this member may act on a key (`namespace/name`) now. */
  owns(key: string): boolean;
  /** The names of the Leases of those who divide the keys, as far as we know. */
  members(): readonly string[];
  /** Told of every change. Gives back the way to hear no more. */
  onChange(call: Handover): () => void;
  /** Lets go of all keys, waits until no work on them runs, and leaves the group at once. It never rejects. */
  release(): Promise<void>;
}

/**
 * Which keys are ours from now on, and which were. What became ours is to be looked at; what is ours no more is closed already, and
 * the promise says that nothing on it runs any more: nobody else takes it up before. If it rejects, it is asked again.
 */
export type Handover = (mine: Owns, before: Owns) => void | Promise<void>;
export type Owns = (key: string) => boolean;

export function shard(options: ShardOptions): Shards {
  const { client, clock, random, sink, namespace, identity } = options;
  const times = checkTimes({ ...defaultTimes, ...options }, identity);
  const { duration, retry } = times;
  const name = leaseName(options.name, identity);
  const log = options.log.with({ lease: `${namespace}/${name}`, group: options.name });
  const label = boundedName(options.name, 63, 10);
  const handovers = new Set<Handover>();
  let stage: Stage = { at: "out" };
  let group: Group = new Map();
  let said = "";
  let quiet: Promise<unknown> = Promise.resolve();
  let running: Promise<void> = Promise.resolve();
  let stopped: AbortSignal | undefined;
  let looked = Number.NEGATIVE_INFINITY;
  let renewal: Ms = 0;
  let moving: Ms = 0;
  let complained = "";
  let waited = false;

  const hold = new Hold({ client, clock, random, namespace, name, identity, ...times, marks, onChange: tell });
  const sweep = sweeper({ client, clock, log, namespace, name, duration });
  const troubles = new Troubles(log, { namespace, name, verbs: "get, list, create and patch" });
  const keeper = keep({ hold, troubles, clock, random, ...times, round });

  function marks(): Marks {
    said = "says" in stage ? stage.says : "";
    return { labels: { [groupLabel]: label }, annotations: { [adoptedAnnotation]: said } };
  }

  function tell(change: Change): void {
    sink({ is: "lease", name, held: change.held });
    waited = false;
    if (change.held) log.info("joined the group", { epoch: change.epoch });
    else if (change.why === "released" || change.why === "stopped") log.info("left the group", { why: change.why });
    else log.warn("lost its place in the group", { why: change.why });
    if (stage.at !== "leaving") go(change.held ? { at: "joined", says: "" } : { at: "out" });
  }

  async function round(signal: AbortSignal): Promise<Ms> {
    if (stage.at === "leaving") return leave(signal);
    // Who sees nothing of the others must not stay among them: they would wait for it.
    if (!hold.held() || clock.uptime() - looked >= times.renewDeadline) await look(signal);
    const began = clock.uptime();
    if (!hold.held() || stage.at === "adopting" || began >= renewal) {
      const standing = await hold.attempt(signal);
      if (standing.at === "waiting") return wait(standing);
      renewal = began + retry;
      stage = written(stage, said);
    }
    await look(signal);
    const left = renewal - clock.uptime();
    return stage.at === "settled" ? left : Math.min(left, retry / 4);
  }

  /** The Lease has our name in it, and is not ours. */
  function wait({ holder, until }: { readonly holder: string; readonly until: Ms }): Ms {
    if (holder !== "" && !waited) {
      const fix = "give every process an identity of its own; after a restart under the same one this passes by itself";
      log.warn("waits for its Lease, which somebody else holds", { holder, fix });
      waited = true;
    }
    return Math.min(jitter(random, retry, 0.2), until - clock.uptime());
  }

  /** Until nothing runs any more the Lease is renewed, so that nobody takes our keys up while we are at work on them. */
  async function leave(signal: AbortSignal): Promise<Ms> {
    if (hold.held()) await hold.attempt(signal);
    return retry;
  }

  async function look(signal: AbortSignal): Promise<void> {
    const selector = { namespace, labelSelector: `${groupLabel}=${label}` };
    // All of it in one answer, of one moment.
    const { items } = await client.list(Lease, { ...selector, ...call(signal) });
    looked = clock.uptime();
    group = lookAt(group, items, looked, duration);
    const members = membersOf(group);
    const hash = hashOf(members);
    if (!("ring" in stage) || stage.ring.hash !== hash) go(moved(stage, ring(members)));
    else if (stage.at === "adopted" && allAdopted(group, hash)) go(agreed(stage));
    complain();
    if (await sweep(group, call(signal))) keeper.nudge();
  }

  /** Said once for each set of members that is not agreed on for long. */
  function complain(): void {
    if (!("ring" in stage) || stage.at === "settled" || stage.ring.hash === complained) return;
    if (clock.uptime() - moving < 2 * duration) return;
    complained = stage.ring.hash;
    if (stage.at === "draining") {
      const fix = "find out which reconcile does not end: until it does, nobody works on the keys that change hands";
      log.warn("work on keys that were lost still runs", { fix });
    } else {
      const fix = "look at the logs of those members: until they agree, nobody works on the keys that change hands";
      log.warn("waits for members to agree", { members: laggards(group, stage.ring.hash), fix });
    }
  }

  /** Two of them, one after the other, leave time for a renewal. */
  const call = (signal: AbortSignal) => ({ signal, timeout: times.renewDeadline / 4 });

  function go(next: Stage): void {
    const [before, mine] = [rightsOf(stage), rightsOf(next)];
    if (next.at === "draining") moving = clock.uptime();
    stage = next;
    if (before !== mine) {
      const told = [...handovers].map((call) => handOver(call, owner(mine), owner(before)));
      quiet = Promise.all([quiet, ...told]);
    }
    if (next.at === "settled") log.info("agreed on who owns what", { members: next.ring.members });
    if (next.at !== "draining") return;
    quiet.then(() => {
      if (stage !== next) return;
      stage = drained(stage);
      keeper.nudge();
    });
  }

  const owner = (rights: ReturnType<typeof rightsOf>) => (key: string) => mayActOn(rights, name, key);

  async function handOver(call: Handover, mine: Owns, before: Owns): Promise<void> {
    for (let asked = 1; ; asked += 1) {
      try {
        await call(mine, before);
        return;
      } catch (error) {
        const fix = "see what it says: until it succeeds, nobody works on the keys that change hands";
        if (asked === 1) log.error("handing keys over failed, and is tried again", { error: String(error), fix });
      }
      // Stopped for good: nobody waits for it any more.
      if (stopped?.aborted === true) return;
      await sleep(clock, retry, stopped).catch(() => {});
    }
  }

  const owns = (key: string): boolean => hold.held() && mayActOn(rightsOf(stage), name, key);

  return {
    start(signal) {
      running = keeper.start(signal);
      stopped = signal;
      return running;
    },
    owns,
    allows: (object) => (object === undefined ? hold.held() : owns(keyOf(object))),
    members: () => ("ring" in stage ? stage.ring.members : []),
    onChange(call) {
      handovers.add(call);
      return () => handovers.delete(call);
    },
    async release() {
      go({ at: "leaving", says: "says" in stage ? stage.says : "" });
      await Promise.race([quiet, running]);
      await keeper.release();
    },
  };
}

/** `<group>-<identity>`, or with a hash in its place where that is no name. */
function leaseName(group: string, identity: string): string {
  const plain = `${group}-${identity}`;
  return isDnsSubdomain(plain) ? plain : boundedName(`${group}-${sha256Hex(identity, 16)}`, 253, 16);
}
