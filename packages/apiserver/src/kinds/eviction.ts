// Eviction: whether a pod's budget lets it go, and what becomes of the budget.
import { type LabelSelector, matchesSelector } from "@telltale/kinds";
import { at, type JsonObject, text } from "../json.ts";
import { badRequest, raw, StatusError } from "../status.ts";
import { each, given, number, texts } from "./edit.ts";

export type EvictionDecision =
  | { readonly do: "evict"; readonly budget?: JsonObject } // the budget as it is to be written first
  | { readonly do: "refuse"; readonly error: StatusError };

/** `budgets` are those of the pod's namespace. */
export function evictionDecision(pod: JsonObject, budgets: readonly JsonObject[], now: string): EvictionDecision {
  if (isFree(pod)) return { do: "evict" };
  const own = budgets.filter((budget) => covers(budget, pod));
  const [budget, second] = own;
  if (second !== undefined)
    return refuse(
      raw("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."),
    );
  if (budget === undefined) return { do: "evict" };
  if (!isReady(pod) && mayGoUnhealthy(budget)) return { do: "evict" };
  return spend(budget, text(at(pod, "metadata", "name")), now);
}

/** 400 when the eviction names another pod than the path. */
export function evictionNameError(eviction: JsonObject, name: string): StatusError | undefined {
  const own = text(at(eviction, "metadata", "name"));
  return own === name ? undefined : badRequest("name in URL does not match name in Eviction object");
}

const refuse = (error: StatusError): EvictionDecision => ({ do: "refuse", error });

/** A pod that runs nowhere or is about to end disturbs nobody. */
function isFree(pod: JsonObject): boolean {
  const phase = text(at(pod, "status", "phase"));
  return (
    phase === "Pending" ||
    phase === "Succeeded" ||
    phase === "Failed" ||
    text(at(pod, "spec", "nodeName")) === "" ||
    at(pod, "metadata", "deletionTimestamp") !== undefined
  );
}

function covers(budget: JsonObject, pod: JsonObject): boolean {
  const selector = given(given(budget, "spec"), "selector");
  return matchesSelector(selector as LabelSelector | undefined, texts(given(pod, "metadata"), "labels"));
}

const isReady = (pod: JsonObject): boolean =>
  each(given(pod, "status"), "conditions").some((c) => c["type"] === "Ready" && c["status"] === "True");

function mayGoUnhealthy(budget: JsonObject): boolean {
  if (at(budget, "spec", "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const status = given(budget, "status");
  const desired = number(status, "desiredHealthy") ?? 0;
  return desired > 0 && (number(status, "currentHealthy") ?? 0) >= desired;
}

function spend(budget: JsonObject, pod: string, now: string): EvictionDecision {
  const name = text(at(budget, "metadata", "name"));
  const status = given(budget, "status") ?? {};
  const generation = number(given(budget, "metadata"), "generation") ?? 0;
  if ((number(status, "observedGeneration") ?? 0) < generation)
    return refuse(blocked(`The disruption budget ${name} is still being processed by the server.`, 10));
  const allowed = number(status, "disruptionsAllowed") ?? 0;
  if (allowed <= 0)
    return refuse(
      blocked(
        `The disruption budget ${name} needs ${number(status, "desiredHealthy") ?? 0} healthy pods and has ${number(status, "currentHealthy") ?? 0} currently`,
      ),
    );
  return {
    do: "evict",
    budget: {
      ...budget,
      status: {
        ...status,
        disruptionsAllowed: allowed - 1,
        disruptedPods: { ...given(status, "disruptedPods"), [pod]: now },
        ...(allowed === 1 ? { conditions: exhausted(status, generation, now) } : {}),
      },
    },
  };
}

function exhausted(status: JsonObject, generation: number, now: string): JsonObject[] {
  const before = each(status, "conditions");
  const same = before.find((c) => c["type"] === "DisruptionAllowed" && c["status"] === "False");
  return [
    ...before.filter((c) => c["type"] !== "DisruptionAllowed"),
    {
      type: "DisruptionAllowed",
      status: "False",
      observedGeneration: generation,
      lastTransitionTime: same?.["lastTransitionTime"] ?? now,
      reason: "InsufficientPods",
      message: "",
    },
  ];
}

const blocked = (message: string, retryAfterSeconds?: number): StatusError =>
  new StatusError(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
