// RuntimeClass: what a class of runtimes costs a pod, and where it has to run. The words are those of Kubernetes. Pure.
import { compareQuantity, deepEqual, parseQuantity } from "@telltale/kinds";
import { type JsonObject, text } from "../json.ts";
import { forbidden, type GroupResource } from "../status.ts";
import { each, given, number } from "./edit.ts";

const pods: GroupResource = { group: "", resource: "pods" };

type FindClass = (name: string) => JsonObject | undefined;

/** A new pod with the overhead, the node selector and the tolerations of its class. Throws a StatusError to refuse. */
export function withRuntimeClass(pod: JsonObject, podName: string, find: FindClass): JsonObject {
  const runtime = classOf(pod, podName, find);
  if (runtime === undefined) return pod;
  const spec: JsonObject = { ...given(pod, "spec") };
  const overhead = given(runtime, "overhead");
  if (overhead !== undefined) {
    const own = given(spec, "overhead") ?? {};
    const fixed = given(overhead, "podFixed") ?? {};
    if (Object.keys(own).length > 0 && !isSameAmounts(own, fixed)) throw otherOverhead(podName);
    if (Object.keys(fixed).length > 0) spec["overhead"] = fixed;
  }
  const scheduling = given(runtime, "scheduling");
  if (scheduling !== undefined) {
    const selector = { ...given(spec, "nodeSelector") };
    for (const [key, value] of Object.entries(given(scheduling, "nodeSelector") ?? {})) {
      const own = selector[key];
      if (own !== undefined && own !== value)
        throw forbidden(
          pods,
          podName,
          `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
        );
      selector[key] = value;
    }
    if (Object.keys(selector).length > 0) spec["nodeSelector"] = selector;
    const tolerations = merged([...each(spec, "tolerations"), ...each(scheduling, "tolerations")]);
    if (tolerations.length > 0) spec["tolerations"] = tolerations;
  }
  return { ...pod, spec };
}

/** Throws a StatusError for a pod whose overhead is not that of its class. */
export function checkOverhead(pod: JsonObject, podName: string, find: FindClass): void {
  const overhead = given(classOf(pod, podName, find), "overhead");
  const own = given(given(pod, "spec"), "overhead");
  if (overhead === undefined) {
    if (own !== undefined)
      throw forbidden(
        pods,
        podName,
        "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
      );
  } else if (!isSameAmounts(own ?? {}, given(overhead, "podFixed") ?? {})) throw otherOverhead(podName);
}

const otherOverhead = (podName: string) =>
  forbidden(pods, podName, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");

function classOf(pod: JsonObject, podName: string, find: FindClass): JsonObject | undefined {
  const name = given(pod, "spec")?.["runtimeClassName"];
  if (typeof name !== "string") return undefined;
  const found = find(name);
  if (found === undefined) throw forbidden(pods, podName, `pod rejected: RuntimeClass "${name}" not found`);
  return found;
}

function isSameAmounts(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [one, other] = [parseQuantity(amount(a, name)), parseQuantity(amount(b, name))];
    return one !== undefined && other !== undefined && compareQuantity(one, other) === 0;
  });
}

const amount = (amounts: JsonObject, name: string): string | number => number(amounts, name) ?? text(amounts[name]);

/** Without those that another covers; of two that are equal, the first. */
function merged(all: readonly JsonObject[]): JsonObject[] {
  const kept: JsonObject[] = [];
  all.forEach((toleration, i) => {
    const later = all.slice(i + 1).filter((it) => !deepEqual(parts(it), parts(toleration)));
    if (![...kept, ...later].some((it) => covers(it, toleration))) kept.push(toleration);
  });
  return kept;
}

/** Absent and empty are the same. */
const parts = (toleration: JsonObject) => ({
  key: text(toleration["key"]),
  operator: text(toleration["operator"]),
  value: text(toleration["value"]),
  effect: text(toleration["effect"]),
  seconds: number(toleration, "tolerationSeconds") ?? null,
});

/** Whether one tolerates all that another does. */
function covers(wide: JsonObject, narrow: JsonObject): boolean {
  const [w, n] = [parts(wide), parts(narrow)];
  if (deepEqual(w, n)) return true;
  if (n.key !== w.key && (w.key !== "" || w.operator !== "Exists")) return false;
  if (n.effect !== w.effect && w.effect !== "") return false;
  if (w.effect === "NoExecute" && w.seconds !== null && (n.seconds === null || n.seconds > w.seconds)) return false;
  if (w.operator === "Exists") return true;
  return (w.operator === "Equal" || w.operator === "") && n.operator === "Equal" && n.value === w.value;
}

/** A new Ingress that names no class has the newest of the default ones. */
export function withIngressClass(ingress: JsonObject, classes: () => readonly JsonObject[]): JsonObject {
  const spec = given(ingress, "spec") ?? {};
  const annotations = given(given(ingress, "metadata"), "annotations") ?? {};
  if (typeof spec["ingressClassName"] === "string") return ingress;
  if (Object.hasOwn(annotations, "kubernetes.io/ingress.class")) return ingress;
  const isDefault = (it: JsonObject) =>
    given(given(it, "metadata"), "annotations")?.["ingressclass.kubernetes.io/is-default-class"] === "true";
  const created = (it: JsonObject) => text(given(it, "metadata")?.["creationTimestamp"]);
  const name = (it: JsonObject) => text(given(it, "metadata")?.["name"]);
  // Newest first, and by name within one second: the times are all written alike.
  const [first] = classes()
    .filter(isDefault)
    .sort((a, b) => (created(a) === created(b) ? (name(a) < name(b) ? -1 : 1) : created(a) > created(b) ? -1 : 1));
  return first === undefined ? ingress : { ...ingress, spec: { ...spec, ingressClassName: name(first) } };
}
