import {
  type Condition,
  type ConditionStatus,
  conditions,
  defineKind,
  type Instant,
  instant,
  on,
  positive,
} from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { Widget } from "../test/widget.ts";
import {
  checkRebuilt,
  checkStep,
  checkWrites,
  classifyWriteAnswer,
  type Known,
  mayWrite,
  type Write,
} from "./history.ts";

const early = "2026-01-01T00:00:00Z";
const late = "2026-01-01T01:00:00Z";
const stored = (type: string, status: ConditionStatus = "True", more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  reason: "Said",
  message: "so",
  lastTransitionTime: early,
  observedGeneration: 1,
  ...more,
});

type Status = Record<string, unknown>;
const object = (status: Status | undefined, generation = 1, uid = "u") => ({
  metadata: { name: "w", uid, generation },
  status,
});
const broken = (before: Status, after: Status, known?: Known, generation = 1) =>
  checkStep(Widget, object(before, generation), object(after, generation), known).map((v) => `${v.rule} ${v.at}`);
const list = (...conditions: Condition[]): Status => ({ conditions });

describe("one step of one object", () => {
  it("rule 15: a transition time moves with a flip", () => {
    expect(broken(list(stored("Built")), list(stored("Built", "False", { lastTransitionTime: late })))).toEqual([]);
  });

  it("rule 15: and not without one, unless a reset restarted the clock", () => {
    const moved = [list(stored("Built")), list(stored("Built", "True", { lastTransitionTime: late }))] as const;
    expect(broken(...moved)).toEqual(["15 Built"]);
    expect(broken(...moved, { restamped: ["Built"] })).toEqual([]);
  });

  it("rule 15: a flip that kept its old time is found by the time of the step", () => {
    const kept = [list(stored("Built")), list(stored("Built", "False"))] as const;
    expect(broken(...kept, { at: instant(Date.parse(late)) })).toEqual(["15 Built"]);
    expect(broken(...kept, { at: instant(Date.parse(early) + 999) })).toEqual([]);
    expect(broken(...kept)).toEqual([]);
  });

  it("rule 17: a transition time does not go back", () => {
    expect(broken(list(stored("Built", "True", { lastTransitionTime: late })), list(stored("Built", "False")))).toEqual(
      ["17 Built"],
    );
  });

  it("rule 21: a mirror and a child may bring any time along", () => {
    for (const type of ["Linked", "Part-0"]) {
      expect(broken(list(stored(type, "True", { lastTransitionTime: late })), list(stored(type)))).toEqual([]);
    }
  });

  it("rule 19: a flip there and back within one pass leaves no trace", () => {
    expect(broken(list(stored("Built")), list(stored("Built")))).toEqual([]);
    expect(broken(list(stored("Built")), list(stored("Built", "True", { lastTransitionTime: late })))).toContain(
      "15 Built",
    );
  });

  it("rule 20: a condition that is always there is not removed, a derived one neither; others may go", () => {
    expect(broken(list(stored("Built"), stored("Ready")), list())).toEqual(["20 Built", "20 Ready"]);
    expect(broken(list(stored("Extra"), stored("Recoverable"), stored("Part-0")), list())).toEqual([]);
  });

  it("rule 25: a condition speaks of the generation that was read, not of a later one", () => {
    const after = list(stored("Built", "True", { observedGeneration: 3 }));
    expect(broken(list(stored("Built")), after, {}, 2)).toEqual(["25 Built"]);
    expect(broken(list(stored("Built")), after, { readGeneration: 2 }, 3)).toEqual(["25 Built"]);
    expect(broken(list(stored("Built")), after, { readGeneration: 3 }, 3)).toEqual([]);
  });

  it("rule 25: what was not touched is not asked again", () => {
    const theirs = list(stored("example.com/X", "True", { observedGeneration: 9 }));
    expect(broken(theirs, theirs)).toEqual([]);
  });

  it("rule 26: a status does not speak of a generation that does not exist", () => {
    expect(broken({}, { observedGeneration: 2 })).toEqual(["26 observedGeneration"]);
  });

  it("rule 27: no generation goes back, neither the status's nor a condition's", () => {
    expect(broken({ observedGeneration: 3 }, { observedGeneration: 2 }, {}, 3)).toEqual(["27 observedGeneration"]);
    const back = broken(
      list(stored("Built", "True", { observedGeneration: 3 })),
      list(stored("Built", "True", { observedGeneration: 2 })),
      {},
      3,
    );
    expect(back).toEqual(["27 Built"]);
  });

  it("rule 27: but for one that the object has not reached: that is put right", () => {
    const found = broken(
      { observedGeneration: 5, ...list(stored("Built", "True", { observedGeneration: 5 })) },
      { observedGeneration: 4, ...list(stored("Built", "True", { observedGeneration: 4 })) },
      {},
      4,
    );
    expect(found).toEqual([]);
  });

  it("rule 28: the generation moves together with a condition that speaks for it", () => {
    const before = { observedGeneration: 1, ...list(stored("Built")) };
    expect(broken(before, { ...before, observedGeneration: 2 }, {}, 2)).toEqual(["28 observedGeneration"]);
    const both = { observedGeneration: 2, ...list(stored("Built", "True", { observedGeneration: 2 })) };
    expect(broken(before, both, {}, 2)).toEqual([]);
    expect(broken({ observedGeneration: 1 }, { observedGeneration: 2 }, {}, 2)).toEqual([]);
  });

  describe("rule 42: a step in which nothing speaks for it", () => {
    const inputs = [stored("Built"), stored("Broken", "False"), stored("Linked")];
    const ready = stored("Ready", "True");
    it("rule 42: does not touch a derived top condition", () => {
      const touched = list(stored("Ready", "True", { message: "new" }), ...inputs);
      expect(broken(list(ready, ...inputs), touched)).toEqual(["42 Ready"]);
    });
    it("rule 42: may move its generation", () => {
      const moved = list(stored("Ready", "True", { observedGeneration: 2 }), ...inputs);
      expect(broken(list(ready, ...inputs), moved, {}, 2)).toEqual([]);
    });
    it("rule 42: is none where an input has changed", () => {
      const changed = list(
        stored("Ready", "False", { lastTransitionTime: late }),
        stored("Built", "False", { lastTransitionTime: late }),
        ...inputs.slice(1),
      );
      expect(broken(list(ready, ...inputs), changed)).toEqual([]);
    });
    it("rule 42: does not touch a top condition that is set by hand either", () => {
      const Hand = defineKind({
        group: "telltale.test",
        version: "v1",
        kind: "Hand",
        conditions: conditions({
          Ready: positive({ means: "x", reasons: { Said: on(["True", "False"], "so", "nothing") } }),
        }),
      });
      const check = (after: Condition, known?: Known) =>
        checkStep(Hand, object(list(ready)), object(list(after)), known).map((v) => v.rule);
      expect(check(stored("Ready", "True", { lastTransitionTime: late }))).toEqual([42, 15]);
      expect(check(stored("Ready", "True", { lastTransitionTime: late }), { restamped: ["Ready"] })).toEqual([]);
      expect(check(stored("Ready", "False", { lastTransitionTime: late, message: "down" }))).toEqual([]);
    });
  });

  it("rule 53: latches stay, and what is written once stays as it is", () => {
    expect(broken({ provisioned: true }, { provisioned: false })).toEqual(["53 provisioned"]);
    expect(broken({ provisioned: true }, {})).toEqual(["53 provisioned"]);
    expect(broken({ provisioned: false }, { provisioned: true })).toEqual([]);
    expect(broken({ startTime: early }, { startTime: late })).toEqual(["53 startTime"]);
    expect(broken({}, { startTime: late })).toEqual([]);
  });

  it("rule 53: a final phase is not left, and only what the kind thaws changes in it", () => {
    const done = {
      phase: "Done",
      observedGeneration: 1,
      replicas: 1,
      ...list(stored("Built"), stored("example.com/X")),
    };
    expect(broken(done, { ...done, phase: "Running" })).toEqual(["53 phase"]);
    expect(broken(done, { ...done, replicas: 2 })).toEqual(["53 replicas"]);
    expect(broken(done, { ...done, observedGeneration: 2 }, {}, 2)).toEqual([]);
    expect(broken(done, { ...done, ...list(stored("Built"), stored("example.com/X"), stored("Drifted")) })).toEqual([]);
    expect(
      broken(done, { ...done, ...list(stored("Built", "True", { message: "new" }), stored("example.com/X")) }),
    ).toEqual(["53 Built"]);
    expect(broken(done, { ...done, ...list(stored("Built"), stored("example.com/X"), stored("Extra")) })).toEqual([
      "53 Extra",
    ]);
  });

  it("rule 53: Succeeded is final once it is True or False", () => {
    const Run = defineKind({
      group: "telltale.test",
      version: "v1",
      kind: "Run",
      conditions: conditions({
        Succeeded: positive({ means: "x", reasons: { Said: on(["True", "False", "Unknown"], "so", "nothing") } }),
      }),
    });
    const step = (from: ConditionStatus, to: ConditionStatus) =>
      checkStep(
        Run,
        object(list(stored("Succeeded", from))),
        object(list(stored("Succeeded", to, { lastTransitionTime: late }))),
      ).map((v) => v.rule);
    expect([
      step("Unknown", "True"),
      step("Unknown", "False"),
      step("True", "False"),
      step("False", "Unknown"),
    ]).toEqual([[], [], [53], [53]]);
  });

  it("rule 60: conditions of others are neither changed, nor removed, nor put into another order", () => {
    const a = stored("example.com/A");
    const b = stored("example.com/B");
    expect(broken(list(a, b), list(a))).toEqual(["60 example.com/B", "60 conditions"]);
    expect(broken(list(a), list({ ...a, message: "ours" }))).toEqual(["60 example.com/A"]);
    expect(broken(list(a, b), list(b, a))).toEqual(["60 conditions"]);
    expect(broken(list(a, b), list(stored("Built"), a, stored("example.com/C"), b))).toEqual([]);
  });

  it("rule 78: a phase is reached by declared arrows, several in one write if need be", () => {
    expect(broken({ phase: "Pending" }, { phase: "Running" })).toEqual([]);
    expect(broken({ phase: "Pending" }, { phase: "Done" })).toEqual([]);
    expect(broken({}, { phase: "Pending" })).toEqual([]);
    expect(broken({}, { phase: "Failed" })).toEqual([]);
    expect(broken({ phase: "Running" }, { phase: "Strange" })).toEqual(["78 phase"]);
    expect(broken({}, { phase: "Strange" })).toEqual(["78 phase"]);
  });

  it("rule 82: progress does not run back within an epoch", () => {
    const progress: NonNullable<Known["progress"]> = (s) => {
      const { percent, epoch } = (s["progress"] ?? {}) as { percent?: number; epoch?: string };
      return percent === undefined ? undefined : { epoch: epoch ?? "", done: percent };
    };
    const at = (percent: number, epoch: string) => ({ progress: { percent, epoch } });
    expect(broken(at(50, "a"), at(40, "a"), { progress })).toEqual(["82 progress"]);
    expect(broken(at(50, "a"), at(40, "b"), { progress })).toEqual([]);
    expect(broken(at(50, "a"), at(50, "a"), { progress })).toEqual([]);
    expect(broken(at(50, "a"), {}, { progress })).toEqual([]);
  });

  it("rule 68: another object of the same name has another history", () => {
    const before = object({ observedGeneration: 9, provisioned: true, ...list(stored("Built")) }, 9, "old");
    expect(checkStep(Widget, before, object({ observedGeneration: 1 }, 1, "new"))).toEqual([]);
  });

  it("a first status breaks nothing", () => {
    expect(checkStep(Widget, object(undefined), object({ observedGeneration: 1, ...list(stored("Built")) }))).toEqual(
      [],
    );
  });
});

