import { describe, expect, test } from "vitest";
import { layers } from "./layers.ts";
import type { File } from "./source.ts";

const house: readonly File[] = [
  manifest("packages/kinds", "@telltale/kinds", { dependencies: { typebox: "1", "kubernetes-types": "1" } }),
  manifest("packages/status", "@telltale/status", { dependencies: { "@telltale/kinds": "1" } }),
  manifest("packages/runtime", "@telltale/runtime"),
  manifest("packages/simulation", "@telltale/simulation"),
  manifest("packages/telltale", "telltale"),
  manifest("operators/locust", "@telltale/locust"),
  manifest("operators/bindy", "@telltale/bindy"),
];

function manifest(folder: string, name: string, more: object = {}): File {
  return { path: `${folder}/package.json`, text: JSON.stringify({ name, ...more }, null, 2) };
}

/** The messages for one import in one file. */
function using(path: string, specifier: string): string[] {
  const file = { path, text: `import { a } from "${specifier}";\n` };
  return layers([...house, file]).map((it) => `${it.file}:${it.line} ${it.message}`);
}

describe("imports follow the arrows", () => {
  test.each([
    ["packages/status/src/a.ts", "@telltale/kinds"],
    ["packages/status/src/a.ts", "@telltale/kinds/core"],
    ["packages/kinds/src/a.ts", "typebox"],
    ["packages/kinds/src/a.ts", "typebox/value"],
    ["packages/kinds/src/a.ts", "kubernetes-types/core/v1.d.ts"],
    ["packages/kinds/src/a.ts", "node:crypto"],
    ["packages/kinds/src/a.ts", "./b.ts"],
    ["packages/kinds/src/values/a.ts", "../b.ts"],
    ["packages/kinds/src/a.test.ts", "fast-check"],
    ["packages/status/test/a.ts", "vitest"],
    ["packages/runtime/src/a.ts", "undici"],
    ["packages/simulation/src/a.test.ts", "@telltale/locust"],
    ["packages/telltale/src/a.ts", "@telltale/locust"],
    ["packages/runtime/src/a.real.test.ts", "../../../tools/envtest/envtest.ts"],
    ["tools/build.ts", "vitest"],
  ])("%s may import %s", (path, specifier) => {
    expect(using(path, specifier)).toEqual([]);
  });

  test.each([
    ["packages/kinds/src/a.ts", "@telltale/status", "may not use @telltale/status, only none of our packages"],
    ["packages/kinds/src/a.test.ts", "@telltale/status", "may not use @telltale/status"],
    ["packages/kinds/src/a.ts", "yaml", "only typebox, kubernetes-types from outside, not yaml"],
    ["packages/kinds/src/a.ts", "fast-check", "not fast-check"],
    ["packages/status/src/a.ts", "typebox", "may use no package from outside, not typebox"],
    ["packages/status/src/a.ts", "@telltale/runtime", "only packages/kinds"],
    ["packages/runtime/src/a.ts", "telltale", "may not use telltale"],
    ["packages/runtime/src/a.ts", "@telltale/unheard-of", "may not use @telltale/unheard-of"],
    ["operators/locust/src/a.ts", "@telltale/bindy", "may not use @telltale/bindy"],
    ["packages/simulation/src/a.ts", "@telltale/locust", "only in its tests"],
    ["packages/status/src/a.ts", "../../kinds/src/index.ts", "leaves packages/status"],
    ["packages/status/src/a.ts", "../../../tools/envtest/envtest.ts", "leaves packages/status"],
  ])("%s may not import %s", (path, specifier, message) => {
    const found = using(path, specifier);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${path}:1 `);
    expect(found[0]).toContain(message);
  });
});

describe("dependencies follow the arrows", () => {
  test("a dependency against them is found at its line", () => {
    const bad = manifest("packages/client", "@telltale/client", { dependencies: { "@telltale/status": "1" } });
    expect(layers([...house, bad])).toMatchObject([{ file: "packages/client/package.json", line: 4, rule: "layers" }]);
  });

  test("a development dependency is held to what tests may use", () => {
    const dev = (name: string) =>
      layers([manifest("packages/kinds", "@telltale/kinds", { devDependencies: { [name]: "1" } })]);
    expect(dev("fast-check")).toEqual([]);
    expect(dev("yaml")).toHaveLength(1);
  });
});

test("a package without a row in the table is found", () => {
  expect(layers([manifest("packages/extra", "@telltale/extra")])).toMatchObject([
    { file: "packages/extra/package.json" },
  ]);
});
