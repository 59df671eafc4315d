import { describe, expect, it } from "vitest";
import * as errors from "./errors.ts";
import { ApiError, ConnectionError, type Status } from "./errors.ts";

const made = (status: Status) => new ApiError("GET /x", status);

describe("an answer that is no", () => {
  const cases: [string, Status, (keyof typeof errors)[]][] = [
    ["a missing object", { code: 404, reason: "NotFound" }, ["isNotFound"]],
    ["a stale version", { code: 409, reason: "Conflict", details: { name: "a" } }, ["isConflict"]],
    ["a taken name", { code: 409, reason: "AlreadyExists" }, ["isAlreadyExists"]],
    ["a failed JSON Patch test", { code: 422, reason: "Invalid", details: {} }, ["isConflict"]],
    [
      "an invalid object",
      { code: 422, reason: "Invalid", details: { name: "a", kind: "Pod", causes: [{ field: "spec" }] } },
      ["isInvalid"],
    ],
    ["an old version", { code: 410, reason: "Expired" }, ["isExpired", "isGone"]],
    ["too many requests", { code: 429, reason: "TooManyRequests" }, ["isTooManyRequests"]],
    ["no name", { code: 401, reason: "Unauthorized" }, ["isUnauthorized"]],
    ["no right", { code: 403, reason: "Forbidden" }, ["isForbidden"]],
    ["a server that fell over", { code: 500, reason: "InternalError" }, []],
  ];
  const predicates = Object.entries(errors).filter(([name]) => name.startsWith("is")) as [
    string,
    (error: unknown) => boolean,
  ][];

  it.each(cases)("%s is known by its own predicate and no other", (_name, status, expected) => {
    const error = made(status);
    expect(predicates.flatMap(([name, test]) => (test(error) ? [name] : [])).sort()).toEqual([...expected].sort());
  });

  it("is nothing else's error", () => {
    expect(predicates.filter(([, test]) => test(new Error("404")) || test(undefined))).toEqual([]);
  });

  it("says what was asked, the code, the reason and the message", () => {
    const error = made({ code: 404, reason: "NotFound", message: `pods "a" not found` });
    expect(error.message).toBe(`GET /x: 404 NotFound: pods "a" not found`);
  });

  it("carries how long to wait, from the body where no header says so", () => {
    expect(made({ code: 429, details: { retryAfterSeconds: 2 } }).retryAfter).toBe(2000);
    expect(new ApiError("GET /x", { code: 429, details: { retryAfterSeconds: 2 } }, 500).retryAfter).toBe(500);
    expect(made({ code: 404 }).retryAfter).toBeUndefined();
  });
});

it.each([
  ["resolve", false],
  ["connect", false],
  ["tls", false],
  ["exchange", true],
  ["body", true],
] as const)("a connection that failed at %s: the server may have seen the request is %s", (step, sent) => {
  expect(new ConnectionError(step, "x").sent).toBe(sent);
});
