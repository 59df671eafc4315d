import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { greeting } from "./readme.example.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

it("the README's example is the one that is checked here, and works", async () => {
  expect(read("../README.md")).toContain(read("./readme.example.ts"));
  const found = { status: 200, headers: {}, body: `{"data":{"text":"good morning"}}` };
  const missing = { status: 404, headers: {}, body: `{"kind":"Status","reason":"NotFound","code":404}` };
  expect(await greeting(async () => found)).toBe("good morning");
  expect(await greeting(async () => missing)).toBe("hello");
});
