import { describe, expect, test } from "vitest";
import { Gadget } from "../test/gadget.ts";
import { conditions, positive, yes } from "./conditions.ts";
import { toCrd } from "./crd.ts";
import { failureClasses } from "./failures.ts";
import { defineKind } from "./kind.ts";
import { phases } from "./phases.ts";
import { Fields, Flag, Int32, Optional, Text, Time } from "./schema.ts";
import { version } from "./versions.ts";

const naming = { group: "telltale.test", version: "v1", kind: "Widget" };

describe("a kind", () => {
  test("is named by few words and says the rest itself", () => {
    expect(defineKind(naming)).toMatchObject({
      apiVersion: "telltale.test/v1",
      plural: "widgets",
      singular: "widget",
      listKind: "WidgetList",
      scope: "Namespaced",
      description: "",
      columns: [],
      memory: [],
      generation: "always",
      maxStatusBytes: 256 * 1024,
      versions: [],
    });
  });

  test("has a status as soon as it has status fields, conditions or phases", () => {
    const reasons = { Fine: yes("It is fine") };
    const status = (more: object) => defineKind({ ...naming, ...more }).subresources.status;
    expect(status({})).toBe(false);
    expect(defineKind(naming).schema).not.toHaveProperty("status");
    expect(status({ status: Fields({}) })).toBe(true);
    expect(status({ phases: phases({ A: [] }) })).toBe(true);
    expect(status({ conditions: conditions({ Ready: positive({ means: "x", reasons }) }) })).toBe(true);
  });

  test("remembers what is written once and what is a latch", () => {
    const kind = defineKind({
      ...naming,
      status: Fields({ a: Text(), b: Time(), c: Flag() }),
      memory: ["a", "c"],
      once: ["b"],
      latches: ["c"],
    });
    expect(kind.memory).toEqual(["a", "c", "b"]);
  });

  test("has an effect for each class of failure", () => {
    const { failures } = defineKind({
      ...naming,
      phases: phases({ A: ["B"], B: [] }),
      failures: { terminal: { phase: "B", requeue: "never", write: true } },
    });
    expect(Object.keys(failures)).toEqual([...failureClasses]);
    expect([failures.terminal.phase, failures.bug.phase]).toEqual(["B", "keep"]);
  });
});

describe("a kind is frozen", () => {
  /** Every object and list that can be reached, but for what TypeBox owns. */
  function* parts(value: unknown, path: string): Generator<[string, object]> {
    if (typeof value !== "object" || value === null || value instanceof RegExp) return;
    if (value instanceof Map) yield* [...value].flatMap(([name, member]) => [...parts(member, `${path}.${name}`)]);
    else yield [path, value];
    for (const [name, member] of Object.entries(value)) {
      if (!/\.versions\.\d+$/.test(path) || typeof member !== "object") yield* parts(member, `${path}.${name}`);
    }
  }

  test("down to the leaves", () => {
    const all = [...parts(Gadget, "Gadget")];
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter(([, part]) => !Object.isFrozen(part)).map(([path]) => path)).toEqual([]);
  });

  test("and leaves the schemas that it was made of as they were", () => {
    const spec = Fields({ size: Int32({ default: 1 }) });
    const older = Fields({ bigness: Int32() });
    const same = (o: never) => o;
    const v1 = version({ name: "v1beta1", spec: older, toHub: same, fromHub: same });
    const kind = defineKind({ ...naming, spec, versions: [v1] });
    expect([spec, spec.properties, older, older.properties.bigness, v1].map(Object.isFrozen)).toEqual(
      Array(5).fill(false),
    );
    expect(Object.isFrozen(kind.versions[0])).toBe(true);
    expect(Object.keys(Fields({ older: Optional(older) }).properties)).toEqual(["older"]);
  });

  test("and its CRD can still be made", () => {
    expect(toCrd(Gadget).metadata?.name).toBe("gadgets.telltale.test");
  });
});
