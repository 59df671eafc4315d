import { describe, expect, test } from "vitest";
import { cutTo, cutWithin, fill, plain } from "./style.ts";

describe("a text that is cut", () => {
  test("ends between characters, not within one", () => {
    expect(cutTo("ab😀cd", 4)).toBe("ab😀…");
    expect(cutTo("ab😀cd", 3)).toBe("ab…");
    expect(cutTo("e\u0301e\u0301e\u0301", 2)).toBe("e\u0301…");
    expect(cutTo("👩‍💻👩‍💻👩‍💻", 3)).toBe("👩‍💻👩‍💻👩‍💻");
    expect(cutWithin("ab😀😀😀😀yz", 5)).toBe("ab…yz");
    expect(cutWithin("😀😀😀😀😀😀", 4)).toBe("😀😀…😀");
    expect(fill("😀", 3)).toBe("😀  ");
  });

  test("is left as it is where it fits", () => {
    expect([cutTo("abc", 3), cutTo("abcd", 3), cutTo("a", 0)]).toEqual(["abc", "ab…", ""]);
  });
});

test("nothing is left of what a terminal would obey", () => {
  expect(plain("\u001b[31mred\u001b[0m and \u001b[1;4mbold\u001b[m")).toBe("red and bold");
  expect(plain("\u001b]0;title\u0007text\u001b]8;;http://x.example\u0007link\u001b]8;;\u0007")).toBe("textlink");
  expect(plain("a\r\n\tb\u202ec\u0000")).toBe("a b c");
  expect(plain("👩\u200d💻")).toBe("👩\u200d💻");
});
