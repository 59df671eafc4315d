// The schema of `.status`: the declared fields, with phase, observedGeneration and conditions added the same way everywhere.
import type { ConditionShape, Conditions } from "./conditions.ts";
import type { Complain } from "./errors.ts";
import type { Phases } from "./phases.ts";
import type { TSchema } from "./schema.ts";
import { type Structural, toStructural } from "./structural.ts";

/** Before the first pass nobody may read "current": this is what a new object says of itself (rule 32). */
export const unobserved = -1;

export const reasonPattern = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";
export const typePattern =
  "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

export function statusSchema(
  declared: TSchema | undefined,
  conditions: Conditions,
  phases: Phases<string, string> | undefined,
  complain: Complain,
): Structural {
  const fields = declared === undefined ? { type: "object" } : toStructural(declared, "status", complain);
  for (const reserved of ["phase", "observedGeneration", "conditions"]) {
    if (fields.properties?.[reserved] !== undefined) {
      const fix =
        reserved === "observedGeneration" ? "leave it out: every status has it" : `declare it with ${reserved}()`;
      complain(`status.${reserved}`, "is added by defineKind", fix);
    }
  }
  bound(fields);
  // A new object has a status of which nothing but observedGeneration is known, so no field can be required.
  const { required: _, ...open } = fields;
  return {
    ...open,
    properties: {
      ...(phases === undefined ? {} : { phase: phaseSchema(phases) }),
      observedGeneration: {
        type: "integer",
        format: "int64",
        description: "The generation of the spec that this status speaks of. -1: not yet visited.",
      },
      ...fields.properties,
      ...(Object.keys(conditions.types).length === 0 ? {} : { conditions: conditionsSchema(conditions) }),
    },
    default: { observedGeneration: unobserved },
  };
}

const maxText = 32_768;

/** A text that a status can grow by has an end: the draft cuts there, and the server refuses what is longer. */
function bound(s: Structural): void {
  const closed = s.enum !== undefined || s.format !== undefined || s.maxLength !== undefined;
  if (s.type === "string" && !closed) s.maxLength = maxText;
  for (const child of Object.values(s.properties ?? {})) bound(child);
  if (s.additionalProperties !== undefined) bound(s.additionalProperties);
  if (s.items !== undefined) bound(s.items);
}

function phaseSchema(phases: Phases<string, string>): Structural {
  const lines = phases.names.flatMap((name) => {
    const means = phases.means[name];
    return means === undefined ? [] : [`${name}: ${means}`];
  });
  return {
    type: "string",
    enum: [...phases.names],
    description: ["Where the object stands, in one word.", ...lines].join("\n"),
  };
}

function conditionsSchema(c: Conditions): Structural {
  const types = Object.entries(c.types).map(
    ([type, d]) => `${type}${d.form === "family" ? "-{index}" : ""}: ${d.means}`,
  );
  const keyed = c.shape !== "capiV1beta1";
  return {
    type: "array",
    description: ["What is the case, one entry for each type.", ...types].join("\n"),
    maxItems: c.max,
    ...(c.default === undefined ? {} : { default: [...c.default] }),
    "x-kubernetes-list-type": keyed ? "map" : "atomic",
    ...(keyed ? { "x-kubernetes-list-map-keys": ["type"] } : {}),
    items: conditionSchema(c.shape),
  };
}

/** The three shapes on the wire (rules 1, 4, 5, 7, 14). */
function conditionSchema(shape: ConditionShape): Structural {
  const required = {
    metav1: ["type", "status", "reason", "message", "lastTransitionTime"],
    plain: ["type", "status"],
    capiV1beta1: ["type", "status", "lastTransitionTime"],
  }[shape];
  return {
    type: "object",
    required,
    properties: {
      type: { type: "string", maxLength: 316, pattern: typePattern },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      reason: {
        type: "string",
        ...(shape === "metav1" ? { minLength: 1 } : {}),
        maxLength: 1024,
        ...(shape === "capiV1beta1" ? {} : { pattern: reasonPattern }),
      },
      message: { type: "string", maxLength: 32_768 },
      lastTransitionTime: { type: "string", format: "date-time" },
      ...(shape === "metav1" ? { observedGeneration: { type: "integer", format: "int64", minimum: 0 } } : {}),
      ...(shape === "capiV1beta1" ? { severity: { type: "string", maxLength: 32 } } : {}),
    },
  };
}
