// One number, one test, one line of docs: the list and the tests cannot drift apart.
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const root = new URL("../../../", import.meta.url);
const numbers = Array.from({ length: 83 }, (_, i) => i + 1);

const textOf = (pattern: string, isMeant = (_file: string) => true): string =>
  globSync(pattern, { cwd: root.pathname })
    .filter(isMeant)
    .map((file) => readFileSync(new URL(file, root), "utf8"))
    .join("\n");

describe("the status rules", () => {
  it("have a line each in the docs, in order", () => {
    const page = readFileSync(new URL("docs/status-rules.md", root), "utf8");
    const rows = [...page.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
    expect(rows).toEqual(numbers);
  });

  it("have a test each that carries their number", () => {
    const text = textOf("{packages,operators}/*/{src,test}/**/*.test.ts");
    const tested = new Set([...text.matchAll(/\brule (\d+):/g)].map((match) => Number(match[1])));
    expect(numbers.filter((n) => !tested.has(n))).toEqual([]);
  });

  it("name keepers that something calls besides their tests", () => {
    const page = readFileSync(new URL("docs/status-rules.md", root), "utf8");
    const isSource = (file: string) => !file.endsWith(".test.ts");
    const sources = textOf("{packages,operators}/*/src/**/*.ts", isSource).replace(/^export function.*$/gm, "");
    const keepers = [...page.matchAll(/^\| \d+ \|.*\| (.*) \|$/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    );
    expect(keepers.length).toBeGreaterThan(10);
    const isCalled = (name: string) => new RegExp(`\\b${name}(<[^()]*>)?\\(`).test(sources);
    expect([...new Set(keepers)].filter((name) => !isCalled(name))).toEqual([]);
  });
});
