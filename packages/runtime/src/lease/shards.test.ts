import type { FaultEffect, FaultMatch } from "@telltale/apiserver";
import { Lease } from "@telltale/kinds/builtin";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { group, type Member, member } from "../../test/lease/member.ts";
import { namespace, type Process, type World, world } from "../../test/lease/world.ts";
import { adoptedAnnotation, groupLabel } from "./membership.ts";
import { ring } from "./ring.ts";
import { shard } from "./shards.ts";

const second = 1000;
const keys = Array.from({ length: 30 }, (_, i) => `team/object-${i}`);

vi.setConfig({ testTimeout: 30_000 }); // hours of virtual time, on a machine that may be busy

let w: World;
const all: Member[] = [];

beforeEach(async () => {
  w = await world();
});
afterEach(async () => {
  for (const { stop } of all.splice(0)) stop.abort();
  await w.server.stop();
});

function join(name: string, identity = name): Member {
  const one = member(w, name, identity);
  all.push(one);
  return one;
}

const ownedBy = (one: Member) => keys.filter((key) => one.shards.owns(key));
const unowned = () => keys.filter((key) => !all.some(({ shards }) => shards.owns(key)));
const lease = (name: string) => w.lease(`${group}-${name}`);

/** Moves time on; at no moment may two act on one key. */
const settle = (by: number) =>
  w.settle(by, () => {
    for (const key of keys) expect(all.filter(({ shards }) => shards.owns(key)).length).toBeLessThan(2);
  });

async function until(so: () => boolean, limit = 600 * second): Promise<number> {
  const began = w.clock.uptime();
  while (!so()) {
    if (w.clock.uptime() - began > limit) throw new Error(`not within ${limit} ms`);
    await settle(10);
  }
  return w.clock.uptime() - began;
}

/** Members that have agreed. */
async function joined(...names: string[]): Promise<Member[]> {
  const made = names.map((name) => join(name));
  await settle(10 * second);
  const { owner } = ring(names.map((name) => `${group}-${name}`));
  for (const one of made) expect(ownedBy(one)).toEqual(keys.filter((key) => owner(key) === `${group}-${one.name}`));
  return made;
}

const fault = (who: Process, effect: FaultEffect, match: FaultMatch = {}) =>
  w.server.faults.add({ match: { userAgent: new RegExp(`^${who.name}$`), ...match }, effect });

describe("members", () => {
  it("alone owns everything at once, and its Lease says who it is", async () => {
    const a = join("a");
    await settle(0);
    expect(ownedBy(a)).toEqual(keys);
    expect(a.shards.members()).toEqual(["operator-a"]);
    expect(a.samples).toEqual([{ is: "lease", name: "operator-a", held: true }]);
    const { metadata, spec } = await lease("a");
    expect(metadata?.labels).toEqual({ [groupLabel]: group });
    expect(metadata?.annotations).toEqual({ [adoptedAnnotation]: ring(["operator-a"]).hash });
    expect(spec).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 15 });
  });

  it("divide the keys, and a new one takes its own share and nothing else", async () => {
    const [a, b] = await joined("a", "b");
    const before = [a, b].map((one) => one && ownedBy(one));
    const c = join("c");
    let least = keys.length;
    await w.settle(10 * second, () => {
      least = Math.min(least, keys.length - unowned().length);
    });
    expect(least).toBeGreaterThan(keys.length / 2); // what stays is worked on all the time
    expect(unowned()).toEqual([]);
    expect(ownedBy(c).length).toBeGreaterThan(3);
    for (const [i, one] of [a, b].entries()) {
      expect(before[i]).toEqual(expect.arrayContaining(one ? ownedBy(one) : []));
    }
  });

  it("hand a key over only when no work on it runs any more", async () => {
    const [a] = await joined("a");
    const keysOfB = keys.filter((key) => ring(["operator-a", "operator-b"]).owner(key) === "operator-b");
    const [lost = ""] = keysOfB;
    expect(a?.begin(lost, 40 * second)).toBe(true);
    const b = join("b");
    await settle(35 * second);
    expect([a?.shards.owns(lost), ownedBy(b)]).toEqual([false, []]);
    expect(a?.lines.filter((line) => line.includes("still runs"))).toHaveLength(1);
    expect(
      b.lines.filter((line) => line.includes('waits for members to agree {"members":["operator-a"]')),
    ).toHaveLength(1);
    await settle(10 * second);
    expect(ownedBy(b)).toEqual(keysOfB);
  });

  it("take over from one that died within the duration and two retry periods", async () => {
    const [a, b] = await joined("a", "b", "c");
    b?.kill();
    expect(await until(() => unowned().length > 0)).toBeLessThanOrEqual(10 * second);
    expect(await until(() => unowned().length === 0)).toBeLessThanOrEqual(9 * second);
    expect(a?.shards.members()).toEqual(["operator-a", "operator-c"]);
    expect((await lease("b")).spec?.holderIdentity).toBe("");
  });

  it("take over from one that leaves within two retry periods, after its work", async () => {
    const [a, b] = await joined("a", "b");
    const [key = ""] = b ? ownedBy(b) : [];
    b?.begin(key, 20 * second);
    let left = false;
    b?.shards.release().then(() => {
      left = true;
    });
    expect(b && ownedBy(b)).toEqual([]);
    await settle(19 * second);
    expect([left, a?.shards.owns(key)]).toEqual([false, false]);
    await settle(second);
    expect(left).toBe(true);
    expect(await until(() => a?.shards.owns(key) === true)).toBeLessThanOrEqual(4 * second);
    expect(a && ownedBy(a)).toEqual(keys);
  });

  it("that were paused for long begin anew, and get their keys back", async () => {
    const [a, b] = await joined("a", "b");
    const before = a && ownedBy(a);
    a?.pause();
    await settle(30 * second);
    expect(b && ownedBy(b)).toEqual(keys);
    a?.resume();
    expect(a && ownedBy(a)).toEqual([]);
    await settle(10 * second);
    expect(a && ownedBy(a)).toEqual(before);
  });

  it("may not act from the renew deadline on, before any timer fires", async () => {
    const [a] = await joined("a");
    w.clock.advance(0);
    a?.pause();
    w.clock.advance(10 * second);
    expect([a && ownedBy(a), a?.shards.allows()]).toEqual([[], false]);
  });

  it("with one name hold one place", async () => {
    const [a] = await joined("a");
    const namesake = join("n", "a");
    await settle(60 * second);
    expect([a && ownedBy(a), ownedBy(namesake)]).toEqual([keys, []]);
    expect(namesake.lines).toHaveLength(1);
    expect(namesake.lines[0]).toContain("give every process an identity of its own");
    a?.kill();
    expect(await until(() => ownedBy(namesake).length === keys.length)).toBeLessThanOrEqual(17 * second);
  });
});

