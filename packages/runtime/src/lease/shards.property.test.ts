// Whatever happens: no two members may act on one key at one moment, nobody takes a key up on which another still works, and in
// the end every key has one owner. SEEDS=from,count tries others than the few of every day.
import { describe, expect, it } from "vitest";
import { chaos } from "../../test/lease/chaos.ts";
import { type Member, member } from "../../test/lease/member.ts";
import { type Process, world } from "../../test/lease/world.ts";

const [from = 1, count = 8] = (process.env["SEEDS"] ?? "").split(",").filter(Boolean).map(Number);
const keys = Array.from({ length: 12 }, (_, i) => `team-${i % 3}/object-${i}`);

describe.each(Array.from({ length: count }, (_, i) => from + i))("shards under trouble of seed %i", (seed) => {
  it("have one owner at most for each key at any moment, and one at the end", { timeout: 60_000 }, async () => {
    const w = await world(seed);
    const all: Member[] = [];
    const gone = new Set<Process>();
    let begun = 0;

    const check = () => {
      for (const one of all) if (!one.shards.allows()) for (const item of one.work) item.covered = false;
      for (const key of keys) {
        const owners = all.filter(({ shards }) => shards.owns(key));
        if (owners.length > 1) {
          expect.fail(`${owners.map(({ name }) => name).join(" and ")} on ${key} at ${w.clock.uptime()} ms`);
        }
      }
    };
    const workOn = (one: Member, key: string) => {
      const other = all.find(
        (it) => it !== one && [...it.work].some((item) => item.key === key && item.covered && it.shards.allows()),
      );
      if (!one.begin(key, w.random.next() ** 2 * 20_000)) return;
      begun += 1;
      if (other) expect.fail(`${one.name} took up ${key} while ${other.name} worked on it at ${w.clock.uptime()} ms`);
    };
    /** Each looks for work all the time. */
    const busy = (one: Member) => {
      const next = () => {
        const key = keys[Math.floor(w.random.next() * keys.length)];
        if (gone.has(one)) return;
        if (key !== undefined) workOn(one, key);
        one.clock.after(w.random.next() * 500, next);
      };
      next();
    };
    const identities = new Map<Process | undefined, string>();
    const troupe = {
      alive: () => all.filter((one) => !gone.has(one)),
      start(as?: Process) {
        // Names come back, as those of a StatefulSet do, and now and then too early.
        const identity = identities.get(as) ?? `id${Math.floor(w.random.next() * 5)}`;
        const one = member(w, `p${all.length}`, identity);
        identities.set(one, identity);
        all.push(one);
        busy(one);
      },
      kill(process: Process) {
        gone.add(process);
        process.kill();
      },
      release(process: Process) {
        gone.add(process);
        all.find((one) => one === process)?.shards.release();
      },
    };

    await chaos(w, troupe, 180_000, check);
    await w.settle(120_000, check);
    for (const key of keys) expect(all.filter(({ shards }) => shards.owns(key))).toHaveLength(1);
    expect(begun).toBeGreaterThan(50);
    for (const { stop } of all) stop.abort();
    await w.server.stop();
  });
});
