import {
  type Condition,
  type ConditionStatus,
  type ConditionTypes,
  conditions,
  defineKind,
  type Kind,
  negative,
  neutral,
  on,
  positive,
} from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { Widget } from "../test/widget.ts";
import { contradictions, lintStatus, lintVocabulary } from "./lint.ts";

const stored = (type: string, status: ConditionStatus, reason: string, more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  reason,
  message: "so",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  observedGeneration: 2,
  ...more,
});

const good = [
  stored("Ready", "True", "Working"),
  stored("Built", "True", "Complete"),
  stored("Broken", "False", "Whole"),
  stored("Linked", "True", "Up"),
];
/** The good list with one condition changed, or added. */
const withOne = (type: string, change: Partial<Record<keyof Condition, unknown>>): Condition[] => {
  const old = good.find((c) => c.type === type) ?? stored(type, "True", "Said");
  // What a test makes of it is on purpose not always a condition.
  return [...good.filter((c) => c.type !== type), { ...old, ...change } as Condition];
};
const lint = (list: readonly Condition[], more: Record<string, unknown> = {}, generation = 2) =>
  lintStatus(Widget, {
    metadata: { name: "w", generation },
    status: { observedGeneration: 2, conditions: list, ...more },
  }).map((v) => `${v.rule} ${v.at}`);

