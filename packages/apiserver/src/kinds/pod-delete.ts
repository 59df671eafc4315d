// What a DELETE does to a pod.
import type { JsonObject } from "../json.ts";
import { type DeleteOptions, deleteDecision } from "./delete.ts";
import { podStrategy } from "./pod.ts";

/** As `deleteDecision`, for those who only want to know what becomes of it. */
export function deletePod(
  pod: JsonObject,
  options: DeleteOptions,
  now: string,
): "remove" | { readonly update: JsonObject } | "unchanged" {
  const decision = deleteDecision(pod, options, podStrategy, now);
  return decision.do === "update" ? { update: decision.object } : decision.do;
}
