import {
  bugReason,
  conditions,
  defineKind,
  type FailureClass,
  Fields,
  failureClasses,
  instant,
  phases,
  positive,
  Text,
  yes,
} from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { Widget } from "../test/widget.ts";
import { draft } from "./draft.ts";
import { effectOf, Failed, type Failure, failureOf, failureState, nextAttempt } from "./failure.ts";
import { text } from "./text.ts";

const Bare = defineKind({ group: "telltale.test", version: "v1", kind: "Bare" });
const Simple = defineKind({
  group: "telltale.test",
  version: "v1",
  kind: "Simple",
  conditions: conditions({ Ready: positive({ means: "It works", reasons: { Up: yes("It is up") } }) }),
  phases: phases({ Pending: ["Failed"] }),
  failures: {
    terminal: { phase: "Failed", condition: { type: "Ready", status: "False" }, requeue: "never", write: true },
  },
});
const failure = (of: FailureClass, retryAfter?: number): Failure => ({
  class: of,
  reason: "Why",
  message: text`because`,
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

describe("the effect of a failure", () => {
  for (const kind of [Bare, Simple, Widget]) {
    it.each(failureClasses)(`${kind.kind} has one for %s`, (of) => {
      const effect = effectOf(kind, failure(of));
      expect(effect.class).toBe(of);
      expect([...(kind.phases?.names ?? []), "keep"]).toContain(effect.phase);
      expect(effect.requeue.in === "backoff" || effect.requeue.in === "never" || effect.requeue.in > 0).toBe(true);
      if (effect.condition !== undefined) expect(effect.condition).toMatchObject({ reason: "Why", message: "because" });
    });
  }

  it("is said on the condition that the kind's table names, and on none where it names none", () => {
    const said = { type: "Ready", status: "False", reason: "Why", message: "because" };
    expect(effectOf(Simple, failure("transient")).condition).toEqual(said);
    expect(effectOf(Simple, failure("throttled")).condition).toBeUndefined();
    expect(effectOf(Bare, failure("transient")).condition).toBeUndefined();
  });

  it("is said with words in front, and in status.message too, where the table wants that", () => {
    const told = { condition: { type: "Ready", status: "False", before: "It failed: " }, message: true } as const;
    const Telling = defineKind({
      group: "telltale.test",
      version: "v1",
      kind: "Telling",
      status: Fields({ message: Text() }),
      conditions: conditions({ Ready: positive({ means: "It works", reasons: { Up: yes("It is up") } }) }),
      failures: { bug: { phase: "keep", requeue: "backoff", write: true, ...told } },
    });
    expect(effectOf(Telling, failure("bug"))).toMatchObject({
      condition: { type: "Ready", status: "False", reason: "Why", message: "It failed: because" },
      message: "because",
    });
    const object = { apiVersion: Telling.apiVersion, kind: Telling.kind, metadata: { generation: 1 }, spec: {} };
    const said = { ...failure("bug"), reason: bugReason };
    expect(draft(Telling, object, instant(0)).fail(said).finish().status).toMatchObject({ message: "because" });
    expect(effectOf(Telling, failure("transient"))).not.toHaveProperty("message");
  });

  it("waiting for a dependency is tried again at a fixed pace, and what cannot help is not tried again", () => {
    expect(effectOf(Simple, failure("waiting")).requeue).toEqual({ in: 10_000 });
    expect(effectOf(Simple, failure("invalid")).requeue).toEqual({ in: "never" });
    expect(effectOf(Simple, failure("transient")).requeue).toEqual({ in: "backoff", atLeast: 0 });
  });

  it("rule 71: being slowed down, or being slower than another, is nothing to write", () => {
    expect([effectOf(Simple, failure("throttled")).write, effectOf(Simple, failure("conflict")).write]).toEqual([
      false,
      false,
    ]);
  });

  it("honours how long the other side asked us to wait, where that is longer", () => {
    expect(effectOf(Simple, failure("throttled", 7000)).requeue).toEqual({ in: "backoff", atLeast: 7000 });
    expect(effectOf(Simple, failure("waiting", 60_000)).requeue).toEqual({ in: 60_000 });
    expect(effectOf(Simple, failure("waiting", 1)).requeue).toEqual({ in: 10_000 });
  });

  it("rule 54: sets the failure fields only where the kind's table says so", () => {
    expect(effectOf(Widget, failure("terminal"))).toMatchObject({ phase: "Failed", failureFields: true });
    expect(effectOf(Simple, failure("terminal")).failureFields).toBe(false);
  });
});

describe("the failure behind what was thrown", () => {
  it("is the declared one, with its way out in the text", () => {
    const thrown = new Failed(failure("notFound"), { fix: "create it", cause: "x" });
    expect(failureOf(thrown)).toBe(thrown.failure);
    expect([thrown.message, thrown.fix, thrown.cause]).toEqual(["because; create it", "create it", "x"]);
    expect(new Failed(failure("bug")).message).toBe("because");
  });

  it("is a bug where nobody declared it, with a text that is safe, stable and one line long", () => {
    expect(failureOf(new Error("password=x at 2026-01-01T00:00:00Z\n    at stack"))).toEqual({
      class: "bug",
      reason: "ReconcileFailed",
      message: "password=[redacted] at <time>",
    });
    expect(failureOf(Object.create(null)).message).toBe("an error that says nothing");
  });
});

describe("a terminal failure and its end (capt 11.3)", () => {
  const annotation = "capt.infrastructure.cluster.x-k8s.io/reset-failure";
  const state = (status: Parameters<typeof failureState>[0], generation: number, token?: string, failed?: boolean) =>
    failureState(
      status,
      { generation, annotations: token === undefined ? {} : { [annotation]: token } },
      annotation,
      failed,
    );
  const failed = { failureReason: "VPCReadyTimeout", observedGeneration: 3 };

  it("holds while nobody does anything", () => {
    expect(state(failed, 3)).toEqual({ stuck: true, resetNow: false, nextToken: undefined });
  });

  it("ends with an edit of the spec", () => {
    expect(state(failed, 4)).toEqual({ stuck: false, resetNow: true, nextToken: undefined });
  });

  it("ends with a new value of the annotation, and remembers it", () => {
    expect(state(failed, 3, "1")).toEqual({ stuck: false, resetNow: true, nextToken: "1" });
    expect(state({ ...failed, lastResetToken: "1" }, 3, "2")).toEqual({ stuck: false, resetNow: true, nextToken: "2" });
  });

  it("does not end with a value that was used before, nor with its removal", () => {
    expect(state({ ...failed, lastResetToken: "1" }, 3, "1")).toEqual({ stuck: true, resetNow: false, nextToken: "1" });
    expect(state({ ...failed, lastResetToken: "1" }, 3)).toEqual({
      stuck: true,
      resetNow: false,
      nextToken: undefined,
    });
  });

  it("copies the token also without a failure, so that a left-over annotation does not undo the next one", () => {
    expect(state({ observedGeneration: 3 }, 3, "old")).toEqual({ stuck: false, resetNow: false, nextToken: "old" });
    expect(state(undefined, 1, "old")).toEqual({ stuck: false, resetNow: false, nextToken: "old" });
    expect(state({ ...failed, lastResetToken: "old" }, 3, "old").stuck).toBe(true);
  });

  it("can be remembered elsewhere: under the policy degraded a condition says that it failed", () => {
    expect(state({ observedGeneration: 3 }, 3, undefined, true).stuck).toBe(true);
    expect(failureState(undefined, undefined, annotation)).toEqual({
      stuck: false,
      resetNow: false,
      nextToken: undefined,
    });
  });
});

describe("the next attempt", () => {
  const minute = 60_000;
  const since = "2026-01-01T00:00:00Z";
  const start = Date.parse(since);
  const now = instant(start + minute);
  const budget = { count: 0, max: 3, since, delay: 5 * minute, cap: 30 * minute };

  it.each([
    [0, 5],
    [1, 10],
    [2, 20],
    [3, 30],
    [9, 30],
  ])("after %i retries comes %i minutes after the last one ended", (count, minutes) => {
    expect(nextAttempt({ ...budget, count, max: 10 }, now)).toEqual({
      retryAt: start + minutes * minute,
      exhausted: false,
    });
  });

  it("takes another factor", () => {
    expect(nextAttempt({ ...budget, count: 2, factor: 1 }, now).retryAt).toBe(start + 5 * minute);
  });

  it("does not come when the budget is used up", () => {
    expect(nextAttempt({ ...budget, count: 3 }, now)).toEqual({ exhausted: true });
    expect(nextAttempt({ ...budget, max: 0 }, now)).toEqual({ exhausted: true });
  });

  it("counts from now where the stored time is missing, unreadable or in the future", () => {
    for (const stored of [undefined, "soon", "2027-01-01T00:00:00Z"]) {
      expect(nextAttempt({ ...budget, since: stored }, now).retryAt).toBe(now + 5 * minute);
    }
  });

  it("is the same after a restart, because it follows from what is stored", () => {
    expect(nextAttempt(budget, instant(now + 4 * minute))).toEqual(nextAttempt(budget, now));
  });
});
