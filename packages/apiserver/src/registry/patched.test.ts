import { describe, expect, test } from "vitest";
import { allStrategies } from "../kinds/builtin.ts";
import { builtinResource } from "./builtin.ts";
import { readPatched, shownPatched } from "./patched.ts";

const strategy = allStrategies.find((s) => s.kind.kind === "ConfigMap" && s.kind.version === "v1");
if (strategy === undefined) throw new Error("there are no ConfigMaps");
const never = () => {
  throw new Error("nothing to allocate");
};
const configMaps = builtinResource(strategy, { clusterIP: never, nodePort: never } as never);
const live = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", uid: "u", resourceVersion: "7", labels: { x: "y" } },
  data: { k: "v" },
};
const refusal = (change: object) => readPatched(configMaps, { ...live, ...change }, "Warn").refused;

describe("P19 a patch that changes the type", () => {
  test("to a kind that decodes and is another one is refused as that", () => {
    expect(refusal({ kind: "Pod" })).toBe("converting (v1.Pod) to (core.ConfigMap): unknown conversion");
  });
  test("to a kind that it cannot be decoded as shows what the decoder says", () => {
    expect(refusal({ kind: "Secret" })).toBe("illegal base64 data at input byte 0");
  });
  test("to a kind that nobody knows is refused by name", () => {
    expect(refusal({ kind: "Bogus" })).toBe(
      'no kind "Bogus" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    );
    expect(refusal({ apiVersion: "a/b/c" })).toBe("unexpected GroupVersion string: a/b/c");
  });
  test("without a kind it is of this one, without a version nothing is known of it", () => {
    expect(readPatched(configMaps, { ...live, kind: "" }, "Warn").object).toMatchObject({
      kind: "ConfigMap",
      data: { k: "v" },
    });
    expect(readPatched(configMaps, { ...live, apiVersion: "" }, "Warn")).toEqual({
      object: {},
      unknown: ["data", "metadata"],
    });
    expect(readPatched(configMaps, { ...live, apiVersion: "" }, "Strict").refused).toContain('unknown field "data"');
  });
});

test("P25 a value of the wrong type is refused in the bare words of the decoder", () => {
  expect(refusal({ data: { k: 1 } })).toBe(
    "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
  );
});

test("P25 what a patch touched is shown sorted, the rest in the order of Go", () => {
  const untouched = '"metadata":{"name":"a","uid":"u","resourceVersion":"7","labels":{"x":"y"}}';
  expect(shownPatched(configMaps, live, { ...live, data: { k: 1 } })).toBe(
    `{"apiVersion":"v1","data":{"k":1},"kind":"ConfigMap",${untouched}}`,
  );
  const touched = { ...live, metadata: { ...live.metadata, labels: { a: 1 } } };
  expect(shownPatched(configMaps, live, touched)).toContain(
    '"metadata":{"labels":{"a":1},"name":"a","resourceVersion":"7","uid":"u"}',
  );
});
