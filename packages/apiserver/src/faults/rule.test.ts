import { expect, test } from "vitest";
import { StatusError } from "../status.ts";
import { readRule } from "./rule.ts";

const read = (rule: unknown) => readRule(Buffer.from(typeof rule === "string" ? rule : JSON.stringify(rule)));
const status = { status: 503 };

test.each([
  { latencyMs: 5 },
  { latencyMs: [5, 10], phase: "after" },
  { status: 429, reason: "TooManyRequests", message: "m", retryAfterSeconds: 1, commit: true },
  { status: 502, body: "<html>" },
  { timeout: true, commit: false },
  { resetConnection: true, afterBytes: 10 },
  { staleRead: { lagRevisions: 3, lagMs: 5 } },
  { conflictOnce: true },
  { watch: { dropAfterEvents: 1, partialWrite: true, missEvery: 2 } },
])("%j is an effect", (effect) => {
  expect(read({ effect })).toEqual({ effect, match: {} });
});

test("patterns are texts, and everything else is as it was sent", () => {
  const match = {
    verbs: ["get"],
    name: "a",
    path: "^/api",
    userAgent: "go",
    headers: { accept: "x" },
    nth: 2,
    probability: 0.5,
  };
  expect(read({ id: "x", times: 3, match, effect: status })).toEqual({
    id: "x",
    times: 3,
    match: { ...match, path: /^\/api/, userAgent: /go/ },
    effect: status,
  });
});

test.each([
  [{ effect: { statu: 503 } }, 'effect: {"statu":503}: use exactly one of latencyMs, status, timeout,'],
  [{ effect: { status: 503, timeout: true } }, "use exactly one of"],
  [{ effect: {} }, "effect: {}: use exactly one of"],
  [{ effect: { status: "503" } }, 'effect.status: "503": must be a status from 200 to 599'],
  [{ effect: { status: 503, mesage: "x" } }, 'effect.mesage: "x": unknown; use status, reason, message,'],
  [{ effect: { latencyMs: [10, 5] } }, "effect.latencyMs: [10,5]: must be milliseconds from 0, or [least, most]"],
  [{ effect: { timeout: false } }, "effect.timeout: false: must be true"],
  [{ effect: { watch: { dropAfter: 1 } } }, "effect.watch.dropAfter: 1: unknown; use dropAfterEvents,"],
  [{ effect: { staleRead: 5 } }, "effect.staleRead: 5: must be an object"],
  [{ match: { verb: "get" }, effect: status }, 'match.verb: "get": unknown; use verbs, group,'],
  [{ match: { verbs: "get" }, effect: status }, 'match.verbs: "get": must be a list of texts'],
  [
    { match: { path: "(" }, effect: status },
    'match.path: "(": must be a regular expression (Invalid regular expression',
  ],
  [{ match: { headers: { Accept: "x" } }, effect: status }, "must be texts by a header's name in lower case"],
  [{ match: { probability: 2 }, effect: status }, "match.probability: 2: must be a number from 0 to 1"],
  [{ time: 1, effect: status }, "time: 1: unknown; use id, match, times, effect"],
  [{ times: 0, effect: status }, "times: 0: must be a whole number from 1"],
  [{ match: {} }, 'a fault is an object with an "effect"'],
  ["[", "the body is no JSON: "],
])("%j is refused, with the member, its value and the fix", (rule, message) => {
  let refused: unknown;
  try {
    read(rule);
  } catch (error) {
    refused = error;
  }
  expect(refused).toBeInstanceOf(StatusError);
  expect((refused as StatusError).code).toBe(400);
  expect((refused as StatusError).message).toContain(message);
});
