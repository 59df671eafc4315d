import type { Clock } from "@telltale/clock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { namespace, type World, world } from "../../test/lease/world.ts";
import { type Change, Hold } from "./hold.ts";

const second = 1000;
const { signal } = new AbortController();

let w: World;
let changes: Change[];

beforeEach(async () => {
  w = await world();
  changes = [];
});
afterEach(() => w.server.stop());

function hold(clock: Clock = w.clock, identity = "a"): Hold {
  const { client, random } = w.process(identity);
  const onChange = (change: Change) => changes.push(change);
  const times = { duration: 15 * second, renewDeadline: 10 * second };
  return new Hold({ client, clock, random, namespace, name: "lease", identity, ...times, onChange });
}

describe("a term", () => {
  it("is told to be over when its time is, even where timers are early", async () => {
    const early: Clock = {
      now: () => w.clock.now(),
      uptime: () => w.clock.uptime(),
      after: (delay, call) => w.clock.after(delay > 2 ? delay - 2 : delay, call),
    };
    await hold(early).attempt(signal);
    await w.settle(9_999);
    expect(changes).toEqual([{ held: true, epoch: 0 }]);
    await w.settle(1);
    expect(changes.at(-1)).toEqual({ held: false, epoch: 0, why: "expired" });
  });

  it("is not counted twice when it is renewed", async () => {
    const one = hold();
    for (let i = 0; i < 5; i += 1) {
      expect(await one.attempt(signal)).toEqual({ at: "held" });
      await w.settle(9 * second);
    }
    expect(changes).toEqual([{ held: true, epoch: 0 }]);
    await w.settle(second);
    expect([one.held(), changes.length]).toEqual([false, 2]);
  });

  it("ends with a release, which says so only where the Lease is ours", async () => {
    const [one, other] = [hold(), hold(w.clock, "b")];
    await one.attempt(signal);
    expect(await other.attempt(signal)).toEqual({ at: "waiting", holder: "a", until: 15 * second });
    await other.release(signal);
    expect((await w.lease("lease")).spec?.holderIdentity).toBe("a");
    await one.release(signal);
    expect((await w.lease("lease")).spec?.holderIdentity).toBe("");
    expect(await other.attempt(signal)).toEqual({ at: "held" });
    await one.release(signal);
    expect((await w.lease("lease")).spec?.holderIdentity).toBe("b");
  });
});

it("a write that was given up is known again when it comes to light, and void once another was confirmed", async () => {
  const one = hold();
  await one.attempt(signal);
  w.server.faults.add({ match: { verbs: ["patch"] }, times: 1, effect: { latencyMs: 6 * second } });
  const lost = expect(one.attempt(signal)).rejects.toThrow("no answer");
  await w.settle(5 * second);
  await lost;
  expect(await one.attempt(signal)).toEqual({ at: "held" });
  const { resourceVersion } = (await w.lease("lease")).metadata ?? {};
  await w.settle(2 * second); // now the first one arrives
  expect((await w.lease("lease")).metadata?.resourceVersion).toBe(resourceVersion);

  w.server.faults.add({ match: { verbs: ["patch"] }, times: 1, effect: { timeout: true, commit: true } });
  const unheard = expect(one.attempt(signal)).rejects.toThrow("no answer");
  await w.settle(5 * second);
  await unheard;
  expect(await one.attempt(signal)).toEqual({ at: "held" });
  expect(changes).toEqual([{ held: true, epoch: 0 }]);
});
