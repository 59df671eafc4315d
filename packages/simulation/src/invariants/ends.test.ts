import { ConfigMap } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { shopScenario } from "../../test/shop.ts";
import { shopLike } from "../../test/variants.ts";
import { verdict } from "../../test/verdict.ts";
import type { Scenario } from "../scenario.ts";

test("a sound operator comes to rest, and to the same end", async () => {
  expect(await verdict(shopScenario())).toEqual([]);
  expect(await verdict(shopScenario(), { p: "P5", write: 5 })).toEqual([]);
});

describe("I1", () => {
  test("shows who writes again and again", async () => {
    const restless = shopLike(
      () => ({
        async act(sound, { hands }) {
          await sound();
          await hands.ensure(ConfigMap, { metadata: { name: "diary" }, data: { now: String(hands.now) } });
        },
        status(sound, { draft, now }) {
          sound();
          draft.wake((now + 60_000) as typeof now);
        },
      }),
      { patience: 600_000 },
    );
    expect(await verdict(restless)).toEqual(["I1"]);
  });

  test("shows who goes on for ever without a moment passing", async () => {
    const spinning: Scenario = {
      ...shopScenario(),
      backend({ clock }) {
        const spin = () => void clock.after(0, spin);
        spin();
        return {};
      },
    };
    expect(await verdict(spinning)).toContain("I1");
  });

  test("shows who has something to do whenever it starts", async () => {
    let starts = 0;
    const boastful = shopLike(() => {
      starts += 1;
      const data = { start: String(starts) };
      return {
        async act(sound, { hands }) {
          await sound();
          await hands.ensure(ConfigMap, { metadata: { name: "plaque" }, data });
        },
      };
    });
    expect(await verdict(boastful)).toEqual(["I1"]);
  });
});

test("I2 shows who ends elsewhere after a fault", async () => {
  // It notes down what it is about to do, and takes it for done ever after.
  const hasty = shopLike(() => ({
    async act(sound, { shop, hands }) {
      if (shop.metadata.annotations?.["done"] === shop.spec.motto) return;
      await hands.annotate({ done: shop.spec.motto });
      await sound();
    },
  }));
  expect(await verdict(hasty)).toEqual([]);
  expect(await verdict(hasty, { p: "P1", write: 6 })).toEqual(["I2"]);
});

test("rule 57: I20 shows a status that depends on what a process has lived through", async () => {
  const counting = shopLike(() => {
    let passes = 0;
    return {
      status(sound, { draft }) {
        passes += 1;
        sound();
        draft.set({ tills: passes });
      },
    };
  });
  expect(await verdict(counting)).toEqual(["I20"]);
});

test("I30 shows who never comes back from an error", async () => {
  const sulking = shopLike(() => ({
    async act(sound, { shop, hands }) {
      if (shop.spec.tills === 100) await hands.annotate({ offended: "yes" });
      if (shop.metadata.annotations?.["offended"] === undefined) await sound();
    },
    status(sound, { shop, draft }) {
      if (shop.metadata.annotations?.["offended"] === undefined && shop.spec.tills !== 100) sound();
      else draft.phase("Closed").condition("Ready", false, "Furnishing", "Something is missing");
    },
  }));
  const fault = { p: "P34", on: "/example.com/shops/default/corner", at: "/tills", as: "most" };
  expect(await verdict(sulking, fault)).toEqual(["I30"]);
  expect(await verdict(shopScenario(), fault)).toEqual([]);
});
