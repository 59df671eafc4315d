import { budget, simulate, story } from "@telltale/simulation";
import { expect, test } from "vitest";
import { nightly } from "./backup.scenario.example.ts";

test("whatever goes wrong, a backup is made once", async () => {
  const { failure } = await simulate(nightly, { plans: budget(200) });
  expect(failure === undefined ? "" : story(failure)).toBe("");
}, 600_000);
