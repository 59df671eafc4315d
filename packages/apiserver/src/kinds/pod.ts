// Pods: their first status, what may change afterwards, and how they are selected.
import { compareQuantity, parseQuantity } from "@telltale/kinds";
import { Pod } from "@telltale/kinds/builtin";
import { at, type Json, type JsonObject, text } from "../json.ts";
import { type FieldError, forbiddenField } from "../status.ts";
import { withAppArmorFields } from "./deprecated-profiles.ts";
import { each, filled, given, number } from "./edit.ts";
import { ephemeralContainersPart } from "./ephemeral-containers.ts";
import { addressWarnings } from "./ip-ranges.ts";
import { fillPod } from "./pod-defaults.ts";
import { podUpdate } from "./pod-update.ts";
import { podSpec } from "./pod-validation.ts";
import { podWarnings } from "./pod-warnings.ts";
import { type Fields, keeping, type Strategy, statusOnly, strategy } from "./strategy.ts";
import { unownedTokens } from "./volumes.ts";

const fields: Fields = {
  // status.podIPs and spec.host are known labels; the first never has a value.
  names: [
    "spec.nodeName",
    "spec.host",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  read: (pod) => {
    const node = text(at(pod, "spec", "nodeName"));
    return {
      "spec.nodeName": node,
      "spec.host": node,
      "spec.restartPolicy": text(at(pod, "spec", "restartPolicy")),
      "spec.schedulerName": text(at(pod, "spec", "schedulerName")),
      "spec.serviceAccountName": text(at(pod, "spec", "serviceAccountName")),
      "spec.hostNetwork": String(at(pod, "spec", "hostNetwork") === true),
      "status.phase": text(at(pod, "status", "phase")),
      "status.podIP": text(at(pod, "status", "podIP")),
      "status.nominatedNodeName": text(at(pod, "status", "nominatedNodeName")),
    };
  },
};

const change = ["get", "patch", "update"];

export const podStrategy: Strategy = strategy(Pod, "core.Pod", {
  tracksGeneration: true,
  returnDeletedObject: true,
  graceful: true,
  fields,
  subresources: [
    { name: "attach", kind: "PodAttachOptions", verbs: ["create", "get"] },
    { name: "binding", kind: "Binding", verbs: ["create"] },
    { name: "ephemeralcontainers", kind: "Pod", verbs: change },
    { name: "eviction", kind: "Eviction", group: "policy", version: "v1", verbs: ["create"] },
    { name: "exec", kind: "PodExecOptions", verbs: ["create", "get"] },
    { name: "log", kind: "Pod", verbs: ["get"] },
    { name: "portforward", kind: "PodPortForwardOptions", verbs: ["create", "get"] },
    { name: "proxy", kind: "PodProxyOptions", verbs: ["create", "delete", "get", "patch", "update"] },
    { name: "resize", kind: "Pod", verbs: change },
  ],
  default: filled(fillPod),
  parts: { ephemeralcontainers: ephemeralContainersPart },
  prepareCreate: (made, { now, warn = () => {} }) => {
    const pod = withAppArmorFields(made, warn);
    const spec = { ...given(pod, "spec") };
    // A grace below zero was once allowed and means the shortest there is.
    if ((number(spec, "terminationGracePeriodSeconds") ?? 0) < 0) spec["terminationGracePeriodSeconds"] = 1;
    const status: JsonObject = { phase: "Pending", qosClass: qosClass(pod) };
    if (each(spec, "schedulingGates").length > 0) status["conditions"] = [gated(now)];
    return { ...pod, spec, status };
  },
  prepareUpdate: (pod, old) => keeping(pod, old, "status"),
  prepareStatusUpdate: (pod, old) => {
    const changed = statusOnly(pod, old);
    const metadata: JsonObject = { ...given(changed, "metadata") };
    for (const name of ["ownerReferences", "deletionTimestamp"]) {
      const before = at(old, "metadata", name);
      if (before === undefined) delete metadata[name];
      else metadata[name] = before;
    }
    const status: JsonObject = { ...given(changed, "status") };
    const before = at(old, "status", "qosClass");
    if (text(status["qosClass"]) === "" && before !== undefined) status["qosClass"] = before;
    return { ...changed, metadata, status };
  },
  validate: (pod) => [
    ...podSpec("spec", given(pod, "spec") ?? {}),
    ...unownedTokens("spec.volumes", given(pod, "spec") ?? {}),
    ...(each(given(pod, "spec"), "ephemeralContainers").length > 0
      ? [forbiddenField("spec.ephemeralContainers", "cannot be set on create")]
      : []),
  ],
  validateUpdate: (pod, old): FieldError[] => [
    ...podSpec("spec", given(pod, "spec") ?? {}),
    ...podUpdate(given(pod, "spec") ?? {}, given(old, "spec") ?? {}),
  ],
  // Of a changed pod nothing is said: programs change them, and often.
  warnings: (pod, old) => (old === undefined ? podWarnings(pod) : []),
  statusWarnings: (pod) => {
    const status = given(pod, "status");
    return ["podIPs", "hostIPs"].flatMap((name) =>
      each(status, name).flatMap(({ ip }, i) => addressWarnings(`status.${name}[${i}].ip`, text(ip))),
    );
  },
});

const gated = (now: string): JsonObject => ({
  type: "PodScheduled",
  status: "False",
  lastProbeTime: null,
  lastTransitionTime: now,
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
});

const counted = ["cpu", "memory"];

/** How much the pod is promised: what it asks for, all it may have, or nothing. */
export function qosClass(pod: JsonObject): "Guaranteed" | "Burstable" | "BestEffort" {
  const spec = given(pod, "spec");
  const whole = given(spec, "resources");
  const all =
    whole === undefined
      ? [...each(spec, "containers"), ...each(spec, "initContainers")].map((c) => given(c, "resources"))
      : [whole];
  let any = false;
  let guaranteed = true;
  for (const resources of all) {
    for (const name of counted) {
      const request = amount(given(resources, "requests")?.[name]);
      const limit = amount(given(resources, "limits")?.[name]);
      if (request !== undefined || limit !== undefined) any = true;
      if (limit === undefined || (request !== undefined && compareQuantity(request, limit) !== 0)) guaranteed = false;
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

function amount(value: Json | undefined) {
  const parsed = value === undefined || value === null ? undefined : parseQuantity(String(value));
  return parsed === undefined || parsed.nano === 0n ? undefined : parsed;
}
