import { instant, plus } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import type { Workspace } from "./kinds/workspace.ts";
import { annotations } from "./names.ts";
import { believed, classify, doubtedAt, isCurrent, isHopeless } from "./workspace-class.ts";

type Said = readonly [status: "True" | "False" | "Unknown", reason: string] | undefined;

function workspace(synced: Said, ready: Said, more: Partial<Workspace["metadata"]> = {}, observed?: number): Workspace {
  const told = (type: string, said: Said) =>
    said === undefined
      ? []
      : [{ type, status: said[0], reason: said[1], message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }];
  return {
    apiVersion: "tf.upbound.io/v1beta1",
    kind: "Workspace",
    metadata: { name: "w", generation: 2, ...more },
    spec: { forProvider: { source: "Inline", module: "" } },
    status: {
      conditions: [...told("Synced", synced), ...told("Ready", ready)],
      ...(observed === undefined ? {} : { observedGeneration: observed }),
    },
  };
}

/** When all of it was said. */
const then = instant(Date.parse("2026-01-01T00:00:00Z"));
const ok: Said = ["True", "ReconcileSuccess"];
const error: Said = ["False", "ReconcileError"];
const paused: Said = ["False", "ReconcilePaused"];
const available: Said = ["True", "Available"];
const creating: Said = ["False", "Creating"];
const unavailable: Said = ["False", "Unavailable"];
const deleting: Said = ["False", "Deleting"];
const unknown: Said = ["Unknown", "Whatever"];

describe("the class of a Workspace, first match wins", () => {
  it.each([
    [2, ok, deleting, "Deleting"],
    [2, paused, deleting, "Deleting"],
    [3, paused, available, "Paused"],
    [3, paused, unavailable, "Paused"],
    [4, error, unavailable, "NotReady"],
    [4, ok, unavailable, "NotReady"],
    [5, error, available, "Degraded"],
    [6, error, undefined, "Error"],
    [6, error, unknown, "Error"],
    [6, error, creating, "Error"],
    [7, ok, available, "Available"],
    [8, ok, creating, "Creating"],
    [8, ok, undefined, "Creating"],
    [8, ok, unknown, "Creating"],
    [9, undefined, available, "Degraded"],
    [9, unknown, available, "Degraded"],
    [10, undefined, undefined, "Pending"],
    [10, unknown, creating, "Pending"],
    [10, undefined, unknown, "Pending"],
  ] as const)("row %i: Synced %j and Ready %j is %s", (_row, synced, ready, expected) => {
    expect(classify(workspace(synced, ready), then)).toBe(expected);
  });

  it("row 1: one that is not there is Missing", () => {
    expect(classify(undefined, then)).toBe("Missing");
  });

  it("row 2: one with a deletionTimestamp is Deleting, whatever it says", () => {
    expect(classify(workspace(ok, available, { deletionTimestamp: "2026-01-01T00:00:00Z" }), then)).toBe("Deleting");
  });

  it("one without any status is Pending", () => {
    const { status: _none, ...bare } = workspace(ok, available);
    expect(classify(bare, then)).toBe("Pending");
  });
});

describe("a Workspace whose runs fail", () => {
  it("is believed to be as its last good run left it, but not for ever", () => {
    const failing = workspace(error, available);
    expect(doubtedAt(failing)).toBe(plus(then, believed));
    expect(classify(failing, plus(then, believed - 1))).toBe("Degraded");
    expect(classify(failing, plus(then, believed))).toBe("Error");
  });

  it("is not doubted while it runs well, is paused, or has not reported", () => {
    const late = plus(then, 100 * believed);
    expect(classify(workspace(ok, available), late)).toBe("Available");
    expect(classify(workspace(paused, available), late)).toBe("Paused");
    expect(classify(workspace(undefined, available), late)).toBe("Degraded");
  });
});

describe("what is said of an older spec", () => {
  it.each([
    [undefined, true],
    [-1, true],
    [1, false],
    [2, true],
    [3, true],
  ] as const)("observedGeneration %s of generation 2 is current: %s", (observed, expected) => {
    expect(isCurrent(workspace(ok, available, {}, observed))).toBe(expected);
  });

  it.each([
    ["InvalidConfiguration", error, 2, true],
    ["UnsupportedSource", error, 2, true],
    ["StateConflict", error, 2, true],
    ["ApplyFailed", error, 2, false],
    ["InvalidConfiguration", ok, 2, false],
    ["InvalidConfiguration", error, 1, false],
  ] as const)("class %s with Synced %j for generation %i is hopeless: %s", (name, synced, observed, expected) => {
    const found = workspace(synced, undefined, { annotations: { [annotations.errorClass]: name } }, observed);
    expect(isHopeless(found)).toBe(expected);
  });
});
