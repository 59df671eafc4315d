import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LocustTest } from "../src/index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README has every phase, condition and reason", () => {
  const words = [
    ...(LocustTest.phases?.names ?? []),
    ...Object.entries(LocustTest.conditions.types).flatMap(([type, { reasons }]) => [type, ...Object.keys(reasons)]),
  ];
  expect(words.filter((word) => !readme.includes(`\`${word}\``))).toEqual([]);
});
