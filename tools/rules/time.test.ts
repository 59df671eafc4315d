// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the sources under test have templates.
import { describe, expect, test } from "vitest";
import { time } from "./time.ts";

const found = (text: string, path = "packages/client/src/a.ts") => time([{ path, text }]);

describe("what reads time or chance is found", () => {
  test.each([
    "const a = Date.now();",
    "const a = Date.now;",
    "const a = new Date();",
    "const a = new Date( );",
    "const a = new Date;",
    "const a = Date();",
    "const a = performance.now();",
    "const a = Math.random();",
    "setTimeout(f, 1);",
    "globalThis.setTimeout(f, 1);",
    "const wait = setTimeout;",
    "setInterval(f, 1);",
    "setImmediate(f);",
    "process.hrtime.bigint();",
    "crypto.randomUUID();",
    "randomBytes(8);",
    "crypto.getRandomValues(a);",
    "AbortSignal.timeout(1);",
    "const a = `${Date.now()}`;",
    `import { setTimeout as sleep } from "node:timers/promises";`,
    `import timers from "timers";`,
  ])("%s", (text) => {
    expect(found(text)).not.toEqual([]);
  });
});

describe("what does not is not", () => {
  test.each([
    "const a = new Date(at);",
    "const a = new Date(\n  at,\n);",
    "const a = Date.parse(text);",
    "const a: Date = b;",
    "// Date.now() is read in one file",
    `const a = "Math.random()";`,
    "clock.setTimeout(f, 1);",
    "const myDate = newDate();",
    "toDate(a);",
    `import { createHash } from "node:crypto";`,
  ])("%s", (text) => {
    expect(found(text)).toEqual([]);
  });
});

test("the clock file, tools and measurements may", () => {
  const text = "setTimeout(f, Date.now());";
  expect(found(text, "packages/clock/src/system.ts")).toEqual([]);
  expect(found(text, "tools/build.ts")).toEqual([]);
  expect(found(text, "bench/src/main.ts")).toEqual([]);
  expect(found(text, "packages/client/src/clock.ts")).toHaveLength(2);
});

test("tests may not sleep", () => {
  expect(found("\nsetTimeout(f, 1);", "packages/kinds/src/a.test.ts")).toEqual([
    {
      file: "packages/kinds/src/a.test.ts",
      line: 2,
      rule: "time",
      message: "setTimeout reads time or chance outside packages/clock/src/system.ts; let the clock wake you",
    },
  ]);
});

describe("packages of pure functions do no I/O", () => {
  const io = `import { readFileSync } from "node:fs";`;
  test("in their sources", () => {
    expect(found(io, "packages/status/src/a.ts")).toMatchObject([{ line: 1, rule: "time" }]);
    expect(found(`import { hash } from "node:crypto";`, "packages/kinds/src/a.ts")).toEqual([]);
  });
  test("their tests and the other packages may", () => {
    expect(found(io, "packages/status/src/a.test.ts")).toEqual([]);
    expect(found(io, "packages/client/src/a.ts")).toEqual([]);
  });
});
