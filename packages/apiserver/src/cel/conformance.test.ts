// Every function of the libraries: expressions that are true, those that fail, and those that do not compile. Checked against v1.36.
import { beforeAll, describe, expect, test } from "vitest";
import table from "./conformance.json" with { type: "json" };
import { compile, isCompiled, loadCel } from "./engine.ts";

beforeAll(loadCel);

const env = { variables: new Map() };

describe("is true", () => {
  for (const [group, expressions] of Object.entries(table.true))
    test.each(expressions)(`${group}: %s`, (source) => {
      const made = compile(source, env);
      if (!isCompiled(made)) throw new Error(made.errors);
      const result = made.evaluate({});
      expect("ok" in result ? result.ok : result.error).toBe(true);
    });
});

describe("fails with", () => {
  test.each(Object.entries(table.error))("%s: %s", (source, text) => {
    const made = compile(source, env);
    if (!isCompiled(made)) throw new Error(made.errors);
    const result = made.evaluate({});
    expect("error" in result ? result.error : result.ok).toBe(text);
  });
});

describe("does not compile", () => {
  test.each(Object.entries(table.refused))("%s: %s", (source, text) => {
    const made = compile(source, env);
    if (isCompiled(made)) throw new Error("compiled");
    expect(made.errors.replace(/\n \|.*/g, "").replace(/^compilation failed: /, "")).toBe(text);
  });
});
