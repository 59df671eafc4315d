// Whatever a client sends, it gets a value or a Status, and soon.
import fc from "fast-check";
import { expect, test } from "vitest";
import { StatusError } from "../status.ts";
import { decodeBody, type ExpectedKind } from "./body.ts";
import { parseJson } from "./json.ts";
import { negotiate } from "./media.ts";
import { decodeOptions, decodeQueryOptions } from "./options.ts";

const pod: ExpectedKind = { group: "", version: "v1", kind: "Pod", builtin: true };
const kinds: ExpectedKind[] = [
  pod,
  { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition", builtin: true },
  { group: "g.io", version: "v1", kind: "Widget", builtin: false },
];
const contentTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

async function settles(act: () => unknown): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}

const everywhere = async (bytes: Uint8Array): Promise<void> => {
  for (const expected of kinds) {
    for (const contentType of contentTypes) {
      for (const fieldValidation of ["Warn", "Strict"] as const)
        await settles(() => decodeBody({ contentType, bytes, expect: expected, fieldValidation }));
    }
  }
  for (const contentType of contentTypes)
    await settles(() => decodeOptions({ contentType, bytes, query: new URLSearchParams() }));
};

test("random bytes, also behind the prefix of protobuf", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (bytes, enveloped) => {
      await everywhere(enveloped ? Buffer.concat([Buffer.from("k8s\0"), bytes]) : bytes);
    }),
    { numRuns: 150 },
  );
});

test("any JSON in any place, with names of prototypes", async () => {
  const names = fc.constantFrom(
    "metadata",
    "spec",
    "status",
    "labels",
    "containers",
    "versions",
    "__proto__",
    "constructor",
    "kind",
    "apiVersion",
    "items",
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom("x", "", null, true, 1, -0, 1.5, 1e300, "2020-01-01T00:00:00Z"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(names, tie("value"), { maxKeys: 4 }),
    ),
  })).value;
  await fc.assert(
    fc.asyncProperty(json, async (value) => everywhere(Buffer.from(JSON.stringify(value)))),
    { numRuns: 150 },
  );
});

test("the fast and the careful way of reading JSON agree", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!/\d{16}/.test(text)); // there they differ on purpose
      // A fraction at the end sends the whole document through the scanner.
      expect(parseJson(`[${text},1.5]`).value).toEqual([JSON.parse(text), 1.5]);
      expect(parseJson(text).value).toEqual(JSON.parse(text));
    }),
  );
});

test("deep, long and repeated", async () => {
  const deep = (open: string, close: string, n: number) => `{"spec":${open.repeat(n)}1${close.repeat(n)}}`;
  await everywhere(Buffer.from(deep("[", "]", 50_000)));
  await everywhere(Buffer.from(deep('{"properties":', "}", 20_000)));
  await everywhere(Buffer.from(`{"metadata":{"name":"${"9".repeat(100_000)}","generation":${"9".repeat(100_000)}}}`));
  const repeated = (n: number) => Buffer.from(`{${'"a":1,'.repeat(n)}"a":1}`);
  await everywhere(repeated(3_000));
  // As YAML this takes most of the time: once is enough to tell what grows with the square.
  const decode = (contentType: string, expected: ExpectedKind) =>
    settles(() => decodeBody({ contentType, bytes: repeated(50_000), expect: expected, fieldValidation: "Warn" }));
  await decode("application/yaml", pod);
  for (const expected of kinds) await decode("application/json", expected);
  await everywhere(Buffer.from(`{"spec":{"overhead":{"cpu":"${"9".repeat(50_000)}e999999999"}}}`));
  await everywhere(Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(100_000, 0x0b)]));
}, 30_000);

test("queries and headers", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (a, b) => {
      await settles(() =>
        negotiate(`${a};${b},${b}`, { builtin: false, list: true, watch: false, discovery: false, protobuf: true }),
      );
      await settles(() => decodeQueryOptions(new URLSearchParams({ fieldManager: a, fieldValidation: b }), "apply"));
      await settles(() =>
        decodeOptions({ contentType: a, bytes: Buffer.from(b), query: new URLSearchParams({ gracePeriodSeconds: a }) }),
      );
    }),
  );
});
