import { describe, expect, test } from "vitest";
import { messages } from "./messages.ts";

const found = (text: string, path = "operators/bindy/src/a.ts") => messages([{ path, text }]);

describe("what looks into a message is found", () => {
  test.each([
    ["directly", "const [, name] = /^Pod (x) /.exec(condition.message) ?? [];"],
    ["by a method", 'if (condition.message.startsWith("Pod")) f();'],
    ["where it may be missing", 'if (condition?.message?.includes("gone")) f();'],
    ["with a default", 'const [one] = (condition.message ?? "").split(" ");'],
    ["trimmed first", "const [one] = message.trim().split(a);"],
    ["under another name", 'const said = found.message;\nif (said.startsWith("a")) f();'],
    ["under a third name", "const said = found.message;\nconst text = said;\nreturn text.slice(3);"],
    ["of one of two", "const said = e instanceof Error ? e.message : e;\nreturn said.slice(3);"],
    ["destructured", "const { message: said = a } = condition;\nreturn pattern.test(said);"],
    ["in a parameter of its own name", "function nameIn(message: string) { return pattern.exec(message); }"],
    ["in a parameter of another name", "nameIn(c.message);\nfunction nameIn(said: string) { return said.split(a); }"],
    ["in the second parameter", "const nameIn = (a: X, said: string) => said.match(a);\nnameIn(x, c.message ?? y);"],
    ["compared with a text", 'if (condition.message === "Waiting") f();'],
    ["compared with another text", 'const isNew = (c?.message ?? "") !== "Waiting";'],
    ["compared from the other side", 'if ("Waiting" === condition?.message) f();'],
    ["compared with a text that is put together", "if (c.message === text`Pod is gone`) f();"],
    ["compared with a constant", 'const waiting = "Waiting";\nif (c.message === waiting) f();'],
    ["compared under another name", 'const { message: said } = c;\nreturn said === "Waiting";'],
    [
      "compared in a parameter",
      'isWaiting(c.message);\nfunction isWaiting(said: string) { return said !== "Waiting"; }',
    ],
    ["by its cases", 'switch (condition.message) { case "Waiting": f(); }'],
    ["by its cases, with a default", 'switch (found?.message ?? "") { default: f(); }'],
    ["in a set", "if (known.has(condition.message)) f();"],
    ["over several lines", "return c.message\n  .split(a);"],
  ])("%s", (_, text) => {
    expect(found(text)).toEqual([expect.objectContaining({ rule: "messages" })]);
  });
});

describe("what does not is not", () => {
  test.each([
    "const said = { message: text.slice(3) };",
    "if (condition.message === undefined) f();",
    'if ((condition.message ?? "") === "") f();',
    "const isOther = before.message !== after.message;",
    'const isWaiting = c.reason === "Waiting" && c.message !== said;',
    'switch (c.reason) { case "Waiting": return { message }; }',
    'f({ message: c.type === "Ready" ? a : b });',
    'const a = c.message;\nreturn c.status === "True" ? a : "";',
    "const { message } = condition;\nreturn { reason, message };",
    'if (reason.startsWith("Pod")) f();',
    "// condition.message.split(a)",
    "say(name.split(a)[0], condition.message);",
    "const name = names.slice(1);\nf({ message, name });",
  ])("%s", (text) => {
    expect(found(text)).toEqual([]);
  });
});

test("tests, tools and other packages may", () => {
  const text = "c.message.split(a);";
  for (const path of [
    "operators/bindy/src/a.test.ts",
    "operators/bindy/test/a.ts",
    "tools/a.ts",
    "packages/client/src/a.ts",
  ]) {
    expect(found(text, path)).toEqual([]);
  }
});

test("a file of the table may, until it no longer does", () => {
  const path = "packages/runtime/src/failure.ts";
  expect(found("c.message.split(a);", path)).toEqual([]);
  expect(found("f();", path)).toEqual([expect.objectContaining({ message: expect.stringContaining("table") })]);
});
