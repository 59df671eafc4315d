// What errors mean, and when to ask again: the tables of 2.7 and 4.6.
import { seededRandom } from "@telltale/clock";
import { describe, expect, it } from "vitest";
import type { Method } from "../contract/contract.ts";
import { type Code, RpcError } from "../contract/rpc-error.ts";
import { type Failure, meaningOf } from "./failure.ts";
import { ProviderError } from "./provider-error.ts";
import { waitFor } from "./wait.ts";

describe("the class of an error", () => {
  it.each<[Code, string, Method, Failure, boolean]>([
    ["INVALID_ARGUMENT", "", "create", "InvalidSpec", false],
    ["OUT_OF_RANGE", "", "create", "InvalidSpec", false],
    ["NOT_FOUND", "", "describe", "NotFound", false],
    ["ALREADY_EXISTS", "", "create", "Conflict", false],
    ["ABORTED", "", "create", "Busy", false],
    ["FAILED_PRECONDITION", "", "power", "FailedPrecondition", false],
    ["PERMISSION_DENIED", "", "create", "Unauthorized", false],
    ["UNAUTHENTICATED", "", "create", "Unauthorized", false],
    ["RESOURCE_EXHAUSTED", "slow down", "create", "RateLimit", false],
    ["RESOURCE_EXHAUSTED", "Quota exceeded for cpu", "create", "QuotaExceeded", false],
    ["RESOURCE_EXHAUSTED", "insufficient memory", "create", "QuotaExceeded", false],
    ["RESOURCE_EXHAUSTED", "no space left", "importDisk", "QuotaExceeded", false],
    ["RESOURCE_EXHAUSTED", "not enough room", "clone", "QuotaExceeded", false],
    ["UNIMPLEMENTED", "", "clone", "NotSupported", false],
    ["UNAVAILABLE", "", "create", "Unavailable", true],
    ["DEADLINE_EXCEEDED", "", "create", "Timeout", true],
    ["INTERNAL", "", "create", "Internal", true],
    ["UNKNOWN", "boom", "create", "Internal", true],
    ["DATA_LOSS", "", "describe", "Internal", false],
    ["DATA_LOSS", "", "importDisk", "Retryable", false],
    ["CANCELLED", "", "create", "Retryable", false],
    ["UNKNOWN", "Domain not found: no domain", "describe", "NotFound", false],
    ["UNKNOWN", "ManagedObjectNotFound", "describe", "NotFound", false],
    ["UNKNOWN", "pool does not exist", "create", "NotFound", false],
    ["UNKNOWN", "volume already exists", "create", "Conflict", false],
    ["UNKNOWN", "VM is locked (backup)", "delete", "Busy", false],
    ["UNKNOWN", "disk in use", "delete", "Busy", false],
    ["UNKNOWN", "VM 100 is running - destroy failed", "delete", "Busy", false],
    ["UNKNOWN", "unsupported firmware", "create", "InvalidSpec", false],
    ["UNKNOWN", "invalid size", "reconfigure", "InvalidSpec", false],
    ["UNKNOWN", "invalid handle", "describe", "Internal", true],
  ])("%s %j of %s is %s", (code, message, method, failure, counts) => {
    expect(meaningOf(code, message, method)).toMatchObject({ failure, counts });
  });

  it.each<[Code, boolean]>([
    ["DEADLINE_EXCEEDED", true],
    ["UNAVAILABLE", true],
    ["INTERNAL", true],
    ["CANCELLED", true],
    ["INVALID_ARGUMENT", false],
    ["ALREADY_EXISTS", false],
    ["RESOURCE_EXHAUSTED", false],
  ])("after %s it is not known whether it was done: %s", (code, isUnknown) => {
    expect(meaningOf(code, "", "create").isOutcomeUnknown).toBe(isUnknown);
  });

  it.each([
    ["too many requests, retry after 7s", 7_000],
    ["try again in 250 ms", 250],
    ["retry after 2m", 120_000],
    ["too many requests", undefined],
  ])("%j asks to come again after %s ms", (message, after) => {
    expect(meaningOf("RESOURCE_EXHAUSTED", message, "create").after).toBe(after);
  });
});

it("what is said of an error has no secrets, is not too long, and is never empty", () => {
  const long = ProviderError.of(new RpcError("UNKNOWN", `password=canary ${"word ".repeat(1_000)}`), "create");
  expect(long.said).not.toContain("canary");
  expect(long.message).toBe(long.said);
  expect(long.said.length).toBeLessThanOrEqual(1_024);
  expect(long.cause).toBeUndefined();
  expect(ProviderError.of(new RpcError("UNAVAILABLE", ""), "create").said).toBe("UNAVAILABLE");
});

it("what the wire knows wins over what the code lets one guess", () => {
  const of = (options: object) => ProviderError.of(new RpcError("UNAVAILABLE", "x", options), "create");
  expect(of({}).isOutcomeUnknown).toBe(true);
  expect(of({ isUnsent: true }).isOutcomeUnknown).toBe(false);
  expect(of({ after: 4_000 }).after).toBe(4_000);
});

describe("when to ask again", () => {
  const random = seededRandom(1);
  const waits = (failure: Failure, attempts = 8) =>
    Array.from({ length: attempts }, (_, i) => waitFor({ failure }, i + 1, random)).map((ms) =>
      ms === undefined ? undefined : ms / 1_000,
    );

  it.each<[Failure, readonly (number | undefined)[]]>([
    ["NotFound", [undefined, undefined]],
    ["InvalidSpec", [undefined, undefined]],
    ["NotSupported", [undefined, undefined]],
    ["Unauthorized", [60, 60]],
    ["Conflict", [15, 15]],
    ["FailedPrecondition", [15, 15]],
    ["RateLimit", [30, 30]],
    ["QuotaExceeded", [60, 120, 240, 480, 600, 600]],
    ["Internal", [5, 10, 20, 40, 80, 160, 300, 300]],
  ])("%s: %j seconds", (failure, wanted) => {
    expect(waits(failure, wanted.length)).toEqual(wanted);
  });

  it.each<Failure>(["Unavailable", "Timeout", "Retryable"])(
    "%s: 5 s doubling to 60 s, give or take a tenth",
    (failure) => {
      for (const [i, wanted] of [5, 10, 20, 40, 60, 60].entries()) {
        const wait = waits(failure, 6)[i] ?? 0;
        expect(Math.abs(wait / wanted - 1)).toBeLessThanOrEqual(0.1);
      }
    },
  );

  it("the provider's own word counts", () => {
    expect(waitFor({ failure: "RateLimit", after: 7_000 }, 3, random)).toBe(7_000);
  });

  it("any number of attempts gives a wait", () => {
    expect(waitFor({ failure: "Internal" }, 100_000, random)).toBe(300_000);
    expect(waitFor({ failure: "Internal" }, 0, random)).toBe(5_000);
  });
});
