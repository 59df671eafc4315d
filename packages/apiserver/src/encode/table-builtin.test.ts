// Rows against those of a real v1.36 server: `tables.golden.json` holds objects as it stored them, and what it showed.
import { readFileSync } from "node:fs";
import { parseTime } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { at, type Json, type JsonObject, text } from "../json.ts";
import type { Resource } from "../registry/resource.ts";
import { tableForm } from "./table.ts";

interface Recorded {
  readonly now: string;
  /** `Name:string/name | Ready:string | …`, a star for those of `-o wide`. */
  readonly columns: string;
  readonly row: { readonly cells: Json[]; readonly conditions?: Json[] };
  readonly object: JsonObject;
}

const recorded: Recorded[] = JSON.parse(readFileSync(new URL("tables.golden.json", import.meta.url), "utf8"));

function formOf(object: JsonObject) {
  const [first = "", second] = text(object["apiVersion"]).split("/");
  const kind = text(object["kind"]);
  return tableForm({ builtin: true, group: second === undefined ? "" : first, kind } as Resource, kind);
}

describe.each(recorded.map((r) => [`${text(r.object["kind"])} ${text(at(r.object, "metadata", "name"))}`, r] as const))(
  "R43 %s",
  (_, { now, columns, row, object }) => {
    const form = formOf(object);

    it("has the row of a real server", () => {
      const moment = parseTime(now);
      if (moment === undefined) throw new Error(`${now} is no time`);
      expect(form.row(object, moment)).toEqual(row.cells);
      expect(form.conditions?.(object)).toEqual(row.conditions);
    });

    it("has its columns", () => {
      const shown = form.columns.map(
        (c) => `${c.name}:${c.type}${c.format === "" ? "" : `/${c.format}`}${c.priority === 1 ? "*" : ""}`,
      );
      expect(shown.join(" | ")).toBe(columns);
      expect(form.columns.every((c) => c.description !== "")).toBe(true);
    });
  },
);

it("an object without anything in it has a row all the same, as bookmarks need", () => {
  for (const { object, row } of recorded) {
    const bare = {
      apiVersion: text(object["apiVersion"]),
      kind: text(object["kind"]),
      metadata: { resourceVersion: "1" },
    };
    expect(formOf(bare).row(bare, parseTime("2026-01-01T00:00:00Z") ?? (0 as never))).toHaveLength(row.cells.length);
  }
});
