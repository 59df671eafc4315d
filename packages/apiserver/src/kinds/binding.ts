// Binding: a pod gets its node, once.
import { at, type JsonObject, text } from "../json.ts";
import { conflict, raw, type StatusError } from "../status.ts";
import { each, given } from "./edit.ts";

/** The bound pod, or why it cannot be bound. */
export function bindPod(
  pod: JsonObject,
  binding: JsonObject,
  now: string,
): { readonly pod: JsonObject } | { readonly error: StatusError } {
  const kind = text(at(binding, "target", "kind"));
  const node = text(at(binding, "target", "name"));
  if (kind !== "" && kind !== "Node")
    return {
      error: raw(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`),
    };
  if (node === "") return { error: raw("target.name: Required value") };
  const name = text(at(pod, "metadata", "name"));
  const refuse = (why: string) => ({ error: conflict({ group: "", resource: "pods/binding" }, name, why) });
  if (at(pod, "metadata", "deletionTimestamp") !== undefined)
    return refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  const bound = text(at(pod, "spec", "nodeName"));
  if (bound !== "") return refuse(`pod ${name} is already assigned to node ${JSON.stringify(bound)}`);
  if (each(given(pod, "spec"), "schedulingGates").length > 0)
    return refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  return { pod: scheduled(pod, binding, node, now) };
}

function scheduled(pod: JsonObject, binding: JsonObject, node: string, now: string): JsonObject {
  const metadata = given(pod, "metadata") ?? {};
  const more = given(given(binding, "metadata"), "annotations") ?? {};
  const annotations = { ...given(metadata, "annotations"), ...more };
  const status = given(pod, "status") ?? {};
  const others = each(status, "conditions").filter((condition) => condition["type"] !== "PodScheduled");
  return {
    ...pod,
    metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations },
    spec: { ...given(pod, "spec"), nodeName: node },
    status: {
      ...status,
      conditions: [...others, { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now }],
    },
  };
}
