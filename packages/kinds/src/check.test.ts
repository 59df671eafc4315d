import TypeBox from "typebox";
import { describe, expect, test } from "vitest";
import { column, conditionColumn } from "./columns.ts";
import { conditions, derived, mirrored, neutral, no, positive, type Reasons, unknown, yes } from "./conditions.ts";
import { DeclarationError } from "./errors.ts";
import { defineKind, type KindDeclaration } from "./kind.ts";
import { phases, when } from "./phases.ts";
import {
  Anything,
  Dictionary,
  Enum,
  Fields,
  Flag,
  Int32,
  List,
  ListMap,
  ListSet,
  Nullable,
  Optional,
  Quantity,
  Text,
  type TObject,
  type TProperties,
  Type,
} from "./schema.ts";
import { version } from "./versions.ts";

type Loose = Partial<
  Omit<KindDeclaration<TProperties, TProperties, Record<never, never>, string, string>, "conditions">
> & {
  conditions?: ReturnType<typeof conditions>;
};

/** A kind that is right but for what a test makes wrong. The types would refuse most of these; a JavaScript caller has none. */
const declare = (wrong: object) =>
  defineKind({ group: "telltale.test", version: "v1", kind: "Widget", spec: Fields({}), ...(wrong as Loose) } as never);

/** A test's row: what is wrong, the declaration, the field that is named, and what is said about it. */
type Row = [string, object, field: string, problem: string | RegExp];

