// One seed, one run: again, in another order, in another process, in another place.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { simulate } from "../src/index.ts";
import { hashes, plans } from "./hashes.ts";
import { shopScenario } from "./shop.ts";

const program = fileURLToPath(new URL("./hashes.ts", import.meta.url));

/** What a fresh process sees. */
async function elsewhere(env: Readonly<Record<string, string>>): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env: { ...process.env, ...env } });
  return JSON.parse(stdout) as string[];
}

describe("the trace of a plan", () => {
  let first: string[];
  beforeAll(async () => {
    first = await hashes(plans);
  }, 60_000);

  it("is another one for each plan", () => {
    expect(new Set(first).size).toBe(plans.length);
  });

  it("is the same again, and after others than before", async () => {
    expect((await hashes(plans.toReversed())).toReversed()).toEqual(first);
  }, 60_000);

  it("is the same in a fresh process", async () => {
    expect(await elsewhere({})).toEqual(first);
  }, 60_000);

  it.each([
    { TZ: "Asia/Tokyo", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
    { TZ: "America/St_Johns", LANG: "C", LC_ALL: "C" },
  ])(
    "is the same where the clock says $TZ and the language is $LANG",
    async (env) => {
      expect(await elsewhere(env)).toEqual(first);
    },
    60_000,
  );
});

it("two campaigns of one seed try the same, and one of another seed does not", async () => {
  const of = async (seed: number) => {
    const { hash, coverage, plans: count } = await simulate(shopScenario(), { plans: 20, seed, only: ["P1", "P7"] });
    return { hash, coverage, count };
  };
  const [a, again, other] = [await of(1), await of(1), await of(2)];
  expect(again).toEqual(a);
  expect(other.hash).not.toBe(a.hash);
}, 60_000);
