// Small requests that would cost much: aliases, copies, long lists, patterns. The time limit of a test is its bound.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  apply,
  configMaps,
  created,
  custom,
  definition,
  definitions,
  fault,
  frees,
  json,
  jsonPatch,
  merge,
  nested,
  send,
  strategic,
  yaml,
} from "./target.ts";

describe("much from little", () => {
  const lines = [
    "a: &a [x,x,x,x,x,x,x,x,x]",
    ...[..."bcdefghij"].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${"abcdefghi"[i]}`).join(",")}]`),
  ];
  const head = "apiVersion: h.io/v1\nkind: Free\nmetadata: {name: bomb}\n";

  test("YAML aliases that multiply are refused", async () => {
    const bomb = head + lines.join("\n");
    expect(fault(await send("POST", frees, yaml, bomb))).toBe(400);
    expect(fault(await send("PATCH", `${frees}/bomb?fieldManager=x`, apply, bomb))).toBe(400);
    expect(fault(await send("POST", frees, yaml, "a: &a [*a]"))).toBe(400);
    expect(fault(await send("POST", frees, yaml, "a: &a {<<: *a}"))).toBe(400);
  });

  test("YAML that is much work to read", async () => {
    const much = [
      "---\n".repeat(100_000),
      "#\n".repeat(100_000),
      "? ".repeat(30_000),
      "!a ".repeat(30_000),
      `{${"a: ".repeat(20_000)}`,
      `a: ${"1_".repeat(50_000)}`,
      `a: 1${":59".repeat(50_000)}`,
      `a: "${"\n".repeat(100_000)}"`,
    ];
    for (const body of much) expect(fault(await send("POST", frees, yaml, body))).toBe(400);
  }, 20_000);

  test("copies in a JSON patch that double are refused", async () => {
    const operations = [
      { op: "add", path: "/spec", value: { a: "x".repeat(1000) } },
      ...Array.from({ length: 60 }, (_, i) => ({ op: "copy", from: "/spec", path: `/spec/k${i}` })),
    ];
    expect(fault(await send("PATCH", `${frees}/seed`, jsonPatch, JSON.stringify(operations)))).toBe(422);
    const many = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "Free" }));
    expect(fault(await send("PATCH", `${frees}/seed`, jsonPatch, JSON.stringify(many)))).toBe(413);
  });

  test("long lists of owners, finalizers and labels cost their length", async () => {
    const count = 8_000;
    const list = <T>(of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
    const ownerReferences = list((i) => ({ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: `u${i}` }));
    const finalizers = list((i) => `f${i}.h.io/x`);
    const labels = Object.fromEntries(list((i) => [`l${i}!`, "x y"]));
    const whole = (metadata: object) => JSON.stringify({ metadata: { name: "long", ...metadata } });
    expect((await send("POST", `${configMaps}?dryRun=All`, json, whole({ ownerReferences, finalizers }))).status).toBe(
      201,
    );
    expect(fault(await send("POST", configMaps, json, whole({ labels })))).toBe(422);
    await created(configMaps, { metadata: { name: "lists" } });
    const metadata = { ownerReferences, finalizers };
    for (const type of [merge, strategic, strategic]) {
      expect((await send("PATCH", `${configMaps}/lists`, type, JSON.stringify({ metadata }))).status).toBe(200);
    }
    const order = {
      metadata: { "$setElementOrder/finalizers": [...finalizers].reverse(), finalizers: finalizers.slice(1) },
    };
    expect((await send("PATCH", `${configMaps}/lists`, strategic, JSON.stringify(order))).status).toBe(200);
  }, 20_000);

  test("patterns that make other engines backtrack are matched in time, and those that explode are refused", async () => {
    const value = `${"a".repeat(20_000)}!`;
    const patterns = [
      "(a+)+$",
      "(a|aa)+$",
      "^(([a-z])+.)+[A-Z]([a-z])+$",
      "(.*)*x",
      "(x+x+)+y",
      "(a{1,1000}){1,1000}",
      "(?=a)",
      "(a)\\1",
      "[",
      nested("(", ")", 5_000, ""),
    ];
    for (const [i, pattern] of patterns.entries()) {
      const kind = `re${"abcdefghij"[i]}`;
      const schema = { type: "object", properties: { s: { type: "string", pattern } } };
      const { status } = await send("POST", definitions, json, JSON.stringify(definition(kind, schema)));
      expect(status).toBe(i < 5 ? 201 : 422);
      if (status !== 201) continue;
      const object = { apiVersion: "h.io/v1", kind: `Re${kind[2]}`, metadata: { name: "a" }, s: value };
      expect(fault(await send("POST", custom(kind), json, JSON.stringify(object)))).toBe(422);
    }
    const rule = `!has(self.s) || self.s.matches("(a+)+$")`;
    const schema = {
      type: "object",
      properties: { s: { type: "string", maxLength: 100_000 } },
      "x-kubernetes-validations": [{ rule }],
    };
    await created(definitions, definition("rex", schema));
    const object = { apiVersion: "h.io/v1", kind: "Rex", metadata: { name: "a" }, s: value };
    expect(fault(await send("POST", custom("rex"), json, JSON.stringify(object)))).toBe(422);
  }, 20_000);

  test.each([
    "date-time",
    "duration",
    "email",
    "uri",
    "hostname",
    "ipv6",
    "cidr",
    "uuid",
    "creditcard",
    "byte",
    "isbn",
    "k8s-short-name",
  ])(
    "the format %s looks at a long text once",
    async (format) => {
      const kind = `format${format.replace(/\W/g, "")}`;
      await created(definitions, definition(kind, { type: "object", properties: { s: { type: "string", format } } }));
      for (const piece of ["a", "1", "a.", "a@", ":", "1h", "%", "-", " ", "1 "]) {
        const object = {
          apiVersion: "h.io/v1",
          kind: kind.charAt(0).toUpperCase() + kind.slice(1),
          metadata: { name: "a" },
          s: `${piece.repeat(30_000)}!`,
        };
        const answer = await send("POST", `${custom(kind)}?dryRun=All`, json, JSON.stringify(object));
        if (answer.status !== 201) expect(fault(answer)).toBe(422);
      }
    },
    10_000,
  );

  test("random JSON patches are applied or refused", async () => {
    const pointer = fc.oneof(
      fc.constantFrom(
        "",
        "/",
        "/spec",
        "/spec/a",
        "/spec/list",
        "/spec/list/0",
        "/spec/list/-",
        "/spec/list/-1",
        "/spec/list/99999999999",
        "/metadata",
        "/metadata/name",
        "/__proto__",
        "/__proto__/x",
        "/constructor/prototype/x",
        "/spec/~0~1~2",
        "no-slash",
        "/spec//",
        "/kind",
      ),
      fc.string(),
    );
    const operation = fc.record(
      {
        op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "__proto__", ""),
        path: pointer,
        from: pointer,
        value: fc.jsonValue({ maxDepth: 3 }),
      },
      { requiredKeys: ["op"] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 8 }), async (operations) => {
        const answer = await send(
          "PATCH",
          `${frees}/seed?dryRun=All`,
          jsonPatch,
          JSON.stringify([{ op: "add", path: "/spec", value: { list: [1, 2] } }, ...operations]),
        );
        if (answer.status !== 200) fault(answer);
      }),
      { numRuns: 300 },
    );
  }, 20_000);
});
