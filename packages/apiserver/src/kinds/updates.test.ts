// Updates that a real server answered, replayed through defaults, preparation and validation.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type JsonObject, text } from "../json.ts";
import { invalid } from "../status.ts";
import { serviceAllocator } from "./allocator.ts";
import { allStrategies } from "./builtin.ts";
import { given } from "./edit.ts";

interface Updated {
  readonly path: string;
  readonly old: JsonObject;
  readonly new: JsonObject;
  readonly status: number;
  readonly message?: string;
  readonly object?: JsonObject;
}

const updates = JSON.parse(readFileSync(new URL("updates.golden.json", import.meta.url), "utf8")) as readonly Updated[];

/** The golden cases that ask for the same. */
const cases: Readonly<Record<string, string>> = {
  pods: "U30",
  deployments: "U26",
  jobs: "U27",
  services: "U28",
  rolebindings: "U29",
  configmaps: "U24",
  secrets: "U25",
};

function update({ path, old, new: object }: Updated): string | JsonObject {
  const apiVersion = text(old["apiVersion"]);
  const one = allStrategies.find(({ kind }) => kind.apiVersion === apiVersion && kind.kind === old["kind"]);
  if (one === undefined) throw new Error(`no strategy for ${path}`);
  const allocator = serviceAllocator([old]);
  const context = { ...allocator, uid: "", now: "2026-11-15T12:00:00Z" };
  const status = path.endsWith("/status");
  const typed = one.default(object);
  const prepared = status ? one.prepareStatusUpdate(typed, old, context) : one.prepareUpdate(typed, old, context);
  const errors = status ? (one.validateStatusUpdate?.(prepared, old) ?? []) : one.validateUpdate(prepared, old);
  if (errors.length > 0)
    return invalid(one.kind.group, one.kind.kind, text(given(old, "metadata")?.["name"]), errors).message;
  const allocated = one.allocate?.(prepared, old, allocator) ?? { object: prepared };
  if ("errors" in allocated) return JSON.stringify(allocated.errors);
  return allocated.object;
}

/** Without what the registry counts, and with any address for another. */
function content(object: JsonObject | undefined): unknown {
  const { generation: _, ...metadata } = given(object, "metadata") ?? {};
  return JSON.parse(
    JSON.stringify({ ...object, metadata })
      .replace(/"10\.0\.0\.\d+"/g, '"<ip>"')
      .replace(/"nodePort":\d+/g, '"nodePort":0')
      // Empty structs are the encoder's to write.
      .replaceAll(',"resources":{}', ""),
  );
}

describe("an update is answered as a v1.36 server answers it", () => {
  for (const [i, one] of updates.entries()) {
    const resource =
      one.path
        .split("/")
        .filter((part) => part !== "status")
        .at(-2) ?? "";
    test(`${cases[resource] ?? "seen"} ${resource} #${i} ${one.message?.slice(0, 80) ?? "accepted"}`, () => {
      const answer = update(one);
      if (one.message !== undefined) expect(answer).toBe(one.message);
      else expect(typeof answer === "string" ? answer : content(answer)).toEqual(content(one.object));
    });
  }
});
