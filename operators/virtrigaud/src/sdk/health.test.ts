import { VirtualClock } from "@telltale/clock";
import { describe, expect, it } from "vitest";
import { type Checks, Health } from "./health.ts";
import { answer } from "./probes.ts";

function stage(checks: Checks) {
  const clock = new VirtualClock();
  const health = new Health(checks, clock);
  return { clock, health, get: (path: string) => answer(path, health, "1.2.3") };
}

describe("checks", () => {
  it("are run when asked for, once for all who ask, and then remembered for half a minute", async () => {
    let runs = 0;
    const { clock, health } = stage({
      disk: async () => {
        runs += 1;
      },
    });
    await Promise.all([health.results(5_000), health.results(5_000)]);
    clock.advance(29_999);
    expect(await health.results(5_000)).toEqual([{ name: "disk", at: expect.any(Number) }]);
    expect(runs).toBe(1);
    clock.advance(1);
    await health.results(5_000);
    expect(runs).toBe(2);
    expect(clock.next()).toBeUndefined();
  });

  it("that ignore their signal fail once their time is up, and the next probe runs them again", async () => {
    let isHung = true;
    const { clock, get } = stage({ mount: () => (isHung ? new Promise(() => {}) : Promise.resolve()) });
    const first = get("/readyz");
    await clock.settle(10_000);
    expect(await first).toMatchObject({ status: 503 });
    isHung = false;
    expect(await get("/readyz")).toMatchObject({ status: 503, body: "mount: no result within 10 s\n" });
    clock.advance(30_000);
    expect(await get("/readyz")).toMatchObject({ status: 200 });
  });

  it("that take too long have failed for who asked, and are told so themselves", async () => {
    const signals: AbortSignal[] = [];
    const { clock, get } = stage({ hung: (signal) => new Promise(() => signals.push(signal)) });
    const asked = get("/readyz");
    clock.advance(5_000);
    expect(await asked).toMatchObject({ status: 503, body: "hung: no result within 5 s\n" });
    expect(signals[0]?.aborted).toBe(false);
    clock.advance(5_000);
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe("who asks by HTTP", () => {
  const failing: Checks = {
    disk: async () => {},
    login: async () => {
      throw new Error("cannot log in with password=hunter2");
    },
  };

  it("hears that the process is alive, whatever its checks say", async () => {
    expect(await stage(failing).get("/healthz")).toMatchObject({ status: 200, body: "ok\n" });
  });

  it("hears whether it is ready, and why not", async () => {
    expect(await stage({}).get("/readyz")).toMatchObject({ status: 200, body: "ok\n" });
    const { status, body } = await stage(failing).get("/readyz");
    expect([status, body]).toEqual([503, "login: cannot log in with password=[redacted]\n"]);
  });

  it("hears of every check in JSON", async () => {
    const { status, body } = await stage(failing).get("/health");
    const checkedAt = "2026-01-01T00:00:00.000Z";
    expect(status).toBe(503);
    expect(JSON.parse(body)).toEqual({
      status: "unhealthy",
      version: "1.2.3",
      checks: {
        disk: { status: "ok", checkedAt },
        login: { status: "failed", message: "cannot log in with password=[redacted]", checkedAt },
      },
    });
  });

  it("hears that it stops", async () => {
    const { health, get } = stage({});
    health.stop();
    expect(await get("/readyz")).toMatchObject({ status: 503, body: "stopping\n" });
    expect(JSON.parse((await get("/health")).body)).toMatchObject({ status: "stopping" });
    expect(await get("/healthz")).toMatchObject({ status: 200 });
  });

  it("for something else hears what there is", async () => {
    expect(await stage({}).get("/metrics")).toMatchObject({ status: 404 });
  });
});
