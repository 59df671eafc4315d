import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { serving } from "./readme.example.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

it("the README's example is the one that is checked here, and works", () => {
  expect(read("../README.md")).toContain(read("./readme.example.ts"));
  expect(serving()).toEqual({ known: true, days: 90 });
});
