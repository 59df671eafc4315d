import { ConfigMap } from "@telltale/kinds/builtin";
import { describe, expect, test, vi } from "vitest";
import { actsLike, brokenShop } from "../../test/broken.ts";
import { type Shop, shop, shopScenario } from "../../test/shop.ts";
import { replay, simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("a crowd", () => {
  test("does no harm to a sound operator, and is gone in the end", async () => {
    const plan = { seed: 1, faults: [{ p: "P32", at: 960, many: 120 }] };
    expect((await replay(shopScenario(), plan)).violations).toEqual([]);
  });

  test("shows who keeps what belongs to one object where all can reach it (P32)", async () => {
    const sharing = brokenShop((sound) => {
      let present: Shop | undefined;
      return actsLike(sound, async (act, { shop: it, hands }) => {
        present = it;
        await act();
        const name = `${it.metadata.name}-for-${present.metadata.name}`;
        await hands.ensure(ConfigMap, { metadata: { name }, data: { motto: present.spec.motto } });
      });
    });
    const { violations } = await replay(sharing, { seed: 1, faults: [{ p: "P32", at: 960, many: 20 }] });
    expect(violations.map(({ invariant }) => invariant)).toContain("I2");
    expect((await replay(sharing, { seed: 1, faults: [] })).violations).toEqual([]);
  });

  test("comes before each thing that people do, and small where chance calls it", async () => {
    const { coverage, failure } = await simulate(shopScenario(), { only: ["P32"], plans: 6 });
    expect(failure?.violations).toBeUndefined();
    expect(Object.keys(coverage)).toEqual(["P32"]);
  });

  test("is whoever the scenario says", async () => {
    const stalls = { ...shopScenario(), crowd: (i: number) => (i < 3 ? shop(`stall-${i}`) : undefined) };
    const { trace, violations } = await replay(stalls, { seed: 1, faults: [{ p: "P32", at: 2000, many: 10 }] });
    expect(violations).toEqual([]);
    expect(trace.text()).toContain("stall-2");
    expect(trace.text()).not.toContain("crowd-0");
  });
});
