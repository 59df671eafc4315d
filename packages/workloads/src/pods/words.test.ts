import { ApiError } from "@telltale/client";
import { expect, test } from "vitest";
import { wordsOf } from "./words.ts";

test("a refusal is told in the server's words, without the request", () => {
  const refusal = new ApiError("POST /api/v1/namespaces/n/pods", { code: 403, message: 'pods "a" is forbidden' });
  expect(wordsOf(refusal)).toBe('pods "a" is forbidden');
});

test("a refusal without words tells its code, and whatever else was thrown tells itself", () => {
  expect(wordsOf(new ApiError("GET /", { code: 500 }))).toBe("the server answered 500");
  expect([wordsOf(new Error("lost")), wordsOf("odd")]).toEqual(["lost", "odd"]);
});
