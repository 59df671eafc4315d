import { type Instant, instant, parseTime } from "@telltale/kinds";
import { expect, test } from "vitest";
import { shopScenario } from "../../test/shop.ts";
import { shopLike } from "../../test/variants.ts";
import { verdict } from "../../test/verdict.ts";
import type { Scenario } from "../index.ts";

const limit = 300_000;
const madeAt = ({ metadata }: { readonly metadata?: { readonly creationTimestamp?: string } }): Instant =>
  parseTime(metadata?.creationTimestamp) ?? instant(0);

const deadlines: Scenario["deadlines"] = (object) =>
  (object as { status?: { phase?: string } }).status?.phase === "Closed"
    ? [{ what: "the opening", at: instant(madeAt(object) + limit) }]
    : [];

/** It opens five minutes after `since`. */
const opening = (since: "birth" | "start") =>
  shopLike(
    ({ clock }) => {
      const start = clock.now();
      return {
        status(sound, { shop, draft, now }) {
          const at = instant((since === "birth" ? madeAt(shop) : start) + limit);
          if (now >= at) return sound();
          draft.phase("Closed").condition("Ready", false, "Furnishing", "Something is missing").wake(at);
          return undefined;
        },
      };
    },
    { deadlines, quiet: 600_000 },
  );

/** A process that dies in the middle of the wait. */
const crash = { p: "P2", write: 6 };

test("I18 shows a deadline that is kept in memory", async () => {
  // Whoever starts anew waits anew: that also shows in the status.
  expect(await verdict(opening("start"), crash)).toEqual(["I18", "I20"]);
});

test("I18 has nothing against a deadline that starts with what is stored", async () => {
  expect(await verdict(opening("birth"))).toEqual([]);
  expect(await verdict(opening("birth"), crash)).toEqual([]);
  expect(await verdict({ ...shopScenario(), deadlines })).toEqual([]);
});