function refuses(rows: Row[]): void {
  test.each(rows)("%s is refused", (_, wrong, field, problem) => {
    let thrown: unknown;
    try {
      declare(wrong);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(DeclarationError);
    const { message, field: named, kind } = thrown as DeclarationError;
    expect([kind, named]).toEqual(["Widget", field]);
    expect(message).toMatch(new RegExp(`^Widget: ${field.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}: .*; .+`, "s"));
    expect(message).toMatch(problem);
  });
}

const spec = (field: unknown) => ({ spec: Fields({ x: field as TObject }) });
const status = (field: unknown) => ({ status: Fields({ x: field as TObject }) });
const fine = { Fine: yes("It is fine") };
const ready = (reasons: Reasons = fine) => positive({ means: "It works", reasons });

test("what the rows below start from is a kind", () => {
  expect(declare({}).kind).toBe("Widget");
});

describe("a name", () => {
  refuses([
    ["a group without a dot", { group: "telltale" }, "group", '"telltale" is not a domain name'],
    ["a group in capitals", { group: "Telltale.test" }, "group", "not a domain name"],
    ["a version that is none", { version: "1.0" }, "version", '"1.0" is not an API version'],
    ["a version with a leading zero", { version: "v1beta0" }, "version", "not an API version"],
    ["a plural in capitals", { plural: "Widgets" }, "plural", "lower-case label"],
    ["a plural that starts with a digit", { plural: "4widgets" }, "plural", "starts with a letter"],
    ["a singular with a dot", { singular: "wid.get" }, "singular", "lower-case label"],
    ["a short name with a space", { shortNames: ["a b"] }, "shortNames", '"a b"'],
    ["a category in capitals", { categories: ["All"] }, "categories", '"All"'],
    ["a list kind that is the kind", { listKind: "Widget" }, "listKind", "the same as kind"],
    ["a list kind that is too long", { listKind: `W${"x".repeat(63)}` }, "listKind", "at most 63"],
  ]);

  test("a kind in lower case is refused", () => {
    expect(() => declare({ kind: "widget" })).toThrow('widget: kind: "widget" is not CamelCase');
  });
});

describe("a schema that is not structural", () => {
  refuses([
    ["a union of shapes", spec(Type.Union([Text(), Int32()])), "spec.x", "union of different shapes"],
    [
      "a choice of different types",
      spec(Type.Union([Type.Literal("a"), Type.Literal(1)])),
      "spec.x",
      "different types",
    ],
    ["a tuple", spec(TypeBox.Tuple([Text(), Int32()])), "spec.x", /tuple|prefixItems/],
    ["a reference", spec(TypeBox.Ref("Other")), "spec.x", '"$ref" is not allowed'],
    [
      "a recursion",
      spec(TypeBox.Cyclic({ A: Fields({ a: TypeBox.Ref("A") }) }, "A")),
      "spec.x",
      "not allowed in a CRD",
    ],
    ["a list without items", spec({ type: "array" }), "spec.x", "list without items"],
    ["a list of unique items", spec(Type.Array(Text(), { uniqueItems: true })), "spec.x", '"uniqueItems"'],
    ["a type that CRDs do not have", spec(Type.Null()), "spec.x", "has the type null"],
    ["a node without type", spec({ minimum: 1 }), "spec.x", "has no type"],
    [
      "fields on a text",
      spec({ type: "string", properties: { a: Text() } }),
      "spec.x",
      "has fields but the type string",
    ],
    [
      "int-or-string with a type",
      spec({ type: "string", "x-kubernetes-int-or-string": true }),
      "spec.x",
      "leave the type out",
    ],
    [
      "named fields beside free keys",
      spec({ type: "object", properties: { a: Text() }, additionalProperties: Text() }),
      "spec.x",
      "both named fields and free keys",
    ],
    ["a required field that is not declared", spec({ type: "object", required: ["a"] }), "spec.x.a", "not declared"],
    [
      "a field that two joined parts declare",
      spec(Type.Intersect([Fields({ a: Text() }), Fields({ a: Text() })])),
      "spec.x.a",
      "two joined parts",
    ],
    ["a joined text", spec({ allOf: [Text(), Text()] }), "spec.x", "only objects can be joined"],
    ["a list-map of texts", spec(ListMap(Text(), ["a"])), "spec.x", "items are no objects"],
    ["a list-map with an unknown key", spec(ListMap(Fields({ a: Text() }), ["b"])), "spec.x[].b", "does not exist"],
    [
      "a list-map with an optional key",
      spec(ListMap(Fields({ a: Optional(Text()) }), ["a"])),
      "spec.x[].a",
      "may be absent",
    ],
    ["a list-map keyed by an object", spec(ListMap(Fields({ a: Fields({}) }), ["a"])), "spec.x[].a", "no scalar"],
    ["a set of objects", spec(ListSet(Fields({ a: Text() }))), "spec.x", "set of objects"],
    ["a set with nulls", spec(ListSet(Nullable(Text()))), "spec.x", "may be null"],
    ["a list type on a text", spec({ type: "string", "x-kubernetes-list-type": "set" }), "spec.x", "but no list"],
    ["a nullable choice of numbers", spec(Nullable(Int32({ enum: [1, 2] }))), "spec.x", "nullable choice"],
    ["a bad default", spec(Int32({ maximum: 3, default: 4 })), "spec.x", "it is above 3"],
    ["a default of the wrong type", spec(Flag({ default: "yes" })), "spec.x", "not of type boolean"],
    ["a default outside the enum", spec(Enum(["A"], { default: "B" })), "spec.x", "not one of A"],
    ["a default that is no quantity", spec(Quantity({ default: "1 GB" })), "spec.x", "does not match"],
    ["an incomplete default", spec(Fields({ a: Text() }, { default: {} })), "spec.x", ".a is missing"],
    ["a default with a field too many", spec(Fields({}, { default: { b: 1 } })), "spec.x", ".b is not a field"],
    ["a look-ahead", spec(Text({ pattern: "^(?=a)b$" })), "spec.x", "look-around"],
    ["a look-behind", spec(Text({ pattern: /(?<!a)b/ })), "spec.x", "look-around"],
    ["a back-reference", spec(Text({ pattern: "(a)\\1" })), "spec.x", "back-reference"],
    ["a pattern that does not compile", spec(Text({ pattern: "(" })), "spec.x", "does not compile"],
    ["an empty CEL rule", spec(Text({ rules: [{ rule: " ", message: "no" }] })), "spec.x", "empty CEL rule"],
    [
      "a CEL rule without a message",
      spec(Text({ rules: [{ rule: "true", message: "" }] })),
      "spec.x",
      "one-line message",
    ],
    ["a rule on the object without a message", { rules: [{ rule: "true", message: "" }] }, "rules", "has no message"],
    [
      "a fault deep down",
      spec(Dictionary(List(Fields({ a: { type: "array" } as never })))),
      "spec.x{}[].a",
      "without items",
    ],
    ["a fault in the status", status({ type: "array", maxItems: 1 }), "status.x", "list without items"],
  ]);

  test("in another version is refused, and the version is named", () => {
    const v2 = (more: object) => ({
      versions: [{ ...version({ name: "v2", spec: Fields({}), toHub, fromHub }), ...more }],
    });
    const toHub = (o: never) => o;
    const fromHub = toHub;
    expect(() => declare(v2({ spec: Fields({ x: TypeBox.Tuple([]) }) }))).toThrow(/^Widget v2: spec\.x: /);
    expect(() => declare(v2({ status: Fields({ x: List(Text()) }) }))).toThrow(/^Widget v2: status\.x: .*maxItems/);
    expect(() => declare(v2({ columns: [column("A", ".spec.a")] }))).toThrow(/^Widget v2: columns\[0\] "A": /);
    expect(() => declare(v2({ name: "v1" }))).toThrow("Widget: versions: two versions have one name");
    expect(() => declare(v2({ rules: [{ rule: "true", message: "" }] }))).toThrow("Widget: rules: ");
  });

  test("and is too large is refused", () => {
    const lines = Array.from({ length: 110 }, (_, i) => [`f${i}`, Text({ description: "x".repeat(10_000) })]);
    expect(() => declare({ spec: Fields(Object.fromEntries(lines)) })).toThrow(
      /^Widget: schema: the CRD has 11\d{5} bytes, 1048576 is the most; shorten/,
    );
  });
});

describe("rule 70: a status that can grow without end", () => {
  refuses([
    ["a list", status(List(Text())), "status.x", "list without maxItems"],
    ["a map", status(Dictionary(Text())), "status.x", "map without maxProperties"],
    ["a list in a list", status(List(List(Text()), { maxItems: 1 })), "status.x[]", "list without maxItems"],
    ["a map in a map", status(Dictionary(Dictionary(Text()), { maxProperties: 1 })), "status.x{}", "maxProperties"],
  ]);

  test("a spec may: people write it", () => {
    expect(declare(spec(List(Text()))).kind).toBe("Widget");
  });
});

describe("a field of the status", () => {
  refuses(
    ["phase", "observedGeneration", "conditions"].map((name) => [
      `one that is named ${name}`,
      { status: Fields({ [name]: Text() }) },
      `status.${name}`,
      "added by defineKind",
    ]),
  );
});

describe("a path into the status", () => {
  refuses([
    ...["memory", "once", "latches", "urgent", "volatile"].map(
      (list): Row => [
        `an unknown one in ${list}`,
        { ...status(Flag()), [list]: ["y"] },
        list,
        "status.y does not exist",
      ],
    ),
    ["one through a field that is no object", { ...status(Flag()), memory: ["x.y"] }, "memory", "status.x.y"],
    [
      "one to a member that every object has",
      { ...status(Flag()), memory: ["constructor"] },
      "memory",
      "does not exist",
    ],
    ["one to a phase where there are none", { ...status(Flag()), memory: ["phase"] }, "memory", "status.phase"],
    ["one into no status at all", { memory: ["x"] }, "memory", "does not exist"],
    [
      "one to an undeclared condition",
      { ...status(Flag()), memory: ["conditions.Ready"] },
      "memory",
      "the condition Ready",
    ],
    ["a latch that is no boolean", { ...status(Text()), latches: ["x"] }, "latches", "status.x is of type string"],
  ]);
});

describe("a phase machine", () => {
  refuses([
    ["a phase without way in", { phases: phases({ A: ["B"], B: [], C: ["B"] }) }, "phases.C", "has no way in"],
    ["a circle that nothing leads to", { phases: phases({ A: [], B: ["C"], C: ["B"] }) }, "phases.B", "has no way in"],
    [
      "a final phase with arrows",
      { phases: phases({ A: ["B"], B: ["A"] }, { final: ["B"] }) },
      "phases.B",
      "is final and has arrows",
    ],
    [
      "an initial phase that is none",
      { phases: phases({ A: [] }, { initial: ["A", "Z" as "A"] }) },
      "phases.initial",
      "Z is not a phase",
    ],
    [
      "a final phase that is none",
      { phases: phases({ A: [] }, { final: ["Z" as "A"] }) },
      "phases.final",
      "Z is not a phase",
    ],
    [
      "a thaw path that leads nowhere",
      { phases: phases({ A: [] }, { thaw: ["x"] }) },
      "phases.thaw",
      "status.x does not exist",
    ],
    [
      "a thaw of an undeclared condition",
      { phases: phases({ A: [] }, { thaw: ["conditions.X"] }) },
      "phases.thaw",
      "the condition X",
    ],
  ]);

  test("a guarded arrow is a way in", () => {
    expect(declare({ phases: phases({ A: [when("now", "B")] }) }).kind).toBe("Widget");
  });
});

describe("a condition", () => {
  const from = (...types: string[]) =>
    derived({ means: "x", from: types as [string], ok: { reason: "Fine", message: "" }, reasons: fine });
  const types = (types: object, options = {}) => ({ conditions: conditions(types as Record<string, never>, options) });

  refuses([
    ["rule 1: a type with a space", types({ "Not Ready": ready() }), "conditions.Not Ready", "rule 1"],
    [
      "rule 1: a type of more than 316 characters",
      types({ [`C${"x".repeat(316)}`]: ready() }),
      `conditions.C${"x".repeat(316)}`,
      "rule 1",
    ],
    [
      "rule 5: a reason with a space",
      types({ Ready: ready({ "not so": yes("x") }) }),
      "conditions.Ready.reasons.not so",
      "rule 5",
    ],
    [
      "rule 5: a reason that ends in a colon",
      types({ Ready: ready({ "A:": yes("x") }) }),
      "conditions.Ready.reasons.A:",
      "rule 5",
    ],
    [
      "rule 5: a reason that starts with a digit",
      types({ Ready: ready({ "1A": yes("x") }) }),
      "conditions.Ready.reasons.1A",
      "rule 5",
    ],
    [
      "rule 5: a reason of more than 1024 bytes",
      types({ Ready: ready({ ["A".repeat(1025)]: yes("x") }) }),
      `conditions.Ready.reasons.${"A".repeat(1025)}`,
      "rule 5",
    ],
    ["rule 6: one without reasons", types({ Ready: ready({}) }), "conditions.Ready.reasons", "rule 6"],
    [
      "rule 7: a message limit beyond the schema's",
      types({ Ready: ready() }, { maxMessage: 32_769 }),
      "conditions.maxMessage",
      "rule 7",
    ],
    ["rule 10: a limit that is no number", types({ Ready: ready() }, { max: 0 }), "conditions.max", "0 is not"],
    [
      "rule 36: a top that is not declared",
      types({ Ready: ready() }, { top: "Other" }),
      "conditions.top",
      "Other is not declared",
    ],
    ["rule 38: one computed from itself", types({ Ready: from("Ready") }), "conditions.Ready.from", "rule 38"],
    ["rule 38: two computed from each other", types({ A: from("B"), B: from("A") }), "conditions.A.from", "rule 38"],
    [
      "one computed from an undeclared one",
      types({ Ready: from("Other") }),
      "conditions.Ready.from",
      "Other is not declared",
    ],
    [
      "rule 41: one computed from a neutral one",
      types({ Ready: from("Paused"), Paused: neutral({ means: "x", reasons: fine }) }),
      "conditions.Ready.from",
      "Paused is neither good nor bad",
    ],
    [
      "one whose good reason is not one for True",
      types({
        Ready: derived({
          means: "x",
          from: ["Ok"],
          ok: { reason: "Bad", message: "" },
          reasons: { Bad: no("x", "y") },
        }),
        Ok: ready(),
      }),
      "conditions.Ready.ok",
      "Bad is no declared reason for True",
    ],
    [
      "an initial reason that is not declared",
      types({ Ready: { ...ready(), initial: { status: "True", reason: "Other", message: "" } } }),
      "conditions.Ready.initial",
      "Other is not declared",
    ],
    [
      "an initial reason of another status",
      types({ Ready: { ...ready(), initial: { status: "Unknown", reason: "Fine", message: "" } } }),
      "conditions.Ready.initial",
      "Fine is no reason for Unknown",
    ],
  ]);

  test("may be computed from one that is computed", () => {
    const chain = types({ Top: from("Ready"), Ready: from("Ok"), Ok: ready() });
    expect(declare({ ...chain, failing: "Ok" }).kind).toBe("Widget");
  });

  test("that is mirrored needs no reasons of its own", () => {
    expect(declare(types({ Linked: mirrored({ means: "x" }), Ready: ready({ Dunno: unknown("x", "y") }) })).kind).toBe(
      "Widget",
    );
  });
});

describe("a failure's effect", () => {
  const effect = (more: object) => ({ phase: "keep", requeue: "never", write: true, ...more });
  const sets = (type: string) => effect({ condition: { type, status: "False" } });
  const vocabulary = conditions({
    Ready: derived({ means: "x", from: ["Ok"], ok: { reason: "Fine", message: "" }, reasons: fine }),
    Ok: ready(),
  });
  refuses([
    ["an undeclared condition", { failures: { bug: sets("Other") } }, "failures.bug", "the condition Other"],
    ["an undeclared phase", { failures: { bug: effect({ phase: "Broken" }) } }, "failures.bug", "the phase Broken"],
    ["a message that has no field", { failures: { bug: effect({ message: true }) } }, "failures.bug", "status.message"],
    [
      "rule 37: a derived condition",
      { conditions: vocabulary, failures: { bug: sets("Ready") } },
      "failures.bug",
      "rule 37",
    ],
  ]);

  test("rule 35: is on the condition that failing names, where the top condition is derived", () => {
    expect(() => declare({ conditions: vocabulary })).toThrow(/failures\.waiting: .*rule 35.*failing/);
    expect(declare({ conditions: vocabulary, failing: "Ok" }).failures.terminal.condition?.type).toBe("Ok");
    expect(declare({ conditions: conditions({ Ready: ready() }) }).failures.terminal.condition?.type).toBe("Ready");
  });

  test("rule 6: a bug has a declared reason", () => {
    const { types } = declare({ conditions: conditions({ Ready: ready() }) }).conditions;
    expect(types).toMatchObject({ Ready: { reasons: { ReconcileFailed: { on: ["False", "Unknown", "True"] } } } });
  });
});

describe("a path that the server follows", () => {
  const fields = {
    spec: Fields({ count: Int32(), name: Text(), names: List(Text()), any: Anything() }),
    status: Fields({ count: Int32(), names: List(Text(), { maxItems: 1 }) }),
    conditions: conditions({ Ready: ready() }),
  };
  const columns = (path: string) => ({ ...fields, columns: [column("Name", path)] });
  const scale = (more: object) => ({
    ...fields,
    scale: { specReplicasPath: ".spec.count", statusReplicasPath: ".status.count", ...more },
  });
  const selectable = (...selectableFields: string[]) => ({ ...fields, selectableFields });
  const at = 'columns[0] "Name"';

  refuses([
    ["a column that leads nowhere", columns(".spec.nmae"), at, "the path .spec.nmae leads to no field"],
    ["a column into metadata that leads nowhere", columns(".metadata.creationTimestmp"), at, "leads to no field"],
    ["a column through a text", columns(".spec.name.first"), at, "leads to no field"],
    ["a column with an index into a number", columns(".spec.count[0]"), at, "leads to no field"],
    [
      "a column with a filter on an unknown field",
      columns(".status.conditions[?(@.typ=='Ready')].status"),
      at,
      "leads to no field",
    ],
    ["a column that does not parse", columns(".spec.name["), at, "is not a JSONPath (expected an index"],
    ["a column that does not start with a dot", columns("$.spec.name"), at, "does not start with a dot"],
    [
      "a scale path to a text",
      scale({ specReplicasPath: ".spec.name" }),
      "scale.specReplicasPath",
      "of type string, not integer",
    ],
    [
      "a scale path in the wrong half",
      scale({ specReplicasPath: ".status.count" }),
      "scale.specReplicasPath",
      "is not under .spec.",
    ],
    [
      "a scale path that leads nowhere",
      scale({ statusReplicasPath: ".status.x" }),
      "scale.statusReplicasPath",
      "leads to no field",
    ],
    [
      "a selector that is a number",
      scale({ labelSelectorPath: ".status.count" }),
      "scale.labelSelectorPath",
      "of type integer, not string",
    ],
    [
      "a scale path through a list",
      scale({ labelSelectorPath: ".status.names[0]" }),
      "scale.labelSelectorPath",
      "names and dots",
    ],
    ["a ninth selectable field", selectable(...Array(9).fill(".spec.name")), "selectableFields", "more than 8"],
    ["a selectable list", selectable(".spec.names"), "selectableFields", "of type array"],
    ["a selectable item", selectable(".spec.names[0]"), "selectableFields", "names and dots"],
    ["selectable metadata", selectable(".metadata.name"), "selectableFields", "is metadata"],
    ["a selectable field that leads nowhere", selectable(".spec.x"), "selectableFields", "leads to no field"],
  ]);

  test("leads anywhere below free-form fields, metadata maps and lists", () => {
    const paths = [
      ".spec.any.a.b",
      ".spec.any[0].c",
      ".spec.names[*]",
      ".metadata.labels.a",
      ".metadata.ownerReferences[0].name",
      "..count",
    ];
    const all = {
      ...fields,
      columns: [...paths.map((path) => column("A", path)), conditionColumn("B", "Ready", "message")],
    };
    expect(declare(all).columns).toHaveLength(7);
  });
});
