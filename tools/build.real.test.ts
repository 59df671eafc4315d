// What `npm run build` has made: programs that a package starts as processes of their own are there, with all that they load.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const built = globSync("operators/{bindy,locust,virtrigaud}/dist/index.js", { cwd: root });
if (built.length === 0) process.stderr.write("skipped: the programs of published packages need: npm run build\n");

test.skipIf(built.length === 0).each(built)("%s names programs that are there", (index) => {
  const text = readFileSync(join(root, index), "utf8");
  expect(text).not.toMatch(/new URL\("\.\/[\w-]+\.ts"/);
  const programs = [...text.matchAll(/new URL\("(shared\/[\w-]+\.js)", import\.meta\.url\)/g)].map(([, path = ""]) =>
    join(root, dirname(index), path),
  );
  expect(programs.length).toBeGreaterThan(0);
  for (const program of programs) {
    const loaded = [...readFileSync(program, "utf8").matchAll(/import\("(\.\/[\w-]+\.js)"\)/g)];
    for (const [, path = ""] of loaded) expect(readFileSync(join(dirname(program), path), "utf8")).toContain("await ");
    expect(existsSync(program)).toBe(true);
  }
});
