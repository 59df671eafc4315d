import { type Instant, instant } from "@telltale/kinds";
import { expect, test, vi } from "vitest";
import { actsLike, brokenShop } from "../../test/broken.ts";
import { shopScenario } from "../../test/shop.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

const options = { only: ["P24"], plans: 20 };

test("a clock that jumps or stands still is no trouble for a sound operator", async () => {
  const { failure } = await simulate(shopScenario(), options);
  expect(failure?.violations).toBeUndefined();
});

test("a clock that jumps shows who measures time by the time of day (P24)", async () => {
  const spaced = brokenShop((sound) => {
    let last: Instant = instant(0);
    return actsLike(sound, async (act, { hands }) => {
      if (hands.now - last < 1000) return; // it was just done
      await act();
      last = hands.now;
    });
  });
  const { failure } = await simulate(spaced, options);
  expect(failure?.plan.faults).toMatchObject([{ p: "P24" }]);
  expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I2");
});
