// `docs/simulate.md` says nothing that was not run.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { replay, simulate, story, testFile } from "../../src/index.ts";
import { invariants } from "../../src/invariants/index.ts";
import { perturbations } from "../../src/perturbations/index.ts";
import { backups } from "./backup.fixed.example.ts";
import { nightly } from "./backup.scenario.example.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const page = read("../../../../docs/simulate.md");
const blocks = (language: string) =>
  [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].filter(([, it]) => it === language).map(([, , code = ""]) => code);

/** A file as a reader would have it. */
const shown = (file: string) =>
  read(file).replaceAll(".example.ts", ".ts").replace('"./backup.ts"', '"../src/backup.ts"');

const plan = { seed: 1, faults: [{ p: "P25", write: 1, by: 40_000, side: "before", for: 0 }] };
const fixed = { ...nightly, operator: () => [backups] };

describe("the page", () => {
  it.each(["backup.example.ts", "backup.scenario.example.ts", "nightly.test.example.ts", "campaign.test.example.ts"])(
    "has %s as it is here",
    (file) => {
      expect(blocks("ts")).toContain(shown(file));
    },
  );

  it("has the operator without the bug as it is here", () => {
    const code = read("./backup.fixed.example.ts");
    expect(blocks("ts")).toContain(code.slice(code.indexOf("export const backups")));
  });

  it("shows what is found, line by line", async () => {
    const outcome = await replay(nightly, plan);
    const lines = story(outcome).split("\n");
    const claimed = blocks("").join("").trimEnd().split("\n");
    expect(claimed.length).toBeGreaterThan(10);
    expect(claimed.filter((line) => !lines.includes(line))).toEqual([]);
    const from = { from: "./backup.scenario.ts", scenario: "nightly" };
    expect(testFile(outcome, from)).toBe(shown("./nightly.test.example.ts"));
  });

  it("is right that a small campaign finds it", async () => {
    const { failure } = await simulate(nightly, { plans: 200 });
    expect(failure?.plan).toEqual(plan);
  }, 60_000);

  it("is right that it is gone then", async () => {
    expect((await replay(fixed, plan)).violations).toEqual([]);
    const { failure } = await simulate(fixed, { plans: 60 });
    expect(failure === undefined ? "" : story(failure)).toBe("");
  }, 120_000);

  it("names every perturbation and every invariant as the code does", () => {
    const rows = (letter: string) =>
      [...page.matchAll(new RegExp(`^\\| (${letter}\\d+) \\| (.*?) \\|`, "gm"))].map(([, id, what]) => ({ id, what }));
    const known = (list: readonly { readonly id: string; readonly what: string }[]) =>
      list.map(({ id, what }) => ({ id, what })).toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
    expect(rows("P")).toEqual(known(perturbations));
    expect(rows("I")).toEqual(known(invariants));
  });

  it("names fields of a scenario that there are", () => {
    const declared = read("../../src/scenario.ts");
    const table = page.split("## What a scenario can say")[1]?.split("\n\n")[1] ?? "";
    const named = table.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)]);
    expect(named.length).toBeGreaterThan(15);
    expect(named.map(([, name]) => name).filter((name) => !new RegExp(`\\b${name}\\??[:(]`).test(declared))).toEqual(
      [],
    );
  });
});
