import { expect, test } from "vitest";
import { judge } from "./counts.ts";

const ran = { stage: "test:real", passed: 10, skipped: [], seconds: 61.4 };

test("as many tests as are written down pass", () => {
  expect(judge(ran, { "test:real": 10 })).toEqual({
    lines: ["test:real: 10 tests passed, 0 skipped, in 61 s"],
    isFewer: false,
  });
});

test("fewer tests fail, with both numbers and what to do", () => {
  const { lines, isFewer } = judge(ran, { "test:real": 11 });
  expect(isFewer).toBe(true);
  expect(lines.at(-1)).toBe(
    'test:real has 11 tests in .ci/tests.json, and 10 passed; find out what is missing, or, if they were removed on purpose, set "test:real" to 10 in .ci/tests.json',
  );
});

test("more tests pass, and the line says what to write down", () => {
  const { lines, isFewer } = judge(ran, { "test:real": 7 });
  expect(isFewer).toBe(false);
  expect(lines.at(-1)).toBe('3 more than in .ci/tests.json: set "test:real" to 10 in .ci/tests.json');
});

test("a stage that nobody counted fails", () => {
  expect(judge(ran, {})).toMatchObject({ isFewer: true });
});

test("what was skipped is named", () => {
  expect(judge({ ...ran, skipped: ["a > b"] }, { "test:real": 10 }).lines).toContain("  skipped: a > b");
});
