import { ApiError, ConnectionError, StreamError, TimeoutError } from "@telltale/client";
import { expect, it } from "vitest";
import { NoStreamedList, Rewound, troubleOf } from "./trouble.ts";

const api = (code: number, reason = "", causes: { reason: string }[] = []) =>
  new ApiError("GET /api/v1/pods", { code, reason, details: { causes } });

it.each([
  ["an older state than before", new Rewound("1", "2"), "rewound"],
  ["a version that is still to come", api(504, "Timeout", [{ reason: "ResourceVersionTooLarge" }]), "rewound"],
  ["410 in an answer", api(410, "Expired"), "expired"],
  ["410 in an event of an old server", api(410, "Gone"), "expired"],
  ["a kind that is not there", api(404, "NotFound"), "missing"],
  ["a cut line", new StreamError("cut", ""), "cut"],
  ["a line that is no event", new StreamError("garbled", ""), "garbled"],
  ["a line that is too long", new StreamError("oversized", ""), "garbled"],
  ["an answer that is too large", new ConnectionError("size", ""), "failed"],
  ["silence", new StreamError("stalled", ""), "stalled"],
  ["a connection lost in the middle", new ConnectionError("body", ""), "cut"],
  ["a connection refused", new ConnectionError("connect", ""), "failed"],
  ["no answer in time", new TimeoutError("GET", 1), "failed"],
  ["too many requests", api(429, "TooManyRequests"), "failed"],
  ["no permission", api(403, "Forbidden"), "failed"],
  ["an overloaded server", api(503), "failed"],
  ["a version that it cannot read", api(400, "BadRequest"), "refused"],
  ["an error inside of it", api(500, "InternalError"), "refused"],
  ["anything else", new TypeError("x"), "failed"],
] as const)("%s is what it is called", (_what, error, trouble) => {
  expect(troubleOf(error, { streaming: false })).toBe(trouble);
});

it.each([
  ["refuses the parameter", api(422, "Invalid")],
  ["does not know it", api(400, "BadRequest")],
  ["sends nothing", new StreamError("stalled", "")],
  ["does not end its list", new NoStreamedList("")],
])("a server that %s cannot stream lists", (_what, error) => {
  expect(troubleOf(error, { streaming: true })).toBe("unsupported");
});

it.each([
  ["cut", new StreamError("cut", "")],
  ["failed", api(503)],
  ["missing", api(404, "NotFound")],
] as const)("a streamed list that is %s says nothing of what the server can", (trouble, error) => {
  expect(troubleOf(error, { streaming: true })).toBe(trouble);
});
