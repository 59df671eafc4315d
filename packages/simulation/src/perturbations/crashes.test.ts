import { ConfigMap } from "@telltale/kinds/builtin";
import { describe, expect, test, vi } from "vitest";
import { brokenShop, ownClient, refOf } from "../../test/broken.ts";
import { type Shop, shopScenario } from "../../test/shop.ts";
import { closing } from "../../test/variants.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

const people = [closing(5_000)];

describe("a crash at the end of an object", () => {
  test("does no harm to a sound operator", async () => {
    const { failure, coverage } = await simulate({ ...shopScenario(), people }, { only: ["P3"], plans: 10 });
    expect(failure?.violations).toBeUndefined();
    expect(Object.keys(coverage)).toEqual(["P3"]);
  });

  test("shows who cannot clean up what is clean (P3)", async () => {
    const strict = brokenShop(({ finalizer }) => ({
      ...(finalizer === undefined
        ? {}
        : {
            finalizer: {
              ...finalizer,
              run(shop, hands, draft) {
                if (hands.children(ConfigMap).length === 0) throw new Error("there is nothing to clean up");
                return finalizer.run(shop, hands, draft);
              },
            },
          }),
    }));
    const { failure } = await simulate({ ...strict, people }, { only: ["P3"], plans: 10 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P3", when: "before" }]);
    expect(failure?.violations.some(({ what }) => what.includes("is there, and should not be"))).toBe(true);
  });

  test("shows who cleans up when nothing holds the object any more (P3)", async () => {
    const late = brokenShop((_sound, around) => ({
      onGone: [
        (shop) =>
          void ownClient(around).delete(
            ConfigMap,
            { ...refOf(shop as Shop), name: "ledger" },
            { propagation: "Background" },
          ),
      ],
    }));
    const ledger = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "ledger", namespace: "default" } };
    const scenario = { ...late, people, apply: [ledger, ...late.apply] };
    const { failure } = await simulate(scenario, { only: ["P3"], plans: 10 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P3", when: "after" }]);
    expect(failure?.violations.some(({ what }) => what.includes("ledger is there, and should not be"))).toBe(true);
  });
});
