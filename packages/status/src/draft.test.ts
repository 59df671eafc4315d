import {
  type Condition,
  conditions,
  defineKind,
  Fields,
  Flag,
  Int32,
  instant,
  no,
  phases,
  positive,
  type Resource,
  unknown,
  yes,
} from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { Widget } from "../test/widget.ts";
import { draft } from "./draft.ts";
import { text } from "./text.ts";
import { StatusViolation } from "./violation.ts";

const t0 = instant(Date.parse("2026-01-01T00:00:00Z"));
const t1 = instant(t0 + 60_000);
const t2 = instant(t0 + 120_000);

function widget(status?: Widget["status"], metadata: Partial<Widget["metadata"]> = {}): Widget {
  return {
    apiVersion: "telltale.test/v1",
    kind: "Widget",
    metadata: { name: "w", uid: "u", generation: 1, creationTimestamp: "2025-12-31T00:00:00Z", ...metadata },
    spec: { size: 1 },
    ...(status === undefined ? {} : { status }),
  };
}

/** One pass that says everything. */
function whole(object: Widget, now = t0) {
  return draft(Widget, object, now, { strict: true })
    .condition("Built", true, "Complete", "All parts are there")
    .condition("Broken", false, "Whole", "")
    .state({ type: "Linked", status: "True", reason: "Up", message: "" });
}

const settled = () => whole(widget()).phase("Pending").phase("Running").finish().status;
const condition = (status: Widget["status"], type: string): Condition | undefined =>
  status?.conditions?.find((c) => c.type === type);