describe("a stored status", () => {
  it("that keeps all rules gives no finding", () => {
    expect(lint(good, { phase: "Running" })).toEqual([]);
    expect(lintStatus(Widget, { metadata: { name: "new", generation: 1 } })).toEqual([]);
  });

  it.each<[string, string, Partial<Record<keyof Condition, unknown>>]>([
    ["rule 1: has a type that is none", "not a type", {}],
    ["rule 1: has a type that is too long", "x".repeat(317), {}],
    ["rule 4: has a status that is none", "Linked", { status: true }],
    ["rule 5: has a reason that is none", "Built", { reason: "all is there" }],
    ["rule 5: has no reason", "Built", { reason: undefined }],
    ["rule 5: has an empty reason", "Linked", { reason: "" }],
    ["rule 6: has a reason that is not declared", "Built", { reason: "Whatever" }],
    ["rule 6: has a reason that explains another status", "Built", { reason: "Building" }],
    ["rule 7: has a message that is too long", "Built", { message: "x".repeat(32_769) }],
    ["rule 8: has no transition time", "Built", { lastTransitionTime: undefined }],
    ["rule 8: has a transition time that is none", "Built", { lastTransitionTime: "yesterday" }],
    ["rule 8: has a transition time with fractions", "Built", { lastTransitionTime: "2026-01-01T00:00:00.5Z" }],
    ["rule 8: has a transition time in a zone", "Built", { lastTransitionTime: "2026-01-01T00:00:00+01:00" }],
    ["rule 23: has a time in a message", "Built", { message: "waits since 2026-01-01T00:00:00Z" }],
    ["rule 23: has a duration in a message", "Built", { message: "waited 35s" }],
    ["rule 23: has a count of tries in a message", "Built", { message: "failed on attempt 3" }],
    ["rule 23: has an id in a message", "Built", { message: "volume 7d9f8c6b-1234-4abc-9def-0123456789ab" }],
    ["rule 23: has a request id in a message", "Built", { message: "throttled (request id x)" }],
    [
      "rule 44: has a condition that is there only when True, and is not",
      "Recoverable",
      { status: "False", reason: "Late" },
    ],
  ])("%s", (name, type, change) => {
    const rule = /\d+/.exec(name)?.[0];
    expect(lint(withOne(type, change))).toEqual([`${rule} ${type}`]);
  });

  it.each<[string, string, Partial<Record<keyof Condition, unknown>>]>([
    ["rule 1: may have a type with a domain", "example.com/Theirs", {}],
    ["rule 6: may have any reason on a mirror", "Linked", { reason: "Whatever" }],
    ["rule 5: may have any reason on a condition of others", "example.com/Theirs", { reason: "so what" }],
    ["rule 7: may have the longest message", "Built", { message: "x".repeat(32_768) }],
    ["rule 23: may have a limit in a message", "Built", { message: "VPC not ready within 15m: no error reported" }],
    ["rule 23: may have counts of things in a message", "Built", { message: "2/3 pods are ready" }],
    ["rule 23: may have anything in a message of others", "example.com/Theirs", { message: "attempt 3" }],
    [
      "rule 44: may have a condition that is there only when True, and is",
      "Recoverable",
      { status: "True", reason: "Late" },
    ],
    ["rule 6: may have an extra condition with each of its statuses", "Extra", { status: "Unknown", reason: "Said" }],
  ])("%s", (_name, type, change) => {
    expect(lint(withOne(type, change))).toEqual([]);
  });

  it("rule 9: has one type twice", () => {
    expect(lint([...good, stored("Built", "True", "Complete")])).toEqual(["9 Built"]);
  });

  it("rule 10: has more conditions than its kind allows, not as many", () => {
    const theirs = (n: number) => Array.from({ length: n }, (_, i) => stored(`example.com/X${i}`, "True", "Said"));
    expect(lint([...good, ...theirs(8)])).toEqual([]);
    expect(lint([...good, ...theirs(9)])).toEqual(["10 conditions"]);
  });

  it("rule 26: speaks of a generation that does not exist yet", () => {
    expect(lint(good, { observedGeneration: 3 })).toEqual(["26 observedGeneration"]);
  });

  it("rule 30: is True while a condition speaks of an older generation", () => {
    expect(lint(good, {}, 3)).toEqual(["30 Ready", "30 Built", "30 Broken", "30 Linked"]);
    expect(lint(withOne("Linked", { observedGeneration: undefined }))).toEqual(["30 Linked"]);
    const failing = [stored("Ready", "False", "Building"), stored("Built", "False", "Building"), ...good.slice(2)];
    expect(lint(failing, {}, 3)).toEqual([]);
  });

  it("rule 33: lacks a condition that is always there, the derived one too, once it was visited", () => {
    expect(lint(good.filter((c) => c.type !== "Broken"))).toEqual(["33 Broken"]);
    expect(lint(good.filter((c) => c.type !== "Ready"))).toEqual(["33 Ready"]);
    expect(lint([], { observedGeneration: -1 })).toEqual([]);
  });

  it("rule 50: is False with other words than those of its worst input", () => {
    const bad = withOne("Built", { status: "False", reason: "Building", message: "wait" }).filter(
      (c) => c.type !== "Ready",
    );
    const top = (reason: string, message: string) => lint([stored("Ready", "False", reason, { message }), ...bad]);
    expect(top("Building", "wait")).toEqual([]);
    expect(top("Cracked", "wait")).toEqual(["50 Ready"]);
    expect(top("Building", "something else")).toEqual(["50 Ready"]);
  });

  it("rule 55: is in a phase that nobody declared", () => {
    expect(lint(good, { phase: "Strange" })).toEqual(["55 phase"]);
    expect(lint(good, { phase: "" })).toEqual([]);
  });

  it("rule 53: is not measured by the newest generation once it is final", () => {
    expect(lint(good, { phase: "Done" }, 9)).toEqual([]);
  });
});

const any = { means: "x", reasons: { Said: on(["True", "False", "Unknown"], "so", "nothing") } };
const make = (types: ConditionTypes, kind = "Thing"): Kind =>
  defineKind({ group: "telltale.test", version: "v1", kind, conditions: conditions(types) });

