import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { applyConfig, scaleToParent, toScale, trackUpdate } from "./apply.ts";
import { fieldSetOf } from "./fieldset.ts";
import { builtinSchema } from "./schema.ts";

const paths = { "apps/v1": ["spec", "replicas"] };
const replicas = { "f:spec": { "f:replicas": {} } };

const entry = (
  manager: string,
  operation: string,
  apiVersion: string,
  fieldsV1: JsonObject,
  rest: JsonObject = {},
): JsonObject => ({ manager, operation, apiVersion, fieldsType: "FieldsV1", fieldsV1, ...rest });

const schema = builtinSchema("autoscaling.Scale");
const door = {
  apiVersion: "autoscaling/v1",
  subresource: "scale",
  schema,
  reset: fieldSetOf(),
  now: "2026-01-02T00:00:00Z",
};
const scale = (count: number, managedFields?: Json): JsonObject => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "d", ...(managedFields === undefined ? {} : { managedFields }) },
  spec: { replicas: count },
});
const fieldsOf = (object: JsonObject): Json => (object["metadata"] as JsonObject)["managedFields"] ?? [];

/** A write to the Scale of a parent with these entries, and the entries of the parent after it. */
function put(parent: JsonObject[], manager: string, from: number, to: number): JsonObject[] {
  const live = scale(from, toScale(parent, paths));
  const next = trackUpdate({ ...door, live, next: scale(to), manager, create: false, builtin: true });
  return scaleToParent(parent, fieldsOf(next), paths, "apps/v1");
}

function apply(parent: JsonObject[], manager: string, from: number, to: number, force = false): JsonObject[] {
  const live = scale(from, toScale(parent, paths));
  const resource = { group: "apps", resource: "deployments", kind: "Scale" };
  const object = applyConfig({ ...door, live, config: scale(to), manager, force, resource });
  return scaleToParent(parent, fieldsOf(object), paths, "apps/v1");
}

describe("ownership through /scale", () => {
  const time = "2026-01-01T00:00:00Z";
  const m1 = entry("m1", "Apply", "apps/v1", { "f:spec": { "f:replicas": {}, "f:selector": {} } }, { time });

  test("A59 a PUT of another number takes the replicas from the applier, under an entry without a time", () => {
    expect(put([m1], "sc", 2, 4)).toEqual([
      entry("m1", "Apply", "apps/v1", { "f:spec": { "f:selector": {} } }, { time }),
      entry("sc", "Update", "apps/v1", replicas, { subresource: "scale" }),
    ]);
  });

  test("a PUT of the same number takes nothing", () => {
    expect(put([m1], "sc", 2, 2)).toEqual([m1]);
  });

  test("an apply of the same number shares the replicas", () => {
    expect(apply([m1], "sa", 4, 4)).toEqual([entry("sa", "Apply", "apps/v1", replicas, { subresource: "scale" }), m1]);
  });

  test("an apply of another number conflicts, under the version of the Scale for updaters", () => {
    const sp = entry("sp", "Update", "apps/v1", replicas, { subresource: "scale" });
    expect(() => apply([sp], "sa", 3, 5)).toThrow(
      'Apply failed with 1 conflict: conflict with "sp" with subresource "scale" using autoscaling/v1: .spec.replicas',
    );
    expect(apply([sp], "sa", 3, 5, true)).toEqual([
      entry("sa", "Apply", "apps/v1", replicas, { subresource: "scale" }),
    ]);
  });

  test("an updater's replicas come back as an entry of their own, as on the real server", () => {
    const upd = entry("upd", "Update", "apps/v1", { "f:spec": { "f:replicas": {}, "f:selector": {} } }, { time });
    expect(apply([upd], "sa", 2, 2)).toEqual([
      entry("sa", "Apply", "apps/v1", replicas, { subresource: "scale" }),
      entry("upd", "Update", "apps/v1", replicas),
      entry("upd", "Update", "apps/v1", { "f:spec": { "f:selector": {} } }, { time }),
    ]);
  });

  test("entries of versions that are gone are dropped", () => {
    const gone = entry("old", "Update", "apps/v1beta1", { "f:spec": { "f:selector": {} } });
    expect(scaleToParent([gone, m1], toScale([gone, m1], paths), paths, "apps/v1")).toEqual([m1]);
  });
});
