// The tool itself: a sound operator passes, and what is broken is found and made small.
import type { Client } from "@telltale/client";
import { ConfigMap } from "@telltale/kinds/builtin";
import { controller } from "@telltale/runtime";
import { expect, test } from "vitest";
import { budget, replay, simulate } from "../src/index.ts";
import { shrink } from "../src/shrink.ts";
import { nightly } from "./docs/backup.scenario.example.ts";
import { shopScenario } from "./shop.ts";
import { Dot, tiny } from "./tiny.ts";

test("a sound operator passes", async () => {
  const { failure, plans } = await simulate(shopScenario(), { plans: budget(100) });
  expect(failure?.violations).toBeUndefined();
  expect(plans).toBe(budget(100));
}, 1_800_000);

test("walks alone are tried where nothing else is asked for", async () => {
  const { tried, failure } = await simulate(tiny(), { plans: 6, walks: true });
  expect([failure, tried]).toEqual([undefined, { alone: 0, pairs: 0, triples: 0, walks: 5 }]);
});

test("a plan that breaks something becomes as small as it can be", async () => {
  const run = (plan: Parameters<typeof replay>[1]) => replay(nightly, plan);
  const slow = { p: "P25", write: 1, by: 40_000, side: "before", for: 0 };
  const large = await run({
    seed: 3,
    latency: "random",
    faults: [{ p: "P6", pass: 1, times: 1 }, slow, { p: "P14", has: "no bookmarks" }],
  });
  expect(large.violations.map(({ invariant }) => invariant)).toContain("I2");
  const small = await shrink(large, run);
  expect(small.plan).toEqual({ seed: 3, faults: [slow] });
  expect(small.violations.map(({ invariant }) => invariant)).toContain("I2");
}, 60_000);

test("a run that breaks something where nothing goes wrong ends the campaign at once", async () => {
  const { failure, plans } = await simulate({ ...nightly, end: () => Promise.reject(new Error("it is not the end")) });
  expect(plans).toBe(1);
  expect(failure?.violations).toEqual([{ invariant: "end", what: "it is not the end" }]);
}, 60_000);

test("who undoes at once what the operator does, again and again, does not stop time", async () => {
  const until = Date.UTC(2026, 0, 1) + 1_100;
  const thief = () =>
    controller(ConfigMap, "thief")
      .writes(ConfigMap, "delete")
      .events("none")
      .reconcile<ConfigMap>({
        observe: (map) => map,
        async act(_none, hands, map) {
          if (hands.now < until) await hands.remove(ConfigMap, map, "Background");
        },
        status: () => ({ status: undefined }),
      });
  const { violations } = await replay({ ...tiny(), others: () => [thief()] }, { seed: 1, faults: [] });
  expect(violations).toEqual([]);
}, 60_000);

test("what remembers the last run is found out before anything else", async () => {
  let count = 0;
  const act = (client: Client) =>
    client.patch(Dot, { namespace: "default", name: "dot" }, { merge: { spec: { size: ++count } } });
  const { failure } = await simulate({ ...tiny(), people: [{ at: 5000, what: "wants another size", act }] });
  expect(failure?.violations[0]?.invariant).toBe("determinism");
}, 60_000);