describe("what no status may say at once", () => {
  const Flux = make({
    Ready: positive(any),
    Reconciling: neutral({ ...any, present: "whenTrue" }),
    Stalled: neutral({ ...any, present: "whenTrue" }),
    Failed: negative(any),
  });
  const broken = (...statuses: [string, ConditionStatus][]) =>
    contradictions(
      Flux,
      statuses.map(([type, status]) => stored(type, status, "Said")),
      2,
    ).map((v) => v.rule);

  it("rule 45: Reconciling and Stalled", () => {
    expect(broken(["Ready", "False"], ["Reconciling", "True"], ["Stalled", "True"])).toEqual([45]);
    expect(broken(["Ready", "False"], ["Reconciling", "True"], ["Stalled", "False"])).toEqual([]);
  });

  it("rule 46: Stalled, and Ready anything but False", () => {
    expect(broken(["Ready", "False"], ["Stalled", "True"])).toEqual([]);
    expect(broken(["Ready", "True"], ["Stalled", "True"])).toEqual([46]);
    expect(broken(["Ready", "Unknown"], ["Stalled", "True"])).toEqual([46]);
  });

  it("rule 47: Reconciling and Ready", () => {
    expect(broken(["Ready", "True"], ["Reconciling", "True"])).toEqual([47]);
    expect(broken(["Ready", "True"])).toEqual([]);
  });

  it("rule 48: Ready Unknown while nothing says Reconciling", () => {
    expect(broken(["Ready", "Unknown"])).toEqual([48]);
    expect(broken(["Ready", "Unknown"], ["Reconciling", "True"])).toEqual([]);
    expect(broken()).toEqual([]);
  });

  it("rule 49: Ready, and something that is bad when True", () => {
    expect(broken(["Ready", "True"], ["Failed", "True"])).toEqual([49]);
    expect(broken(["Ready", "False"], ["Failed", "True"])).toEqual([]);
    expect(broken(["Ready", "True"], ["Failed", "False"])).toEqual([]);
  });

  it("rule 45: is asked only of kinds that have these types", () => {
    const list = [
      stored("Ready", "True", "Working"),
      stored("Reconciling", "True", "X"),
      stored("Stalled", "True", "X"),
    ];
    expect(contradictions(Widget, list, 2)).toEqual([]);
  });
});

describe("the vocabulary of a kind", () => {
  const found = (types: ConditionTypes, kind?: string) =>
    lintVocabulary(make(types, kind)).map((v) => `${v.rule} ${v.at}`);
  const Ready = positive(any);

  it("rule 2: has short names in PascalCase that do not repeat the kind", () => {
    expect(found({ Ready, Healthy: positive(any), "example.com/Approved": positive(any) })).toEqual([]);
    expect(found({ Ready, healthy: positive(any) })).toEqual(["2 healthy"]);
    expect(found({ Ready, "Disk-Full": negative(any) })).toEqual(["2 Disk-Full"]);
    expect(found({ Ready, ThingHealthy: positive(any) })).toEqual(["2 ThingHealthy"]);
    expect(found({ Ready, Paused: neutral(any) }, "Paused")).toEqual([]);
  });

  it("rule 3: names a transition only where it stays there, or says nothing of good and bad", () => {
    expect(found({ Ready, Creating: negative({ ...any, present: "whenTrue" }) })).toEqual(["3 Creating"]);
    expect(found({ Ready, Creating: negative(any), Moving: neutral({ ...any, present: "whenTrue" }) })).toEqual([]);
  });

  it("rule 44: does not take Reconciling amiss, which readers know to be absent", () => {
    expect(found({ Ready, Reconciling: negative({ ...any, present: "whenTrue" }) })).toEqual([]);
    expect(found({ Ready, PreReconciling: negative({ ...any, present: "whenTrue" }) })).toEqual(["3 PreReconciling"]);
  });

  it("rule 36: has one condition that sums up the object", () => {
    expect(found({ Healthy: positive(any) })).toEqual(["36 conditions"]);
    for (const top of ["Ready", "Succeeded", "Available"]) expect(found({ [top]: positive(any) })).toEqual([]);
    expect(found({})).toEqual([]);
  });
});
