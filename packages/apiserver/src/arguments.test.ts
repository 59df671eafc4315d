import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { objectsIn, readArguments } from "./arguments.ts";

test("--crds takes several files, once or again", () => {
  expect(readArguments(["--crds", "a.yaml", "b.yaml", "--port", "80", "--crds=c.yaml", "d.yaml"])).toMatchObject({
    crds: ["a.yaml", "b.yaml", "c.yaml", "d.yaml"],
    port: "80",
  });
  expect(readArguments([])).toMatchObject({ crds: [], port: "0", controllers: "core", repair: false });
});

test.each([
  [["--prot", "80"], "Unknown option '--prot': see the options below"],
  [["--port"], "Option '--port <value>' argument missing: see the options below"],
  [["--anonymous=yes"], "Option '--anonymous' does not take an argument: see the options below"],
  [["a.yaml"], "a.yaml: an argument without an option; files of definitions follow --crds"],
  [
    ["--crds", "a.yaml", "--anonymous", "b.yaml"],
    "b.yaml: an argument without an option; files of definitions follow --crds",
  ],
  [["--port", "70000"], "--port 70000: a port is a number from 0 to 65535"],
  [["--controllers", "all"], "--controllers all: use none or core"],
])("%j is refused in one line", (args, problem) => {
  expect(readArguments(args)).toEqual({ problem });
});

describe("a file of objects", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "telltale-objects-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test("has objects in all of its documents, and empty ones between them", () => {
    expect(objectsIn(file("good.yaml", "a: 1\n---\n---\nb: 2\n"))).toEqual([{ a: 1 }, { b: 2 }]);
    expect(objectsIn(file("good.json", '{"a":1}'))).toEqual([{ a: 1 }]);
    expect(objectsIn(file("empty.yaml", ""))).toEqual([]);
  });

  test("that is no YAML is named with the place", () => {
    const bad = file("bad.yaml", "a: 1\n---\nspec:\n  x: [1\nkind: Y\n");
    expect(() => objectsIn(bad)).toThrow(
      `${bad}: Flow sequence in block collection must be sufficiently indented and end with a ] at line 5, column 1`,
    );
  });

  test("with a document that is no object is named", () => {
    const bad = file("list.yaml", "a: 1\n---\n- b\n");
    expect(() => objectsIn(bad)).toThrow(`${bad}: document 2 is no object`);
  });
});
