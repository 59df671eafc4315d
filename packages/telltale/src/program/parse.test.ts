import { describe, expect, test } from "vitest";
import type { Command } from "./command.ts";
import { nearest, parse } from "./parse.ts";

const command: Command = {
  name: "tree",
  summary: "Shows",
  words: "[KIND NAME]",
  most: 2,
  options: { watch: { short: "w", means: "live" }, namespace: { short: "n", value: "NAME", means: "there" } },
  load: async () => async () => 0,
};
const settable: Command = { ...command, name: "run", takesSettings: true };
const said = (...argv: string[]) => parse(argv, [command, settable], ["capt", "locust"]);
const problem = (...argv: string[]) => {
  const it = said(...argv);
  if (it.as !== "problem") throw new Error(`there is no problem: ${it.as}`);
  return { message: it.problem.message, fix: it.problem.fix, code: it.problem.code };
};

describe("a command line", () => {
  test("has words, flags and values, in any order", () => {
    expect(said("tree", "-w", "pod", "--namespace=a", "b")).toMatchObject({
      as: "call",
      words: ["pod", "b"],
      flags: new Set(["watch"]),
      values: { namespace: "a" },
    });
  });

  test("asks for help in every usual way", () => {
    for (const argv of [[], ["help"], ["--help"], ["-h"]]) expect(said(...argv)).toEqual({ as: "help" });
    for (const argv of [
      ["help", "tree"],
      ["tree", "--help"],
      ["tree", "pod", "-h"],
    ]) {
      expect(said(...argv)).toMatchObject({ as: "help", of: { name: "tree" } });
    }
    expect(said("--version")).toEqual({ as: "version" });
  });

  test("takes settings of operators, with = or without", () => {
    const it = said("run", "--capt.secret-timeout=5m", "--locust.job-ttl", "60");
    expect(it).toMatchObject({ settings: { capt: { "secret-timeout": "5m" }, locust: { "job-ttl": "60" } } });
  });
});

describe("what cannot be meant is said, with the way out", () => {
  test("a command that is not there", () => {
    expect(problem("tre")).toEqual({
      message: "there is no command tre",
      fix: "did you mean tree? telltale --help lists them",
      code: 2,
    });
  });

  test("an option that is not there", () => {
    expect(problem("tree", "--wach")).toMatchObject({ message: "telltale tree: there is no --wach" });
    expect(problem("tree", "--wach").fix).toContain("did you mean --watch?");
  });

  test("a value that is missing, or one too many", () => {
    expect(problem("tree", "--namespace").message).toMatch(/^telltale tree: option .*namespace.* argument missing$/);
    expect(problem("tree", "--watch=yes").message).toContain("does not take an argument");
  });

  test("words beyond what it takes", () => {
    expect(problem("tree", "a", "b", "c").message).toBe('telltale tree: nobody knows what "c" is for');
  });

  test("settings of nobody, of an unknown operator, and without a value", () => {
    expect(problem("tree", "--capt.a=b").message).toContain("takes no settings");
    expect(problem("run", "--nobody.a=b").message).toContain("there is no operator nobody");
    expect(problem("run", "--capt.a").message).toBe("--capt.a has no value");
  });
});

test("only what is near is suggested", () => {
  expect(nearest("locst", ["bindy", "locust"])).toBe("did you mean locust? ");
  expect(nearest("something", ["bindy", "locust"])).toBe("");
});
