import { ApiError } from "@telltale/client";
import { expect, it } from "vitest";
import { isEnding, unlessEnding } from "./ending.ts";

const refusal = (reason: string) =>
  new ApiError("POST /api/v1/namespaces/n/configmaps", {
    code: 403,
    reason: "Forbidden",
    message: "no",
    details: { causes: [{ reason }] },
  });

it("a refusal because the namespace goes away is no failure", async () => {
  await expect(unlessEnding(() => Promise.reject(refusal("NamespaceTerminating")))).resolves.toBeUndefined();
});

it("every other refusal is", async () => {
  await expect(unlessEnding(() => Promise.reject(refusal("QuotaExceeded")))).rejects.toThrow("no");
  await expect(unlessEnding(() => Promise.reject(new Error("what")))).rejects.toThrow("what");
});

it("a namespace ends by its deletion or by its phase", () => {
  expect(isEnding({ metadata: { name: "n" }, status: { phase: "Active" } })).toBe(false);
  expect(isEnding({ metadata: { name: "n" }, status: { phase: "Terminating" } })).toBe(true);
  expect(isEnding({ metadata: { name: "n", deletionTimestamp: "2026-01-01T00:00:00Z" } })).toBe(true);
});
