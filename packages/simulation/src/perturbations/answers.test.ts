import { ApiError, isConflict } from "@telltale/client";
import type { Draft } from "@telltale/status";
import { describe, expect, test, vi } from "vitest";
import { actsLike, brokenShop, type Seen } from "../../test/broken.ts";
import { type Shop, shop, shopScenario } from "../../test/shop.ts";
import type { Scenario } from "../scenario.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Whatever is refused so is taken for done. */
const shruggingAt = (isNothing: (error: unknown) => boolean): Scenario =>
  brokenShop((sound) =>
    actsLike(sound, async (act) => {
      try {
        await act();
      } catch (error) {
        if (!isNothing(error)) throw error;
      }
    }),
  );

describe("what servers answer", () => {
  test.each(["P15", "P16", "P17", "P18", "P25"])("does no harm to a sound operator (%s)", async (p) => {
    const { failure } = await simulate(shopScenario(), { only: [p], plans: 25 });
    expect(failure?.violations).toBeUndefined();
  });

  test("shows who gives up when the server is busy (P15)", async () => {
    const { failure } = await simulate(
      shruggingAt((error) => error instanceof ApiError && error.code === 429),
      { only: ["P15"], plans: 15 },
    );
    expect(failure?.plan.faults).toMatchObject([{ p: "P15" }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I2");
  });

  test("shows who takes a conflict for somebody else's work (P16)", async () => {
    const { failure } = await simulate(shruggingAt(isConflict), { only: ["P16"], plans: 15 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P16" }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I2");
  });

  test("shows who comes back in hours when a status is refused (P17)", async () => {
    const hour = 3_600_000;
    const offended = brokenShop(() => ({ backoff: { first: hour, longest: hour, jitter: 0 } }));
    const { failure } = await simulate(offended, { only: ["P17"], plans: 15 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P17" }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I2");
  });

  test("shows who stops for good when an object has vanished (P18)", async () => {
    const brittle = brokenShop((sound) => {
      let isOver = false;
      const noted = async ({ shop: it, hands }: Seen) => {
        if (it.status?.phase !== undefined) return;
        const closed = (draft: Draft<typeof Shop>) =>
          void draft.phase("Closed").condition("Ready", false, "Furnishing", "Something is missing");
        await hands.checkpoint("closed", closed as never).catch((error: unknown) => {
          isOver = true;
          throw error;
        });
      };
      return {
        checkpoints: ["closed"],
        ...actsLike(sound, async (act, seen) => {
          if (isOver) throw new Error("nothing works any more");
          await noted(seen);
          await act();
        }),
      };
    });
    const apply: readonly Shop[] = [shop("corner"), shop("market")];
    const { failure } = await simulate({ ...brittle, apply }, { only: ["P18"], plans: 15 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P18" }]);
    expect(failure?.violations.some(({ what }) => what.includes("market"))).toBe(true);
    const sound = await simulate({ ...shopScenario(), apply }, { only: ["P18"], plans: 15 });
    expect(sound.failure?.violations).toBeUndefined();
  });

  test("shows who locks a door and leaves it locked when it takes too long (P25)", async () => {
    const locking = brokenShop((sound) => {
      const locked = new Set<string>();
      return actsLike(sound, async (act, { shop: it }) => {
        const { uid = "" } = it.metadata;
        if (locked.has(uid)) return;
        locked.add(uid);
        await act();
        locked.delete(uid);
      });
    });
    const { failure } = await simulate(locking, { only: ["P25"], plans: 15 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P25" }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I2");
  });
});
