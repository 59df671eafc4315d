// One number, one test, one line of docs: the list and the tests cannot drift apart.
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const root = new URL("../../../", import.meta.url);
const numbers = Array.from({ length: 83 }, (_, i) => i + 1);

describe("the status rules", () => {
  it("have a line each in the docs, in order", () => {
    const page = readFileSync(new URL("docs/status-rules.md", root), "utf8");
    const rows = [...page.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
    expect(rows).toEqual(numbers);
  });

  it("have a test each that carries their number", () => {
    const tests = globSync("packages/{kinds,status}/src/**/*.test.ts", { cwd: root.pathname });
    const text = tests.map((file) => readFileSync(new URL(file, root), "utf8")).join("\n");
    const tested = new Set([...text.matchAll(/\brule (\d+):/g)].map((match) => Number(match[1])));
    expect(numbers.filter((n) => !tested.has(n))).toEqual([]);
  });
});
