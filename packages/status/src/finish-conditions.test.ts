import {
  type Condition,
  type ConditionOptions,
  type ConditionStatus,
  conditions,
  defineKind,
  derived,
  family,
  instant,
  type Kind,
  negative,
  neutral,
  on,
  positive,
  type Resource,
  yes,
} from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { Widget } from "../test/widget.ts";
import { draft } from "./draft.ts";
import { finishConditions, type Statement } from "./finish-conditions.ts";
import { text } from "./text.ts";

const t0 = instant(Date.parse("2026-01-01T00:00:00Z"));
const t1 = instant(t0 + 60_000);

const stored = (type: string, status: ConditionStatus = "True", more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  reason: "Said",
  message: "so",
  lastTransitionTime: "2025-06-01T00:00:00Z",
  observedGeneration: 1,
  ...more,
});

function widget(list?: readonly Condition[], generation = 1): Widget {
  return {
    apiVersion: "telltale.test/v1",
    kind: "Widget",
    metadata: { name: "w", uid: "u", generation, creationTimestamp: "2025-12-31T00:00:00Z" },
    spec: { size: 1 },
    ...(list === undefined ? {} : { status: { conditions: list } }),
  };
}

const linked = { type: "Linked", status: "True", reason: "Up", message: "" } as const;
const begin = (object: Widget, now = t0) => draft(Widget, object, now).state(linked);
const types = (status: Widget["status"]) => status?.conditions?.map((c) => c.type);
const find = (status: Widget["status"], type: string) => status?.conditions?.find((c) => c.type === type);

describe("presence", () => {
  it("rule 33: always: from the first visit on, with what the declaration says", () => {
    const { status, violations } = begin(widget()).finish();
    expect(types(status)).toEqual(["Ready", "Built", "Broken", "Linked"]);
    expect(find(status, "Built")).toMatchObject({ status: "Unknown", reason: "NotStarted", message: "Not started" });
    expect(violations).toEqual([]);
  });

  it("rule 33: always: cannot be taken away, and nothing may be left unsaid", () => {
    const taken = begin(widget([stored("Built")]))
      .without("Built")
      .finish();
    expect(taken.violations).toContainEqual(expect.objectContaining({ rule: 33, at: "Built" }));
    expect(find(taken.status, "Built")).toBeDefined();
    const silent = draft(Widget, widget(), t0).finish();
    expect(silent.violations).toContainEqual(expect.objectContaining({ rule: 33, at: "Linked" }));
  });

  it("rule 22: what starts at the first visit starts when the object was made, and later what starts now", () => {
    expect(find(begin(widget()).finish().status, "Built")?.lastTransitionTime).toBe("2025-12-31T00:00:00Z");
    const later = begin(widget([stored("Ready")])).finish();
    expect(find(later.status, "Built")?.lastTransitionTime).toBe("2026-01-01T00:00:00Z");
  });

  it("onceSet: absent until it is set, then there until it is taken away", () => {
    const set = begin(widget()).condition("Extra", "False", "Said", "no").finish().status;
    expect(types(set)).toContain("Extra");
    const kept = begin(widget(set.conditions)).finish().status;
    expect(types(kept)).toContain("Extra");
    expect(types(begin(widget(kept.conditions)).without("Extra").finish().status)).not.toContain("Extra");
  });

  it("onceTrue: a False before the first True is not written, one after it is", () => {
    expect(types(begin(widget()).condition("Drifted", false, "Same", "").finish().status)).not.toContain("Drifted");
    const drifted = begin(widget()).condition("Drifted", true, "Changed", "").finish().status;
    const back = begin(widget(drifted.conditions), t1).condition("Drifted", false, "Same", "").finish().status;
    expect(find(back, "Drifted")).toMatchObject({ status: "False", lastTransitionTime: "2026-01-01T00:01:00Z" });
  });

  it("rule 44: whenTrue: there while it is True, and gone as soon as it is not", () => {
    const there = begin(widget()).condition("Recoverable", true, "Late", "").finish().status;
    expect(types(there)).toContain("Recoverable");
    expect(
      types(begin(widget(there.conditions)).condition("Recoverable", false, "Late", "").finish().status),
    ).not.toContain("Recoverable");
  });
});

