import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { told } from "./told.ts";

const inSimulation = (path: string): string => fileURLToPath(new URL(`../../simulation/${path}`, import.meta.url));
const file = inSimulation("test/docs/backup.scenario.example.ts");

test("what is found in a file is printed, with a test of it, and it fails", async () => {
  const { code, out } = await told(["sim", file, "--seeds", "10", "--only", "P25"]);
  expect(code).toBe(1);
  expect(out).toMatch(/^nightly: 2 plans, \d+ per second; seed 1/);
  expect(out).toContain('import { nightly } from "./backup.scenario.example.ts";');
});

test("the same is told as JSON", async () => {
  const { out } = await told(["sim", file, "--json", "--seed", "4", "--only", "P25"]);
  expect(JSON.parse(out)).toMatchObject({ seed: 4, failure: { plan: { seed: 4, faults: [{ p: "P25" }] } } });
});

test("it ends well where everything holds, and tells how far it is", async () => {
  const { code, out, err } = await told(["sim", file, "--seeds", "60", "--only", "P5"]);
  expect(code).toBe(0);
  expect(out).toContain("Every invariant held.");
  expect(err).toMatch(/^nightly: 50 of 60 plans, \d+ per second$/m);
});

test("one plan is shown from its beginning to its end", async () => {
  const { code, out } = await told(["sim", file, "--plan", '{"seed":1,"faults":[{"p":"P1","write":1}]}']);
  expect(code).toBe(0);
  expect(out).toContain("operator-1  crashes");
  expect(out).toContain("operator-2  starts");
});

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
  expect((await told(["sim", inSimulation("test/shop.ts")])).err).toContain("no scenario is exported by");
  expect((await told(["sim", "--plan", "{"])).err).toContain("--plan is no JSON");
});
