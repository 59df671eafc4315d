// PodSecurity: whether a namespace lets a pod in, and what is said where it does. Templates of pods are only talked about.
import type { Clock } from "@telltale/clock";
import { deepEqual, type Ms } from "@telltale/kinds";
import { at, isObject, type JsonObject, text } from "../json.ts";
import { each, given } from "../kinds/edit.ts";
import { podLike } from "../pod-security/checks.ts";
import { explained, violations } from "../pod-security/evaluate.ts";
import {
  isPrivileged,
  isSame,
  isStricter,
  type LevelVersion,
  labelPrefix,
  policyOf,
  shownAs,
  uselessPolicy,
} from "../pod-security/policy.ts";
import { type PodSecuritySettings, readSettings } from "../pod-security/settings.ts";
import { nameOf } from "../registry/metadata.ts";
import { forbidden, internal, invalid } from "../status.ts";
import type { Store } from "../store/store.ts";
import type { Attributes } from "./admission.ts";

/** Of a pod, these say nothing about what it may do. */
const harmless = new Set(["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"]);

/** Where a kind has its template of pods. */
const templates: Readonly<Record<string, readonly string[]>> = {
  "/replicationcontrollers": ["spec", "template"],
  "/podtemplates": ["template"],
  "apps/replicasets": ["spec", "template"],
  "apps/deployments": ["spec", "template"],
  "apps/statefulsets": ["spec", "template"],
  "apps/daemonsets": ["spec", "template"],
  "batch/jobs": ["spec", "template"],
  "batch/cronjobs": ["spec", "jobTemplate", "spec", "template"],
};

/** As many pods of a namespace are looked at when its level changes, and no longer than this. */
const maxPodsChecked = 3000;
const podCheckTimeout: Ms = 1000;

