import type { Condition, ConditionStatus, Polarity } from "@telltale/kinds";
import { instant } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { Widget } from "../test/widget.ts";
import { draft } from "./draft.ts";
import { mirror, type SummaryInput, summary, worst } from "./summary.ts";

const ok = { reason: "Fine", message: "All is fine" };
const input = (type: string, polarity: Polarity, status?: ConditionStatus): SummaryInput => ({
  type,
  polarity,
  condition: status && { status, reason: `${type}Said`, message: `${type} says ${status}` },
});
const stored = (type: string, status: ConditionStatus, more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  reason: "Said",
  message: "so",
  lastTransitionTime: "2025-06-01T00:00:00Z",
  ...more,
});

describe("a summary", () => {
  it("is True with its own words when all is good", () => {
    expect(summary([input("A", "positive", "True"), input("B", "negative", "False")], ok)).toEqual({
      status: "True",
      ...ok,
    });
  });

  it("rule 39: reads every input after its polarity", () => {
    expect(summary([input("A", "positive", "False")], ok).status).toBe("False");
    expect(summary([input("A", "negative", "True")], ok).status).toBe("False");
    for (const status of ["True", "False", "Unknown"] as const) {
      expect(summary([input("A", "neutral", status)], ok).status).toBe("True");
    }
  });

  it("rule 40: an issue beats unknown, and unknown beats what is fine, in any order", () => {
    const fine = input("A", "positive", "True");
    const lost = input("B", "negative", "Unknown");
    const bad = input("C", "negative", "True");
    for (const inputs of [
      [fine, lost, bad],
      [bad, lost, fine],
      [lost, bad, fine],
    ]) {
      expect(summary(inputs, ok)).toEqual({ status: "False", reason: "CSaid", message: "C says True" });
    }
    expect(summary([fine, lost], ok)).toEqual({ status: "Unknown", reason: "BSaid", message: "B says Unknown" });
  });

  it("rule 50: takes reason and message from the first of several issues", () => {
    expect(summary([input("A", "positive", "False"), input("B", "positive", "False")], ok).reason).toBe("ASaid");
  });

  it("rule 34: reads an absent input as Unknown, and says which one it is", () => {
    expect(summary([input("A", "positive")], ok)).toEqual({
      status: "Unknown",
      reason: "NotYetReported",
      message: "A is not yet reported",
    });
  });

  it("rule 37: is what the draft makes of the top condition, whatever anybody says", () => {
    const object = {
      apiVersion: "telltale.test/v1",
      kind: "Widget",
      metadata: { name: "w", generation: 1 },
      spec: { size: 1 },
    };
    const d = draft(Widget, object, instant(0))
      .condition("Built", true, "Complete", "There")
      .condition("Broken", true, "Cracked", "It has a crack")
      .state({ type: "Linked", status: "True", reason: "Up", message: "" });
    // @ts-expect-error a derived type cannot be named
    const { status, violations } = d.state({ type: "Ready", status: "True", reason: "Working", message: "" }).finish();
    expect(violations.map((v) => v.rule)).toEqual([37]);
    expect(status.conditions?.[0]).toMatchObject({
      type: "Ready",
      status: "False",
      reason: "Cracked",
      message: "It has a crack",
    });
  });

  it("rule 38: leaves itself out, so that a bad top condition does not keep itself bad", () => {
    const object = {
      apiVersion: "telltale.test/v1",
      kind: "Widget",
      metadata: { name: "w", generation: 1 },
      spec: { size: 1 },
      status: { conditions: [stored("Ready", "False")] },
    };
    const { status } = draft(Widget, object, instant(0))
      .condition("Built", true, "Complete", "There")
      .state({ type: "Linked", status: "True", reason: "Up", message: "" })
      .finish();
    expect(status.conditions?.[0]).toMatchObject({ type: "Ready", status: "True", reason: "Working" });
  });
});

describe("a mirror", () => {
  const fallback = { status: "Unknown", reason: "NotFound", message: "there is none" } as const;

  it("rule 21: keeps its source's words and transition time, and speaks for the target's generation", () => {
    const source = stored("Ready", "False", { observedGeneration: 7 });
    const { condition, options } = mirror(source, "Linked", fallback);
    const object = {
      apiVersion: "telltale.test/v1",
      kind: "Widget",
      metadata: { name: "w", generation: 3 },
      spec: { size: 1 },
    };
    const { status } = draft(Widget, object, instant(Date.parse("2026-01-01T00:00:00Z")))
      .state(condition, options)
      .finish();
    expect(status.conditions?.find((c) => c.type === "Linked")).toEqual({
      type: "Linked",
      status: "False",
      reason: "Said",
      message: "so",
      lastTransitionTime: "2025-06-01T00:00:00Z",
      observedGeneration: 3,
    });
  });

  it("states its fallback where there is no source, and borrows only its reason where the source has none", () => {
    expect(mirror(undefined, "Linked", fallback)).toEqual({ condition: { type: "Linked", ...fallback }, options: {} });
    expect(mirror(stored("Ready", "True", { reason: "" }), "Linked", fallback).condition.reason).toBe("NotFound");
    expect(mirror(stored("Ready", "True", { lastTransitionTime: "" }), "Linked", fallback).options).toEqual({});
  });
});

describe("the worst of several causes", () => {
  const ranking = ["Unreachable", "Unauthorized", "Slow"] as const;
  it("is the one that stands first in the ranking", () => {
    expect(worst(["Slow", "Unauthorized", "Slow"], ranking)).toBe("Unauthorized");
    expect(worst(["Slow", "Unreachable"], ranking)).toBe("Unreachable");
  });
  it("is one that is not ranked only where no other is there", () => {
    expect(worst<string>(["Odd", "Slow"], ranking)).toBe("Slow");
    expect(worst<string>(["Odd", "Strange"], ranking)).toBe("Odd");
    expect(worst([], ranking)).toBeUndefined();
  });
});
