import { instant, parseTime } from "@telltale/kinds";
import { expect, it } from "vitest";
import type { PrinterColumn } from "../crd/version.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Resource } from "../registry/resource.ts";
import { customForm } from "./table-custom.ts";

const now = parseTime("2001-01-01T00:05:00Z") ?? instant(0);

function column(name: string, type: string, jsonPath: string, more: Partial<PrinterColumn> = {}): PrinterColumn {
  return { name, type, jsonPath, format: "", description: "", priority: 0, ...more };
}

const form = (...columns: PrinterColumn[]) => customForm({ columns } as unknown as Resource);
const cell = (type: string, jsonPath: string, object: JsonObject): Json | undefined =>
  form(column("X", type, jsonPath)).row(object, now)[1];

it("R44 without columns there are the name and the age", () => {
  const { columns, row } = form();
  expect(columns.map((c) => [c.name, c.type, c.format])).toEqual([
    ["Name", "string", "name"],
    ["Age", "date", ""],
  ]);
  expect(row({ metadata: { name: "g", creationTimestamp: "2001-01-01T00:00:00Z" } }, now)).toEqual(["g", "5m"]);
});

it("R44 the header copies the format, and describes the path where nothing else is said", () => {
  const { columns } = form(
    column("Int", "integer", ".spec.n", { description: "an integer", priority: 1 }),
    column("Ready", "string", ".status.r", { format: "password" }),
  );
  expect(columns.slice(1)).toEqual([
    { name: "Int", type: "integer", format: "", description: "an integer", priority: 1 },
    {
      name: "Ready",
      type: "string",
      format: "password",
      description: "Custom resource definition column (in JSONPath format): .status.r",
      priority: 0,
    },
  ]);
});

const spec = { s: "text", n: 3, f: 1.5, b: true, d: "2001-01-01T00:00:00Z", o: { k: "v", n: 1 }, l: ["x", "y"] };
const strange = { s: 5, n: "x", f: 2, b: "true", d: "nonsense", o: [], l: {} };

it.each<[string, string, Json, Json]>([
  ["string", ".spec.s", "text", "5"],
  ["integer", ".spec.n", 3, null],
  ["number", ".spec.f", 1.5, 2],
  ["boolean", ".spec.b", true, null],
  ["date", ".spec.d", "5m", "<invalid>"],
  ["string", ".spec.o", '{"k":"v","n":1}', "[]"],
  ["string", ".spec.l", '["x","y"]', "{}"],
  ["string", ".spec.l[*]", "x", null],
  ["string", ".spec.l[-1]", "y", null],
  ["integer", ".spec.s", null, 5],
  ["string", ".spec.n", "3", "x"],
])("R44 a %s at %s", (type, path, shown, other) => {
  expect(cell(type, path, { spec })).toEqual(shown);
  expect(cell(type, path, { spec: strange })).toEqual(other);
  expect(cell(type, path, {})).toBeNull();
});

it("R44 conditions, escaped names and names in brackets", () => {
  const object = {
    metadata: { annotations: { "example.com/x": "ann" }, labels: { app: "lab" } },
    status: {
      conditions: [
        { type: "Other", status: "False" },
        { type: "Ready", status: "True" },
      ],
    },
  };
  expect(cell("string", '.status.conditions[?(@.type=="Ready")].status', object)).toBe("True");
  expect(cell("string", ".metadata.annotations.example\\.com/x", object)).toBe("ann");
  expect(cell("string", ".metadata.labels['app']", object)).toBe("lab");
});

it("a float in an integer's column loses its fraction, an integer beyond 2^53 nothing", () => {
  expect(cell("integer", ".n", { n: 2.9 })).toBe(2);
  expect(cell("integer", ".n", { n: 9007199254740993n })).toBe(9007199254740993n);
});

it("a path that cannot be read leaves only the name", () => {
  const { columns, row } = form(column("A", "string", ".a"), column("B", "string", ".b["));
  expect(columns.map((c) => c.name)).toEqual(["Name"]);
  expect(row({ metadata: { name: "n" }, a: "1" }, now)).toEqual(["n"]);
});

it("data that is deeper than the stack shows nothing, rather than failing the list", () => {
  let deep: Json = "end";
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(cell("string", "..a", { deep })).toBeNull();
});