/** Throws a StatusError to refuse a write. */
export function podSecurity(
  store: Store,
  settings: PodSecuritySettings,
  clock: Pick<Clock, "uptime">,
): (a: Attributes) => void {
  const { defaults, exemptions } = readSettings(settings);
  const policyIn = (labels: Readonly<Record<string, string>>) => policyOf(labels, defaults);
  const noted = (a: Attributes, name: string, value: string) => a.annotate?.(labelPrefix + name, value);
  const hasExemptRuntime = (spec: JsonObject) => exemptions.runtimeClasses.has(text(spec["runtimeClassName"]));

  /** Whether nothing is asked of the one who writes, or where. */
  function isExempt(a: Attributes): boolean {
    const why = exemptions.namespaces.has(a.namespace)
      ? "namespace"
      : a.user.username !== "" && exemptions.usernames.has(a.user.username)
        ? "user"
        : undefined;
    if (why !== undefined) noted(a, "exempt", why);
    return why !== undefined;
  }

  function policyFor(a: Attributes): ReturnType<typeof policyIn> | undefined {
    const record = store.get(`//namespaces/${a.namespace}`);
    return record === undefined ? undefined : policyIn(record.labels ?? {});
  }

  function checkPod(a: Attributes): void {
    if (harmless.has(a.subresource) || isExempt(a)) return;
    const found = policyFor(a);
    if (found === undefined) throw internal(`failed to lookup namespace ${JSON.stringify(a.namespace)}`);
    if (found.errors.length === 0 && isPrivileged(found.policy)) {
      noted(a, "enforce-policy", "privileged:latest");
      return;
    }
    const { object, oldObject } = a;
    if (object === undefined) return;
    if (a.operation === "UPDATE" && oldObject !== undefined && !isSignificant(object, oldObject)) return;
    judge(a, found, given(object, "metadata"), given(object, "spec") ?? {}, true);
  }

  function checkTemplate(a: Attributes, path: readonly string[]): void {
    if (a.subresource !== "" || isExempt(a)) return;
    const found = policyFor(a);
    if (found === undefined || a.object === undefined) return;
    const { warn, audit } = found.policy;
    if (found.errors.length === 0 && warn.level === "privileged" && audit.level === "privileged") return;
    const template = at(a.object, ...path);
    if (isObject(template)) judge(a, found, given(template, "metadata"), given(template, "spec") ?? {}, false);
  }

  function judge(
    a: Attributes,
    { policy, errors }: ReturnType<typeof policyIn>,
    metadata: JsonObject | undefined,
    spec: JsonObject,
    enforced: boolean,
  ): void {
    if (hasExemptRuntime(spec)) {
      noted(a, "exempt", "runtimeClass");
      return;
    }
    if (errors.length > 0) {
      const lines = errors.map(({ field, body }) => `${field}: ${body}`);
      noted(a, "error", `Failed to parse policy: ${lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`}`);
    }
    const pod = podLike(metadata, spec);
    const violated = (level: LevelVersion) => {
      const found = violations(level, pod);
      return found.length === 0 ? undefined : `violate PodSecurity "${shownAs(level)}": ${explained(found)}`;
    };
    const audited = violated(policy.audit);
    if (audited !== undefined) noted(a, "audit-violations", `would ${audited}`);
    if (enforced) {
      noted(a, "enforce-policy", shownAs(policy.enforce));
      const found = violated(policy.enforce);
      if (found !== undefined) throw forbidden(a.resource, a.name, found.replace("violate", "violates"));
    }
    const warned = violated(policy.warn);
    if (warned !== undefined) a.warn(`would ${warned}`);
  }

  function checkNamespace(a: Attributes): void {
    if (a.subresource !== "" || a.object === undefined) return;
    const name = nameOf(a.object);
    const labels = labelsOf(a.object);
    const { policy, errors } = policyIn(labels);
    const before = a.operation === "UPDATE" && a.oldObject !== undefined ? policyIn(labelsOf(a.oldObject)) : undefined;
    if (errors.length > 0 && !deepEqual(errors, before?.errors)) throw invalid("", "Namespace", a.name, errors);
    if (before !== undefined && !isTightened(policy.enforce, before.policy.enforce)) return;
    if (exemptions.namespaces.has(name)) {
      const useless = uselessPolicy(labels, policy, defaults);
      if (useless !== undefined)
        a.warn(`namespace "${name}" is exempt from Pod Security, and the policy (${useless}) will be ignored`);
    } else if (before !== undefined) for (const warning of violatedBy(name, policy.enforce)) a.warn(warning);
  }

  /** What the pods that are there already do against a new level. */
  function violatedBy(name: string, enforce: LevelVersion): string[] {
    const deadline = clock.uptime() + podCheckTimeout;
    const { records } = store.scan(`//pods/${name}/`);
    const pods = oneOfEachFirst(
      records.map((it) => it.object()).filter((it) => !hasExemptRuntime(given(it, "spec") ?? {})),
    );
    const byReason = new Map<string, string[]>();
    let checked = 0;
    for (const pod of pods.slice(0, maxPodsChecked)) {
      checked += 1;
      const found = violations(enforce, podLike(given(pod, "metadata"), given(pod, "spec") ?? {}));
      const reason = found.map((it) => it.reason).join(", ");
      if (found.length > 0) {
        const names = byReason.get(reason);
        if (names === undefined) byReason.set(reason, [nameOf(pod)]);
        else names.push(nameOf(pod));
      }
      if (clock.uptime() > deadline) break;
    }
    const lines = [...byReason].map(([reason, names]) => `${names.sort()[0]}${others(names.length - 1)}: ${reason}`);
    const level = shownAs(enforce);
    return [
      ...(checked === pods.length
        ? []
        : [`new PodSecurity enforce level only checked against the first ${checked} of ${pods.length} existing pods`]),
      ...(lines.length === 0
        ? []
        : [`existing pods in namespace "${name}" violate the new PodSecurity enforce level "${level}"`]),
      ...lines.sort(),
    ];
  }

  return (a) => {
    if (a.operation !== "CREATE" && a.operation !== "UPDATE") return;
    const { group, resource } = a.resource;
    const template = templates[`${group}/${resource}`];
    if (template !== undefined) checkTemplate(a, template);
    else if (group === "" && resource === "pods") checkPod(a);
    else if (group === "" && resource === "namespaces") checkNamespace(a);
  };
}

const labelsOf = (object: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(given(given(object, "metadata"), "labels") ?? {}).map(([k, v]) => [k, text(v)]));

/** Whether pods that were fine may not be any more. */
const isTightened = (next: LevelVersion, before: LevelVersion): boolean =>
  next.level !== "privileged" &&
  !isSame(next, before) &&
  (next.minor !== before.minor || isStricter(next.level, before.level));

const others = (count: number): string =>
  count === 0 ? "" : count === 1 ? " (and 1 other pod)" : ` (and ${count} other pods)`;

/** One pod of every controller before its further ones, so that as many kinds of pods as can be are looked at. */
function oneOfEachFirst(pods: readonly JsonObject[]): JsonObject[] {
  const seen = new Set<string>();
  const first: JsonObject[] = [];
  const further: JsonObject[] = [];
  for (const pod of pods) {
    const owner = each(given(pod, "metadata"), "ownerReferences").find((it) => it["controller"] === true);
    const uid = owner === undefined ? undefined : text(owner["uid"]);
    if (uid !== undefined && seen.has(uid)) further.push(pod);
    else first.push(pod);
    if (uid !== undefined) seen.add(uid);
  }
  return [...first, ...further];
}

/** Of what an update of a pod may change, new images and new containers can do harm. */
function isSignificant(pod: JsonObject, before: JsonObject): boolean {
  const images = (object: JsonObject, group: string) =>
    each(given(object, "spec"), group).map((it) => it["image"] ?? "");
  const changed = ["containers", "initContainers"].some(
    (group) => !deepEqual(images(pod, group), images(before, group)),
  );
  const known = new Map(
    each(given(before, "spec"), "ephemeralContainers").map((it) => [it["name"], it["image"] ?? ""]),
  );
  const added = each(given(pod, "spec"), "ephemeralContainers");
  return changed || added.some((it) => known.get(it["name"] ?? "") !== (it["image"] ?? ""));
}
