// Where a JSONPath leads in the schema of an object: the same steps as in a value, known before there is one.
import type { JsonPath } from "./jsonpath.ts";
import { type Structural, schemaAt } from "./structural.ts";

/** The schema at the end of a path from the root of an object. Undefined: it leads nowhere. */
export function followPath(
  schema: { readonly spec: Structural; readonly status?: Structural },
  path: JsonPath,
): Structural | undefined {
  return follow({ type: "object", properties: { apiVersion: text, kind: text, metadata, ...schema } }, path);
}

function follow(from: Structural, path: JsonPath): Structural | undefined {
  let at: Structural | undefined = from;
  for (const step of path) {
    if (at === undefined) return undefined;
    if (step.step === "descend") return anything;
    at = step.step === "field" ? schemaAt(at, [step.name]) : (at.items ?? at.additionalProperties ?? free(at));
    if (step.step === "filter" && at !== undefined && "path" in step.left && follow(at, step.left.path) === undefined) {
      return undefined;
    }
  }
  return at;
}

function free(s: Structural): Structural | undefined {
  return s["x-kubernetes-preserve-unknown-fields"] === true ? s : undefined;
}

const text: Structural = { type: "string" };
const texts: Structural = { type: "object", additionalProperties: text };
const anything: Structural = { "x-kubernetes-preserve-unknown-fields": true };

const metadata: Structural = {
  type: "object",
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: { type: "integer" },
    creationTimestamp: text,
    deletionTimestamp: text,
    deletionGracePeriodSeconds: { type: "integer" },
    labels: texts,
    annotations: texts,
    finalizers: { type: "array", items: text },
    ownerReferences: { type: "array", items: anything },
    managedFields: { type: "array", items: anything },
  },
};
