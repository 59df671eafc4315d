// What the webhook says to a LocustTest that is about to be stored. Pure.
import { applyDefaults, deepEqual } from "@telltale/kinds";
import type { AdmissionRequest } from "@telltale/runtime/webhook";
import { notesOn } from "../build/index.ts";
import type { Config } from "../config.ts";
import { LocustTest } from "../kinds/locust-test.ts";
import { type FieldError, validate } from "../validate.ts";
import { changeIgnored } from "../warnings.ts";

export interface Admission {
  /** Empty: allowed. */
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

export function admission(request: AdmissionRequest<LocustTest, "CREATE" | "UPDATE">, config: Config): Admission {
  // Whoever writes labels or finalizers must not fail on a spec that was stored before the webhook was there: nobody could
  // delete such a test.
  if (request.operation === "UPDATE" && isSameSpec(request.oldObject, request.object)) return nothing;
  const { errors, warnings } = validate(request.object);
  return { errors, warnings: [...ignoredChange(request), ...warnings, ...ignoredSettings(request.object, config)] };
}

const nothing: Admission = { errors: [], warnings: [] };

/** W1. The status of the stored object counts: a request cannot change it. */
function ignoredChange(request: AdmissionRequest<LocustTest, "CREATE" | "UPDATE">): readonly string[] {
  if (request.operation === "CREATE") return [];
  return request.oldObject.status?.appliedGeneration === undefined ? [] : [changeIgnored];
}

/** What this operator will leave out. What else there is to note is a warning or an error of its own. */
const ignoredSettings = ({ spec }: LocustTest, config: Config): readonly string[] =>
  notesOn(spec, config)
    .filter(({ reason }) => reason === "SchedulingIgnored" || reason === "SidecarLeftOut")
    .map(({ message }) => message);

/** As a server stores both: an object that came in v1 has not been through the defaults of v2. */
function isSameSpec(a: LocustTest, b: LocustTest): boolean {
  const { spec } = LocustTest.schema;
  return deepEqual(applyDefaults(spec, a.spec), applyDefaults(spec, b.spec));
}
