import { expect, it } from "vitest";
import { onceEach, parseWarnings } from "./warnings.ts";

it.each([
  [`299 - "old version"`, ["old version"]],
  [`299 - "a, \\"b\\"", 299 - "c"`, [`a, "b"`, "c"]],
  [
    [`299 - "a"`, `299 k "b"`],
    ["a", "b"],
  ],
  [`199 - "not for us"`, []],
  [`299 - "dated" "Thu, 01 Jan 1970 00:00:12 GMT"`, ["dated"]],
  ["nonsense", []],
])("the warnings in %j are %j", (header, texts) => {
  expect(parseWarnings(header)).toEqual(texts);
});

it("passes each text on once, and forgets the oldest of very many", () => {
  const told: string[] = [];
  const warn = onceEach((text) => told.push(text));
  const say = (text: string) => warn({ warning: `299 - "${text}"` });
  say("a");
  say("a");
  warn({});
  expect(told).toEqual(["a"]);
  for (let i = 0; i < 1000; i += 1) say(`n${i}`);
  say("a");
  expect(told).toHaveLength(1002);
});
