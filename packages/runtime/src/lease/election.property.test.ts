// Whatever happens: no two candidates may write at one moment, epochs only grow, and in the end there is one leader.
// SEEDS=from,count tries others than the few of every day.
import { describe, expect, it } from "vitest";
import { chaos } from "../../test/lease/chaos.ts";
import { namespace, type Process, world } from "../../test/lease/world.ts";
import { type Election, elect } from "./election.ts";

const [from = 1, count = 12] = (process.env["SEEDS"] ?? "").split(",").filter(Boolean).map(Number);

describe.each(Array.from({ length: count }, (_, i) => from + i))("elections under trouble of seed %i", (seed) => {
  it("have one leader at most at any moment, and one at the end", { timeout: 60_000 }, async () => {
    const w = await world(seed);
    const all: { process: Process; election: Election; alive: boolean; stop: AbortController }[] = [];
    const epochs: number[] = [];
    let terms = 0;
    const end = (process: Process) => {
      const it = all.find((one) => one.process === process);
      if (it !== undefined) it.alive = false;
      return it;
    };
    const identities = new Map<Process | undefined, string>();
    const troupe = {
      alive: () => all.filter(({ alive }) => alive).map(({ process }) => process),
      start(as?: Process) {
        // Names come back, as those of a StatefulSet do, and now and then too early.
        const identity = identities.get(as) ?? `id${Math.floor(w.random.next() * 5)}`;
        const process = w.process(`p${all.length}`);
        const election = elect({
          ...process,
          namespace,
          name: "operator",
          identity,
        });
        identities.set(process, identity);
        election.onChange((change) => {
          if (change.held) terms += 1;
          if (change.held) epochs.push(change.epoch);
        });
        const stop = new AbortController();
        election.start(stop.signal);
        all.push({ process, election, alive: true, stop });
      },
      kill: (process: Process) => {
        end(process);
        process.kill();
      },
      release: (process: Process) => {
        end(process)?.election.release();
      },
    };
    const check = () => {
      const leaders = all.filter(({ election }) => election.allows());
      if (leaders.length > 1) {
        expect.fail(`${leaders.map(({ process }) => process.name).join(" and ")} at ${w.clock.uptime()} ms`);
      }
    };
    await chaos(w, troupe, 300_000, check);
    await w.settle(60_000, check);
    expect(all.filter(({ election }) => election.held())).toHaveLength(1);
    expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
    expect(terms).toBeGreaterThan(3);
    for (const { stop } of all) stop.abort();
    await w.server.stop();
  });
});
