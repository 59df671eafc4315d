import { expect, it } from "vitest";
import { triggered } from "./trigger.ts";

const name = "endpoints.kubernetes.io/last-change-trigger-time";

it("the earliest of the moments counts", () => {
  const moments = ["2026-01-01T00:00:05Z", undefined, "2026-01-01T00:00:03Z", "nonsense"];
  expect(triggered({ other: "1" }, moments)).toEqual({ other: "1", [name]: "2026-01-01T00:00:03Z" });
});

it("where nobody knows, an older one does not stay", () => {
  expect(triggered({ other: "1", [name]: "2026-01-01T00:00:03Z" }, [])).toEqual({ other: "1" });
});
