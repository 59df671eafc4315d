import { instant } from "@telltale/kinds";
import { expect, test } from "vitest";
import { inRounds, nextPass, type Rounded } from "./rounds.ts";

interface Count extends Rounded {
  readonly left: number;
}
const plan = ({ left }: Count) => (left > 0 ? left : undefined);
const take = async (_: number, { left }: Count): Promise<Count> => ({ left: left - 1 });

test("there are rounds as long as there is something to do", async () => {
  expect(await inRounds({ left: 5 }, plan, take)).toEqual({ left: 0 });
  expect(await inRounds({ left: 0 }, plan, take)).toEqual({ left: 0 });
});

test("who never ends is put off, and a failure ends it", async () => {
  expect(await inRounds({ left: 6 }, plan, take)).toEqual({ left: 1, isUnfinished: true });
  const fail = async (_: number, world: Count): Promise<Count> => ({ ...world, failure: "refused" });
  expect(await inRounds({ left: 3 }, plan, fail)).toEqual({ left: 3, failure: "refused" });
});

test("the next pass is at once for what is unfinished, after a while for a failure, else when something is due", () => {
  const [now, due] = [instant(1000), instant(5000)];
  expect(nextPass({ isUnfinished: true }, due, now)).toEqual({ wakeAt: now });
  expect(nextPass({ failure: "refused" }, undefined, now)).toEqual({ retry: true });
  expect(nextPass({}, due, now)).toEqual({ wakeAt: due });
  expect(nextPass({}, undefined, now)).toEqual({});
});
