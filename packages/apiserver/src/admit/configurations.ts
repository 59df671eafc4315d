// The webhooks that are registered, in the order in which they are called.

import { objects } from "../cel/admission.ts";
import { type JsonObject, text } from "../json.ts";
import { nameOf } from "../registry/metadata.ts";
import type { StoredRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";
import type { Criteria } from "./match.ts";
import type { ReviewVersion } from "./review.ts";

export interface Webhook extends Criteria {
  readonly name: string;
  readonly configuration: string;
  readonly clientConfig: JsonObject;
  readonly conditions: readonly { readonly name: string; readonly expression: string }[];
  readonly ignoresFailure: boolean;
  readonly timeoutSeconds: number;
  readonly sideEffects: string;
  readonly review: ReviewVersion | undefined;
  /** Wants to see the object again when somebody after it has changed it. */
  readonly reinvoked: boolean;
}

/** By name of the configuration, then by place in it. Stored records never change, so each is read once. */
export function configurations(store: Store, kind: "mutating" | "validating"): () => Webhook[] {
  const prefix = `/admissionregistration.k8s.io/${kind}webhookconfigurations/`;
  const read = new WeakMap<StoredRecord, Webhook[]>();
  return () =>
    store.scan(prefix).records.flatMap((record) => {
      const known = read.get(record);
      if (known !== undefined) return known;
      const made = webhooksOf(record.object());
      read.set(record, made);
      return made;
    });
}

export function webhooksOf(configuration: JsonObject): Webhook[] {
  return objects(configuration["webhooks"]).map((hook) => ({
    name: text(hook["name"]),
    configuration: nameOf(configuration),
    clientConfig: objects([hook["clientConfig"] ?? {}])[0] ?? {},
    rules: objects(hook["rules"]),
    matchPolicy: text(hook["matchPolicy"]) || "Equivalent",
    namespaceSelector: hook["namespaceSelector"],
    objectSelector: hook["objectSelector"],
    conditions: objects(hook["matchConditions"]).map((c) => ({
      name: text(c["name"]),
      expression: text(c["expression"]),
    })),
    ignoresFailure: hook["failurePolicy"] === "Ignore",
    timeoutSeconds: typeof hook["timeoutSeconds"] === "number" ? hook["timeoutSeconds"] : 10,
    sideEffects: text(hook["sideEffects"]),
    review: reviewVersion(hook),
    reinvoked: hook["reinvocationPolicy"] === "IfNeeded",
  }));
}

function reviewVersion(hook: JsonObject): ReviewVersion | undefined {
  const versions = Array.isArray(hook["admissionReviewVersions"]) ? hook["admissionReviewVersions"] : [];
  for (const version of versions) if (version === "v1" || version === "v1beta1") return version;
  return undefined;
}
