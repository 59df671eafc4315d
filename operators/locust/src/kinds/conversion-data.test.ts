import type { ObjectMeta } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import { carryingV1, metadata, minimalV1Spec, richV2Spec, v1Test, v2Test } from "../../test/objects.ts";
import { conversionLossy } from "./conversion-data.ts";
import { toV1, toV2 } from "./convert.ts";

describe("what a v1 object carries", () => {
  const plain = toV2(v1Test(minimalV1Spec));
  const wide = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);

  test.each<[string, unknown]>([
    ["no JSON", "{"],
    ["nothing", ""],
    ["a list", []],
    ["null", "null"],
    ["a text", '"x"'],
    ["another version", { v: 3, spec: richV2Spec }],
    ["the version as a text", { v: "2", spec: richV2Spec }],
    ["no spec", { v: 2 }],
    ["a spec that is no object", { v: 2, spec: "x" }],
    ["a version on the prototype", '{"__proto__":{"v":2,"spec":{"image":"evil"}}}'],
    ["a prototype in the spec", '{"v":2,"spec":{"image":"evil","__proto__":{"polluted":true}}}'],
    ["a constructor", '{"v":2,"spec":{"image":"evil","env":{"constructor":{"prototype":{"polluted":true}}}}}'],
    ["a spec without what every spec has", { v: 2, spec: { env: richV2Spec.env } }],
    ["more depth than anybody needs", { v: 2, spec: { ...richV2Spec, deep: wide(63) } }],
    ["depth without end", `{"v":2,"spec":${"[".repeat(60_000)}${"]".repeat(60_000)}}`],
  ])("is ignored and removed when it is %s", (_name, data) => {
    expect(toV2(carryingV1(data))).toEqual(plain);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("is taken up to a depth of 64", () => {
    const spec = { ...richV2Spec, deep: wide(62) };
    expect(toV2(carryingV1({ v: 2, spec })).spec).toMatchObject({ deep: wide(62) });
  });

  test("loses what is of a wrong type or lacks a name, so that nobody can store that through v1", () => {
    const volumes = [null, 3, { name: "data" }, { emptyDir: {} }];
    const spec = { ...richV2Spec, env: "x", volumes, security: [], extra: { kept: [1] } };
    const { spec: made } = toV2(carryingV1({ v: 2, spec }));
    expect(made).toMatchObject({ volumes: [{ name: "data" }], extra: { kept: [1] } });
    expect(made).not.toHaveProperty("env");
    expect(made).not.toHaveProperty("security");
    expect(made?.image).toBe(minimalV1Spec.image); // v1 has the word where it has a field
  });

  test("is too much beyond 200 KiB: the v1 object says so, and no more", () => {
    const big = (length: number) => ({
      ...richV2Spec,
      master: { ...richV2Spec.master, extraArgs: ["é".repeat(length)] },
    });
    const room = 200 * 1024 - Buffer.byteLength(JSON.stringify({ v: 2, spec: big(0) }));
    const fits = toV1(v2Test(big(Math.floor(room / 2))));
    expect(fits.metadata.annotations).not.toHaveProperty([conversionLossy]);
    expect(toV2(fits).spec).toEqual(big(Math.floor(room / 2)));
    const over = toV1(v2Test(big(Math.floor(room / 2) + 1)));
    expect(over.metadata.annotations).toEqual({ note: "kept", [conversionLossy]: "true" });
    expect(toV2(over).metadata).toEqual(metadata);
  });

  test("says so too when it could not be read again", () => {
    const spec = {
      ...richV2Spec,
      observability: { openTelemetry: { enabled: false, extraEnvVars: { constructor: "x" } } },
    };
    expect(toV1(v2Test(spec)).metadata.annotations).toEqual({ note: "kept", [conversionLossy]: "true" });
  });

  test("leaves no empty annotations behind", () => {
    const { annotations: _, ...bare } = metadata;
    const object = v2Test(richV2Spec, { metadata: bare as ObjectMeta });
    expect(toV2(toV1(object)).metadata).toEqual(bare);
    expect(Object.keys(toV2(toV1(object)).metadata)).not.toContain("annotations");
  });
});
