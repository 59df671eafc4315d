import { defineKind, Fields, type KubeObject, Text } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { type Controller, done, waiting } from "@telltale/runtime";
import { describe, expect, test, vi } from "vitest";
import { actsLike, brokenShop } from "../../test/broken.ts";
import { Shop, shop, shopScenario } from "../../test/shop.ts";
import { shopLike } from "../../test/variants.ts";
import { runPlan } from "../run.ts";
import type { Scenario } from "../scenario.ts";
import { replay, simulate } from "../simulate.ts";
import { lifecycle } from "./lifecycle.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Does its work once for each name, as long as it lives. */
const once = brokenShop((sound) => {
  const known = new Map<string, string>();
  return actsLike(sound, async (act, { shop }) => {
    const { name = "" } = shop.metadata;
    if (known.get(name) === shop.spec.motto) return;
    await act();
    known.set(name, shop.spec.motto);
  });
});

const ending = (run: NonNullable<Controller["finalizer"]>["run"]) =>
  brokenShop(({ finalizer }) => ({ finalizer: { ...finalizer, run } }));

describe("what an object lives by", () => {
  test("can go away, and a sound operator is well", async () => {
    const { failure } = await simulate(shopScenario(), { only: ["P26", "P27", "P28"], plans: 24 });
    expect(failure?.violations).toBeUndefined();
  });

  test("shows who takes another object for the last of its name, when its definition comes back (P26)", async () => {
    const { failure } = await simulate(once, { only: ["P26"], plans: 10 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P26", how: "recreated" }]);
  });

  test("may be what was there before the operator: it is made again as it was, and compared (P26)", async () => {
    const Sign = defineKind({ group: "example.com", version: "v1", kind: "Sign", spec: Fields({ says: Text() }) });
    const metadata = { name: "old", namespace: "default", annotations: { by: "people" } };
    const sign = { apiVersion: Sign.apiVersion, kind: Sign.kind, metadata, spec: { says: "open" } };
    const scenario = { ...shopScenario(), kinds: [Shop, Sign], given: [sign] };
    const back = { p: "P26", write: 0, kind: "Sign", how: "recreated" };
    const { violations } = await replay(scenario, { seed: 1, faults: [back] });
    expect(violations.filter(({ invariant }) => invariant === "I2")).toEqual([]);
  });

  test.each([
    { p: "P26", write: 0, kind: "Shop", how: "recreated" },
    { p: "P28", write: 8, on: "/example.com/shops/default/second", policy: "Background", then: "again" },
  ])("what the operator made is left to it, and to nobody else, to be made again ($p)", async (fault) => {
    const makes = shopLike(() => ({
      async act(sound, { shop: { metadata }, hands }) {
        await sound();
        if (metadata.name === "corner") await hands.ensure(Shop, shop("second"), { owner: "none" });
      },
    }));
    const writes: Controller["writes"] = [{ kind: Shop, select: {}, verbs: ["create", "patch"] }];
    const allowed: Scenario = {
      ...makes,
      operator: (around) => makes.operator(around).map((it) => ({ ...it, writes })),
    };
    const { seen } = await replay(allowed, { seed: 1, faults: [fault] });
    const made = seen.changes.filter(({ key, type }) => key.endsWith("/shops/default/second") && type === "ADDED");
    expect(made.length).toBeGreaterThan(1);
    expect(made.every(({ author }) => author !== undefined)).toBe(true);
  });

  test("the namespace of the operator itself stays (P27)", async () => {
    const given = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } } as KubeObject];
    const plansOf = async (scenario: Scenario) => {
      const { seen } = await runPlan(scenario, { seed: 1, faults: [] });
      return [...(lifecycle.find(({ id }) => id === "P27")?.plans(seen) ?? [])];
    };
    expect(await plansOf(shopScenario())).not.toEqual([]);
    expect(await plansOf({ ...shopScenario(), given })).toEqual([]);
  });

  test("shows who has to make something in a namespace before it can go (P27)", async () => {
    const polite = ending(async ({ metadata }, hands) => {
      await hands.create(ConfigMap, {
        metadata: { generateName: `${(metadata as KubeObject["metadata"])?.name}-bye-` },
      });
      return done;
    });
    const { failure } = await simulate(polite, { only: ["P27"], plans: 10 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P27" }]);
    expect(failure?.violations.some(({ what }) => what.includes("deletionTimestamp"))).toBe(true);
  });

  test("shows who waits for children that went first (P28)", async () => {
    const stubborn = ending(async (_shop, hands) => {
      const maps = hands.children(ConfigMap);
      for (const map of maps) await hands.remove(ConfigMap, map, "Background");
      return maps.length === 0 ? waiting() : done;
    });
    const { failure } = await simulate(stubborn, { only: ["P28"], plans: 20 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P28", policy: "Foreground" }]);
  });

  test("shows who takes an owner for the last of its name (P28)", async () => {
    const { failure } = await simulate(once, { only: ["P28"], plans: 24 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P28", then: "again" }]);
  });
});
