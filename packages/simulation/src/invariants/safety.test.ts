import { type Clock, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { Service } from "@telltale/kinds/builtin";
import type { Controller } from "@telltale/runtime";
import { expect, test } from "vitest";
import { actsLike } from "../../test/broken.ts";
import { shopController, shopScenario } from "../../test/shop.ts";
import { verdict } from "../../test/verdict.ts";
import type { Around, Backend, Safety, Scenario } from "../scenario.ts";
import { replay, simulate } from "../simulate.ts";

/** A till that must never be open. */
class Till implements Backend {
  isOpen = false;
  readonly #clock: Clock;
  #changed = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  turn(isOpen: boolean): void {
    this.isOpen = isOpen;
    this.#changed();
  }

  async openFor(ms: Ms): Promise<void> {
    this.isOpen = true;
    await sleep(this.#clock, ms);
    this.isOpen = false;
  }

  listen(changed: () => void): void {
    this.#changed = changed;
  }
}

const shut: Safety<Till> = {
  name: "the till is shut",
  watch: (on) => () => (on.backend.isOpen ? `it is open at ${new Date(on.now()).toISOString()}` : undefined),
};

type Act = (till: Till) => unknown;

const doing =
  (act: Act) =>
  ({ backend }: Around<Till>): readonly Controller[] => {
    const sound = shopController();
    const both = actsLike(sound, async (soundly) => {
      await act(backend);
      await soundly();
    });
    return [{ ...sound, ...both }];
  };

const tended = (act: Act, more: Partial<Scenario<Till>> = {}): Scenario<Till> => ({
  ...shopScenario(),
  backend: ({ clock }) => new Till(clock),
  operator: doing(act),
  safety: [shut],
  ...more,
});

const opens: Act = (till) => {
  till.turn(true);
  till.turn(false);
};

test("I31 holds where nothing that is declared breaks", async () => {
  expect(await verdict(tended(() => {}))).toEqual([]);
});

test("I31 shows what was so between two changes outside, though everything ends well", async () => {
  expect(await verdict(tended(opens))).toEqual(["I31"]);
});

test("I31 shows what lasts while time passes, once in a run and with its name", async () => {
  const { violations } = await replay(
    tended((till) => till.openFor(1_000)),
    { seed: 1, faults: [] },
  );
  expect(violations).toEqual([{ invariant: "I31", what: "the till is shut: it is open at 2026-01-01T00:00:01.000Z" }]);
});

test("I31 looks at each change on the server", async () => {
  const none: Safety<Till> = {
    name: "no Service",
    watch: (on) => () => (on.look.list(Service).length > 0 ? "there is one" : undefined),
  };
  expect(await verdict(tended(() => {}, { safety: [none] }))).toEqual(["I31"]);
});

test("I31 is not asked in plans that take away what it is about", async () => {
  const fault = { p: "P29", write: 1, how: "slow" };
  const scenario = (safety: Safety<Till>) => tended(opens, { safety: [safety] });
  expect(await verdict(scenario({ ...shut, except: ["P36"] }), fault)).toEqual(["I31"]);
  expect(await verdict(scenario({ ...shut, except: ["P29"] }), fault)).toEqual([]);
});

test("whoever is down or has just begun could not know better yet", async () => {
  const longest: Ms[] = [];
  const knows: Safety<Till> = {
    name: "knows",
    watch: (on) => () => {
      longest.push(on.undisturbedFor());
      return undefined;
    },
  };
  const scenario = tended(() => {}, { safety: [knows], people: [] });
  await replay(scenario, { seed: 1, faults: [] });
  const without = Math.max(...longest.splice(0));
  await replay(scenario, { seed: 1, faults: [{ p: "P36", write: 1 }] });
  expect(without).toBeGreaterThan(0);
  expect(longest.filter((it, i) => i > 0 && it < (longest[i - 1] ?? 0))).not.toEqual([]);
});

test("a guard whose absence is noticed is reported with what broke", async () => {
  const guard = { name: "keeps it shut", without: doing(opens), breaks: shut.name };
  const { failure, guards } = await simulate(
    tended(() => {}, { guards: [guard] }),
    { plans: 2 },
  );
  expect(failure).toBeUndefined();
  expect(guards).toMatchObject([{ name: "keeps it shut", plans: 1, noticed: { violation: { invariant: "I31" } } }]);
});

test("a guard that can be taken away without notice fails the campaign, also where something else breaks", async () => {
  const useless = { name: "is good for nothing", without: doing(() => {}), breaks: shut.name };
  const other = { name: "is for another thing", without: doing(opens), breaks: "I3", only: ["P1"] };
  for (const guard of [useless, other]) {
    const { failure } = await simulate(
      tended(() => {}, { guards: [guard] }),
      { plans: 2 },
    );
    expect(failure?.violations.map(({ invariant }) => invariant)).toEqual(["guard"]);
    expect(failure?.violations[0]?.what).toContain(
      `without the guard "${guard.name}": nothing here breaks ${guard.breaks}`,
    );
  }
}, 60_000);