describe("conditions of others", () => {
  const foreign = [stored("example.com/B"), stored("Extra-7"), stored("example.com/A", "False")];

  it("rule 60: stay as they are and in their order, after ours", () => {
    const { status } = begin(widget([...foreign.slice(0, 2), stored("Built"), ...foreign.slice(2)], 5)).finish();
    expect(types(status)).toEqual(["Ready", "Built", "Broken", "Linked", "example.com/B", "Extra-7", "example.com/A"]);
    expect(status.conditions?.slice(4)).toEqual(foreign);
    expect(status.conditions?.[4]).toBe(foreign[0]);
  });

  it("rule 59: are not set, and whoever tries is told", () => {
    const statements = new Map<string, Statement>([
      ["example.com/B", { say: "set", condition: { ...stored("example.com/B"), message: "ours" }, options: {} }],
      ["example.com/A", { say: "without" }],
    ]);
    const { list, broken } = finish(Widget, foreign, statements);
    expect(list.slice(-3)).toEqual(foreign);
    expect(broken).toContain("59 example.com/B");
    expect(broken).toContain("59 example.com/A");
  });

  it("rule 60: that look like a child of no family of ours stay when our children go", () => {
    const { status } = begin(widget([stored("Part-0"), stored("Part-00"), stored("Piece-0")]))
      .children("Part", [])
      .finish();
    expect(types(status)?.slice(4)).toEqual(["Part-00", "Piece-0"]);
  });
});

/** The function by itself, for what the draft's types do not let through. */
function finish(kind: Kind, before: readonly Condition[], statements: ReadonlyMap<string, Statement> = new Map()) {
  const broken: string[] = [];
  const list = finishConditions({
    kind,
    before,
    statements,
    families: new Set(),
    generation: 2,
    created: undefined,
    firstVisit: before.length === 0,
    now: "2026-01-01T00:00:00Z",
    broken: (rule, at) => broken.push(`${rule} ${at}`),
  });
  return { list, broken };
}

const any = { means: "x", reasons: { Said: on(["True", "False", "Unknown"], "so", "nothing") } };
const unset = { status: "Unknown", reason: "Said", message: "" } as const;
const make = (options: ConditionOptions = {}) =>
  defineKind({
    group: "telltale.test",
    version: "v1",
    kind: "Thing",
    conditions: conditions(
      {
        B: positive({ ...any, initial: unset }),
        A: neutral({ ...any, present: "onceSet" }),
        Pod: family({ ...any, max: 300 }),
        Set: family(any),
      },
      { ...options, top: "B" },
    ),
  });

describe("order", () => {
  const say = (...list: string[]) =>
    new Map(
      list.map((type): [string, Statement] => [
        type,
        { say: "set", condition: { type, status: "True", reason: "Said", message: "" }, options: {} },
      ]),
    );

  it("rule 24: as declared: types, children by number, foreign ones last", () => {
    const { list } = finish(make(), [stored("x.io/X"), stored("Pod-10")], say("Set-0", "Pod-2", "A", "B"));
    expect(list.map((c) => c.type)).toEqual(["B", "A", "Pod-2", "Pod-10", "Set-0", "x.io/X"]);
  });

  it("rule 24: by insertion: each stays where it was, and new ones come last", () => {
    const { list } = finish(make({ order: "insertion" }), [stored("x.io/X"), stored("A")], say("Pod-0", "A", "B"));
    expect(list.map((c) => c.type)).toEqual(["x.io/X", "A", "Pod-0", "B"]);
  });

  it("rule 16: the stored list itself where nothing changed", () => {
    const before = [stored("B"), stored("x.io/X")];
    expect(finish(make(), before).list).toBe(before);
  });

  it("rule 9: the first of two of one type counts", () => {
    const { list, broken } = finish(make(), [stored("B", "True"), stored("B", "False")]);
    expect(list.map((c) => c.status)).toEqual(["True"]);
    expect(broken).toEqual(["9 B"]);
  });
});

