import { describe, expect, it } from "vitest";
import { expand } from "./expand.ts";

const values: Readonly<Record<string, string>> = { A: "1", EMPTY: "", PATH_LIKE: "/a/b" };
const expanded = (text: string) => expand(text, (name) => values[name]);

describe("$(NAME)", () => {
  it.each([
    ["plain", "plain"],
    ["$(A)", "1"],
    ["x$(A)y$(A)z", "x1y1z"],
    ["[$(EMPTY)]", "[]"],
    ["$(MISSING)", "$(MISSING)"],
    ["$$(A)", "$(A)"],
    ["$$$(A)", "$1"],
    ["$$$$(A)", "$$(A)"],
    ["$A", "$A"],
    ["$[A]", "$[A]"],
    ["$(A", "$(A"],
    ["$(A$(A)", "$(A$(A)"],
    ["$", "$"],
    ["a$$", "a$"],
    ["$()", "$()"],
    ["$(PATH_LIKE)/c", "/a/b/c"],
    ["$é$(A)", "$é1"],
    ["$😀$(A)", "$😀1"],
  ])("%s becomes %s", (text, wanted) => {
    expect(expanded(text)).toBe(wanted);
  });
});
