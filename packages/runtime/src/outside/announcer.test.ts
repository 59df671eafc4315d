import { type Condition, conditions, defineKind, instant, no, phases, positive, yes } from "@telltale/kinds";
import { expect, it } from "vitest";
import type { Sample } from "../samples.ts";
import { type AnnouncerOptions, announcer } from "./announcer.ts";
import type { Said, Subject } from "./event-object.ts";

const Lamp = defineKind({
  group: "light.test",
  version: "v1",
  kind: "Lamp",
  phases: phases({ Off: ["On"], On: ["Off"] }),
  conditions: conditions({
    Ready: positive({ means: "It shines", reasons: { Lit: yes("lit"), Dark: no("dark", "switch it on") } }),
  }),
});

const start = Date.parse("2026-01-01T00:00:00Z");
const minute = 60_000;

function ready(on: boolean): { readonly conditions: readonly Condition[] } {
  const said = on ? { status: "True", reason: "Lit" } : { status: "False", reason: "Dark" };
  return {
    conditions: [{ type: "Ready", message: "", lastTransitionTime: "2026-01-01T00:00:00Z", ...said } as Condition],
  };
}

function bench(options: Partial<AnnouncerOptions> = {}) {
  const samples: Sample[] = [];
  const events: [Subject, Said][] = [];
  const it = announcer({
    kind: Lamp,
    controller: "lamps",
    sink: (sample) => samples.push(sample),
    events: { record: (subject, said) => events.push([subject, said]) },
    ...options,
  });
  const object = (uid = "u1") => ({ metadata: { name: "l", namespace: "n", uid } });
  /** Flips a lamp at a minute. */
  const flipAt = (at: number, on: boolean, uid?: string) =>
    it.written({ object: object(uid), old: ready(!on), next: ready(on), now: instant(start + at * minute) });
  return {
    it,
    samples,
    events,
    object,
    flipAt,
    count: (is: Sample["is"]) => samples.filter((s) => s.is === is).length,
  };
}

it("tells each transition to the sink and to the recorder, about the object that was written", () => {
  const { flipAt, samples, events, object } = bench();
  flipAt(5, false);
  expect(samples).toEqual([
    {
      is: "flip",
      controller: "lamps",
      kind: "Lamp",
      type: "Ready",
      status: "False",
      reason: "Dark",
      from: "True",
      after: 5 * minute,
    },
  ]);
  expect(events).toEqual([
    [
      { kind: Lamp, object: object() },
      { type: "Warning", reason: "Dark", message: "" },
    ],
  ]);
});

it("remembers when a phase was entered", () => {
  const { it: announce, samples, object } = bench();
  const enter = (from: string, to: string, at: number, uid?: string) =>
    announce.written({
      object: object(uid),
      old: { phase: from },
      next: { phase: to },
      now: instant(start + at * minute),
    });
  enter("Off", "On", 1);
  enter("Off", "On", 2, "another");
  enter("On", "Off", 8);
  expect(samples.map((s) => (s.is === "phase" ? s.after : s.is))).toEqual([undefined, undefined, 7 * minute]);
});

it("says that a condition flaps once when it begins, and again after it had come to rest", () => {
  const { flipAt, count } = bench();
  for (let at = 0; at < 5; at += 1) flipAt(at, at % 2 === 0);
  expect(count("flapping")).toBe(0);
  for (let at = 5; at < 9; at += 1) flipAt(at, at % 2 === 0);
  expect(count("flapping")).toBe(1);
  for (let at = 60; at < 66; at += 1) flipAt(at, at % 2 === 0);
  expect(count("flapping")).toBe(2);
});

it("flips of different objects do not add up", () => {
  const { flipAt, count } = bench();
  for (let i = 0; i < 12; i += 1) flipAt(1, i % 2 === 0, `u${i % 6}`);
  expect(count("flapping")).toBe(0);
});

it("forgets whoever was not heard of for long, so that a million objects cost no more than the limit", () => {
  const { flipAt, count } = bench();
  for (let i = 0; i < 5; i += 1) for (const uid of ["first", "last"]) flipAt(1, i % 2 === 0, uid);
  for (let i = 0; i < 9_999; i += 1) flipAt(2, true, `u${i}`);
  flipAt(3, false, "first");
  expect(count("flapping")).toBe(0);
  flipAt(3, false, "u9998");
  for (let i = 0; i < 4; i += 1) flipAt(4, i % 2 === 0, "u9998");
  expect(count("flapping")).toBe(1);
});