describe("agreement", () => {
  it("survives lost answers to what a member says", async () => {
    const [a] = await joined("a");
    const effects: FaultEffect[] = [
      { resetConnection: true, commit: true },
      { timeout: true, commit: true },
      { status: 500, commit: false },
    ];
    for (const [i, effect] of effects.entries()) {
      const rule = w.server.faults.add({ match: { verbs: ["patch"], probability: 0.5 }, effect });
      const b = join(`b${i}`);
      await settle(40 * second);
      w.server.faults.remove(rule);
      await settle(30 * second);
      expect([unowned(), ownedBy(b).length > 0]).toEqual([[], true]);
    }
    expect(a?.shards.members()).toHaveLength(4);
  });

  it("is not taken from a member that has gone and come back while another was about to say so", async () => {
    const [a] = await joined("a");
    w.server.faults.add({ match: { verbs: ["patch"], userAgent: /^b$/ }, effect: { resetConnection: true } });
    const b = join("b"); // it has a Lease, but cannot say by which set it goes; `a` goes by both of them
    await settle(5 * second);
    const mine = a ? ownedBy(a) : [];
    expect(mine.length).toBeLessThan(keys.length);
    b.pause();
    fault(a as Member, { latencyMs: 4 * second }, { verbs: ["patch"] });
    await w.client.patch(Lease, { namespace, name: "operator-b" }, { merge: { spec: { holderIdentity: "" } } });
    await until(() => a?.shards.members().length === 1);
    expect(a && ownedBy(a)).toEqual(mine); // it may not take them back before its Lease says so
    b.kill();
    const again = join("again", "b"); // and it finds that all go by both of them
    await settle(3 * second);
    expect(ownedBy(again).length).toBe(keys.length - mine.length);
    w.server.faults.clear();
    await settle(20 * second);
    expect(unowned()).toEqual([]);
  });

  it("waits for a member whose Lease was deleted until it has certainly noticed", async () => {
    const [a, b] = await joined("a", "b");
    fault(b as Member, { latencyMs: 20 * second }); // it does not notice by itself
    await settle(2 * second);
    await w.client.delete(Lease, { namespace, name: "operator-b" }, { propagation: "Background" });
    await settle(8 * second);
    expect(a && ownedBy(a).length).toBeLessThan(keys.length);
    await settle(15 * second);
    expect(a && ownedBy(a)).toEqual(keys);
  });

  it("asks work again that could not say whether it has ended", async () => {
    const [a] = await joined("a");
    let asked = 0;
    a?.shards.onChange(async () => {
      asked += 1;
      if (asked < 4) throw new Error("boom");
    });
    const b = join("b");
    await settle(3 * second);
    expect(ownedBy(b)).toEqual([]);
    await settle(10 * second);
    expect(ownedBy(b).length).toBeGreaterThan(3);
    expect(a?.lines.filter((line) => line.includes("boom"))).toHaveLength(1);
  });
});

