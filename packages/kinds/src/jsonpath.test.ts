import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate, type JsonPath, parsePath, type Step } from "./jsonpath.ts";

function path(text: string): JsonPath {
  const parsed = parsePath(text);
  if ("error" in parsed) throw new Error(`${text}: ${parsed.error}`);
  return parsed;
}

const get = (text: string, value: unknown) => evaluate(path(text), value);
const name = (text: string): Step => ({ step: "field", name: text });

const pod = {
  metadata: { name: "web", annotations: { "example.com/a.b": "dotted" }, labels: {} },
  spec: { replicas: 3, paused: false, nothing: null, zero: 0 },
  status: {
    conditions: [
      { type: "Ready", status: "True", weight: 1 },
      { type: "Synced", status: "False", weight: 2.5, last: { code: 7 } },
      { type: "Old", weight: 10 },
    ],
    addresses: ["a", "b", "c", "d"],
  },
};

describe("reading a path", () => {
  it.each<[string, JsonPath]>([
    [".a.b", [name("a"), name("b")]],
    ["{.a.b}", [name("a"), name("b")]],
    ["{ .a }", [name("a")]],
    ["$.a", [name("a")]],
    [".", []],
    ["$", []],
    ["['a.b']", [name("a.b")]],
    ['.x["a.b"].c', [name("x"), name("a.b"), name("c")]],
    [".a\\.b/c-d.e", [name("a.b/c-d"), name("e")]],
    [".a[0][-1]", [name("a"), { step: "index", index: 0 }, { step: "index", index: -1 }]],
    [".a[*].b", [name("a"), { step: "items" }, name("b")]],
    [".a.*", [name("a"), { step: "members" }]],
    [".a[1:3]", [name("a"), { step: "slice", from: 1, to: 3 }]],
    [".a[:-1]", [name("a"), { step: "slice", from: undefined, to: -1 }]],
    [".a[ 1 : ]", [name("a"), { step: "slice", from: 1, to: undefined }]],
    ["..b", [{ step: "descend" }, name("b")]],
    ["..[0]", [{ step: "descend" }, { step: "index", index: 0 }]],
    [
      '.c[?(@.type=="Ready")].status',
      [
        name("c"),
        { step: "filter", left: { path: [name("type")] }, compare: { operator: "==", right: { literal: "Ready" } } },
        name("status"),
      ],
    ],
    [
      "[?( @.a.b <= -1.5 )]",
      [
        {
          step: "filter",
          left: { path: [name("a"), name("b")] },
          compare: { operator: "<=", right: { literal: -1.5 } },
        },
      ],
    ],
    [
      "[?(@.a!=true)]",
      [{ step: "filter", left: { path: [name("a")] }, compare: { operator: "!=", right: { literal: true } } }],
    ],
    ["[?(@>1)]", [{ step: "filter", left: { path: [] }, compare: { operator: ">", right: { literal: 1 } } }]],
    ["[?(@.a)]", [{ step: "filter", left: { path: [name("a")] } }]],
    [".__proto__.constructor", [name("__proto__"), name("constructor")]],
  ])("takes %s", (text, steps) => {
    expect(parsePath(text)).toEqual(steps);
  });

  it.each([
    ["", "the path is empty"],
    ["{}", "the path is empty"],
    ["a.b", "expected '.' or '[' at 1, found 'a'"],
    [".a.", "expected a field name at 4, found the end"],
    ["..", "expected a field name at 3, found the end"],
    [".a..", "expected a field name at 5, found the end"],
    ["..*", "expected a field name at 3, found '*'"],
    [".a.[0]", "expected a field name at 4, found '['"],
    [".a[", "expected an index, a quoted name, '*' or '?(' at 4, found the end"],
    [".a[]", "expected an index, a quoted name, '*' or '?(' at 4, found ']'"],
    [".a[x]", "expected an index, a quoted name, '*' or '?(' at 4, found 'x'"],
    [".a[0", "expected ']' at 5, found the end"],
    [".a[0,1]", "expected ']' at 5, found ','"],
    [".a['b]", "expected ' at 7, found the end"],
    [".a[?(@.b==)]", "expected '@', a quoted text, a number or a boolean at 11, found ')'"],
    [".a[?(@.b=='x']", "expected ')' at 14, found ']'"],
    [".a[?(@.b=='x')", "expected ']' at 15, found the end"],
    [".a[?(b=='x')]", "expected '@', a quoted text, a number or a boolean at 6, found 'b'"],
    [".a b", "expected '.' or '[' at 3, found ' '"],
    [".a}", "expected '.' or '[' at 3, found '}'"],
  ])("refuses %j and says where", (text, error) => {
    expect(parsePath(text)).toEqual({ error });
  });

  it("gives back the names it was made of, however odd", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (names, quoted) => {
          const text = names
            .map((part) =>
              quoted ? `['${part.replace(/[\\']/g, "\\$&")}']` : `.${part.replace(/[^A-Za-z0-9]/gu, "\\$&")}`,
            )
            .join("");
          expect(parsePath(`{${text}}`)).toEqual(names.map(name));
        },
      ),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[.[\]{}a?(@)='"\\<>!*:0-9 -]{0,14}$/), (text) => {
        const parsed = parsePath(text);
        if (!("error" in parsed)) expect(evaluate(parsed, pod)).toBeInstanceOf(Array);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("following a path", () => {
  it.each<[string, unknown[]]>([
    [".metadata.name", ["web"]],
    [".metadata.annotations['example.com/a.b']", ["dotted"]],
    [".metadata.annotations.example\\.com/a\\.b", ["dotted"]],
    [".spec.paused", [false]],
    [".spec.zero", [0]],
    [".spec.nothing", [null]],
    [".spec.nothing.deeper", []],
    [".spec.missing", []],
    [".spec.missing.deeper[0]", []],
    [".metadata.name.length", []],
    [".status.addresses.length", []],
    [".status.addresses[0]", ["a"]],
    [".status.addresses[-1]", ["d"]],
    [".status.addresses[4]", []],
    [".status.addresses[-5]", []],
    [".status.addresses[*]", ["a", "b", "c", "d"]],
    [".status.addresses[1:3]", ["b", "c"]],
    [".status.addresses[2:]", ["c", "d"]],
    [".status.addresses[:-2]", ["a", "b"]],
    [".status.addresses[:]", ["a", "b", "c", "d"]],
    [".metadata[0]", []],
    [".metadata[0:1]", []],
    [".status.conditions[*].type", ["Ready", "Synced", "Old"]],
    [".spec.*", [3, false, null, 0]],
    [".status.addresses.*", ["a", "b", "c", "d"]],
    [".spec[*]", []],
    [".metadata.name[*]", []],
    ["..code", [7]],
    ["..type", ["Ready", "Synced", "Old"]],
    [".status..[0].type", ["Ready"]],
    [".status.conditions[?(@.type=='Ready')].status", ["True"]],
    ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
    ['.status.conditions[?("Ready"==@.type)].status', ["True"]],
    [".status.conditions[?(@.type!='Ready')].type", ["Synced", "Old"]],
    [".status.conditions[?(@.status!='True')].type", ["Synced"]],
    [".status.conditions[?(@.weight<2.5)].type", ["Ready"]],
    [".status.conditions[?(@.weight<=2.5)].type", ["Ready", "Synced"]],
    [".status.conditions[?(@.weight>2.5)].type", ["Old"]],
    [".status.conditions[?(@.weight>=2.5)].type", ["Synced", "Old"]],
    [".status.conditions[?(@.weight=='1')].type", []],
    [".status.conditions[?(@.last.code==7)].type", ["Synced"]],
    [".status.conditions[?(@.status)].type", ["Ready", "Synced"]],
    [".status.addresses[?(@>='c')]", ["c", "d"]],
    [".metadata[?(@.name=='web')]", []],
  ])("%s leads to %j", (text, found) => {
    expect(get(text, pod)).toEqual(found);
  });

  it("with no step is at the root", () => {
    expect(get(".", pod)).toEqual([pod]);
  });

  it("does not leave the data for the prototype", () => {
    expect(get(".constructor", {})).toEqual([]);
    expect(get(".__proto__", {})).toEqual([]);
    expect(get(".__proto__.a", JSON.parse('{"__proto__":{"a":1}}'))).toEqual([1]);
    expect(get("..constructor", JSON.parse('{"x":{"constructor":2}}'))).toEqual([2]);
  });

  it("takes an undefined member for an absent one", () => {
    expect(get(".a", { a: undefined })).toEqual([]);
    expect(get(".*", { a: undefined, b: 1 })).toEqual([1]);
  });

  it("one step after the other is the same as both at once", () => {
    const steps = fc.array(
      fc.constantFrom(".a", ".b", "[0]", "[-1]", "[*]", "[1:]", "..a", "[?(@.a)]", "[?(@.b==1)]"),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "medium" },
        fc.constantFrom(null, 1, "x"),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b"), tie("value")),
      ),
    }));
    fc.assert(
      fc.property(steps, steps, value, (first, second, from) => {
        const together = get(first.join("") + second.join(""), from);
        const apart = get(first.join(""), from).flatMap((found) => get(second.join(""), found));
        expect(together).toEqual(apart);
      }),
    );
  });
});
