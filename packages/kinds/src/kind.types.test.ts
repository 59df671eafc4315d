// What must not compile, and what the compiler must know. The closures are never called: tsc is the test, and
// `@ts-expect-error` fails where a line has become legal.
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Gadget } from "../test/gadget.ts";
import {
  type AnyType,
  age,
  type ConditionsOf,
  conditions,
  copied,
  defineKind,
  derived,
  Enum,
  Fields,
  Flag,
  family,
  type GuardOf,
  Int32,
  mirrored,
  no,
  Optional,
  type PhaseOf,
  phases,
  positive,
  type ReasonFor,
  type Resource,
  refuseMove,
  type SettableType,
  type SpecOf,
  type StatusOf,
  Text,
  Time,
  toCrd,
  unknown,
  version,
  when,
  yes,
} from "./index.ts";
import type { Condition } from "./object.ts";

const reasons = { Fine: yes("It is fine"), Bad: no("It is bad", "mend it"), NotKnown: unknown("Nobody knows", "wait") };
const ready = positive({ means: "It works", reasons });

const Widget = defineKind({
  group: "telltale.test",
  version: "v1",
  kind: "Widget",
  spec: Fields({ size: Int32(), colour: Optional(Enum(["Red", "Blue"])) }),
  status: Fields({ startTime: Time(), provisioned: Flag(), progress: Fields({ percent: Int32() }) }),
  phases: phases({ Pending: ["Running"], Running: ["Done", when("again", "Pending")] }, { final: ["Done"] }),
  failing: "Built",
  conditions: conditions({
    Ready: derived({
      means: "It works",
      from: ["Built"],
      ok: { reason: "Fine", message: "" },
      reasons: { Fine: yes("It is fine") },
    }),
    Built: ready,
    Linked: mirrored({ means: "The other side" }),
    Echo: copied(ready, { means: "One of ours" }),
    Pod: family({ means: "One pod", reasons }),
  }),
});
type Widget = Resource<typeof Widget>;
type Types = ConditionsOf<typeof Widget>;

const naming = { group: "telltale.test", version: "v1", kind: "Widget" } as const;
const widget = { ...naming, failing: "Built", conditions: Widget.conditions } as const;
const status = Fields({ startTime: Time(), progress: Fields({ percent: Int32() }) });

/** Holds lines that only the compiler reads. */
function compiled(..._: (() => unknown)[]): void {}

