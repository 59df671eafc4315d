// The recordings in the docs: they are of the widths that they say, nothing runs over, and at the end every operator's samples have settled.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test.each([80, 160])("docs/live-tree-%i.cast ends with the trees of all operators", (columns) => {
  const file = fileURLToPath(new URL(`../../../docs/live-tree-${columns}.cast`, import.meta.url));
  const [head, ...events] = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(head).toMatchObject({ version: 2, width: columns });
  const [, , last = ""] = events.at(-1) as readonly [number, string, string];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a screen is moved and coloured by
  const [trees = ""] = last.replace(/\u001b\[\d*[A-Za-z]|\r/g, "").split("\nstopping");
  for (const line of trees.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
  for (const tree of ["DNSZone example-com", "Cluster demo"]) expect(trees).toMatch(new RegExp(`^✓ ${tree} `, "m"));
  for (const sample of [/^✗ LocustTest failing /m, /^✓ LocustTest full .*Succeeded/m, /^✓ VMMigration mover-to-next /m])
    expect(trees).toMatch(sample);
});
