// Who is asked about a write to `/scale` sees the Scale, not the object behind it, and may change that.
import { at, type JsonObject } from "../json.ts";
import type { Resource, ScalePart } from "../registry/resource.ts";
import { rescaled, scaleOf } from "../registry/scale.ts";
import type { Admission, Attributes } from "./admission.ts";
import { isOf } from "./equivalent.ts";

export function seeingScale(admission: Admission): Admission {
  return {
    async mutate(a) {
      const parts = scaleParts(a);
      if (parts === undefined || a.object === undefined) return admission.mutate(a);
      const shown = view(a, parts);
      const after = await admission.mutate(shown);
      return after === undefined || after === shown.object ? a.object : rescaled(a.resource, parts, a.object, after);
    },
    validate(a) {
      const parts = scaleParts(a);
      return admission.validate(parts === undefined ? a : view(a, parts));
    },
  };
}

const scaleParts = ({ subresource, resource, object }: Attributes): ScalePart | undefined =>
  subresource === "scale" && object !== undefined && isOf(object, resource) ? resource.scale : undefined;

const view = (a: Attributes, parts: ScalePart): Attributes => ({
  ...a,
  object: a.object === undefined ? undefined : scale(a.resource, parts, a.object),
  oldObject: a.oldObject === undefined ? undefined : scale(a.resource, parts, a.oldObject),
});

/** An object that has no replicas yet has zero. */
function scale(r: Resource, parts: ScalePart, parent: JsonObject): JsonObject {
  return scaleOf(r, parts, at(parent, ...parts.spec) === undefined ? withZero(parent, parts.spec) : parent);
}

function withZero(object: JsonObject, [head = "", ...rest]: readonly string[]): JsonObject {
  const inner = at(object, head);
  return { ...object, [head]: rest.length === 0 ? 0 : withZero((inner ?? {}) as JsonObject, rest) };
}
