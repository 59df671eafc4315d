import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Headers } from "../transport.ts";
import { AnswerReader, ProtocolError, requestHead } from "./http1.ts";

interface Heard {
  status?: number;
  headers?: Headers;
  body: string;
  /** Whether the connection can be used again; undefined: the answer has not ended. */
  isKept?: boolean;
}

/** Reads an answer from bytes that come in pieces. */
function read(text: string, { sizes = [text.length], method = "GET", closes = false } = {}): Heard {
  const heard: Heard = { body: "" };
  const reader = new AnswerReader();
  reader.expect(
    {
      onHead: (status, headers) => Object.assign(heard, { status, headers: { ...headers } }),
      onData: (bytes) => {
        heard.body += bytes.toString("latin1");
      },
      onEnd: (isKept) => Object.assign(heard, { isKept }),
    },
    method,
  );
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    reader.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  if (closes) reader.close();
  return heard;
}

const chunked = (...parts: string[]): string =>
  [...parts.map((it) => `${it.length.toString(16)}\r\n${it}\r\n`), "0\r\n\r\n"].join("");

describe("an answer", () => {
  it.each<[string, string, Heard]>([
    ["with a length", "200 OK\r\ncontent-length: 5\r\n\r\nhello", { status: 200, body: "hello", isKept: true }],
    ["with nothing in it", "200 OK\r\ncontent-length: 0\r\n\r\n", { status: 200, body: "", isKept: true }],
    ["that has no body", "204 No Content\r\n\r\n", { status: 204, body: "", isKept: true }],
    [
      "in chunks",
      `201 Created\r\nTransfer-Encoding: chunked\r\n\r\n${chunked("he", "llo")}`,
      { status: 201, body: "hello", isKept: true },
    ],
    [
      "in chunks, with what nobody asks for",
      "200 OK\r\ntransfer-encoding: chunked\r\n\r\n5 ;a=b\r\nhello\r\n0\r\nx-trailer: 1\r\n\r\n",
      { status: 200, body: "hello", isKept: true },
    ],
    [
      "after a word on the way",
      "103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na",
      { status: 200, body: "a", isKept: true },
    ],
    [
      "on a connection that ends with it",
      "200 OK\r\nConnection: close\r\ncontent-length: 1\r\n\r\na",
      { status: 200, body: "a", isKept: false },
    ],
  ])("%s is read, wherever its bytes are cut", (_what, text, wanted) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
        expect(read(`HTTP/1.1 ${text}`, { sizes })).toMatchObject(wanted);
      }),
    );
    expect(read(`HTTP/1.1 ${text}`)).toMatchObject(wanted);
  });

  it("without a length ends with its connection, and with nothing else", () => {
    const text = "HTTP/1.1 200 OK\r\n\r\nhello";
    expect(read(text)).toEqual({ status: 200, headers: {}, body: "hello" });
    expect(read(text, { closes: true })).toMatchObject({ body: "hello", isKept: false });
    const half = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello";
    expect(read(half, { closes: true })).not.toHaveProperty("isKept");
  });

  it("to HEAD has no body, whatever it says of one", () => {
    expect(read("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", { method: "HEAD" })).toMatchObject({ isKept: true });
  });

  it("tells its headers by lower-case names, and several of one name as a list", () => {
    const { headers } = read("HTTP/1.1 204 x\r\nAudit-Id:  7 \r\nWarning: a\r\nwarning: b\r\nWARNING: c\r\n\r\n");
    expect(headers).toEqual({ "audit-id": "7", warning: ["a", "b", "c"] });
  });

  it.each([
    ["no HTTP", "hello\r\n\r\n"],
    ["another version", "HTTP/2 200 OK\r\n\r\n"],
    ["another protocol", "HTTP/1.1 101 Switching\r\n\r\n"],
    ["a line without a name", "HTTP/1.1 200 OK\r\n: x\r\n\r\n"],
    ["a line that goes on", "HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n"],
    ["a space before the colon", "HTTP/1.1 200 OK\r\ncontent-length : 5\r\n\r\n"],
    ["a length that is none", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n"],
    ["an encoding that nobody asked for", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n"],
    ["a size that is none", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n"],
    ["a chunk that is too long", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n"],
    ["more than was asked for", "HTTP/1.1 204 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"],
    ["a head without an end", `HTTP/1.1 200 OK\r\na: ${"b".repeat(70_000)}`],
  ])("%s is refused", (_what, text) => {
    expect(() => read(text)).toThrow(ProtocolError);
    expect(() => read(text, { sizes: [7] })).toThrow(ProtocolError);
  });

  it("of two lengths belongs to nobody else: its connection is not used again", () => {
    const text = `HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n${chunked("a")}`;
    expect(read(text)).toMatchObject({ body: "a", isKept: false });
  });
});

describe("a request", () => {
  const request = { method: "PATCH", path: "/a?b=c", headers: { accept: "x", "impersonate-group": ["a", "b"] } };

  it("is written with all its headers", () => {
    expect(requestHead(request, "host:6443", 3)).toBe(
      "PATCH /a?b=c HTTP/1.1\r\nhost: host:6443\r\naccept: x\r\nimpersonate-group: a\r\nimpersonate-group: b\r\ncontent-length: 3\r\n\r\n",
    );
  });

  it.each([
    ["a path with a space", { path: "/a b" }],
    ["a path with an end of line", { path: "/a\r\nx: y" }],
    ["a path that is not encoded", { path: "/ä" }],
    ["a method with an end of line", { method: "GET\r\n" }],
    ["a header's name with an end of line", { headers: { "a\r\nb": "c" } }],
    ["a header with an end of line", { headers: { a: "b\r\nc: d" } }],
    ["a header with a zero", { headers: { a: ["b", "\0"] } }],
  ])("%s never leaves", (_what, more) => {
    expect(() => requestHead({ ...request, ...more }, "host", undefined)).toThrow(TypeError);
  });
});
