import { instant } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import { pod } from "../../test/views.ts";
import { type Fault, meaningOf } from "../http-errors.ts";
import { podSays } from "../messages.ts";
import { podCondition } from "./pod.ts";
import { heldSlotsOf, podRecords, storedPod } from "./pod-records.ts";
import { notProbed, type PodView } from "./pod-view.ts";

const answered = (status: number, zone?: string): Fault => ({
  trouble: { at: "answered", status },
  ...(zone && { zone }),
});
const faults: readonly Fault[] = [
  ...[400, 401, 403, 404, 418, 429, 500, 501, 502, 503, 504].map((status) => answered(status)),
  answered(404, "example.com"),
  { trouble: { at: "answered", status: 500, code: "RNDC_AUTH" } },
  { trouble: { at: "unreachable", why: "failed" } },
];
const views: readonly PodView[] = [
  pod("a"),
  pod("b", { probe: notProbed }),
  ...faults.map((fault, i) => pod(`f-${i}`, { fault })),
  pod("g", { lag: { is: "behind", zone: "example.com", have: 1, want: 2 } }),
  pod("h", { lag: { is: "cutOff", zone: "example.com" } }),
];

describe("what an instance stores of its pods", () => {
  test("the probe, the late transfer and the slot are read back as they were, whatever the messages say", () => {
    const pods = views.map((view, slot) => storedPod(view, slot));
    const records = podRecords({ pods, conditions: [] });
    expect(records.map(({ finding }) => finding)).toEqual(
      views.map(({ probe, lag }) => ({ probe, ...(lag === undefined ? {} : { lag }) })),
    );
    expect([...heldSlotsOf(records)]).toEqual(views.map(({ name }, slot) => [name, slot]));
    expect(records.map(({ uid }) => uid)).toEqual(views.map(({ uid }) => uid));
  });

  test("a code that nobody knows is left out", () => {
    const stored = { ...storedPod(pod("a", { fault: answered(500) }), 0), failure: { httpStatus: 500, code: "NEW" } };
    expect(podRecords({ pods: [stored] })[0]?.finding.probe).toEqual({ kind: "failed", fault: answered(500) });
  });
});

describe("a status that was written before it had pods", () => {
  const conditionOf = (view: PodView, slot: number) => {
    const { status, reason, message: said } = podCondition(view);
    // Its words at that time.
    const message =
      view.lag?.is === "cutOff" ? `Pod ${view.name} cannot reach an external primary of zone ${view.lag.zone}` : said;
    return { type: `Pod-${slot}`, status, reason, message, lastTransitionTime: new Date(instant(0)).toISOString() };
  };

  test("is read once from the messages of its conditions", () => {
    const conditions = [
      { ...conditionOf(pod("x"), 0), type: "Ready" },
      ...views.map((view, slot) => conditionOf(view, slot + 3)),
    ];
    const records = podRecords({ conditions });
    expect(records.map(({ name, slot }) => [name, slot])).toEqual(views.map(({ name }, slot) => [name, slot + 3]));
    expect(records.map(({ finding }) => finding.lag)).toEqual(views.map(({ lag }) => lag));
    const probes = records.map(({ finding }) => finding.probe);
    expect(probes.slice(0, -2)).toEqual(views.slice(0, -2).map(({ probe }) => probe));
  });

  test("keeps nothing of what is no trouble of Bindcar", () => {
    const { phrase } = meaningOf(answered(404));
    const condition = { ...conditionOf(pod("x"), 0), status: "False" as const, reason: "NotReady" };
    const conditions = [{ ...condition, message: podSays.bindcar("x", phrase) }];
    expect(podRecords({ conditions })).toEqual([{ name: "x", slot: 0, finding: { probe: notProbed } }]);
  });

  test("is not read where pods are stored, not even none", () => {
    expect(podRecords({ pods: [], conditions: [conditionOf(pod("x"), 0)] })).toEqual([]);
  });
});
