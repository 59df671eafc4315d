import { type Condition, instant } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatch } from "../test/apply-patch.ts";
import { Widget } from "../test/widget.ts";
import { draft } from "./draft.ts";
import { applyDocument, jsonPatch } from "./patch.ts";

const now = instant(Date.parse("2026-01-01T00:00:00Z"));
const foreign: Condition = {
  type: "example.com/Other",
  status: "True",
  reason: "X",
  message: "",
  lastTransitionTime: "2020-01-01T00:00:00Z",
};

function widget(status: Widget["status"]): Widget {
  return {
    apiVersion: "telltale.test/v1",
    kind: "Widget",
    metadata: { name: "w", namespace: "n", uid: "u1", resourceVersion: "7", generation: 1 },
    spec: { size: 1 },
    ...(status === undefined ? {} : { status }),
  };
}

const pass = (object: Widget) =>
  draft(Widget, object, now)
    .phase("Pending")
    .condition("Built", true, "Complete", "")
    .condition("Broken", false, "Whole", "")
    .state({ type: "Linked", status: "True", reason: "Up", message: "" });

describe("the JSON Patch", () => {
  it("rule 16: is empty when nothing changed", () => {
    const settled = widget(pass(widget(undefined)).finish().status);
    expect(jsonPatch(Widget, settled, pass(settled).finish())).toEqual([]);
  });

  it("rule 68: is refused by an object of the same name with another uid", () => {
    const read = widget({ observedGeneration: -1 });
    const patch = jsonPatch(Widget, read, pass(read).finish());
    const recreated = { ...read, metadata: { ...read.metadata, uid: "u2" } };
    expect(applyPatch(recreated, patch)).toEqual({ failed: "/metadata/uid" });
  });

  it("of one that is on its way out is refused by one that is not", () => {
    const there = widget({ observedGeneration: -1 });
    const read = { ...there, metadata: { ...there.metadata, deletionTimestamp: "2020-01-01T00:00:00Z" } };
    const patch = jsonPatch(Widget, read, pass(read).finish());
    expect(applyPatch(read, patch)).not.toHaveProperty("failed");
    expect(applyPatch(there, patch)).toEqual({ failed: "/metadata/deletionTimestamp" });
  });

  it("rule 27: is refused when a newer generation was observed meanwhile, and brings back no older one", () => {
    const read = widget({ observedGeneration: 1 });
    const late = jsonPatch(
      Widget,
      { ...read, metadata: { ...read.metadata, generation: 2 } },
      {
        status: { observedGeneration: 2 },
        changed: true,
      },
    );
    expect(applyPatch(read, late)).toMatchObject({ ok: { status: { observedGeneration: 2 } } });
    expect(applyPatch(widget({ observedGeneration: 3 }), late)).toEqual({ failed: "/status/observedGeneration" });
  });

  it("rule 60: is refused when somebody added a condition that the draft did not see", () => {
    const read = widget(pass(widget(undefined)).finish().status);
    const patch = jsonPatch(Widget, read, pass(read).condition("Built", false, "Building", "").finish());
    const changed = widget({ ...read.status, conditions: [...(read.status?.conditions ?? []), foreign] });
    expect(applyPatch(changed, patch)).toEqual({ failed: "/status/conditions" });
  });

  it("rule 65: is refused when a value that the draft read as memory has moved", () => {
    const read = widget({ observedGeneration: 1, progress: { epoch: "a" } });
    const patch = jsonPatch(Widget, read, draft(Widget, read, now).set({ replicas: 2 }).finish());
    expect(applyPatch(widget({ observedGeneration: 1, progress: { epoch: "b" } }), patch)).toEqual({
      failed: "/status/progress/epoch",
    });
  });

  it("does not conflict with writes that do not concern it", () => {
    const read = widget({ observedGeneration: 1 });
    const patch = jsonPatch(Widget, read, draft(Widget, read, now).set({ replicas: 2 }).finish());
    expect(applyPatch(widget({ observedGeneration: 1, names: ["theirs"] }), patch)).toMatchObject({
      ok: { status: { replicas: 2, names: ["theirs"] } },
    });
  });

  it("rule 69: a stale draft undoes no latch", () => {
    const read = widget({ observedGeneration: 1 });
    const patch = jsonPatch(Widget, read, draft(Widget, read, now).set({ provisioned: false, ready: false }).finish());
    expect(applyPatch(widget({ observedGeneration: 1, provisioned: true }), patch)).toEqual({
      failed: "/status/provisioned",
    });
  });

  it("creates a status where there is none, and only there", () => {
    const patch = jsonPatch(Widget, widget(undefined), pass(widget(undefined)).finish());
    expect(applyPatch(widget(undefined), patch)).toHaveProperty("ok");
    expect(applyPatch(widget({ observedGeneration: 1 }), patch)).toEqual({ failed: "/status" });
  });

  it("writes members whose names need escaping", () => {
    const read = widget({ observedGeneration: 1, notes: { "a/b": "1" } });
    const patch = jsonPatch(
      Widget,
      read,
      draft(Widget, read, now)
        .set({ notes: { "a/b": "2", "c~d": "3" } })
        .finish(),
    );
    expect(patch).toContainEqual({ op: "replace", path: "/status/notes/a~1b", value: "2" });
    expect(patch).toContainEqual({ op: "add", path: "/status/notes/c~0d", value: "3" });
  });

  describe("of a long list", () => {
    const row = (i: number, is = "up") => ({ name: `machine-${i}`, is });
    const rows = Array.from({ length: 1_000 }, (_, i) => row(i));
    const read = (list: readonly object[]) => ({ metadata: { uid: "u1" }, status: { rows: list } });
    const patchTo = (list: readonly object[]) =>
      jsonPatch(Widget, read(rows), { status: { rows: list }, changed: true } as never);
    const changes: readonly [string, readonly object[]][] = [
      ["one is another", rows.with(500, row(500, "down"))],
      ["the first and the last are others", rows.with(0, row(0, "down")).with(999, row(999, "down"))],
      ["some are gone, and one is another", [...rows.slice(0, 400), row(404, "down"), ...rows.slice(405)]],
      ["some have come", [...rows.slice(0, 10), row(-1), row(-2), ...rows.slice(10)]],
      ["one has come at the end", [...rows, row(-1)]],
      ["one has come at the beginning", [row(-1), ...rows]],
      ["the last is gone", rows.slice(0, -1)],
    ];

    it.each(changes)("%s: says only that, and gives the list", (_what, list) => {
      const patch = patchTo(list);
      expect(applyPatch(read(rows), patch)).toEqual({ ok: read(list) });
      expect(JSON.stringify(patch).length * 5).toBeLessThan(JSON.stringify(rows).length * 2);
    });

    it.each(changes)("%s: is refused where somebody else has moved what it is about", (_what, list) => {
      const moved = [row(-9), ...rows];
      expect(applyPatch(read(moved), patchTo(list))).toHaveProperty("failed");
    });

    it("most of it is another: it is tested and replaced as a whole", () => {
      const list = rows.map(({ name }) => ({ name, is: "down" }));
      const about = patchTo(list).filter(({ path }) => path.startsWith("/status/rows"));
      expect(about).toEqual([
        { op: "test", path: "/status/rows", value: rows },
        { op: "replace", path: "/status/rows", value: list },
      ]);
    });

    it("whatever becomes of it, the patch gives it", () => {
      const item = fc.integer({ min: 0, max: 3 });
      const lists = fc.tuple(fc.array(item, { minLength: 32, maxLength: 40 }), fc.array(item, { maxLength: 40 }));
      const near = fc
        .tuple(
          fc.array(item, { minLength: 32, maxLength: 40 }),
          fc.nat(39),
          fc.nat(5),
          fc.array(item, { maxLength: 5 }),
        )
        .map(([list, at, gone, come]) => [list, list.toSpliced(at, gone, ...come)] as const);
      fc.assert(
        fc.property(fc.oneof(lists, near), ([a, b]) => {
          const [from, to] = [{ status: { rows: a } }, { status: { rows: b } }];
          expect(applyPatch(from, jsonPatch(Widget, from, { ...to, changed: true } as never))).toEqual({ ok: to });
        }),
      );
    });
  });

  it("takes members away that the pass unset", () => {
    const read = widget({ ...pass(widget(undefined)).finish().status, names: ["a"] });
    const patch = jsonPatch(Widget, read, pass(read).unset("names").finish());
    expect(patch.filter((o) => o.op !== "test")).toEqual([{ op: "remove", path: "/status/names" }]);
  });
});

