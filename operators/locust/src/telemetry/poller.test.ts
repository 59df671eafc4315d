import { TimeoutError } from "@telltale/client";
import { VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import type { Polled } from "@telltale/runtime";
import { describe, expect, test } from "vitest";
import { standardConfig } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import { type Read, telemetryPoller } from "./poller.ts";
import type { Reading } from "./reading.ts";
import type { Reach } from "./target.ts";
import { Targets } from "./targets.ts";
import { Unread } from "./trouble.ts";
import type { WebApi } from "./web-api.ts";

const config = standardConfig.telemetry;
const clock = new VirtualClock();
const reach: Reach = { at: "address", url: "http://10.0.0.1:8089/", master: { uid: "m", created: instant(0) } };
const it = (phase: "Pending" | "Running" | "Failed", more: object = {}): LocustTest => ({
  apiVersion: "locust.io/v2",
  kind: "LocustTest",
  metadata: { name: "demo", namespace: "perf", uid: "t", ...more },
  spec: { image: "i", master: { command: "x" }, worker: { command: "x", replicas: 1 } },
  status: { phase },
});
const silent: WebApi = { read: () => Promise.reject(new Error("nobody should ask")) };
const poller = (targets = new Targets(), api = silent, more: Partial<typeof config> = {}) =>
  telemetryPoller({ config: { ...config, ...more }, api, targets, clock });
const refused = new Unread("MasterUnreachable", "connection refused");
const login = new Unread("AuthenticationRequired", "HTTP 302");
const signal = new AbortController().signal;

describe("who is asked", () => {
  test("running tests that have had a master, until they are over, gone or on their way", () => {
    const targets = new Targets();
    const { when } = poller(targets);
    expect(when?.(it("Running"))).toBe(false);
    targets.set(it("Running"), { at: "waiting" });
    expect(when?.(it("Running"))).toBe(false);
    targets.set(it("Running"), reach);
    expect(when?.(it("Running"))).toBe(true);
    expect(when?.(it("Pending"))).toBe(false);
    expect(when?.(it("Failed"))).toBe(false);
    expect(when?.(it("Running", { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toBe(false);
    targets.set(it("Running"), { at: "ended" });
    expect(when?.(it("Running"))).toBe(true);
    targets.forget(it("Running"));
    expect(when?.(it("Running"))).toBe(false);
  });

  test("a test that gets its first master is looked at once more, so that the poller sees it", () => {
    const targets = new Targets();
    const woken: unknown[] = [];
    const deafen = targets.source((name) => woken.push(name));
    targets.set(it("Running"), { at: "waiting" });
    expect(woken).toEqual([]);
    for (let i = 0; i < 3; i += 1) targets.set(it("Running"), reach);
    targets.set(it("Running"), { at: "ended" });
    targets.set(it("Running"), reach);
    expect(woken).toEqual([{ namespace: "perf", name: "demo" }]);
    deafen();
    targets.set(it("Running", { uid: "other" }), reach);
    expect(woken).toHaveLength(1);
  });

  test("nobody, once the master has ended: what it said last stays", async () => {
    const targets = new Targets();
    targets.set(it("Running"), reach);
    targets.set(it("Running"), { at: "ended" });
    const value = { isNews: true, isTurning: true, stops: 1 } as Reading;
    const last: Polled<Read> = { value, failures: 0, at: instant(5) };
    expect(await poller(targets).poll(it("Running"), { signal, last })).toEqual({
      ...value,
      isNews: false,
      isTurning: false,
    });
    expect(await poller(targets).poll(it("Running"), { signal, last: undefined })).toBeUndefined();
  });
});

describe("when to ask again", () => {
  const again = (isTurning: boolean, interval = config.interval) =>
    poller(new Targets(), silent, { interval }).again?.({ isTurning } as Reading);

  test("after the interval; soon, when the runner turns", () => {
    expect([again(false), again(true), again(true, 2_000)]).toEqual([10_000, 3_500, 2_000]);
  });

  test("A67 after failures twice as late each time, up to a minute (telemetry)", () => {
    const pause = (failures: number) => (poller().pause?.(failures, refused) ?? 0) * 1.1;
    expect([1, 2, 3, 4].map(pause).map(Math.round)).toEqual([11_000, 11_000, 22_000, 44_000]);
    for (const failures of [5, 6, 100, 5_000]) expect(Math.round(pause(failures))).toBe(60_000);
  });

  test("A69 after a minute at once, where a login is asked for (telemetry)", () => {
    expect(Math.round((poller().pause?.(1, login) ?? 0) * 1.1)).toBe(60_000);
  });
});

describe("what is worth a pass", () => {
  const good = (isNews: boolean): Polled<Read> => ({ value: { isNews } as Reading, failures: 0, at: instant(0) });
  const bad = (failures: number, error: unknown = refused): Polled<Read> => ({ failures, error, at: instant(0) });
  const { changed } = poller();

  test.each([
    ["a first answer", undefined, good(true), true],
    ["an answer that says nothing new", good(true), good(false), false],
    ["a first failure", good(true), bad(1), false],
    ["a second one", bad(1), bad(2), false],
    ["a third one", bad(2), bad(3), true],
    ["a fourth one", bad(3), bad(4), false],
    ["another class of failure", bad(3), bad(4, new TimeoutError("x", 1)), true],
    ["a login, at once", undefined, bad(1, login), true],
    ["a login again", bad(1, login), bad(2, login), false],
    ["an answer after all, although it says nothing new", bad(3), good(false), true],
    ["an answer before it was certain that there is none", bad(2), good(false), false],
    ["nobody to ask", undefined, { failures: 0, at: instant(0) }, false],
  ] as const)("%s: %#", (_, before, after, isWorth) => expect(changed?.(before, after)).toBe(isWorth));
});