describe("who is told", () => {
  it("hears which keys are ours and which were", async () => {
    const [a] = await joined("a");
    const heard: [number, number][] = [];
    const count = (owns: (key: string) => boolean) => keys.filter(owns).length;
    const stop = a?.shards.onChange((mine, before) => {
      heard.push([count(before), count(mine)]);
    });
    const b = join("b");
    await settle(10 * second);
    const kept = a ? ownedBy(a).length : 0;
    expect(heard).toEqual([
      [keys.length, kept],
      [kept, kept],
    ]);
    b.shards.release();
    await settle(10 * second);
    expect(heard.slice(2)).toEqual([
      [kept, kept],
      [kept, keys.length],
    ]);
    stop?.();
    a?.pause();
    w.clock.advance(10 * second);
    a?.resume();
    await settle(10 * second);
    expect(heard).toHaveLength(4);
  });

  it("may ask by object, with or without a namespace, or for any write at all", async () => {
    const [a, b] = await joined("a", "b");
    const { owner } = ring(["operator-a", "operator-b"]);
    for (let i = 0; i < 20; i += 1) {
      const name = `n${i}`;
      expect(a?.shards.allows({ namespace: "x", name })).toBe(owner(`x/${name}`) === "operator-a");
      expect(b?.shards.allows({ name })).toBe(owner(`/${name}`) === "operator-b");
    }
    expect([a?.shards.allows(), b?.shards.allows()]).toEqual([true, true]);
  });
});

describe("Leases that nobody uses", () => {
  it("are deleted after ten durations, and not those that came back", async () => {
    const [, b, c] = await joined("a", "b", "c");
    b?.kill();
    await c?.shards.release();
    await settle(140 * second);
    expect((await lease("b")).spec?.holderIdentity).toBe("");
    join("again", "c");
    await settle(60 * second);
    const { items } = await w.client.list(Lease, { namespace, labelSelector: `${groupLabel}=${group}` });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(["operator-a", "operator-c"]);
    expect(unowned()).toEqual([]);
  });

  it("are left alone when they come back at the last moment", async () => {
    const [, b] = await joined("a", "b");
    await b?.shards.release();
    w.server.faults.add({ match: { verbs: ["delete"] }, effect: { latencyMs: 2 * second } });
    await settle(148 * second);
    await until(() => w.server.faults.log().length > 0);
    join("again", "b");
    await settle(20 * second);
    expect((await lease("b")).spec?.leaseTransitions).toBe(1); // a new one would begin with 0
    expect(unowned()).toEqual([]);
  });

  it("stay where we may not delete them, which is told once and harms nothing", async () => {
    const [a, b] = await joined("a", "b");
    w.server.faults.add({ match: { verbs: ["delete"] }, effect: { status: 403, reason: "Forbidden" } });
    b?.kill();
    await settle(300 * second);
    expect(a?.lines.filter((line) => line.includes("patch and delete"))).toHaveLength(1);
    expect(a && ownedBy(a)).toEqual(keys);
  });
});

describe("a process that cannot see the others", () => {
  const forbidden = { status: 403, reason: "Forbidden" };

  it("does not join them", async () => {
    const [a] = await joined("a");
    w.server.faults.add({ match: { verbs: ["list"], userAgent: /^b$/ }, effect: forbidden });
    const b = join("b");
    await settle(60 * second);
    expect(a && ownedBy(a)).toEqual(keys);
    await expect(lease("b")).rejects.toThrow("not found");
    expect(b.lines).toHaveLength(1);
    expect(b.lines[0]).toMatch(/get, list, create and patch leases/);
  });

  it("does not stay among them", async () => {
    const [a, b] = await joined("a", "b");
    fault(b as Member, forbidden, { verbs: ["list"] });
    await settle(60 * second);
    expect(a && ownedBy(a)).toEqual(keys);
  });
});

it("names that are no names of objects become ones", async () => {
  const process = w.process("odd");
  const stop = new AbortController();
  const odd = shard({ ...process, namespace, name: group, identity: "Host_1/2" });
  odd.start(stop.signal);
  await settle(second);
  expect(odd.members()).toEqual([expect.stringMatching(/^operator-[0-9a-f]{16}$/)]);
  stop.abort();
});
