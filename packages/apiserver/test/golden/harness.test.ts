// The harness itself: what it would miss, the golden tests would miss.
import { VirtualClock } from "@telltale/clock";
import type { Instant } from "@telltale/kinds";
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import type { Case, Recording, Step } from "./case.ts";
import { compare, show } from "./compare.ts";
import { find, parse, remove } from "./json.ts";
import { normalise } from "./normalise.ts";
import { runCase } from "./run.ts";
import type { Target } from "./target.ts";
import { expand, expandBody } from "./variables.ts";

const recording = (...steps: JsonObject[]): Recording => ({ id: "T01", title: "t", steps });

it("a changed, a missing and an added value are three differences, each with its pointer", () => {
  const left = recording({ step: "GET /a", body: { a: 1, b: [1, 2], "x/y": 1 } });
  const right = recording({ step: "GET /a", body: { a: 2, b: [1], "x/y": 1, c: null } });
  expect(compare(left, right, []).map((d) => d.pointer)).toEqual(["/body/a", "/body/b/1", "/body/c"]);
  expect(show(compare(left, right, []))).toContain("step 0: GET /a\n  /body/a\n    expected 1\n    got      2");
  expect(compare(left, left, [])).toEqual([]);
});

it("a missing step is a difference", () => {
  expect(compare(recording({ step: "a" }, { step: "b" }), recording({ step: "a" }), [])).toHaveLength(1);
});

it("an accepted difference covers its pointer and what is in it, of its case and step only", () => {
  const [left, right] = [recording({ body: { a: { b: 1 }, ab: 1 } }), recording({ body: { a: { b: 2 }, ab: 2 } })];
  const accept = (more: object) => [{ case: "T01", reason: "r", ...more }];
  expect(compare(left, right, accept({ pointer: "/body/a" })).map((d) => d.pointer)).toEqual(["/body/ab"]);
  expect(compare(left, right, accept({ step: 1 }))).toHaveLength(2);
  expect(compare(left, right, accept({ case: "T02" }))).toHaveLength(2);
  expect(compare(left, right, accept({}))).toEqual([]);
});

it("pointers find each, counts, keys and the first that matches", () => {
  const document = {
    items: [
      { name: "a", n: 1 },
      { name: "b", n: 2 },
    ],
    "a/b": 1,
  };
  expect(find(document, "/items/*/n")).toEqual([1, 2]);
  expect(find(document, "/items/#")).toBe(2);
  expect(find(document, "/@")).toEqual(["a/b", "items"]);
  expect(find(document, "/items/[name=b]/n")).toBe(2);
  expect(find(document, "/a~1b")).toBe(1);
  expect(find(document, "/none/at/all")).toBeUndefined();
  expect(find(document, "/none/*/n")).toBeUndefined();
  expect(find({ items: [] }, "/items/*/n")).toEqual([]);
  remove(document, "/items/*/n");
  expect(document.items).toEqual([{ name: "a" }, { name: "b" }]);
});

it("numbers keep their spelling where JavaScript would change it", () => {
  expect(parse('{"a":9007199254740993,"b":1.0,"c":"1.0","d":1.5}')).toEqual({
    a: "<num:9007199254740993>",
    b: "<num:1.0>",
    c: "1.0",
    d: 1.5,
  });
});

it("variables count beyond 2^53 and leave unknown names alone", () => {
  expect(expand("{rv+1}/{other}/{rv}", { rv: "9007199254740993" })).toBe("9007199254740994/{other}/9007199254740993");
  expect(expandBody({ "{ns}": [{ $repeat: ["ab", 2] }, { $list: ["{i}", 2] }] }, { ns: "n" })).toEqual({
    n: ["abab", ["0", "1"]],
  });
});

/** A server that answers each request with the next of these. */
function scripted(...answers: JsonObject[]): Target {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1) as Instant);
  return {
    host: "127.0.0.1:443",
    token: "t",
    clock,
    pass: async () => {},
    compact: async () => {},
    request: async () => ({
      status: 200,
      headers: { "content-type": ["application/json"] },
      chunks: [JSON.stringify(answers.shift() ?? {})] as unknown as AsyncIterable<string>,
    }),
  };
}

async function recorded(steps: readonly Step[], ...answers: JsonObject[]): Promise<readonly JsonObject[]> {
  const it: Case = { id: "T01", title: "t", namespace: false, steps };
  const target = scripted(...answers);
  return normalise(it, await runCase(target, it), target).steps;
}

const get: Step = { do: "GET", path: "/x", compare: ["body"] };
const object = (resourceVersion: string, uid: string, more: JsonObject = {}): JsonObject => ({
  metadata: { resourceVersion, uid, ...more },
});

it("versions are ranked over the whole case, and uids counted by appearance", async () => {
  const [one, two] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
  const steps = await recorded([get, get, get], object("70", one), object("9", two), object("70", two));
  expect(steps.map((s) => s["body"])).toEqual([
    { metadata: { resourceVersion: "<rv2>", uid: "<uid1>" } },
    { metadata: { resourceVersion: "<rv1>", uid: "<uid2>" } },
    { metadata: { resourceVersion: "<rv2>", uid: "<uid2>" } },
  ]);
});

it("the version of a list is told by the last object before it", async () => {
  const steps = await recorded([get], { kind: "L", metadata: { resourceVersion: "50" }, items: [object("40", "u")] });
  expect(find(steps[0], "/body/metadata/resourceVersion")).toBe("<rv1+>");
});

it("times near now are symbols by their precision, others stay", async () => {
  const times = [
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00.123456Z",
    "2026-01-01T00:00:00.5Z",
    "2001-01-01T00:00:00Z",
  ];
  const steps = await recorded([get], { times });
  expect(find(steps[0], "/body/times")).toEqual(["<t>", "<t:micro>", "<t:1digits>", "2001-01-01T00:00:00Z"]);
});

it("an unrecorded step that fails, and a save that finds nothing, stop the case", async () => {
  await expect(recorded([{ ...get, save: { a: "/none" } }], {})).rejects.toThrow("nothing at /none");
  const target: Target = {
    ...scripted(),
    request: async () => ({ status: 500, headers: {}, chunks: [] as unknown as AsyncIterable<string> }),
  };
  const failing: Case = { id: "T01", title: "t", namespace: false, steps: [{ ...get, record: false }] };
  await expect(runCase(target, failing)).rejects.toThrow("answered 500");
});

it("the server's host is a symbol, and no part of a longer port", async () => {
  const steps = await recorded([get], { a: "127.0.0.1:443/x", b: "127.0.0.1:44381/x" });
  expect(steps[0]?.["body"]).toEqual({ a: "<server>/x", b: "127.0.0.1:44381/x" });
});
