import { expect, test } from "vitest";
import { shopScenario } from "../../test/shop.ts";
import { deed } from "../../test/variants.ts";
import { disturbed, verdict } from "../../test/verdict.ts";

const scenario = { ...shopScenario(), people: [deed(5000, { tills: 2 })] };

test("I29 shows a transition that is told otherwise than it was written", async () => {
  let count = 0;
  const altered = await disturbed(scenario, ({ network }) => ({
    request({ target }) {
      if (target.subresource !== "status" || count++ > 0) return undefined;
      return {
        do: "elsewhere",
        server: (request) => network.server({ ...request, body: String(request.body).replace('"Open"', '"Closed"') }),
      };
    },
  }));
  expect(altered).toEqual(["I29"]);
});

test("I29 has nothing against a transition that is told once", async () => {
  expect(await verdict(scenario)).toEqual([]);
  expect(await verdict(scenario, { p: "P1", write: 4 })).toEqual([]);
  expect(await verdict(scenario, { p: "P4", write: 4, hears: 500 })).toEqual([]);
});
