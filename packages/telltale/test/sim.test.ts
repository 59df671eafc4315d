import { expect, test } from "vitest";
import { told } from "./told.ts";

test("an operator is tried by a seed, and the same seed goes the same way", async () => {
  const argv = ["sim", "--operator", "locust", "--scenario", "deleted", "--seeds", "1", "--json"];
  const { out, code } = await told(argv);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ scenario: "deleted", seed: 1, plans: 1 });
});

test("scenarios that are exported in a list are tried too, each by its own name", async () => {
  const argv = ["sim", "--operator", "bindy", "--scenario", "bindcar-lossy", "--seeds", "1", "--json"];
  const { out, code } = await told(argv);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ scenario: "bindcar-lossy", plans: 1 });
});

test("a scenario or a file that is not there is named", async () => {
  expect((await told(["sim", "--operator", "locust", "--scenario", "none"])).err).toContain(
    "choose from deleted, failing",
  );
  expect((await told(["sim", "/nowhere.ts"])).err).toContain("/nowhere.ts cannot be loaded");
  expect((await told(["sim", "--plan", "{"])).err).toContain("--plan is no JSON");
});
