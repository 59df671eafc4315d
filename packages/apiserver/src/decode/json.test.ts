import { describe, expect, test } from "vitest";
import { JsonError, parseJson } from "./json.ts";

const failure = (body: string | Uint8Array): string => {
  try {
    parseJson(body);
  } catch (error) {
    if (error instanceof JsonError) return error.message;
    throw error;
  }
  return "";
};

describe("texts of what is no JSON are those of Go", () => {
  test.each([
    ["", "unexpected end of JSON input"],
    ["  ", "unexpected end of JSON input"],
    ['{"a":', "unexpected end of JSON input"],
    ['{"a":"x', "unexpected end of JSON input"],
    ["[1", "unexpected end of JSON input"],
    ["x", "invalid character 'x' looking for beginning of value"],
    ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['{"a":[1 2]}', "invalid character '2' after array element"],
    ["{} x", "invalid character 'x' after top-level value"],
    ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
    ['{"a":nul', "invalid character ' ' in literal null (expecting 'l')"],
    ['{"a":-}', "invalid character '}' in numeric literal"],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
    ['{"a":"\n"}', "invalid character '\\n' in string literal"],
    ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
    ['{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"],
    ["{\u0000}", "invalid character '\\x00' looking for beginning of object key string"],
    ["é", "invalid character 'Ã' looking for beginning of value"],
  ])("%j", (body, message) => expect(failure(body)).toBe(message));

  test("R08 a byte that is no UTF-8 is named by its number", () => {
    expect(failure(Uint8Array.of(0x81))).toBe("invalid character '\\u0081' looking for beginning of value");
  });

  test("10,000 levels are read, one more is not", () => {
    expect(failure("[".repeat(10_000) + "]".repeat(10_000))).toBe("");
    expect(failure("[".repeat(10_001))).toBe("invalid character '[' exceeded max depth");
  });
});

describe("nothing is lost", () => {
  test("V40 an int64 beyond 2^53 is exact, a larger one is a float", () => {
    const { value } = parseJson(
      '{"a":9007199254740993,"b":-9223372036854775808,"c":18446744073709551616,"d":9007199254740991}',
    );
    expect(value).toEqual({
      a: 9007199254740993n,
      b: -9223372036854775808n,
      c: 2 ** 64,
      d: 9007199254740991,
    });
  });

  test("names that come twice are found in lists and objects, in the order of the document", () => {
    const body = '{"spec":{"a":1,"a":2},"x":[{"y":1},{"y":1,"y":3}],"spec":{"a":3}}';
    const { value, duplicates } = parseJson(body);
    expect(duplicates).toEqual(["spec.a", "x[1].y", "spec"]);
    expect(value).toEqual({ spec: { a: 3 }, x: [{ y: 1 }, { y: 3 }] });
  });

  test("an object that comes twice is merged or replaced", () => {
    const body = '{"data":{"a":"1"},"data":{"b":"2"}}';
    expect(parseJson(body).value).toEqual({ data: { a: "1", b: "2" } });
    expect(parseJson(body, { repeated: "replace" }).value).toEqual({ data: { b: "2" } });
  });

  test("an escaped quote or colon is no end of a string and no name", () => {
    expect(parseJson('{"a\\":":"\\\\","b":"\\":"}')).toMatchObject({ value: { 'a":': "\\", b: '":' }, duplicates: [] });
  });

  test("halves of pairs and bytes that are no UTF-8 become U+FFFD, one for each", () => {
    expect(parseJson('{"a":"\\ud800x","b":"\\ud800\\udc00"}').value).toEqual({ a: "\ufffdx", b: "\u{10000}" });
    expect(parseJson(Uint8Array.of(0x22, 0xff, 0xe2, 0x82, 0x22)).value).toBe("\ufffd\ufffd\ufffd");
  });

  test("__proto__ is a name like any other", () => {
    const { value, duplicates } = parseJson('{"__proto__":1,"__proto__":2}');
    expect(Object.entries(value as object)).toEqual([["__proto__", 2]]);
    expect(duplicates).toEqual(["__proto__"]);
  });
});
