import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { first } from "./readme.example.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

it("the README's example is the one that is checked here, and works", async () => {
  expect(read("../README.md")).toContain(read("./readme.example.ts"));
  expect(await first()).toBe("201 hello");
});