const write = (more: Partial<Write> = {}): Write => ({
  at: instant(0),
  writer: "a",
  leader: "a",
  pass: "p1",
  readUid: "u",
  uid: "u",
  readVersion: 5,
  before: { replicas: 1 },
  after: { replicas: 2 },
  ...more,
});
const trace = (...writes: Partial<Write>[]) => checkWrites(writes.map(write)).map((v) => `${v.rule} ${v.at}`);

describe("a trace of status writes", () => {
  it("that keeps all rules gives no finding", () => {
    expect(
      trace({}, { pass: "p2", readVersion: 6, ownLastVersion: 6, before: { replicas: 2 }, after: { replicas: 3 } }),
    ).toEqual([]);
    expect(trace({ leader: undefined })).toEqual([]);
  });

  it("rule 63: has one write for each object and pass, checkpoints apart", () => {
    expect(trace({}, {})).toEqual(["63 p1"]);
    expect(trace({}, { checkpoint: true })).toEqual([]);
    expect(trace({}, { uid: "v", readUid: "v" })).toEqual([]);
  });

  it("rule 64: has no write that changes nothing, in whatever order its members stand", () => {
    expect(trace({ before: { a: 1, b: 2 }, after: { b: 2, a: 1 } })).toEqual(["64 p1"]);
  });

  it("rule 16: has none for a condition that is set to what it is", () => {
    expect(trace({ before: list(stored("Built")), after: list(stored("Built")) })).toEqual(["64 p1"]);
  });

  it("rule 65: does not send an old computation again after a conflict", () => {
    const conflict = { answer: "conflict" } as const;
    expect(trace(conflict, {})).toEqual(["65 p1"]);
    expect(trace(conflict, { readVersion: 6 })).toEqual([]);
    expect(trace(conflict, { writer: "b", leader: "b" })).toEqual([]);
    expect(trace(conflict, { uid: "v", readUid: "v" })).toEqual([]);
    expect(trace({ answer: "failed" }, {})).toEqual([]);
  });

  it("rule 67: has none by a process that does not hold the lease", () => {
    expect(trace({ leader: "b" })).toEqual(["67 p1"]);
  });

  it("rule 68: has none to another object than the one that was read", () => {
    expect(trace({ readUid: "v" })).toEqual(["68 p1"]);
  });

  it("rule 69: has none that was computed from before the writer's own last write", () => {
    expect(trace({ readVersion: 5, ownLastVersion: 6 })).toEqual(["69 p1"]);
    expect(trace({ readVersion: 6, ownLastVersion: 6 })).toEqual([]);
  });

  describe("rule 71: repeated failures", () => {
    const fails = (pass: string, message: string, before: string, more: Partial<Write> = {}): Partial<Write> => ({
      pass,
      failure: "Unreachable",
      before: list(stored("Built", "False", { message: before })),
      after: list(stored("Built", "False", { message })),
      ...more,
    });

    it("rule 71: are not written each in other words", () => {
      expect(trace(fails("p1", "try 1", ""), fails("p2", "try 2", "try 1"), fails("p3", "try 3", "try 2"))).toEqual([
        "71 p2",
        "71 p3",
      ]);
    });
    it("rule 71: are written when they are of another kind, or when something else has changed", () => {
      expect(trace(fails("p1", "a", ""), fails("p2", "b", "a", { failure: "Denied" }))).toEqual([]);
      expect(
        trace(
          fails("p1", "a", ""),
          fails("p2", "b", "a", { after: { replicas: 3, ...list(stored("Built", "False")) } }),
        ),
      ).toEqual([]);
      expect(trace(fails("p1", "a", ""), { pass: "p2" }, fails("p3", "b", "a"))).toEqual([]);
    });
  });
});