describe("limits", () => {
  it("rule 10: children with the highest numbers go first, whatever their family; nothing else goes", () => {
    const { list, broken } = finish(make({ max: 4 }), [
      stored("B"),
      ...[0, 1, 2].map((i) => stored(`Pod-${i}`)),
      ...[0, 1].map((i) => stored(`Set-${i}`)),
      stored("x.io/X"),
    ]);
    expect(list.map((c) => c.type)).toEqual(["B", "Pod-0", "Set-0", "x.io/X"]);
    expect(broken).toEqual([]);
  });

  it("rule 10: where only what must stay is left, it stays, and that is said", () => {
    const { list, broken } = finish(make({ max: 1 }), [stored("B"), stored("Pod-0"), stored("x.io/X")]);
    expect(list.map((c) => c.type)).toEqual(["B", "x.io/X"]);
    expect(broken).toEqual(["10 conditions"]);
  });

  it("rule 10: a family that says nothing else is cut at 256, lowest numbers first", () => {
    const Many = make({ max: 1000 });
    const list = Array.from({ length: 300 }, (_, slot) => ({
      slot: 299 - slot,
      status: "True" as const,
      reason: "Said",
      message: text``,
    }));
    const object: Resource<typeof Many> = {
      apiVersion: "telltale.test/v1",
      kind: "Thing",
      metadata: { name: "t", generation: 1 },
      spec: {},
    };
    const { status } = draft(Many, object, t0).children("Set", list).children("Pod", list).finish();
    const shown = status.conditions?.filter((c) => c.type.startsWith("Set-")).map((c) => c.type) ?? [];
    expect([shown.length, shown[0], shown.at(-1)]).toEqual([256, "Set-0", "Set-255"]);
    expect(status.conditions?.filter((c) => c.type.startsWith("Pod-")).length).toBe(300);
  });

  it("rule 7: messages are cut to what the kind allows", () => {
    const said = new Map<string, Statement>([
      ["B", { say: "set", condition: { ...stored("B"), message: "x".repeat(50) }, options: {} }],
    ]);
    expect(finish(make({ maxMessage: 10 }), [], said).list[0]?.message).toBe(`${"x".repeat(9)}…`);
  });
});

describe("shapes", () => {
  const said = new Map<string, Statement>([
    ["B", { say: "set", condition: { ...stored("B"), observedGeneration: 9, severity: "Warning" }, options: {} }],
  ]);
  const fields = (shape: "metav1" | "plain" | "capiV1beta1") =>
    Object.keys(finish(make({ shape }), [], said).list[0] ?? {});
  const common = ["type", "status", "reason", "message", "lastTransitionTime"];

  it("rule 25: metav1 has the generation that was read, and no severity", () => {
    expect(fields("metav1")).toEqual([...common, "observedGeneration"]);
    expect(finish(make(), [], said).list[0]?.observedGeneration).toBe(2);
  });
  it("plain has neither", () => {
    expect(fields("plain")).toEqual(common);
  });
  it("rule 14: capiV1beta1 alone has a severity", () => {
    expect(fields("capiV1beta1")).toEqual([...common, "severity"]);
  });

  it("a stored condition without reason and message can be kept", () => {
    const bare: unknown = { type: "B", status: "True", lastTransitionTime: "2025-06-01T00:00:00Z" };
    const kept = new Map<string, Statement>([["B", { say: "set", condition: bare as Condition, options: {} }]]);
    expect(finish(make({ shape: "plain" }), [bare as Condition], kept).list[0]).toMatchObject({
      reason: "Unspecified",
      message: "",
      lastTransitionTime: "2025-06-01T00:00:00Z",
    });
  });
});

