import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, watchDecoder, withoutManagedFields } from "./decode.ts";
import { Echo, Echoes } from "./echoes.ts";

const managed = [
  { manager: "kubectl", fieldsV1: { 'k:{"type":"a]}"}': { ".": {} }, 'v:"x\\"],"': {} }, operation: "Update" },
  { manager: "b", fieldsV1: {} },
];

describe("what is cut before parsing", () => {
  it("is the managedFields of an object, wherever they stand in its metadata", () => {
    for (const metadata of [
      { name: "a", managedFields: managed, uid: "1" },
      { managedFields: managed, name: "a", uid: "1" },
      { name: "a", uid: "1", managedFields: managed },
    ]) {
      const cut = withoutManagedFields(JSON.stringify({ kind: "A", metadata, spec: { x: "]" } }));
      expect(cut).not.toContain("managedFields");
      expect(JSON.parse(cut)).toEqual({ kind: "A", metadata: { name: "a", uid: "1" }, spec: { x: "]" } });
    }
    expect(withoutManagedFields('{"metadata":{"managedFields":[]}}')).toBe('{"metadata":{}}');
  });

  it("is that of every item of a list", () => {
    const item = (name: string) => ({ metadata: { annotations: { a: '"metadata":{' }, managedFields: managed, name } });
    const list = { metadata: { resourceVersion: "1" }, items: [item("a"), { metadata: { name: "b" } }, item("c")] };
    const read = JSON.parse(withoutManagedFields(JSON.stringify(list))) as typeof list;
    expect(read.items.map(({ metadata }) => Object.keys(metadata).join())).toEqual([
      "annotations,name",
      "name",
      "annotations,name",
    ]);
  });

  it("is nothing in a spec that happens to use the name", () => {
    const object = {
      metadata: { name: "a" },
      spec: { managedFields: [1], metadata: { labels: { managedFields: "[" } } },
    };
    expect(JSON.parse(withoutManagedFields(JSON.stringify(object)))).toEqual(object);
    const deep = { metadata: { annotations: { x: "y" }, more: { managedFields: [1] } } };
    expect(JSON.parse(withoutManagedFields(JSON.stringify(deep)))).toEqual(deep);
  });

  it("is nothing in a text that was cut, wherever it was cut", () => {
    const whole = JSON.stringify({ metadata: { name: "a", managedFields: managed, uid: "1" }, spec: {} });
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => decode(whole.slice(0, length)), whole.slice(0, length)).toThrow(SyntaxError);
    }
  });

  it("never changes anything else", () => {
    const text = fc.string({
      unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", ",", ":", "a", "metadata", "managedFields"),
    });
    const json = fc.jsonValue({ depthSize: "small", stringUnit: "binary" });
    fc.assert(
      fc.property(fc.array(fc.record({ name: text, labels: fc.dictionary(text, text), spec: json })), (objects) => {
        const items = objects.map(({ name, labels, spec }) => ({
          metadata: { labels, managedFields: managed, name },
          spec,
        }));
        const kept = objects.map(({ name, labels, spec }) => ({ metadata: { labels, name }, spec }));
        expect(JSON.parse(withoutManagedFields(JSON.stringify({ items })))).toEqual(
          JSON.parse(JSON.stringify({ items: kept })),
        );
      }),
    );
  });
});

it("decodes what JSON does, and refuses what JSON refuses", () => {
  expect(decode('{"a":["a long string of text",1,null,{"b":"a long string of text"}]}')).toEqual({
    a: ["a long string of text", 1, null, { b: "a long string of text" }],
  });
  expect(() => decode("{")).toThrow(SyntaxError);
});

describe("the echo of our own write", () => {
  const line = (type: string, resourceVersion: string, more: object = {}) =>
    JSON.stringify({
      type,
      object: { kind: "A", metadata: { managedFields: managed, name: "a", uid: "u", resourceVersion }, ...more },
    });
  const wrote = (resourceVersion: string) => ({ metadata: { name: "a", uid: "u", resourceVersion } });
  const heard = (...versions: string[]) => {
    const echoes = new Echoes();
    for (const version of versions) echoes.add(wrote(version));
    const read = watchDecoder(echoes);
    return (text: string) => read(text) as { type: string; object: unknown };
  };

  it("is not parsed until somebody needs more than its name", () => {
    for (const type of ["MODIFIED", "ADDED"]) {
      const { type: read, object } = heard("7")(line(type, "7", { spec: { a: 1 } }));
      if (!(object instanceof Echo)) throw new Error("it was parsed");
      expect([read, object.metadata]).toEqual([type, wrote("7").metadata]);
      expect(object.whole()).toEqual({ kind: "A", ...wrote("7"), spec: { a: 1 } });
    }
  });

  it("is nothing else that has the same version somewhere", () => {
    const read = heard("7");
    const before = { about: { metadata: { resourceVersion: "7" } }, metadata: { resourceVersion: "8" } };
    for (const text of [
      line("MODIFIED", "8"),
      line("DELETED", "7"),
      line("BOOKMARK", "7"),
      line("MODIFIED", "8", { spec: { metadata: { resourceVersion: "7" } } }),
      JSON.stringify({ type: "ADDED", object: before }),
      JSON.stringify({ metadata: { resourceVersion: "7", name: "a" } }),
    ]) {
      expect(read(text)).toEqual(decode(text));
    }
  });

  it("is nothing that was cut", () => {
    const whole = line("MODIFIED", "7", { spec: [1] });
    for (let length = 1; length < whole.length; length += 1) {
      expect(() => heard("7")(whole.slice(0, length)), whole.slice(0, length)).toThrow(SyntaxError);
    }
  });

  it("is forgotten when there are too many", () => {
    const echoes = new Echoes();
    for (let i = 0; i < 5_000; i += 1) echoes.add(wrote(`${i}`));
    expect(echoes.size).toBeLessThanOrEqual(2_000);
    expect([echoes.at("0"), echoes.at("4999")?.name]).toEqual([undefined, "a"]);
  });
});
