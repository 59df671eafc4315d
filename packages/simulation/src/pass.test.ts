import { expect, test } from "vitest";
import { shop, shopScenario } from "../test/shop.ts";
import { closing } from "../test/variants.ts";
import type { Invariant } from "./invariant.ts";
import type { Scenario } from "./scenario.ts";
import { World } from "./world.ts";

/** Lives through a scenario with this watcher only. */
async function watched(scenario: Scenario, watch: Invariant["watch"]): Promise<void> {
  const invariants = [{ id: "I0", what: "watches", watch }];
  const world = await World.begin({ scenario, plan: { seed: 1, faults: [], latency: "random" }, invariants });
  await world.run();
  await world.close();
}

test("each write is known to be of the pass that sent it, however many run at once", async () => {
  const names = ["a", "b", "c", "d"];
  const pairs: string[] = [];
  const overlaps = new Set<number>();
  let running = 0;
  await watched({ ...shopScenario(), apply: names.map((name) => shop(name)), people: [] }, () => ({
    pass: () => void overlaps.add(++running),
    passed() {
      running -= 1;
    },
    sent({ write, pass, target }) {
      if (write !== undefined) pairs.push(`${pass?.object.metadata?.name} ${target.name}`);
    },
  }));
  expect(overlaps.has(4)).toBe(true);
  expect(pairs.toSorted()).toEqual(names.flatMap((name) => Array.from({ length: 4 }, () => `${name} ${name}`)));
});

test("a pass knows how it ended, and what its cleaning up came to", async () => {
  const ends: string[] = [];
  await watched({ ...shopScenario(), people: [closing(5000)] }, () => ({
    passed: ({ gate, finalized, result }) => void ends.push(`${gate} ${finalized ?? "-"} ${result}`),
  }));
  expect([ends.at(0), ends.at(-1)]).toEqual(["go - success", "go done success"]);
});

test("what is sent for no pass knows of none", async () => {
  const reads = new Set<boolean>();
  await watched(shopScenario(), () => ({
    sent({ target, pass }) {
      if (target.isWatch) reads.add(pass === undefined);
    },
  }));
  expect([...reads]).toEqual([true]);
});
