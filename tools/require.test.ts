import { expect, test, vi } from "vitest";
import { skipOrFail } from "./require.ts";

test("a suite without its component is skipped with one line", () => {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    expect(skipOrFail("a suite", "Helm", "run: npm run helm", {})).toBeUndefined();
    expect(write.mock.calls).toEqual([["skipped: a suite needs Helm; run: npm run helm\n"]]);
  } finally {
    write.mockRestore();
  }
});

test("where everything is required it is an error that names the component and what to do", () => {
  const env = { TELLTALE_REQUIRE: "all" };
  expect(() => skipOrFail("a suite", "Helm", "run: npm run helm", env)).toThrow(
    /^a suite needs Helm; run: npm run helm /,
  );
});

test("an unknown value of TELLTALE_REQUIRE is an error and not the same as none", () => {
  expect(() => skipOrFail("a suite", "Helm", "run it", { TELLTALE_REQUIRE: "helm" })).toThrow(
    /^TELLTALE_REQUIRE is helm; /,
  );
});