describe("whether a process may write", () => {
  const begun = { holder: "a", epoch: 3 };
  const lease = (holder: string, epoch: number, expires: number) => ({ holder, epoch, expires: instant(expires) });
  const at: Instant = instant(1000);

  it("rule 67: it may while it holds the lease in the epoch in which it began", () => {
    expect(mayWrite(begun, lease("a", 3, 2000), "a", at)).toBe(true);
    expect(mayWrite(undefined, lease("b", 9, 0), "a", at)).toBe(true);
  });

  it.each([
    ["another holds it", lease("b", 4, 2000)],
    ["it was lost and won again in between", lease("a", 5, 2000)],
    ["it has run out", lease("a", 3, 1000)],
  ])("rule 67: it may not when %s", (_name, now) => {
    expect(mayWrite(begun, now, "a", at)).toBe(false);
  });

  it("rule 67: it may not finish what another one began", () => {
    expect(mayWrite({ holder: "b", epoch: 3 }, lease("a", 3, 2000), "a", at)).toBe(false);
  });
});

describe("the answer to a status write", () => {
  const causes = { reason: "Invalid", details: { causes: [{ field: "status.phase" }] } };
  it.each([
    ["200 is written", 200, undefined, false, "written"],
    ["201 is written", 201, undefined, false, "written"],
    ["rule 65: 409 is a conflict", 409, { reason: "Conflict" }, false, "conflict"],
    [
      "rule 65: 422 without causes is a test that failed, so a conflict",
      422,
      { reason: "Invalid", details: {} },
      false,
      "conflict",
    ],
    ["rule 65: 422 with no details at all too", 422, { reason: "Invalid" }, true, "conflict"],
    ["422 with causes is a schema error", 422, causes, false, "invalid"],
    ["422 of another reason is one too", 422, undefined, false, "invalid"],
    ["rule 52: 404 while deleting is success", 404, { reason: "NotFound" }, true, "written"],
    ["rule 52: 404 of an object that nobody was deleting is not", 404, { reason: "NotFound" }, false, "gone"],
    ["403 is a failure", 403, { reason: "Forbidden" }, false, "failed"],
    ["429 is a failure", 429, undefined, false, "failed"],
    ["500 is a failure", 500, undefined, true, "failed"],
  ] as const)("%s", (_name, code, body, deleting, expected) => {
    expect(classifyWriteAnswer(code, body, deleting)).toBe(expected);
  });
});

