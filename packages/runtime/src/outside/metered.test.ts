import { expect, test } from "vitest";
import type { Families } from "../meter.ts";
import { prometheus } from "./prometheus.ts";

let boats = 3;
const families = {
  harbour_arrivals_total: { is: "counter", help: "Boats that came", labels: ["kind"] },
  harbour_open: { is: "gauge", help: "1 while it is open", labels: [] },
  harbour_boats: {
    is: "gauge",
    help: "Boats that are there",
    labels: ["kind"],
    read: () => [[{ kind: "yawl" }, boats]],
  },
  harbour_stay_seconds: { is: "histogram", help: "How long boats stay", labels: ["kind"], buckets: [1, 10] },
} as const satisfies Families;

test("an operator's own metrics are told beside ours", async () => {
  const { text, sink, meter: meterOf } = prometheus();
  const meter = meterOf(families);
  meter.tell("harbour_arrivals_total", { kind: "yawl" });
  meter.tell("harbour_arrivals_total", { kind: "yawl" }, 2);
  meter.tell("harbour_open");
  meter.tell("harbour_open", {}, 0);
  meter.tell("harbour_stay_seconds", { kind: "yawl" }, 5);
  sink({ is: "panic", controller: "boats" });
  boats = 7;
  const lines = (await text()).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'harbour_arrivals_total{kind="yawl"} 3',
      "harbour_open 0",
      'harbour_boats{kind="yawl"} 7',
      'harbour_stay_seconds_bucket{le="1",kind="yawl"} 0',
      'harbour_stay_seconds_bucket{le="10",kind="yawl"} 1',
      'harbour_stay_seconds_sum{kind="yawl"} 5',
      'controller_runtime_reconcile_panics_total{controller="boats"} 1',
      "# HELP harbour_open 1 while it is open",
    ]),
  );
});

test("a name that was not declared is told to nobody", () => {
  const meter = prometheus().meter<string>(families);
  expect(() => meter.tell("harbour_closed")).not.toThrow();
});
