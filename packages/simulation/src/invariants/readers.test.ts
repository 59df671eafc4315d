import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { shopScenario } from "../../test/shop.ts";
import { deed, shopLike } from "../../test/variants.ts";
import { miswritten, verdict } from "../../test/verdict.ts";

test("I27 shows who goes on working after it has said that all is done", async () => {
  const late = shopLike(() => ({
    after: ({ hands }) => hands.ensure(ConfigMap, { metadata: { name: "flowers" }, data: {} }, { mode: "createOnly" }),
  }));
  expect(await verdict(late)).toEqual(["I27"]);
});

test("I27 shows an object that counts as current although nobody says of which generation", async () => {
  const scenario = { ...shopScenario(), people: [deed(5000, { tills: 2 })] };
  const silent = (status: string, write: number) =>
    write === 1 && status.includes("/status/observedGeneration")
      ? JSON.stringify({ op: "remove", path: "/status/observedGeneration" })
      : status;
  expect(await miswritten(scenario, silent)).toEqual(["I27"]);
  expect(await verdict(scenario)).toEqual([]);
});

test("I28 shows a status that the server does not take", async () => {
  const wrong = (status: string) => status.replace('"value":"Open"', '"value":"Sold"');
  expect(await miswritten(shopScenario(), wrong)).toContain("I28");
});

test("I28 shows a status that is larger than its kind says", async () => {
  const people = [deed(5000, { tills: 2 }), deed(8000, { tills: 3 })];
  const long = (status: string, write: number) =>
    write === 2 ? status.replace(/"message":"[^"]*"/, `"message":"${"x".repeat(33_000)}"`) : status;
  expect(await miswritten({ ...shopScenario(), people }, long)).toContain("I28");
});
