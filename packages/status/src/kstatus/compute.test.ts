import { instant, type KubeObject } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { kstatus } from "./compute.ts";

const now = instant(Date.parse("2026-01-19T22:00:00Z"));

/** An object as it comes off the wire, where no type holds. */
function wire(object: unknown): KubeObject {
  return JSON.parse(JSON.stringify(object));
}

function widget(metadata: unknown, status?: unknown): KubeObject {
  return wire({ apiVersion: "example.com/v1", kind: "Widget", metadata, status });
}

const ready = (status: string) => ({ type: "Ready", status, reason: "Because", message: "for a reason" });
const reconciling = { type: "Reconciling", status: "True", reason: "Working", message: "at step 2 of 3" };
const stalled = { type: "Stalled", status: "True", reason: "Broken", message: "the image is gone" };

describe("the generic rules", () => {
  it("an object that does not exist is NotFound", () => {
    expect(kstatus(undefined, now)).toEqual({
      status: "NotFound",
      message: "Resource does not exist",
      conditions: [],
    });
  });

  it("an object with a deletion timestamp is Terminating, whatever else it says", () => {
    const metadata = { generation: 2, deletionTimestamp: "2026-01-19T21:59:00Z" };
    const object = widget(metadata, { observedGeneration: 1, conditions: [stalled, ready("True")] });
    expect(kstatus(object, now)).toEqual({
      status: "Terminating",
      message: "Resource is being deleted",
      conditions: [],
    });
  });

  it("a deleted object with an unreadable status is still Terminating", () => {
    expect(kstatus(widget({ deletionTimestamp: "2026-01-19T21:59:00Z" }, "gone"), now).status).toBe("Terminating");
  });

  it.each([
    ["an empty text", ""],
    ["null", null],
  ])("a deletion timestamp that is %s is no deletion", (_, deletionTimestamp) => {
    expect(kstatus(widget({ deletionTimestamp }), now).status).toBe("Current");
  });

  it("a generation that the controller has not observed is InProgress before any condition is heard", () => {
    const message = "Widget is at generation 2, but the latest observed generation is 1";
    const object = widget({ generation: 2 }, { observedGeneration: 1, conditions: [stalled, ready("True")] });
    expect(kstatus(object, now)).toEqual({
      status: "InProgress",
      reason: "LatestGenerationNotObserved",
      message,
      conditions: [{ type: "Reconciling", status: "True", reason: "LatestGenerationNotObserved", message }],
    });
  });

  it.each([
    ["the -1 of a controller that has not started", 1, -1],
    ["the 0 of a Go zero value", 1, 0],
    ["a generation from before a restore", 3, 7],
  ])("%s does not count as observed", (_, generation, observedGeneration) => {
    expect(kstatus(widget({ generation }, { observedGeneration }), now)).toMatchObject({
      status: "InProgress",
      reason: "LatestGenerationNotObserved",
    });
  });

  it("an outdated object that does not name its kind is called a resource", () => {
    expect(kstatus(wire({ metadata: { generation: 2 }, status: { observedGeneration: 1 } }), now).message).toBe(
      "Resource is at generation 2, but the latest observed generation is 1",
    );
  });

  it.each([
    ["an object without a generation", {}, { observedGeneration: 4 }],
    ["a status without an observed generation", { generation: 4 }, {}],
    ["an object without a status", { generation: 4 }, undefined],
    ["an observed generation of null", { generation: 4 }, { observedGeneration: null }],
    ["the same generation on both sides", { generation: 4 }, { observedGeneration: 4 }],
  ])("%s is not held up by the generation", (_, metadata, status) => {
    expect(kstatus(widget(metadata, status), now).status).toBe("Current");
  });

  it("Reconciling=True is InProgress with the words of the condition", () => {
    expect(kstatus(widget({}, { conditions: [ready("True"), reconciling] }), now)).toEqual({
      status: "InProgress",
      reason: "Working",
      message: "at step 2 of 3",
      conditions: [reconciling],
    });
  });

  it("Stalled=True is Failed with the words of the condition", () => {
    expect(kstatus(widget({}, { conditions: [ready("True"), stalled] }), now)).toEqual({
      status: "Failed",
      reason: "Broken",
      message: "the image is gone",
      conditions: [stalled],
    });
  });

  it("of Reconciling and Stalled the first in the list decides", () => {
    expect(kstatus(widget({}, { conditions: [reconciling, stalled] }), now).status).toBe("InProgress");
    expect(kstatus(widget({}, { conditions: [stalled, reconciling] }), now).status).toBe("Failed");
  });

  it.each(["False", "Unknown"])("Reconciling and Stalled that are %s decide nothing", (status) => {
    const conditions = [
      { ...reconciling, status },
      { ...stalled, status },
    ];
    expect(kstatus(widget({}, { conditions }), now).status).toBe("Current");
  });

  it("the standard conditions come before the rule of a built-in kind", () => {
    const secret = wire({ apiVersion: "v1", kind: "Secret", status: { conditions: [stalled] } });
    expect(kstatus(secret, now).status).toBe("Failed");
  });
});

