import { ApiError, ConnectionError } from "@telltale/client";
import { silentLog } from "@telltale/runtime";
import { describe, expect, it } from "vitest";
import { asking, isTrouble, Troubled, untroubled } from "./trouble.ts";

const refusal = (code: number, reason = "", retryAfter?: number) =>
  new ApiError("GET /apis/x/secrets/hush", { code, reason, message: 'secrets "hush" is not for you' }, retryAfter);
const failing = (error: unknown) => untroubled(silentLog, () => asking("get", "secrets", () => Promise.reject(error)));

describe("11.1 a request that failed", () => {
  it.each([
    [refusal(503), "get secrets failed: HTTP 503"],
    [refusal(500), "get secrets failed: HTTP 500"],
    [refusal(400, "BadRequest"), "get secrets failed: HTTP 400"],
    [refusal(403, "Forbidden"), "missing permission: get secrets"],
  ])("is told without names: %s", async (error, message) => {
    expect(await failing(error)).toMatchObject({ verb: "get", resource: "secrets", message });
  });

  it("without an answer says so", async () => {
    const error = new ConnectionError("connect", "refused");
    expect(await failing(error)).toMatchObject({ message: "get secrets failed: no answer" });
  });

  it("keeps how long the server wants to be left alone", async () => {
    expect(await failing(refusal(429, "TooManyRequests", 7000))).toMatchObject({ retryAfter: 7000 });
  });

  it.each([[refusal(409, "Conflict")], [refusal(404, "NotFound")], [new Error("a bug")]])(
    "is no trouble of the server's where it is %s",
    async (error) => {
      await expect(failing(error)).rejects.toBe(error);
    },
  );

  it("is logged once, and what went well is handed on", async () => {
    const lines: string[] = [];
    const log = { ...silentLog, warn: (message: string) => lines.push(message) };
    const found = await untroubled(log, () => asking("patch", "things", () => Promise.reject(refusal(500))));
    expect([isTrouble(found as object), lines]).toEqual([true, ["a request failed"]]);
    expect(await untroubled(log, async () => ({ fine: true }))).toEqual({ fine: true });
    await expect(asking("list", "things", () => Promise.reject(refusal(500)))).rejects.toBeInstanceOf(Troubled);
  });
});