describe("a status that was lost", () => {
  const status = {
    phase: "Running",
    replicas: 2,
    startTime: early,
    ...list(stored("Broken", "False"), stored("example.com/X")),
  };
  const lost = (rebuilt: Status) => checkRebuilt(Widget, status, rebuilt).map((v) => `${v.rule} ${v.at}`);

  it("rule 57: comes back from the world; times and declared memory may start anew", () => {
    expect(
      lost({ ...status, ...list(stored("Broken", "False", { lastTransitionTime: late, message: "new" })) }),
    ).toEqual([]);
    expect(lost({ ...status, phase: "Pending", startTime: late })).toEqual([]);
  });

  it("rule 57: has nothing that stays away, memory included", () => {
    const { startTime: _, replicas: __, ...rest } = status;
    expect(lost(rest)).toEqual(["57 replicas", "57 startTime"]);
    expect(lost({ ...status, ...list() })).toEqual(["57 Broken"]);
  });

  it("rule 57: has nothing that comes back as something else, unless it is declared as memory", () => {
    expect(lost({ ...status, replicas: 1 })).toEqual(["57 replicas"]);
    expect(lost({ ...status, ...list(stored("Broken", "True")) })).toEqual(["57 Broken"]);
    const built = { conditions: [stored("Built", "True")] };
    expect(checkRebuilt(Widget, built, { conditions: [stored("Built", "Unknown")] })).toEqual([]);
  });
});
