// Bodies that are none, for every verb and media type: a Status that says what is wrong.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  apply,
  configMaps,
  definitions,
  fault,
  frees,
  json,
  jsonPatch,
  merge,
  pods,
  refusal,
  send,
  strategic,
  yaml,
} from "./target.ts";

describe("bodies that are none", () => {
  const bodies: Readonly<Record<string, string | Uint8Array>> = {
    empty: "",
    truncated: '{"metadata":',
    "a zero byte": "\0",
    "two documents": "{}{}",
    "a comment": "{/*a*/}",
    "not a number": '{"metadata":{"name":NaN}}',
    "a list": "[]",
    "a text": '"x"',
    "bad UTF-8 as a name": Buffer.concat([
      Buffer.from('{"metadata":{"name":"'),
      Buffer.from([0xc3, 0x28, 0xff]),
      Buffer.from('"}}'),
    ]),
    "bytes that are no text": Uint8Array.from({ length: 1000 }, (_, i) => (i * 37) & 0xff),
  };

  test.each(Object.entries(bodies))("%s is refused by every verb that reads a body", async (_, body) => {
    for (const type of [json, yaml, "application/vnd.kubernetes.protobuf"]) {
      fault(await send("POST", configMaps, type, body));
      fault(await send("POST", frees, type, body));
      fault(await send("PUT", `${configMaps}/seed`, type, body));
      fault(await send("POST", definitions, type, body));
    }
    fault(await send("DELETE", `${configMaps}/none`, json, body));
    for (const type of [merge, strategic, jsonPatch, apply]) {
      const answer = await send("PATCH", `${configMaps}/seed?fieldManager=x`, type, body);
      // An empty list of operations changes nothing, and that is fine.
      if (!(type === jsonPatch && body === "[]")) fault(answer);
    }
  });

  test("random bytes for every verb, media type and place", async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }).map((tail) => Buffer.concat([Buffer.from("k8s\0"), tail])),
      fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text)),
    );
    const verbs = fc.constantFrom("POST", "PUT", "PATCH", "DELETE");
    const types = fc.constantFrom(
      json,
      yaml,
      merge,
      strategic,
      jsonPatch,
      apply,
      "application/vnd.kubernetes.protobuf",
      "x/y",
      "",
    );
    const places = fc.constantFrom(
      configMaps,
      `${configMaps}/none`,
      `${pods}/seed/status`,
      `${frees}/none`,
      definitions,
      "/api",
      "/x",
    );
    await fc.assert(
      fc.asyncProperty(bytes, verbs, types, places, async (body, method, type, path) => {
        fc.pre(!(method === "DELETE" && (path === configMaps || path === definitions))); // what others use is to stay
        const answer = await send(method, `${path}?fieldManager=x&dryRun=All`, type, body);
        if (answer.status >= 400 && answer.headers["content-type"] === json) refusal(answer);
      }),
      { numRuns: 400 },
    );
  }, 20_000);

  test("a media type that nobody reads is 415, one that nobody writes 406", async () => {
    for (const type of [
      "text/plain",
      "application/xml",
      "multipart/form-data; boundary=x",
      "application/cbor",
      "constructor",
      "__proto__",
      "\0",
    ]) {
      expect(fault(await send("POST", configMaps, type, '{"metadata":{"name":"never"}}')), type).toBe(415);
      expect(fault(await send("PATCH", `${frees}/seed`, type, "{}")), type).toBe(415);
    }
    for (const accept of [
      "text/html",
      "__proto__",
      "application/json;as=constructor;v=v1;g=__proto__",
      "application/json;as=Table;v=v9;g=meta.k8s.io",
    ]) {
      expect(fault(await send("GET", configMaps, undefined, "", accept)), accept).toBe(406);
    }
  });
});
