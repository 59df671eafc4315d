import { type Condition, canonicalJson, type Instant, instant } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatch } from "../test/apply-patch.ts";
import { Widget } from "../test/widget.ts";
import { type Draft, draft } from "./draft.ts";
import { checkStep } from "./history.ts";
import { jsonPatch } from "./patch.ts";
import { text } from "./text.ts";

type Step = { readonly say: (d: Draft<typeof Widget>) => unknown; readonly label: string };

const step = (label: string, say: Step["say"]): Step => ({ label, say });
const bool = fc.boolean();

const statement: fc.Arbitrary<Step> = fc.oneof(
  fc
    .constantFrom("Pending", "Running", "Done", "Failed")
    .map((p) => step(`phase ${p}`, (d) => d.phase(p as "Running"))),
  fc
    .record({ status: bool, message: fc.constantFrom("a", "b", "") })
    .map(({ status, message }) =>
      step(`Built ${status} ${message}`, (d) =>
        status
          ? d.condition("Built", true, "Complete", text`${message}`)
          : d.condition("Built", false, "PartsMissing", text`${message}`),
      ),
    ),
  bool.map((b) =>
    step(`Broken ${b}`, (d) =>
      b ? d.condition("Broken", true, "Cracked", "") : d.condition("Broken", false, "Whole", ""),
    ),
  ),
  bool.map((b) =>
    step(`Drifted ${b}`, (d) =>
      b ? d.condition("Drifted", true, "Changed", "") : d.condition("Drifted", false, "Same", ""),
    ),
  ),
  bool.map((b) => step(`Recoverable ${b}`, (d) => d.condition("Recoverable", b, "Late", ""))),
  fc.constant(step("without Extra", (d) => d.without("Extra"))),
  fc.subarray([0, 1, 2, 3, 4, 5]).map((slots) =>
    step(`parts ${slots}`, (d) =>
      d.children(
        "Part",
        slots.map((slot) => ({
          slot,
          status: "True",
          reason: "Fine",
          message: text`Part p${slot} is fine`,
        })),
      ),
    ),
  ),
  fc
    .record(
      {
        replicas: fc.integer({ min: 0, max: 3 }),
        provisioned: bool,
        startTime: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
        names: fc.array(fc.constantFrom("a", "b", "~/x"), { maxLength: 5 }),
        notes: fc.dictionary(fc.constantFrom("a", "b/c", "d~e", "__proto__"), fc.constantFrom("1", "2")),
        progress: fc.record({ percent: fc.nat(3), epoch: fc.constantFrom("x", "y") }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    .map((fields) => step(`set ${JSON.stringify(fields)}`, (d) => d.set(fields))),
  fc
    .constantFrom("replicas" as const, "names" as const, "progress" as const)
    .map((f) => step(`unset ${f}`, (d) => d.unset(f))),
);

const pass = fc.record({
  statements: fc.array(statement, { maxLength: 6 }),
  wait: fc.integer({ min: -30_000, max: 90_000 }), // the clock may jump back
  edit: bool,
});

const foreign: Condition = {
  type: "example.com/Other",
  status: "True",
  reason: "X",
  message: "theirs",
  lastTransitionTime: "2020-01-01T00:00:00Z",
};

/** What a pass of this kind says at least. */
function begin(object: Widget, now: Instant): Draft<typeof Widget> {
  return draft(Widget, object, now)
    .keep("Built", "Broken", "Drifted", "Extra")
    .state({ type: "Linked", status: "True", reason: "Up", message: "" });
}

const start = (): Widget => ({
  apiVersion: "telltale.test/v1",
  kind: "Widget",
  metadata: { name: "w", uid: "u", generation: 1, creationTimestamp: "2025-12-31T00:00:00Z" },
  spec: { size: 1 },
  status: { observedGeneration: -1, conditions: [foreign] },
});

const finish = (object: Widget, now: Instant, statements: readonly Step[]) => {
  const d = begin(object, now);
  for (const s of statements) s.say(d);
  return d.finish();
};

describe("any sequence of drafts", () => {
  it("keeps rules 15-28 at every step, and never touches what belongs to others", () => {
    fc.assert(
      fc.property(fc.array(pass, { maxLength: 12 }), (passes) => {
        let object = start();
        let now = instant(Date.parse("2026-01-01T00:00:00Z"));
        for (const { statements, wait, edit } of passes) {
          now = instant(now + wait);
          if (edit)
            object = { ...object, metadata: { ...object.metadata, generation: (object.metadata.generation ?? 0) + 1 } };
          const after = { ...object, status: finish(object, now, statements).status };
          const broken = checkStep(Widget, object, after).filter((v) => v.rule !== 78); // undeclared arrows are written, and reported
          expect(broken).toEqual([]);
          expect(after.status.conditions).toContainEqual(foreign);
          object = after;
        }
      }),
      { numRuns: 500 },
    );
  });

  it("gives byte-equal statuses for equal worlds", () => {
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 8 }), (statements) => {
        const now = instant(Date.parse("2026-01-01T00:00:00Z"));
        expect(JSON.stringify(finish(start(), now, statements).status)).toBe(
          JSON.stringify(finish(start(), now, statements).status),
        );
      }),
    );
  });

  it("derives nothing new from its own result", () => {
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 8 }), (statements) => {
        const now = instant(Date.parse("2026-01-01T00:00:00Z"));
        const object = start();
        const once = finish(object, now, statements).status;
        const settled: Widget = { ...object, status: once };
        const again = finish(
          settled,
          instant(now + 5000),
          statements.filter((s) => !s.label.startsWith("phase")),
        );
        expect(again.changed, JSON.stringify(again.status)).toBe(false);
      }),
    );
  });

  it("rule 64: gives a patch that turns the old object into exactly the new status, and none for no change", () => {
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 6 }), fc.array(statement, { maxLength: 6 }), (first, second) => {
        const now = instant(Date.parse("2026-01-01T00:00:00Z"));
        let object = start();
        for (const statements of [first, second]) {
          const finished = finish(object, now, statements);
          const patch = jsonPatch(Widget, object, finished);
          expect(patch.length === 0).toBe(!finished.changed);
          const patched = applyPatch(object, patch);
          expect("ok" in patched && canonicalJson(patched.ok.status)).toBe(canonicalJson(finished.status));
          object = { ...object, status: finished.status };
        }
      }),
      { numRuns: 500 },
    );
  });
});