describe("a kind without a rule of its own", () => {
  it.each(["False", "Unknown"])("is InProgress while Ready is %s, in the words of Ready", (status) => {
    expect(kstatus(widget({}, { conditions: [ready(status)] }), now)).toEqual({
      status: "InProgress",
      reason: "Because",
      message: "for a reason",
      conditions: [{ type: "Reconciling", status: "True", reason: "Because", message: "for a reason" }],
    });
  });

  it("is Current when Ready is True", () => {
    expect(kstatus(widget({}, { conditions: [ready("True")] }), now)).toEqual({
      status: "Current",
      message: "Resource is ready",
      conditions: [],
    });
  });

  it.each([
    ["no conditions", { conditions: [] }],
    ["conditions of null", { conditions: null }],
    ["only null for a condition", { conditions: [null] }],
    ["other conditions only", { conditions: [{ type: "Synced", status: "False" }] }],
    ["a Ready whose status no rule knows", { conditions: [ready("Maybe")] }],
    ["a status of null", null],
  ])("is Current with %s", (_, status) => {
    expect(kstatus(widget({}, status), now)).toEqual({
      status: "Current",
      message: "Resource is current",
      conditions: [],
    });
  });

  it("has no reason where Ready gives none", () => {
    const computed = kstatus(widget({}, { conditions: [{ type: "Ready", status: "False" }] }), now);
    expect(computed).toEqual({
      status: "InProgress",
      message: "",
      conditions: [{ type: "Reconciling", status: "True", reason: "", message: "" }],
    });
  });

  it.each([
    ["the name of a built-in kind in another group", { apiVersion: "serving.knative.dev/v1", kind: "Service" }],
    ["a malformed apiVersion", { apiVersion: "apps/v1/beta", kind: "Deployment" }],
    ["a core kind's name in apps", { apiVersion: "apps/v1", kind: "Pod" }],
    ["a kind named like a property of every object", { apiVersion: "v1", kind: "constructor" }],
    ["a kind that is no text", { apiVersion: "v1", kind: 7 }],
    ["an apiVersion that is no text", { apiVersion: {}, kind: "Widget" }],
    ["nothing in it at all", {}],
  ])("can be %s", (_, names) => {
    const object = wire({ ...names, spec: { type: "LoadBalancer" }, status: { conditions: [ready("True")] } });
    expect(kstatus(object, now).message).toBe("Resource is ready");
  });
});

describe("an object that nobody can read is Unknown, never Current", () => {
  it.each([
    ["metadata that is a text", { metadata: "x" }, "metadata is not an object"],
    ["metadata that is a list", { metadata: [] }, "metadata is not an object"],
    [
      "a deletion timestamp that is a number",
      { metadata: { deletionTimestamp: 5 } },
      "metadata.deletionTimestamp is not a text",
    ],
    ["a generation that is a text", { metadata: { generation: "1" } }, "metadata.generation is not an integer"],
    ["a generation with a fraction", { metadata: { generation: 1.5 } }, "metadata.generation is not an integer"],
    [
      "an observed generation that is a text",
      { metadata: { generation: 1 }, status: { observedGeneration: "1" } },
      "status.observedGeneration is not an integer",
    ],
    ["a status that is a text", { status: "Running" }, "status is not an object"],
    ["a status that is a list", { status: [] }, "status is not an object"],
    ["conditions that are an object", { status: { conditions: {} } }, "status.conditions is not a list of conditions"],
    [
      "conditions that are a text",
      { status: { conditions: "Ready" } },
      "status.conditions is not a list of conditions",
    ],
    [
      "a condition that is a text",
      { status: { conditions: ["Ready"] } },
      "status.conditions is not a list of conditions",
    ],
    [
      "a Ready whose status is a boolean",
      { status: { conditions: [{ type: "Ready", status: false }] } },
      "status.conditions is not a list of conditions",
    ],
    [
      "an unreadable condition behind a good one",
      { status: { conditions: [ready("True"), { type: 1, status: "True" }] } },
      "status.conditions is not a list of conditions",
    ],
    [
      "a condition whose reason is a list",
      { status: { conditions: [{ ...ready("True"), reason: [] }] } },
      "status.conditions is not a list of conditions",
    ],
    [
      "a condition whose message is a number",
      { status: { conditions: [{ ...ready("True"), message: 7 }] } },
      "status.conditions is not a list of conditions",
    ],
  ])("%s", (_, parts, message) => {
    for (const names of [
      { apiVersion: "example.com/v1", kind: "Widget" },
      { apiVersion: "v1", kind: "ConfigMap" },
      { apiVersion: "apps/v1", kind: "Deployment" },
    ]) {
      expect(kstatus(wire({ ...names, ...parts }), now)).toEqual({ status: "Unknown", message, conditions: [] });
    }
  });

  it.each([["a text"], [7], [[]], [true]])("%j in place of an object", (object) => {
    expect(kstatus(wire(object), now)).toMatchObject({ status: "Unknown", message: "Resource is not an object" });
  });

  it("null in place of an object is NotFound", () => {
    expect(kstatus(wire(null), now).status).toBe("NotFound");
  });

  it("an unreadable observed generation is no matter where there is no generation", () => {
    expect(kstatus(widget({}, { observedGeneration: "1" }), now).status).toBe("Current");
  });
});
