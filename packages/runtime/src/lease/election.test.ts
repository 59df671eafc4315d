import type { FaultEffect } from "@telltale/apiserver";
import type { Instant } from "@telltale/kinds";
import { Lease } from "@telltale/kinds/builtin";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { namespace, type Process, type World, world } from "../../test/lease/world.ts";
import { type Election, elect } from "./election.ts";

const name = "operator";
const second = 1000;
const hour = 3_600_000;

interface Candidate extends Process {
  readonly election: Election;
  readonly stop: AbortController;
}

vi.setConfig({ testTimeout: 30_000 }); // hours of virtual time, on a machine that may be busy

let w: World;
const candidates: Candidate[] = [];

beforeEach(async () => {
  w = await world();
});
afterEach(async () => {
  for (const { stop } of candidates.splice(0)) stop.abort();
  await w.server.stop();
});

function candidate(identity: string, more: { readonly namespace?: string } = {}): Candidate {
  const process = w.process(identity);
  const election = elect({ ...process, namespace, name, identity, ...more });
  const made = { ...process, election, stop: new AbortController() };
  election.start(made.stop.signal);
  candidates.push(made);
  return made;
}

const leaders = () => candidates.filter(({ election }) => election.allows()).map((it) => it.name);

/** Moves time on; at no moment may two of them write. */
const settle = (by: number) => w.settle(by, () => expect(leaders().length).toBeLessThan(2));

/** How long until this is so. */
async function until(so: () => boolean, limit = hour): Promise<number> {
  const began = w.clock.uptime();
  for (;;) {
    if (so()) return w.clock.uptime() - began;
    if (w.clock.uptime() - began > limit) throw new Error(`not within ${limit} ms`);
    await settle(10);
  }
}

const fault = (who: Process, effect: FaultEffect, verbs?: string[]) =>
  w.server.faults.add({ match: { userAgent: new RegExp(`^${who.name}$`), ...(verbs && { verbs }) }, effect });

/** Two candidates of whom the first leads, some renewals on. */
async function pair(): Promise<[Candidate, Candidate]> {
  const a = candidate("a");
  await settle(0);
  const b = candidate("b");
  await settle(7 * second);
  expect(leaders()).toEqual(["a"]);
  return [a, b];
}

