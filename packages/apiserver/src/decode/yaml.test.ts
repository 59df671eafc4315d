import { describe, expect, test } from "vitest";
import { parseYaml, YamlError } from "./yaml.ts";

const read = async (body: string) => (await parseYaml(body, 1000)).value;
const failure = (body: string) =>
  parseYaml(body, 1000).then(
    () => "",
    (error) => (error instanceof YamlError ? error.message : String(error)),
  );

describe("YAML 1.1 as the server reads it", () => {
  test("A35 y, no and on are booleans, as keys too", async () => {
    expect(await read("{a: yes, b: n, c: On, y: 1, no: 2}")).toEqual({ a: true, b: false, c: true, true: 1, false: 2 });
  });

  test("numbers: octal, underscores, a plus; dates and base 60 are strings", async () => {
    expect(await read("[010, 0o10, 0x10, 1_000, +5, 1.0, 1:30, 2020-01-01, !!binary aGVsbG8=, !foo x]")).toEqual([
      8,
      8,
      16,
      1000,
      5,
      1,
      "1:30",
      "2020-01-01",
      "hello",
      "x",
    ]);
  });

  test("the first document counts; nothing is null; JSON is YAML; merges and aliases work", async () => {
    expect(await read("a: 1\n---\na: 2")).toEqual({ a: 1 });
    expect(await read("")).toBeNull();
    expect(await read('{"a":{"b":[1]}}')).toEqual({ a: { b: [1] } });
    expect(await read("x: &x {k: v, l: w}\nz:\n  <<: *x\n  k: z\n")).toEqual({
      x: { k: "v", l: "w" },
      z: { k: "z", l: "w" },
    });
  });

  test("a key that comes twice is told by line, the last one wins", async () => {
    const { value, duplicates } = await parseYaml('data:\n  a: "1"\n  a: "2"\n  b: 1\n  b: 2\ntrue: 1\nyes: 2\n', 1000);
    expect(duplicates).toEqual([
      'line 3: key "a" already set in map',
      'line 5: key "b" already set in map',
      "line 7: key true already set in map",
    ]);
    expect(value).toEqual({ data: { a: "2", b: 2 }, true: 2 });
  });

  test.each([
    ["a: b: c", "yaml: mapping values are not allowed in this context"],
    ["a: *x", "yaml: unknown anchor 'x' referenced"],
    ["a: .inf", "json: unsupported value: +Inf"],
  ])("%j is refused", async (body, message) => expect(await failure(body)).toBe(message));

  test("a bomb of aliases is refused", async () => {
    const names = "abcdefghi";
    const bomb = [...names]
      .map(
        (c, i) =>
          `${c}: &${c} [${Array(9)
            .fill(i === 0 ? "x" : `*${names[i - 1]}`)
            .join(",")}]`,
      )
      .join("\n");
    expect(await failure(bomb)).toBe("yaml: document contains excessive aliasing");
  });

  test("deep nesting is refused, not recursed into", async () => {
    expect(await failure("[".repeat(20_000))).toMatch(/exceeded max depth/);
    expect(await failure("- ".repeat(20_000))).toMatch(/exceeded max depth/);
  });
});

test.each([
  ["{", "yaml: line 1: did not find expected node content"],
  ["[\n\n", "yaml: line 2: did not find expected node content"],
  ["{a: b", "yaml: line 1: did not find expected ',' or '}'"],
  ["[a", "yaml: line 1: did not find expected ',' or ']'"],
  ["{,", "yaml: did not find expected node content"],
  ["a: }", "yaml: did not find expected node content"],
  ["{\na: b\n", "yaml: line 2: did not find expected ',' or '}'"],
  ["@a", "yaml: found character that cannot start any token"],
])("A19 %j is refused in the words of Go's reader", async (text, message) => {
  await expect(parseYaml(text, 100)).rejects.toThrow(new YamlError(message));
});