describe("the apply document", () => {
  it("rule 66: holds everything that we own, also what did not change, and nothing of others", () => {
    const read = widget({ ...pass(widget({ conditions: [foreign] })).finish().status, replicas: 3 });
    const document = applyDocument(Widget, read, pass(read).set({ ready: true }).finish());
    expect(document).toMatchObject({
      apiVersion: "telltale.test/v1",
      kind: "Widget",
      metadata: { name: "w", namespace: "n", resourceVersion: "7" },
      status: { replicas: 3, ready: true, phase: "Pending" },
    });
    expect((document?.status["conditions"] as Condition[] | undefined)?.map((c) => c.type)).toEqual([
      "Ready",
      "Built",
      "Broken",
      "Linked",
    ]);
  });

  it("rule 60: holds conditions of others as they were, where the list is replaced as a whole", () => {
    const Atomic = { ...Widget, conditions: { ...Widget.conditions, shape: "capiV1beta1" as const } };
    const read = widget({ ...pass(widget({ conditions: [foreign] })).finish().status });
    const document = applyDocument(Atomic, read, pass(read).set({ ready: true }).finish());
    expect(document?.status["conditions"]).toContainEqual(foreign);
  });

  it("leaves out what belongs to another writer", () => {
    const read = widget({ observedGeneration: 1, names: ["theirs"] });
    const document = applyDocument(Widget, read, pass(read).finish(), ["phase", "observedGeneration", "conditions"]);
    expect(Object.keys(document?.status ?? {})).toEqual(["phase", "observedGeneration", "conditions"]);
  });

  it("rule 16: is not made when nothing changed", () => {
    const settled = widget(pass(widget(undefined)).finish().status);
    expect(applyDocument(Widget, settled, pass(settled).finish())).toBeUndefined();
  });

  it("rule 64: is not made where only the order differs, which an apply does not change", () => {
    const settled = widget(pass(widget(undefined)).finish().status);
    const { conditions = [] } = settled.status ?? {};
    const mixed = widget({ ...settled.status, conditions: [foreign, ...[...conditions].reverse()] });
    const finished = pass(mixed).finish();
    expect(finished.changed).toBe(true);
    expect(applyDocument(Widget, mixed, finished)).toBeUndefined();
    const more = pass(mixed).set({ ready: true }).finish();
    expect(applyDocument(Widget, mixed, more)?.status).toMatchObject({ ready: true });
  });

  it("rule 66: is made where a field of ours is to go", () => {
    const settled = widget(pass(widget(undefined)).set({ ready: true }).finish().status);
    expect(applyDocument(Widget, settled, pass(settled).unset("ready").finish())?.status).not.toHaveProperty("ready");
  });
});