describe("of several candidates", () => {
  it("one wins, at once, and writes what Kubernetes writes", async () => {
    const [a, b, c] = [candidate("a"), candidate("b"), candidate("c")];
    await settle(0);
    expect(leaders()).toHaveLength(1);
    const [winner] = leaders();
    const { spec } = await w.lease(name);
    expect(spec).toMatchObject({ holderIdentity: winner, leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(spec?.renewTime).toMatch(/^2026-01-01T00:00:00\.000\d{3}Z$/);
    await settle(60 * second);
    expect(leaders()).toEqual([winner]);
    expect([a, b, c].flatMap(({ samples }) => samples)).toEqual([{ is: "lease", name, held: true }]);
    const after = (await w.lease(name)).spec;
    expect([after?.acquireTime, after?.leaseTransitions]).toEqual([spec?.acquireTime, 0]);
    expect(after?.renewTime).toMatch(/^2026-01-01T00:01:00/);
  });

  it("the next takes over within the duration and a second when the leader dies, at whatever moment", async () => {
    const [a, b] = await pair();
    for (let after = 0; after < 2 * second; after += 170) {
      const [dies, lives] = a.election.held() ? [a, b] : [b, a];
      await settle(2 * second);
      const changed = (await w.lease(name)).metadata?.resourceVersion;
      await until(() => w.server.store.revision > Number(changed)); // it has just renewed
      await settle(after);
      dies.pause();
      expect(await until(() => lives.election.held())).toBeLessThanOrEqual(16 * second);
      dies.resume();
    }
  });

  it("the next takes over within a retry period when the leader gives the lease back", async () => {
    const [a, b] = await pair();
    const changes: unknown[] = [];
    a.election.onChange((change) => changes.push(change));
    const released = a.election.release();
    expect(leaders()).toEqual([]);
    expect(changes).toEqual([{ held: false, epoch: 0, why: "released" }]);
    expect(await until(() => b.election.held())).toBeLessThanOrEqual(2 * second);
    await released;
    expect((await w.lease(name)).spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
    await settle(30 * second);
    expect(leaders()).toEqual(["b"]);
  });

  it("a name that is used twice holds the lease once", async () => {
    const a = candidate("a");
    await settle(second);
    const namesake = candidate("a");
    await settle(60 * second);
    expect([a.election.held(), namesake.election.held()]).toEqual([true, false]);
    expect(namesake.lines[0]).toContain("held under our own identity");
    a.kill();
    expect(await until(() => namesake.election.held())).toBeLessThanOrEqual(16 * second);
    expect(namesake.election.epoch()).toBe(1);
  });

  it("a name that is used twice holds the lease once, even where both begin at one moment", async () => {
    const [one, other] = [candidate("a"), candidate("a")];
    await settle(0);
    await settle(60 * second);
    expect([one.election.held(), other.election.held()].filter(Boolean)).toHaveLength(1);
    expect([...one.samples, ...other.samples]).toHaveLength(1);
  });
});

describe("a leader that is paused", () => {
  it("may not write from the renew deadline on, before any timer fires", async () => {
    const [a] = await pair();
    a.pause();
    w.clock.advance(10 * second);
    expect([a.election.allows(), a.election.epoch()]).toEqual([false, undefined]);
  });

  it("finds its successor when it goes on, is told of the loss, and takes part again", async () => {
    const [a, b] = await pair();
    a.pause();
    await until(() => b.election.held());
    await settle(5 * second);
    a.resume();
    await settle(5 * second);
    expect(leaders()).toEqual(["b"]);
    expect(a.samples.at(-1)).toEqual({ is: "lease", name, held: false });
    b.kill();
    await until(() => a.election.held());
    expect(a.election.epoch()).toBe(2);
  });

  it("begins a new term when it goes on before anybody took the lease", async () => {
    const [a] = await pair();
    const terms: unknown[] = [];
    a.election.onChange((change) => terms.push(change));
    a.pause();
    await settle(12 * second);
    expect(leaders()).toEqual([]);
    a.resume();
    await settle(second);
    expect(leaders()).toEqual(["a"]);
    expect(terms).toEqual([
      { held: false, epoch: 0, why: "expired" },
      { held: true, epoch: 1 },
    ]);
  });
});

describe("a renewal", () => {
  it("counts from before it was sent", async () => {
    const [a] = await pair();
    fault(a, { latencyMs: 4 * second, phase: "after" }, ["patch"]);
    const { revision } = w.server.store;
    await until(() => w.server.store.revision > revision);
    const sent = w.clock.uptime();
    fault(a, { resetConnection: true }); // for all that follows
    await settle(9.9 * second);
    expect(a.election.allows()).toBe(true);
    await settle(0.1 * second);
    expect(a.election.allows()).toBe(false);
    expect(w.clock.uptime() - sent).toBe(10 * second);
  });

  it.each<[string, FaultEffect]>([
    ["never comes", { timeout: true, commit: true }],
    ["is cut off", { resetConnection: true, commit: true }],
    ["is an error", { status: 504, commit: true }],
  ])("whose answer %s counts as not done, though the server did it", async (_, effect) => {
    const [a, b] = await pair();
    fault(a, effect, ["patch"]);
    await until(() => !a.election.allows(), 10 * second);
    expect(a.samples.at(-1)).toEqual({ is: "lease", name, held: false });
    expect((await w.lease(name)).spec?.holderIdentity).toBe("a");
    w.server.faults.clear();
    await settle(9 * second);
    expect(leaders()).toEqual(["a"]); // its own claims are known to it, even those that it never heard of
    expect(b.samples).toEqual([]);
  });

  it("whose answer is lost once costs nothing", async () => {
    const [a] = await pair();
    w.server.faults.add({ match: { verbs: ["patch"] }, times: 1, effect: { resetConnection: true, commit: true } });
    await settle(30 * second);
    expect(a.samples).toEqual([{ is: "lease", name, held: true }]);
  });

  it.each([409, 422])("that is refused with %i is tried on what the lease says now", async (status) => {
    const [a] = await pair();
    w.server.faults.add({ match: { verbs: ["patch"], nth: (n) => n % 2 === 1 }, effect: { status } });
    await settle(30 * second);
    expect(a.samples).toEqual([{ is: "lease", name, held: true }]);
    expect(leaders()).toEqual(["a"]);
  });

  it("that is always refused loses the lease by time, and nobody writes meanwhile", async () => {
    const [a, b] = await pair();
    fault(a, { status: 409 }, ["patch"]);
    expect(await until(() => !a.election.held())).toBeLessThanOrEqual(10 * second);
    expect(await until(() => b.election.held())).toBeLessThanOrEqual(6 * second);
    expect(a.lines.filter((line) => line.includes("contended"))).toHaveLength(1);
  });

  it("leaves alone what others keep in the Lease", async () => {
    await pair();
    const extra = { metadata: { labels: { team: "x" } } };
    await w.client.patch(Lease, { namespace, name }, { merge: extra });
    await settle(10 * second);
    expect((await w.lease(name)).metadata?.labels).toEqual({ team: "x" });
    expect(leaders()).toEqual(["a"]);
  });
});

describe("a server that is down for longer than the renew deadline", () => {
  it("leaves nobody to write, and has one leader again soon after it is back", async () => {
    const [a, b] = await pair();
    w.server.faults.add({ effect: { resetConnection: true } });
    await settle(10 * second);
    expect(leaders()).toEqual([]);
    await settle(50 * second);
    w.server.faults.clear();
    expect(await until(() => leaders().length === 1)).toBeLessThanOrEqual(4 * second);
    await settle(30 * second);
    expect(leaders()).toHaveLength(1);
    for (const { lines } of [a, b]) {
      expect(lines.filter((line) => line.includes("out of reach"))).toHaveLength(1);
      expect(lines.filter((line) => line.includes("within reach again"))).toHaveLength(1);
    }
  });

  it("is waited for when it never answers", async () => {
    const [a, b] = await pair();
    w.server.faults.add({ effect: { timeout: true } });
    await settle(60 * second);
    expect(leaders()).toEqual([]);
    w.server.faults.clear();
    expect(await until(() => leaders().length === 1)).toBeLessThanOrEqual(8 * second);
    expect([a, b].flatMap(({ samples }) => samples).filter((it) => it.is === "lease" && it.held)).toHaveLength(2);
  });
});

describe("wall clocks", () => {
  it.each([hour, -hour])("that jump by %i ms change nothing", async (by) => {
    const [a, b] = await pair();
    for (const who of [a, b, a]) {
      who.jump(by);
      await settle(20 * second);
    }
    w.clock.jump((w.clock.now() + by) as Instant);
    await settle(20 * second);
    expect(leaders()).toEqual(["a"]);
    expect(b.samples).toEqual([]);
    a.kill();
    expect(await until(() => b.election.held())).toBeLessThanOrEqual(16 * second);
  });

  it("that stand still hide no renewal", async () => {
    const [a, b] = await pair();
    for (let i = 0; i < 60; i += 1) {
      await settle(second);
      a.jump(-second);
    }
    expect(leaders()).toEqual(["a"]);
    expect(b.samples).toEqual([]);
  });
});

describe("a lease of somebody else", () => {
  const foreign = (spec: Lease["spec"]) =>
    w.client.create(Lease, { metadata: { namespace, name }, ...(spec && { spec }) });

  it("is left to an elector of client-go for as long as it renews, and taken when that dies", async () => {
    await foreign({
      holderIdentity: "host_2d3c7f54-0f5c-4f6e-9a0e-5c2b1f6d7e10",
      leaseDurationSeconds: 15,
      acquireTime: "2019-12-31T23:59:01.123456Z",
      renewTime: "2019-12-31T23:59:01.123456Z", // its clock is six years behind
      leaseTransitions: 7,
    });
    const a = candidate("a");
    for (let i = 10; i < 40; i += 1) {
      await settle(2 * second);
      await w.client.patch(
        Lease,
        { namespace, name },
        { merge: { spec: { renewTime: `2019-12-31T23:59:${i}.000000Z` } } },
      );
    }
    expect(a.samples).toEqual([]);
    expect(await until(() => a.election.held())).toBeLessThanOrEqual(16 * second);
    expect(a.election.epoch()).toBe(8);
    expect((await w.lease(name)).spec).toMatchObject({ holderIdentity: "a", leaseTransitions: 8 });
  });

  it("is waited for as long as it says itself", async () => {
    await foreign({ holderIdentity: "x", leaseDurationSeconds: 60, renewTime: "2026-01-01T00:00:00.000000Z" });
    const a = candidate("a");
    await settle(59 * second);
    expect(leaders()).toEqual([]);
    await settle(2 * second);
    expect(a.election.held()).toBe(true);
  });

  it.each<[string, Lease["spec"]]>([
    ["as client-go gives it back", { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 3 }],
    ["with nothing in it", undefined],
  ])("is taken at once %s", async (_, spec) => {
    await foreign(spec);
    candidate("a");
    await settle(0);
    expect(leaders()).toEqual(["a"]);
    expect((await w.lease(name)).spec?.leaseTransitions).toBe((spec?.leaseTransitions ?? 0) + 1);
  });

  it("that is given back can be taken by an elector of client-go", async () => {
    const [a, b] = await pair();
    b.kill();
    await a.election.release();
    const { spec } = await w.lease(name);
    expect(spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 0 });
  });
});

describe("a Lease that is deleted", () => {
  it("ends the term, and is made again under a higher epoch", async () => {
    const [a] = await pair();
    await w.client.delete(Lease, { namespace, name }, { propagation: "Background" });
    await settle(20 * second);
    expect(leaders()).toEqual(["a"]);
    expect(a.election.epoch()).toBe(1);
    expect(a.samples.map((it) => it.is === "lease" && it.held)).toEqual([true, false, true]);
  });

  it("is not made again by others while its holder may not know", async () => {
    const [a, b] = await pair();
    fault(a, { latencyMs: 4 * second }, ["patch"]);
    await settle(2 * second);
    await w.client.delete(Lease, { namespace, name }, { propagation: "Background" });
    a.pause();
    await settle(9 * second);
    expect(b.election.held()).toBe(false);
    expect(await until(() => b.election.held())).toBeLessThanOrEqual(8 * second);
  });
});

describe("trouble", () => {
  it("with rights is told once, with the way out, until it is over", async () => {
    const deny = w.server.faults.add({ effect: { status: 403, reason: "Forbidden", message: "no" } });
    const a = candidate("a");
    await settle(60 * second);
    expect(a.lines).toHaveLength(1);
    expect(a.lines[0]).toMatch(
      /^error may not use Lease default\/operator.*allow this account to get, create and patch/,
    );
    w.server.faults.remove(deny);
    await settle(5 * second);
    expect(leaders()).toEqual(["a"]);
    expect(a.lines[1]).toContain("holds the lease");
    expect(a.lines[2]).toContain("within reach again");
    fault(a, { status: 403, reason: "Forbidden" });
    await settle(60 * second);
    expect(a.lines.filter((line) => line.includes("may not use"))).toHaveLength(2);
  });

  it("with the namespace names it", async () => {
    const a = candidate("a", { namespace: "nowhere" });
    await settle(60 * second);
    expect(a.lines).toHaveLength(1);
    expect(a.lines[0]).toMatch(/^error there is no place for Lease nowhere\/operator.*create namespace nowhere/);
  });

  it("of a listener is its own", async () => {
    const a = candidate("a");
    a.election.onChange(() => {
      throw new Error("boom");
    });
    await settle(5 * second);
    expect(leaders()).toEqual(["a"]);
    expect(a.lines.join()).toContain("boom");
  });
});

describe("an election", () => {
  it("tells of gain and loss to who waits for them", async () => {
    const [a, b] = await pair();
    const heard: string[] = [];
    b.election.gained().then((epoch) => heard.push(`b gained ${epoch}`));
    a.election.lost().then(() => heard.push("a lost"));
    expect(await a.election.gained()).toBe(0);
    await b.election.lost();
    await settle(5 * second);
    expect(heard).toEqual([]);
    a.pause();
    await until(() => b.election.held());
    await settle(0);
    expect(heard).toEqual(["b gained 1"]);
    a.resume();
    await settle(0);
    expect(heard).toEqual(["b gained 1", "a lost"]);
    const patience = new AbortController();
    const waiting = a.election.gained(patience.signal);
    patience.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  it("that is stopped writes nothing more, and is over for its own process at once", async () => {
    const [a, b] = await pair();
    a.stop.abort();
    expect(leaders()).toEqual([]);
    b.kill();
    const { revision } = w.server.store;
    await settle(60 * second);
    expect(w.server.store.revision).toBe(revision);
  });

  it("that is stopped can still give the lease back", async () => {
    const [a, b] = await pair();
    a.stop.abort();
    await a.election.release();
    expect(await until(() => b.election.held())).toBeLessThanOrEqual(2 * second);
  });

  it("gives back a lease whose last renewal is still on its way", async () => {
    const [a] = await pair();
    fault(a, { latencyMs: second, phase: "after" }, ["patch"]);
    await settle(2 * second);
    const released = a.election.release();
    expect(leaders()).toEqual([]);
    await settle(3 * second);
    await released;
    expect((await w.lease(name)).spec?.holderIdentity).not.toBe("a");
  });

  it("ends a release that nobody hears, and leaves the rest to time", async () => {
    const [a, b] = await pair();
    fault(a, { resetConnection: true });
    let done = false;
    a.election.release().then(() => {
      done = true;
    });
    await settle(25 * second);
    expect([done, b.election.held()]).toEqual([true, true]);
  });

  it("refuses times that cannot work, and a second start", () => {
    const process = w.process("a");
    const make = (more: object) => () => elect({ ...process, namespace, name, identity: "a", ...more });
    expect(make({ renewDeadline: 15_000 })).toThrow("longer than renewDeadline");
    expect(make({ retry: 5_000 })).toThrow("two times retry");
    expect(make({ identity: "" })).toThrow("identity");
    const a = candidate("a");
    expect(() => a.election.start(a.stop.signal)).toThrow("once");
  });
});
