import { describe, expect, test } from "vitest";
import { isSuccessStatus, mapConnectionError, mapHttpErrorToReason, meaningOf, successReason } from "./http-errors.ts";
import { bindcarReasons } from "./reasons.ts";

const rows: readonly [number, string, string, string][] = [
  [
    400,
    "BindcarBadRequest",
    "Invalid request to Bindcar API (400)",
    "received an invalid request error from Bindcar API (400)",
  ],
  [401, "BindcarAuthFailed", "Bindcar authentication failed", "failed Bindcar authentication (401)"],
  [403, "BindcarAuthFailed", "Bindcar authentication failed", "failed Bindcar authentication (403)"],
  [404, "ZoneNotFound", "Zone or resource not found in BIND9 (404)", "is missing a zone or resource in BIND9 (404)"],
  [500, "BindcarInternalError", "Bindcar API internal error (500)", "reported a Bindcar API internal error (500)"],
  [
    501,
    "BindcarNotImplemented",
    "Operation not supported by Bindcar (501)",
    "does not support the requested Bindcar operation (501)",
  ],
  [502, "GatewayError", "Gateway error reaching Bindcar (502)", "is unreachable through the gateway (502)"],
  [503, "GatewayError", "Gateway error reaching Bindcar (503)", "is unreachable through the gateway (503)"],
  [504, "GatewayError", "Gateway error reaching Bindcar (504)", "is unreachable through the gateway (504)"],
  ...[0, 302, 418, 429, 599, 65_535].map((code): [number, string, string, string] => [
    code,
    "BindcarUnreachable",
    `Unexpected HTTP error from Bindcar (${code})`,
    `returned an unexpected HTTP error from Bindcar (${code})`,
  ]),
];

describe("A-10 the table of HTTP codes", () => {
  test.each(rows)("A-10 %i is %s", (code, reason, message, phrase) => {
    expect(mapHttpErrorToReason(code)).toEqual([reason, message]);
    expect(meaningOf({ trouble: { at: "answered", status: code } })).toEqual({ reason, message, phrase });
  });

  test("A-10 no answer at all is BindcarUnreachable", () => {
    expect(mapConnectionError()).toEqual(["BindcarUnreachable", "Cannot connect to Bindcar API"]);
    expect(meaningOf({ trouble: { at: "unreachable", why: "refused" } }).phrase).toBe("cannot connect to Bindcar API");
  });

  test("A-10 only 200 to 299 are successes", () => {
    const successes = Array.from({ length: 1000 }, (_, code) => code).filter(isSuccessStatus);
    expect([successes[0], successes.length]).toEqual([200, 100]);
    expect(successReason()).toEqual(["Ready", "Operation completed successfully"]);
  });

  test("A-22 a refused key is told by the code in the body of a 500, and of nothing else", () => {
    expect(meaningOf({ trouble: { at: "answered", status: 500, code: "RNDC_AUTH" } })).toEqual({
      reason: "RNDCAuthenticationFailed",
      message: "RNDC authentication failed",
      phrase: "failed RNDC authentication",
    });
    expect(meaningOf({ trouble: { at: "answered", status: 500, code: "RNDC_FAILED" } }).reason).toBe(
      "BindcarInternalError",
    );
    expect(meaningOf({ trouble: { at: "answered", status: 503, code: "RNDC_AUTH" } }).reason).toBe("GatewayError");
  });

  test("a missing zone is named where it is known", () => {
    expect(meaningOf({ trouble: { at: "answered", status: 404 }, zone: "example.com" }).phrase).toBe(
      "is missing zone example.com in BIND9 (404)",
    );
  });

  test("6.4 the ranking is the seed's, with the refused key beside the refused token", () => {
    expect(bindcarReasons).toEqual([
      "BindcarBadRequest",
      "BindcarAuthFailed",
      "RNDCAuthenticationFailed",
      "ZoneNotFound",
      "BindcarInternalError",
      "BindcarNotImplemented",
      "GatewayError",
      "BindcarUnreachable",
    ]);
  });
});
