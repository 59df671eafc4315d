import { ApiError } from "@telltale/client";
import { expect, test } from "vitest";
import { sanitise } from "./sanitise.ts";

test("12.6 nothing secret, no address and no path is left of what others said", () => {
  const said = sanitise(
    new Error(
      'Bearer abc.def secret "c2VjcmV0" AAAAAAAAAAAAAAAAAAAAAAAAAAAA 10.1.2.3:8080 /var/run/secrets/token token=abc def',
    ),
  );
  for (const part of ["abc", "c2VjcmV0", "AAAAAA", "10.1.2.3", "/var/run", "def"]) expect(said).not.toContain(part);
});

test("12.6 the code and the reason come first, and the rest is short", () => {
  const status = { code: 403, reason: "Forbidden", message: "word ".repeat(200) };
  const said = sanitise(new ApiError("GET /x", status));
  expect(said.startsWith("403 Forbidden: word word")).toBe(true);
  expect(said.length).toBeLessThanOrEqual(216);
});
