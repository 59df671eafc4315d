import { type Clock, sleep } from "@telltale/clock";
import { expect, test, vi } from "vitest";
import { actsLike } from "../../test/broken.ts";
import { shopController, shopScenario } from "../../test/shop.ts";
import type { Backend, BackendFault, Scenario } from "../scenario.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Where shops have to be entered. */
class Register implements Backend {
  readonly #clock: Clock;
  readonly #names = new Set<string>();
  #fault: BackendFault | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async enter(name: string): Promise<void> {
    if (this.#fault === "slow") await sleep(this.#clock, 5000);
    if (this.#fault === "failing") throw new Error("nobody is there");
    this.#names.add(name);
  }

  get names(): readonly string[] {
    return this.#fault === "partial" || this.#fault === "lagging" ? [] : [...this.#names];
  }

  fail(how: BackendFault): void {
    this.#fault = how;
  }

  heal(): void {
    this.#fault = undefined;
  }
}

type Enter = (backend: Register, name: string) => Promise<void>;

const registered = (enter: Enter): Scenario<Register> => ({
  ...shopScenario(),
  backend: ({ clock }) => new Register(clock),
  operator({ backend }) {
    const sound = shopController();
    return [
      {
        ...sound,
        ...actsLike(sound, async (act, { shop: { metadata } }) => {
          await act();
          await enter(backend, metadata.name ?? "");
        }),
      },
    ];
  },
  end({ backend }) {
    if (!backend.names.includes("corner")) throw new Error("the shop is not in the register");
  },
});

const options = { only: ["P29"], plans: 24 };

test("what is outside may fail for a while, and a sound operator comes back to it", async () => {
  const { failure } = await simulate(
    registered((backend, name) => backend.enter(name)),
    options,
  );
  expect(failure?.violations).toBeUndefined();
});

test("what is outside shows who does not care for its errors (P29)", async () => {
  const careless = registered((backend, name) => backend.enter(name).catch(() => {}));
  const { failure } = await simulate({ ...careless, people: [] }, options);
  expect(failure?.plan.faults).toMatchObject([{ p: "P29", how: "failing" }]);
  expect(failure?.violations.map(({ invariant }) => invariant)).toContain("end");
});

test("it can be out of reach, begin anew and lose its answers, and is well again each time", async () => {
  const heard: string[] = [];
  class Listening extends Register {
    override fail(how: BackendFault): void {
      heard.push(how);
    }

    override heal(): void {
      heard.push("well");
    }
  }
  const scenario = {
    ...registered((backend, name) => backend.enter(name)),
    backend: ({ clock }: { readonly clock: Clock }) => new Listening(clock),
  };
  for (const [p, how] of [
    ["P36", "unreachable"],
    ["P37", "restarting"],
    ["P38", "losing"],
  ] as const) {
    heard.length = 0;
    const { failure, coverage } = await simulate(scenario, { only: [p], plans: 2 });
    expect(failure?.violations).toBeUndefined();
    expect(Object.keys(coverage)).toEqual([p]);
    expect(heard).toEqual([how, "well"]);
  }
});
