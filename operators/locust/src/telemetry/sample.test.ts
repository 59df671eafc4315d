import { instant } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mapSample, parseSample } from "./sample.ts";

const at = instant(Date.UTC(2026, 0, 19, 22, 2, 31));
const id = (host: string) => `${host}_0f3c5b7a9d1e2f4061728394a5b6c7d8`;
const row = { method: "GET", name: "/item", num_requests: 9, num_failures: 9, avg_response_time: 9, current_rps: 9 };
const totals = {
  method: "",
  name: "Aggregated",
  num_requests: 812,
  num_failures: 3,
  avg_response_time: 83.4081,
  current_rps: 40.1,
};
const answer = {
  stats: [row, totals],
  errors: [{ method: "GET", name: "/item", error: "token=hunter2", occurrences: 3 }],
  current_rps: 40.123,
  total_rps: 38.2,
  workers: [
    { id: id("demo-worker-a"), state: "running", user_count: 34 },
    { id: id("demo-worker-b"), state: "missing", user_count: 0 },
  ],
  worker_count: 3,
  state: "running",
  user_count: 100,
};

describe("an answer of the master", () => {
  test("A65 becomes numbers (telemetry)", () => {
    expect(parseSample(JSON.stringify(answer), at)).toEqual({
      at,
      state: "running",
      workers: 3,
      missing: ["demo-worker-b"],
      users: 100,
      totals: { requests: 812, failures: 3, average: 83.41 },
      rate: 40.12,
    });
  });

  test("A66 of an old Locust has its workers counted: those that are ready, spawning or running (telemetry)", () => {
    const states = ["ready", "spawning", "running", "missing", "stopped", "cleanup"];
    const workers = states.map((state, i) => ({ id: id(`w${i}`), state }));
    const { worker_count: _, current_rps: __, ...old } = answer;
    expect(mapSample({ ...old, workers }, at)).toMatchObject({ workers: 3, missing: ["w3"], rate: 40.1 });
  });

  test("without a current rate has the last one that there is", () => {
    const { current_rps: _, ...sum } = totals;
    const { current_rps: __, ...rest } = answer;
    expect(mapSample({ ...rest, stats: [sum] }, at)).toMatchObject({ rate: 38.2 });
  });

  test.each([
    ["the last of that name", [{ ...totals, num_requests: 1 }, row, totals]],
    ["called Total by very old versions", [row, { ...totals, name: "Total", method: null }]],
    ["found by its name where it is not the last", [totals, row]],
  ])("the sum is %s", (_, stats) => {
    expect(mapSample({ ...answer, stats }, at)).toMatchObject({ totals: { requests: 812 } });
  });

  test.each([[[row]], [[]], ["Aggregated"], [undefined], [[null, 5, [totals]]]])("no sum: no totals (%#)", (stats) => {
    expect(mapSample({ ...answer, stats }, at)).not.toHaveProperty("totals");
  });

  test("a bad field is left out, not the sample", () => {
    const bad = { ...totals, num_requests: "812", num_failures: -3, avg_response_time: null, current_rps: [] };
    const body = { stats: [bad], current_rps: "40", total_rps: {}, workers: null, worker_count: -1, user_count: 1e99 };
    expect(mapSample({ ...body, state: "exploding" }, at)).toEqual({ at, missing: [], totals: {} });
  });

  test("what does not fit its field in the status is left out", () => {
    const body = {
      ...answer,
      worker_count: 2 ** 31,
      user_count: 2 ** 40,
      stats: [{ ...totals, num_requests: 2 ** 60 }],
    };
    const sample = mapSample({ ...body, workers: undefined }, at);
    expect(sample).not.toHaveProperty("workers");
    expect(sample).not.toHaveProperty("users");
    expect(sample).toMatchObject({ totals: { failures: 3 } });
    expect(sample).not.toHaveProperty("totals.requests");
  });

  test("counters are cut to whole numbers", () => {
    expect(mapSample({ ...answer, user_count: 99.9 }, at)).toMatchObject({ users: 99 });
  });

  test("of a program without a runner says so", () => {
    const none = { stats: [], errors: [], total_rps: 0, state: "missing", user_count: 0 };
    expect(mapSample(none, at)).toEqual({ at, state: "missing", missing: [], users: 0, rate: 0 });
  });

  test("names only missing hosts that could be pods", () => {
    const ids = [id("a"), id("a"), id("UPPER"), id("a/../b"), "short", id("x".repeat(254)), 5, null, id("")];
    const workers = [...ids.map((it) => ({ id: it, state: "missing" })), null, "missing"];
    expect(mapSample({ ...answer, workers }, at)).toMatchObject({ missing: ["a"] });
  });
});

describe("A70 what is no answer (telemetry)", () => {
  test.each([
    ["an HTML page", "<html><body>hunter2</body></html>", "not JSON"],
    ["half of the JSON", JSON.stringify(answer).slice(0, 200), "not JSON"],
    ["NaN", JSON.stringify(answer).replace("38.2", "NaN"), "not JSON"],
    ["Infinity", JSON.stringify(answer).replace("38.2", "-Infinity"), "not JSON"],
    ["nothing", "", "not JSON"],
    ["a list", "[1]", "not an object"],
    ["null", "null", "not an object"],
    ["a number", "5", "not an object"],
  ])("%s is invalid", (_, text, invalid) => expect(parseSample(text, at)).toEqual({ invalid }));

  test.each([
    {},
    { status: "ok" },
    { kind: "Status", apiVersion: "v1", status: "Failure", code: 403 },
    { state: "running" },
    { state: 1, user_count: 3 },
    { stats: [], user_count: 3 },
  ])("is the JSON of another program: %j", (body) => {
    expect(parseSample(JSON.stringify(body), at)).toEqual({ invalid: "not the statistics of Locust" });
  });

  test("nesting without end does no harm", () => {
    const deep = 1_000_000;
    expect(parseSample("[".repeat(deep), at)).toEqual({ invalid: "not JSON" });
    const nested = `{"state":"x","user_count":1,"stats":${"[".repeat(deep)}${"]".repeat(deep)}}`;
    expect(parseSample(nested, at)).toEqual({ at, missing: [], users: 1 });
  });

  test("whatever it is, what comes out are known words and numbers that fit", () => {
    const some = fc.dictionary(fc.constantFrom(...Object.keys(answer), "__proto__", "constructor"), fc.jsonValue());
    const rows = fc.array(
      fc.record({ name: fc.constantFrom("Aggregated", "Total", "x"), num_requests: fc.anything() }),
    );
    fc.assert(
      fc.property(some, rows, (body, stats) => {
        const sample = mapSample({ ...body, stats }, at);
        const { state = "ready", workers = 0, users = 0, totals: sum = {}, rate = 0 } = sample as never;
        expect(["ready", "spawning", "running", "cleanup", "stopping", "stopped", "missing"]).toContain(state);
        for (const it of [workers, users]) expect(Number.isInteger(it) && it >= 0 && it < 2 ** 31).toBe(true);
        for (const it of [rate, ...Object.values(sum)] as number[]) expect(Number.isFinite(it) && it >= 0).toBe(true);
      }),
    );
  });
});