describe("an object of a kind", () => {
  test("has the spec, status and phases that the kind declares", () => {
    expectTypeOf<SpecOf<typeof Widget>>().toEqualTypeOf<{ size: number; colour?: "Red" | "Blue" }>();
    expectTypeOf<Widget["spec"]>().toEqualTypeOf<SpecOf<typeof Widget>>();
    expectTypeOf<StatusOf<typeof Widget>>().toEqualTypeOf<{
      startTime: string;
      provisioned: boolean;
      progress: { percent: number };
    }>();
    expectTypeOf<NonNullable<Widget["status"]>["startTime"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<PhaseOf<typeof Widget>>().toEqualTypeOf<"Pending" | "Running" | "Done">();
    expectTypeOf<NonNullable<Widget["status"]>["phase"]>().toEqualTypeOf<"Pending" | "Running" | "Done" | undefined>();
    expectTypeOf<GuardOf<typeof Widget>>().toEqualTypeOf<"again">();
    expectTypeOf<NonNullable<Widget["status"]>["observedGeneration"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<PhaseOf<typeof Gadget>>().toEqualTypeOf<"Pending" | "Running" | "Done" | "Failed">();
  });

  test("of a kind that declares nothing has no phases and no conditions", () => {
    const Bare = defineKind(naming);
    expectTypeOf<PhaseOf<typeof Bare>>().toEqualTypeOf<never>();
    expectTypeOf<SettableType<ConditionsOf<typeof Bare>>>().toEqualTypeOf<never>();
  });

  test("refuses misspelt fields, wrong types and unknown phases", () => {
    const metadata = { name: "a" };
    const whole = { apiVersion: "telltale.test/v1", kind: "Widget", metadata };
    compiled(
      (): Widget => ({ ...whole, spec: { size: 1, colour: "Red" }, status: { phase: "Done", provisioned: true } }),
      // @ts-expect-error size is missing
      (): Widget => ({ ...whole, spec: {} }),
      // @ts-expect-error the field is called colour
      (): Widget => ({ ...whole, spec: { size: 1, color: "Red" } }),
      // @ts-expect-error a size is a number
      (): Widget => ({ ...whole, spec: { size: "1" } }),
      // @ts-expect-error there is no green
      (): Widget => ({ ...whole, spec: { size: 1, colour: "Green" } }),
      // @ts-expect-error the field is called startTime
      (): Widget => ({ ...whole, spec: { size: 1 }, status: { starttime: "" } }),
      // @ts-expect-error a flag is a boolean
      (): Widget => ({ ...whole, spec: { size: 1 }, status: { provisioned: "yes" } }),
      // @ts-expect-error there is no such phase
      (): Widget => ({ ...whole, spec: { size: 1 }, status: { phase: "Ready" } }),
      // @ts-expect-error an optional field is absent, not undefined
      (): Widget => ({ ...whole, spec: { size: 1, colour: undefined } }),
    );
  });

  test("rule 13: has no top-level fields of its own", () => {
    expectTypeOf<keyof Widget>().toEqualTypeOf<"apiVersion" | "kind" | "metadata" | "spec" | "status">();
    compiled(
      // @ts-expect-error a kind has spec and status, and nothing beside them
      () => defineKind({ ...naming, data: Fields({}) }),
    );
  });

  test("rule 61: cannot be given a new status in place", () => {
    const object = { apiVersion: "", kind: "", metadata: {}, spec: { size: 1 } } as Widget;
    compiled(() => {
      // @ts-expect-error status is read-only: it changes through the status writer
      object.status = {};
      // @ts-expect-error so is the spec
      object.spec = { size: 2 };
    });
  });
});

describe("a condition", () => {
  test("rule 4: has one of three statuses, as strings", () => {
    expectTypeOf<Condition["status"]>().toEqualTypeOf<"True" | "False" | "Unknown">();
  });

  test("rule 14: has no fields but those of its three shapes", () => {
    expectTypeOf<keyof Condition>().toEqualTypeOf<
      "type" | "status" | "reason" | "message" | "lastTransitionTime" | "observedGeneration" | "severity"
    >();
  });

  test("rules 5 and 6: has the reasons that were declared for its status, and no others", () => {
    expectTypeOf<ReasonFor<Types, "Built", "True">>().toEqualTypeOf<"Fine">();
    expectTypeOf<ReasonFor<Types, "Built", "False">>().toEqualTypeOf<"Bad">();
    expectTypeOf<ReasonFor<Types, "Built", "Unknown">>().toEqualTypeOf<"NotKnown">();
    expectTypeOf<ReasonFor<Types, "Pod-3", "False">>().toEqualTypeOf<"Bad">();
    expectTypeOf<ReasonFor<Types, "Other", "True">>().toEqualTypeOf<never>();
    compiled(
      // @ts-expect-error the reason is not declared
      (): ReasonFor<Types, "Built", "True"> => "Great",
      // @ts-expect-error the reason explains another status
      (): ReasonFor<Types, "Built", "True"> => "Bad",
    );
  });

  test("rule 6: that is mirrored takes any reason of a stranger, and one of ours only its own", () => {
    expectTypeOf<ReasonFor<Types, "Linked", "True">>().toEqualTypeOf<string>();
    expectTypeOf<ReasonFor<Types, "Echo", "True">>().toEqualTypeOf<"Fine" | "Bad" | "NotKnown">();
  });

  test("starts with a declared reason of that status", () => {
    compiled(
      () => positive({ means: "x", reasons, initial: { status: "Unknown", reason: "NotKnown", message: "" } }),
      // @ts-expect-error the reason is not declared
      () => positive({ means: "x", reasons, initial: { status: "Unknown", reason: "Other", message: "" } }),
      // @ts-expect-error Fine is a reason of True
      () => positive({ means: "x", reasons, initial: { status: "Unknown", reason: "Fine", message: "" } }),
    );
  });

  test("rule 36: that is the top one is declared", () => {
    compiled(
      () => conditions({ Built: ready }, { top: "Built" }),
      // @ts-expect-error the top condition is not declared
      () => conditions({ Built: ready }, { top: "Ready" }),
    );
  });

  test("rule 37: that is derived cannot be set", () => {
    expectTypeOf<SettableType<Types>>().toEqualTypeOf<"Built" | "Linked" | "Echo" | `Pod-${number}`>();
    expectTypeOf<AnyType<Types>>().toEqualTypeOf<"Ready" | "Built" | "Linked" | "Echo" | `Pod-${number}`>();
    const bug = { phase: "keep", requeue: "never", write: true } as const;
    const says = { status: "False" } as const;
    compiled(
      () => defineKind({ ...widget, failures: { bug: { ...bug, condition: { ...says, type: "Built" } } } }),
      // @ts-expect-error Ready is derived: a failure cannot set it
      () => defineKind({ ...widget, failures: { bug: { ...bug, condition: { ...says, type: "Ready" } } } }),
    );
  });

  test("rule 38: that is derived has inputs, and a reason of its own for when they are good", () => {
    compiled(
      // @ts-expect-error nothing to derive from
      () => derived({ means: "x", from: [], ok: { reason: "Fine", message: "" }, reasons }),
      // @ts-expect-error the reason is not declared
      () => derived({ means: "x", from: ["A"], ok: { reason: "Great", message: "" }, reasons }),
    );
    expect(() =>
      defineKind({
        ...naming,
        conditions: conditions({
          Ready: derived({ means: "x", from: ["Ready"], ok: { reason: "Fine", message: "" }, reasons }),
        }),
      }),
    ).toThrow("rule 38");
  });

  test("rule 39: has a polarity: there is no way to declare one without", () => {
    expectTypeOf(ready.polarity).toEqualTypeOf<"positive" | "negative" | "neutral">();
    compiled(
      // @ts-expect-error a declaration without polarity is none
      () => conditions({ Ready: { form: "own", means: "x", reasons, present: "always" } }),
      // @ts-expect-error the constructor decides
      () => positive({ means: "x", reasons, polarity: "negative" }),
    );
  });

  test("rule 41: that is neither good nor bad cannot enter a summary", () => {
    const vocabulary = conditions({
      Ready: derived({ means: "x", from: ["Paused"], ok: { reason: "Fine", message: "" }, reasons }),
      Paused: { ...ready, polarity: "neutral" },
    });
    expect(() => defineKind({ ...naming, conditions: vocabulary })).toThrow("Paused is neither good nor bad");
  });

  test("rule 54: says for good why something failed with a declared reason, and failure fields exist only where declared", () => {
    expectTypeOf<StatusOf<typeof Widget>>().not.toHaveProperty("failureReason");
    expectTypeOf(Widget.failures.terminal.failureFields).toEqualTypeOf<boolean | undefined>();
    expect(Widget.failures.terminal.failureFields).toBeUndefined();
  });

  test("rule 59: has one owner: what the kind does not declare its controller cannot set", () => {
    expectTypeOf<Types["Built"]>().toExtend<{ readonly form: "own" }>();
    expectTypeOf<Types["Linked"]>().toExtend<{ readonly form: "mirrored" }>();
    compiled(
      // @ts-expect-error a foreign type is not ours to set
      (): SettableType<Types> => "Foreign",
    );
  });

  test("rule 72: is derived from conditions of its own object, by name, and mirrors name one other object", () => {
    compiled(
      // @ts-expect-error a kind is not a condition type
      () => derived({ means: "x", from: [Widget], ok: { reason: "Fine", message: "" }, reasons }),
    );
  });

  test("rule 74: says of no children what it declares, not what happens to come out", () => {
    compiled(
      // @ts-expect-error a derived condition has to say what it says when nothing is wrong
      () => derived({ means: "x", from: ["Pod"], reasons }),
    );
  });
});

describe("a phase", () => {
  test("rule 12: is a word", () => {
    expectTypeOf<PhaseOf<typeof Widget>>().toExtend<string>();
    compiled(
      // @ts-expect-error a choice is made of words, not numbers
      () => Enum([1, 2]),
      // @ts-expect-error and it has at least one
      () => Enum([]),
      // @ts-expect-error an arrow leads to a word
      () => phases({ A: [1] }),
    );
  });

  test("rule 55: is read back only where the kind declares it as memory", () => {
    const machine = phases({ A: ["B"] });
    expectTypeOf(machine.names).toEqualTypeOf<readonly ("A" | "B")[]>();
    expect(defineKind({ ...naming, phases: machine }).memory).toEqual([]);
    expect(defineKind({ ...naming, phases: machine, memory: ["phase"] }).memory).toEqual(["phase"]);
  });

  test("that is not in the machine is refused everywhere", () => {
    const machine = phases({ A: ["B"] });
    const bug = { requeue: "never", write: true } as const;
    compiled(
      () => phases({ A: ["B"] }, { initial: ["B"], final: ["B"], means: { B: "x" } }),
      // @ts-expect-error not a phase
      () => phases({ A: ["B"] }, { initial: ["C"] }),
      // @ts-expect-error not a phase
      () => phases({ A: ["B"] }, { final: ["C"] }),
      // @ts-expect-error not a phase
      () => phases({ A: ["B"] }, { means: { C: "x" } }),
      () => defineKind({ ...naming, phases: machine, failures: { bug: { ...bug, phase: "B" } } }),
      // @ts-expect-error not a phase
      () => defineKind({ ...naming, phases: machine, failures: { bug: { ...bug, phase: "C" } } }),
    );
  });
});

describe("a path into the status", () => {
  test("names a declared field, phase, generation or condition", () => {
    compiled(
      () => defineKind({ ...naming, status, memory: ["startTime", "progress.percent", "phase", "observedGeneration"] }),
      () => defineKind({ ...naming, status, conditions: conditions({ Ready: ready }), memory: ["conditions.Ready"] }),
      // @ts-expect-error there is no such field
      () => defineKind({ ...naming, status, memory: ["starttime"] }),
      // @ts-expect-error there is no such condition
      () => defineKind({ ...naming, status, conditions: conditions({ Ready: ready }), memory: ["conditions.Steady"] }),
      // @ts-expect-error there is no such field
      () => defineKind({ ...naming, status, once: ["endTime"] }),
      // @ts-expect-error there is no such field
      () => defineKind({ ...naming, status, latches: ["done"] }),
      // @ts-expect-error there is no such field
      () => defineKind({ ...naming, status, volatile: ["progres.percent"] }),
      // @ts-expect-error there is no such field
      () => defineKind({ ...naming, status, urgent: ["other"] }),
    );
  });
});

describe("the parts of a declaration", () => {
  test("have the types that they need", () => {
    compiled(
      // @ts-expect-error a bound is a number
      () => Int32({ minimum: "1" }),
      // @ts-expect-error a number has no length
      () => Int32({ maxLength: 1 }),
      // @ts-expect-error a text has no maximum
      () => Text({ maximum: 1 }),
      // @ts-expect-error the scope is one of two words
      () => defineKind({ ...naming, scope: "Global" }),
      // @ts-expect-error a built-in kind has no schema to make a CRD of
      () => toCrd({ ...naming, apiVersion: "v1" }),
      // @ts-expect-error a reason for False says what to do
      () => no("It is bad"),
    );
  });

  test("of another version are typed by its own schema", () => {
    version({
      name: "v0",
      spec: Fields({ bigness: Int32() }),
      toHub: (o) => {
        expectTypeOf(o.spec).toEqualTypeOf<{ bigness: number } | undefined>();
        return { ...o, spec: { size: o.spec?.bigness ?? 1 } };
      },
      // @ts-expect-error the version calls it bigness
      fromHub: (o) => ({ ...o, spec: { size: 1 } }),
    });
  });

  test("are read-only", () => {
    compiled(() => {
      // @ts-expect-error a kind is a value
      Widget.kind = "Other";
      // @ts-expect-error and so are its lists
      Widget.columns.push(age());
    });
    expect(refuseMove(Widget.phases as never, "Pending", "Running")).toBeUndefined();
  });
});