describe("reasons", () => {
  const reasonFor = (reason: string) => {
    const said = new Map<string, Statement>([
      ["B", { say: "set", condition: { type: "B", status: "True", reason, message: "" }, options: {} }],
    ]);
    const { list, broken } = finish(make(), [], said);
    return { reason: list[0]?.reason, broken };
  };

  it.each([
    ["", "Unspecified"],
    ["not found", "not_found"],
    ["404: gone", "gone"],
    ["Trailing:", "Trailing"],
    ["…", "Unspecified"],
    [`${"a".repeat(1023)}:b`, "a".repeat(1023)],
  ])("rule 5: %j would lose the whole write, and is made lawful", (reason, lawful) => {
    const made = reasonFor(reason);
    expect(made.reason).toBe(lawful);
    expect(made.reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
    expect(made.broken).toContain("5 B");
  });

  it("rule 6: one that is not declared, or not for this status, is written and reported", () => {
    expect(reasonFor("Said").broken).toEqual([]);
    expect(reasonFor("Strange")).toEqual({ reason: "Strange", broken: ["6 B"] });
    const wrong = begin(widget()).state({ type: "Built", status: "True", reason: "Building", message: "" }).finish();
    expect(wrong.violations).toContainEqual(expect.objectContaining({ rule: 6, at: "Built" }));
    expect(reasonFor("constructor").broken).toEqual(["6 B"]);
  });

  it("any lawful reason goes for a mirror", () => {
    expect(
      begin(widget())
        .state({ ...linked, reason: "WhateverTheySay" })
        .finish().violations,
    ).toEqual([]);
  });
});

describe("derived conditions", () => {
  const Chain = defineKind({
    group: "telltale.test",
    version: "v1",
    kind: "Chain",
    failing: "Part",
    conditions: conditions({
      Available: derived({
        means: "x",
        from: ["Ready"],
        ok: { reason: "Up", message: "" },
        reasons: { Up: yes("so") },
      }),
      Ready: derived({
        means: "x",
        from: ["Part", "Held", "Stalled"],
        ok: { reason: "Up", message: "" },
        reasons: { Up: yes("so") },
      }),
      Part: positive({ ...any, initial: unset }),
      Held: negative({ ...any, present: "onceTrue" }),
      Stalled: negative({ ...any, present: "whenTrue" }),
    }),
  });
  const chain = (part: ConditionStatus, before: readonly Condition[] = [], more: [string, ConditionStatus][] = []) => {
    const said = [["Part", part] as const, ...more].map(([type, status]): [string, Statement] => [
      type,
      { say: "set", condition: { type, status, reason: "Said", message: type }, options: {} },
    ]);
    return finish(Chain, before, new Map(said)).list;
  };
  const words = (list: readonly Condition[]) => Object.fromEntries(list.map((c) => [c.type, c.status]));

  it("rule 37: follow one another in one pass, in whatever order they are declared", () => {
    const before = chain("False");
    expect(words(before)).toEqual({ Available: "False", Ready: "False", Part: "False" });
    expect(words(chain("True", before))).toEqual({ Available: "True", Ready: "True", Part: "True" });
  });

  it("rule 44: read one that is there only when True, and is absent, as False", () => {
    expect(words(chain("True"))["Ready"]).toBe("True");
    expect(words(chain("True", [], [["Stalled", "True"]]))["Ready"]).toBe("False");
    expect(words(chain("True", chain("True", [], [["Held", "True"]]), [["Held", "False"]]))["Ready"]).toBe("True");
  });

  it("rule 34: read one that should be there, and is not, as Unknown", () => {
    const { status } = draft(Widget, widget(), t0).condition("Built", true, "Complete", "").finish();
    expect(find(status, "Ready")).toMatchObject({
      status: "Unknown",
      reason: "NotYetReported",
      message: "Linked is not yet reported",
    });
  });

  it("rule 15: move their own time only when they flip", () => {
    const good = begin(widget()).condition("Built", true, "Complete", "").finish().status;
    const worse = begin(widget(good.conditions), t1).condition("Built", false, "Building", "one").finish().status;
    const other = begin(widget(worse.conditions), instant(t1 + 60_000))
      .condition("Built", false, "PartsMissing", "two")
      .finish().status;
    expect(find(worse, "Ready")).toMatchObject({ status: "False", lastTransitionTime: "2026-01-01T00:01:00Z" });
    expect(find(other, "Ready")).toMatchObject({
      reason: "PartsMissing",
      message: "two",
      lastTransitionTime: "2026-01-01T00:01:00Z",
    });
  });

  it("rule 37: cannot be set", () => {
    const said = new Map<string, Statement>([["Ready", { say: "set", condition: stored("Ready"), options: {} }]]);
    expect(finish(Chain, [], said).broken).toContain("37 Ready");
  });
});