describe("times", () => {
  it("rule 15: a message change alone keeps the transition time", () => {
    const next = whole(widget(settled()), t1).condition("Built", true, "Complete", "Still there").finish();
    expect(condition(next.status, "Built")).toMatchObject({
      message: "Still there",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
  });

  it("rule 15: a flip moves the transition time", () => {
    const next = whole(widget(settled()), t1).condition("Built", false, "PartsMissing", "Gone").finish();
    expect(condition(next.status, "Built")?.lastTransitionTime).toBe("2026-01-01T00:01:00Z");
  });

  it("rule 15: a reset restarts a clock although the status stays", () => {
    const next = whole(widget(settled()), t1)
      .condition("Built", true, "Complete", "All parts are there", { restamp: true })
      .finish();
    expect(condition(next.status, "Built")?.lastTransitionTime).toBe("2026-01-01T00:01:00Z");
  });

  it("rule 16: saying the same again is no change, and the status is the stored one itself", () => {
    const object = widget(settled());
    const next = whole(object, t1).finish();
    expect(next).toMatchObject({ changed: false, significance: "none" });
    expect(next.status).toBe(object.status);
  });

  it("rule 17: a clock that jumps back does not take a transition time with it", () => {
    const late = whole(widget(settled()), t2).condition("Built", false, "PartsMissing", "Gone").finish().status;
    const next = whole(widget(late), t1).finish();
    expect(condition(next.status, "Built")?.lastTransitionTime).toBe("2026-01-01T00:02:00Z");
  });

  it("rule 18: all changes of a pass share one time", () => {
    const next = whole(widget(), t1).finish();
    const times = next.status.conditions?.filter((c) => c.type !== "Broken").map((c) => c.lastTransitionTime);
    expect(new Set(times)).toEqual(new Set(["2026-01-01T00:01:00Z"]));
  });

  it("rule 19: a flip and back within one pass leaves the stored condition untouched", () => {
    const object = widget(settled());
    const next = draft(Widget, object, t1)
      .condition("Built", false, "PartsMissing", "Gone")
      .condition("Built", true, "Complete", "All parts are there")
      .finish();
    expect(next.changed).toBe(false);
    expect(condition(next.status, "Built")).toBe(condition(object.status, "Built"));
  });

  it("rule 22: a declared condition that nobody has spoken of starts at the object's creation", () => {
    const next = draft(Widget, widget(), t1)
      .state({ type: "Linked", status: "Unknown", reason: "No", message: "" })
      .finish();
    expect(condition(next.status, "Built")).toMatchObject({
      status: "Unknown",
      lastTransitionTime: "2025-12-31T00:00:00Z",
    });
  });
});

describe("which conditions are there", () => {
  it("rule 20: taking a condition away and setting it again in one pass is refused", () => {
    const d = whole(widget(settled()), t1).condition("Extra", true, "Said", "x").without("Extra");
    expect(() => d.finish()).toThrow(/rule 20, Extra/);
  });

  it("rule 24: conditions are in the order of the declaration, children by number, foreign ones last", () => {
    const foreign: Condition = {
      type: "example.com/Other",
      status: "True",
      reason: "X",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const child = (slot: number) => ({
      slot,
      status: "True" as const,
      reason: "Fine",
      message: text`Part p${slot} is fine`,
    });
    const next = whole(widget({ conditions: [foreign] }), t1)
      .children("Part", [child(10), child(2)])
      .finish();
    expect(next.status.conditions?.map((c) => c.type)).toEqual([
      "Ready",
      "Built",
      "Broken",
      "Linked",
      "Part-2",
      "Part-10",
      "example.com/Other",
    ]);
  });

  it("rule 33: every condition declared as always there is there after the first pass", () => {
    const next = draft(Widget, widget(), t0)
      .state({ type: "Linked", status: "Unknown", reason: "No", message: "" })
      .finish();
    expect(next.status.conditions?.map((c) => c.type)).toEqual(["Ready", "Built", "Broken", "Linked"]);
  });

  it("rule 33: one that has no initial value and that nobody states is reported", () => {
    expect(() => draft(Widget, widget(), t0, { strict: true }).finish()).toThrow(/rule 33, Linked/);
  });

  it("keeps a child's time when it moves to another number", () => {
    const part = (slot: number, key: string, status: "True" | "False", storedSlot?: number) => ({
      slot,
      storedSlot,
      status,
      reason: status === "True" ? "Fine" : "Loose",
      message: text`Part ${key} is ${status}`,
    });
    const first = whole(widget(), t0)
      .children("Part", [part(0, "a", "True"), part(2, "b", "False")])
      .finish().status;
    const next = whole(widget(first), t1)
      .children("Part", [part(0, "b", "False", 2)])
      .finish();
    expect(next.status.conditions?.filter((c) => c.type.startsWith("Part-"))).toEqual([
      expect.objectContaining({
        type: "Part-0",
        message: "Part b is False",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      }),
    ]);
  });

  it("rule 43: a derived top condition cannot be left behind by what it is derived from", () => {
    const next = draft(Widget, widget(settled()), t1)
      .condition("Broken", true, "Cracked", "A crack")
      .keep("Built", "Linked")
      .finish();
    expect(condition(next.status, "Ready")).toMatchObject({ status: "False", reason: "Cracked", message: "A crack" });
  });

  it("rule 6: what no pass can have said is not kept, and nothing is said of it", () => {
    const conditions = settled().conditions?.map((it) =>
      it.type === "Broken" ? { ...it, status: "True" as const } : it,
    );
    const tampered = { ...settled(), ...(conditions === undefined ? {} : { conditions }) };
    const next = draft(Widget, widget(tampered, { generation: 2 }), t1, { strict: true })
      .keep("Built", "Broken", "Linked")
      .finish();
    expect(condition(next.status, "Built")?.observedGeneration).toBe(2);
    expect(condition(next.status, "Broken")).toEqual(condition(tampered, "Broken"));
  });
});

describe("generations", () => {
  it("rule 25: a condition speaks of the generation that was read", () => {
    const next = whole(widget(settled(), { generation: 7 }), t1).finish();
    expect(condition(next.status, "Built")?.observedGeneration).toBe(7);
  });

  it("rule 26: a stored generation that the object has not reached is put right", () => {
    const stored = { ...settled(), observedGeneration: 5 };
    const next = whole(widget(stored, { generation: 4 }), t1).finish();
    expect(next.status.observedGeneration).toBe(4);
    expect(next.violations).toEqual([]);
  });

  it("rule 27: the observed generation only grows", () => {
    const seen = [1, 2, 2, 5].reduce<Widget["status"]>(
      (status, generation) => whole(widget(status, { generation }), t1).finish().status,
      undefined,
    );
    expect(seen?.observedGeneration).toBe(5);
  });

  it("rule 28: it moves in the same write as the conditions that speak for it", () => {
    const next = whole(widget(settled(), { generation: 2 }), t1).finish();
    expect(next.status.observedGeneration).toBe(2);
    expect(next.status.conditions?.every((c) => c.observedGeneration === 2)).toBe(true);
  });

  it("rule 29: a pass that does not say whether Ready still holds leaves the new generation unobserved", () => {
    const object = plain({ observedGeneration: 1, conditions: [ready("True", "Working", 1)] }, 2);
    const next = draft(Plain, object, t1).set({ count: 3 }).finish();
    expect(next.status.observedGeneration).toBe(1);
    expect(next.violations).toContainEqual(expect.objectContaining({ rule: 29, at: "Ready" }));
  });

  it("rule 30: Ready cannot be True while another condition speaks of an older generation", () => {
    const d = draft(Widget, widget(settled(), { generation: 2 }), t1, { strict: true }).condition(
      "Built",
      true,
      "Complete",
      "",
    );
    expect(() => d.finish()).toThrow(/rule 30, Broken/);
  });

  it("rule 31: a pass that fails observes the generation too", () => {
    const next = draft(Plain, plain(undefined, 3), t1)
      .fail({ class: "invalid", reason: "Bad", message: text`no` })
      .finish();
    expect(next.status).toMatchObject({
      observedGeneration: 3,
      conditions: [{ reason: "Bad", observedGeneration: 3 }],
    });
  });

  it("a kind may say that a failed pass does not advance the observed generation", () => {
    const Careful = defineKind({ ...plainDeclaration, kind: "Careful", generation: "onSuccess" });
    const object: Resource<typeof Careful> = {
      ...plain({ observedGeneration: 1, conditions: [ready("False", "Bad", 1)] }, 3),
      kind: "Careful",
    };
    const next = draft(Careful, object, t1).fail({ class: "transient", reason: "Bad", message: text`no` }).finish();
    expect(next.status).toMatchObject({ observedGeneration: 1, conditions: [{ observedGeneration: 3 }] });
  });

  it("what is said aside, as of a paused object, leaves the new generation unobserved, and Ready as it is", () => {
    const next = draft(Widget, widget(settled(), { generation: 2 }), t1, { strict: true })
      .condition("Built", true, "Complete", "Nobody looks")
      .aside()
      .finish();
    expect(next.status.observedGeneration).toBe(1);
    expect(condition(next.status, "Built")?.message).toBe("Nobody looks");
    expect(condition(next.status, "Ready")?.status).toBe("True");
  });
});

describe("phases and finality", () => {
  it("enters the first phase and goes on in the same pass", () => {
    expect(whole(widget()).phase("Pending").phase("Running").finish().status.phase).toBe("Running");
  });

  it("reports an arrow that is not declared, and in production writes it", () => {
    const d = () => whole(widget({ ...settled(), phase: "Pending" }), t1).phase("Done");
    expect(() => d().finish()).toThrow(StatusViolation);
    const lenient = draft(Widget, widget({ ...settled(), phase: "Pending" }), t1)
      .phase("Done")
      .finish();
    expect(lenient.status.phase).toBe("Done");
    expect(lenient.violations).toContainEqual(expect.objectContaining({ at: "phase" }));
  });

  it("takes a guarded arrow only with its guard", () => {
    const running = widget({ ...settled(), phase: "Running" });
    expect(whole(running, t1).phase("Pending", "again").finish().status.phase).toBe("Pending");
    expect(() => whole(running, t1).phase("Pending").finish()).toThrow(/needs the guard "again"/);
  });

  it("rule 53: a final object changes only where its kind says that it may", () => {
    const done = { ...settled(), phase: "Done" as const, replicas: 3 };
    const next = draft(Widget, widget(done, { generation: 2 }), t1)
      .phase("Running")
      .condition("Built", false, "PartsMissing", "Gone")
      .condition("Drifted", true, "Changed", "Edited")
      .set({ replicas: 0 })
      .finish();
    expect(next.status).toMatchObject({ phase: "Done", replicas: 3, observedGeneration: 2 });
    expect(condition(next.status, "Built")).toBe(done.conditions?.find((c) => c.type === "Built"));
    expect(condition(next.status, "Drifted")).toMatchObject({ status: "True" });
  });
});

describe("memory", () => {
  it("rule 56: derivation may read back only what is declared as memory", () => {
    const d = draft(Widget, widget({ ...settled(), progress: { epoch: "a" } }), t1, { strict: true });
    expect(d.memory("progress.epoch")).toBe("a");
    d.memory("replicas");
    expect(() => whole(widget()).finish() && d.finish()).toThrow(/rule 56, replicas/);
  });

  it("a latch does not go back, and a field written once stays", () => {
    const stored = { ...settled(), provisioned: true, startTime: "2026-01-01T00:00:00Z" };
    const next = whole(widget(stored), t1).set({ provisioned: false, startTime: "2027-01-01T00:00:00Z" }).finish();
    expect(next.status).toMatchObject({ provisioned: true, startTime: "2026-01-01T00:00:00Z" });
    expect(whole(widget(stored), t1).unset("provisioned", "startTime").finish().changed).toBe(false);
  });

  it("rule 58: fields that the pass does not name stay as they are", () => {
    const next = whole(widget({ ...settled(), names: ["a"] }), t1)
      .set({ replicas: 2 })
      .finish();
    expect(next.status).toMatchObject({ names: ["a"], replicas: 2 });
  });

  it("writes zero and false, and leaves out what is undefined", () => {
    const next = whole(widget(settled()), t1).set({ replicas: 0, ready: false }).finish();
    expect(next.status).toMatchObject({ replicas: 0, ready: false });
    expect(Object.keys(whole(widget(settled()), t1).unset("replicas").finish().status)).not.toContain("replicas");
  });
});

describe("failures", () => {
  it("rule 35: every failure class leaves a status or says that it must not be written", () => {
    for (const failure of [
      "waiting",
      "transient",
      "quota",
      "denied",
      "notFound",
      "unsupported",
      "invalid",
      "terminal",
      "bug",
    ] as const) {
      const next = draft(Plain, plain(undefined, 1), t1)
        .fail({ class: failure, reason: "Bad", message: text`no` })
        .finish();
      expect(next.status, failure).toMatchObject({ conditions: [{ type: "Ready", status: "False", reason: "Bad" }] });
    }
    for (const failure of ["throttled", "conflict"] as const) {
      const object = plain({ observedGeneration: 1, conditions: [ready("True", "Working", 1)] }, 1);
      const next = draft(Plain, object, t1)
        .set({ count: 9 })
        .fail({ class: failure, reason: "Bad", message: text`no` })
        .finish();
      expect(next, failure).toMatchObject({ changed: false, effect: { write: false } });
    }
  });

  it("a terminal failure of a kind with failure fields sets them and the phase", () => {
    const next = whole(widget({ ...settled(), phase: "Running" }), t1)
      .fail({ class: "terminal", reason: "PartsMissing", message: text`gone` })
      .finish();
    expect(next.status).toMatchObject({ phase: "Failed", failureReason: "PartsMissing", failureMessage: "gone" });
    expect(next.effect?.requeue).toEqual({ in: "never" });
  });

  it("rule 42: a failure that may not be written does not touch Ready", () => {
    const object = plain({ observedGeneration: 1, conditions: [ready("True", "Working", 1)] }, 1);
    expect(draft(Plain, object, t1).fail({ class: "conflict", reason: "Bad", message: text`x` }).finish().status).toBe(
      object.status,
    );
  });
});

describe("what was found broken once", () => {
  it("rule 64: a status that had to be cut to its limit is not written again", () => {
    const Small = defineKind({ ...plainDeclaration, kind: "Small", maxStatusBytes: 400 });
    const long = "x".repeat(2000);
    const pass = (status: Resource<typeof Small>["status"]) =>
      draft(Small, { ...plain(status, 1), kind: "Small" }, t1)
        .condition("Ready", false, "Bad", text`${long}`)
        .finish();
    const once = pass(undefined);
    expect(once.violations).toContainEqual(expect.objectContaining({ rule: 70 }));
    expect(pass(once.status).changed).toBe(false);
  });

  it("a final object at a new generation breaks no rule by being left alone", () => {
    const done = { ...settled(), phase: "Done" as const };
    const next = draft(Widget, widget(done, { generation: 2 }), t1, { strict: true })
      .condition("Drifted", true, "Changed", "Edited")
      .keep("Built", "Broken", "Linked")
      .finish();
    expect(next.status.observedGeneration).toBe(2);
  });

  it("a final object without conditions stays without", () => {
    const done = { phase: "Done" as const, observedGeneration: 1 };
    expect(whole(widget(done), t1).finish().changed).toBe(false);
  });

  it("rule 31: a terminal failure is conclusive for its generation even where others are not", () => {
    const Careful = defineKind({ ...plainDeclaration, kind: "Careful", generation: "onSuccess" });
    const object: Resource<typeof Careful> = {
      ...plain({ observedGeneration: 1, conditions: [ready("False", "Bad", 1)] }, 3),
      kind: "Careful",
    };
    const next = draft(Careful, object, t1).fail({ class: "terminal", reason: "Bad", message: text`no` }).finish();
    expect(next.status.observedGeneration).toBe(3);
  });

  it("a terminal failure of the very first pass is no broken arrow", () => {
    const next = whole(widget()).fail({ class: "terminal", reason: "PartsMissing", message: text`gone` }).finish();
    expect(next.status.phase).toBe("Failed");
  });
});

describe("the end of a draft", () => {
  it("rule 63: a draft is finished once", () => {
    const d = whole(widget());
    d.finish();
    expect(() => d.finish()).toThrow(/rule 63/);
  });

  it("rule 51: a status may be written while the object is being deleted", () => {
    const next = whole(widget(settled(), { deletionTimestamp: "2026-01-01T00:00:30Z" }), t1)
      .condition("Extra", true, "Said", "Deleting")
      .finish();
    expect(next.changed).toBe(true);
  });

  it("wakes at the earliest moment that was asked for", () => {
    expect(whole(widget()).wake(t2).wake(t1).wake(undefined).finish().wakeAt).toBe(t1);
  });

  it("cuts what is over its limit, the same way each time", () => {
    const next = whole(widget(), t1)
      .set({ names: ["a", "b", "c", "d"], notes: { z: "1", a: "2", m: "3" }, message: "x".repeat(30) })
      .finish();
    expect(next.status).toMatchObject({
      names: ["a", "b", "c"],
      notes: { a: "2", m: "3" },
      message: `${"x".repeat(19)}…`,
    });
  });

  it("a stored status that is not an object, or whose conditions are no list, is replaced and not stumbled over", () => {
    for (const status of ["broken", 3, null, { conditions: "none" }]) {
      const object = { ...widget(), status } as unknown as Widget;
      expect(whole(object).finish().status.conditions?.length).toBe(4);
    }
  });
});

const plainDeclaration = {
  group: "telltale.test",
  version: "v1",
  kind: "Plain",
  spec: Fields({ on: Flag() }),
  status: Fields({ count: Int32() }),
  phases: phases({ New: ["Old"], Old: [] }),
  conditions: conditions({
    Ready: positive({
      means: "It works",
      reasons: { Working: yes("Fine"), Bad: no("Bad", "mend it"), NotYet: unknown("Nobody knows", "wait") },
    }),
  }),
} as const;
const Plain = defineKind(plainDeclaration);

function plain(status: Resource<typeof Plain>["status"], generation: number): Resource<typeof Plain> {
  return {
    apiVersion: "telltale.test/v1",
    kind: "Plain",
    metadata: { name: "p", uid: "p", generation },
    spec: { on: true },
    ...(status === undefined ? {} : { status }),
  };
}

function ready(status: "True" | "False", reason: string, observedGeneration: number): Condition {
  return { type: "Ready", status, reason, message: "", lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration };
}
