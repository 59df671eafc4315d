// Several admissions as one, one after the other: whom one refuses, the next is not asked about.
import type { Clock, Random } from "@telltale/clock";
import type { JsonObject } from "../json.ts";
import { admitPod, type World, withNotReadyTaint, withProtection, withTolerations } from "../kinds/admission.ts";
import { brokenLimits, withUsualAmounts } from "../kinds/limit-range.ts";
import { checkOverhead, withIngressClass, withRuntimeClass } from "../kinds/runtime-class.ts";
import type { PodSecuritySettings } from "../pod-security/settings.ts";
import { ByNamespace } from "../registry/by-namespace.ts";
import { generatedName, isTerminating } from "../registry/metadata.ts";
import { forbidden } from "../status.ts";
import type { Store } from "../store/store.ts";
import type { Admission, Attributes } from "./admission.ts";
import { podSecurity } from "./pod-security.ts";

export function chain(...admissions: readonly Admission[]): Admission {
  return {
    async mutate(a) {
      let object = a.object;
      for (const admission of admissions) object = await admission.mutate({ ...a, object });
      return object;
    },
    async validate(a) {
      for (const admission of admissions) await admission.validate(a);
    },
  };
}

export interface BuiltinAdmissionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether pods get their ServiceAccount and its token, and cannot be made without one. */
  readonly serviceAccounts: boolean;
  readonly podSecurity?: PodSecuritySettings;
}

/** What is part of the server: priorities, tolerations, accounts, classes, protection of volumes, taints of nodes, pod security. */
export function builtinAdmission(options: BuiltinAdmissionOptions): Admission {
  const { store, random, serviceAccounts } = options;
  const world: World = {
    priorityClass: (name) => store.get(`${priorityClasses}${name}`)?.object(),
    defaultPriorityClass: () => lowestDefault(store.scan(priorityClasses).records.map((record) => record.object())),
    ...(serviceAccounts
      ? {
          serviceAccounts: {
            find: (namespace, name) => store.get(`//serviceaccounts/${namespace}/${name}`)?.object(),
            suffix: () => generatedName("", () => random.next()),
          },
        }
      : {}),
  };
  const runtimeClass = (name: string) => store.get(`/node.k8s.io/runtimeclasses/${name}`)?.object();
  const ingressClasses = () =>
    store.scan("/networking.k8s.io/ingressclasses/").records.map((record) => record.object());
  const checkPodSecurity = podSecurity(store, options.podSecurity ?? {}, options.clock);
  const ranges = new ByNamespace(store, "//limitranges/");
  const rangesIn = (namespace: string) => ranges.in(namespace).map((record) => record.object());
  return {
    async mutate({ operation, resource, subresource, namespace, object, name: requestName }) {
      if (subresource !== "" || object === undefined) return object;
      const { group, resource: name } = resource;
      if (operation === "UPDATE" && group === "" && name === "pods") return withTolerations(object);
      if (operation !== "CREATE") return object;
      if (group === "" && name === "pods")
        return withRuntimeClass(
          admitPod(withUsualAmounts(object, rangesIn(namespace)), namespace, world),
          requestName,
          runtimeClass,
        );
      if (group === "networking.k8s.io" && name === "ingresses") return withIngressClass(object, ingressClasses);
      if (group === "" && name === "nodes") return withNotReadyTaint(object);
      return withProtection(object, resource);
    },
    async validate(a) {
      if (ranges.has(a.namespace)) checkRanges(a, rangesIn(a.namespace));
      checkPodSecurity(a);
      if (a.operation === "CREATE" && a.subresource === "" && a.resource.group === "" && a.resource.resource === "pods")
        checkOverhead(a.object ?? {}, a.name, runtimeClass);
    },
  };
}

/** A new pod, and a claim at every change, have to keep to the limits of their namespace. */
function checkRanges(a: Attributes, ranges: readonly JsonObject[]): void {
  const { operation, resource, subresource, object } = a;
  const what = resource.group === "" && subresource === "" ? resource.resource : "";
  const isNew = operation === "CREATE";
  if (object === undefined || !((what === "pods" && isNew) || what === "persistentvolumeclaims")) return;
  if (!isNew && (a.oldObject === undefined || isTerminating(a.oldObject))) return;
  for (const range of ranges) {
    const broken = brokenLimits(range, what, object);
    if (broken.length > 0)
      throw forbidden(resource, a.name, broken.length === 1 ? (broken[0] ?? "") : `[${broken.join(", ")}]`);
  }
}

const priorityClasses = "/scheduling.k8s.io/priorityclasses/";

/** Of several defaults, which there should not be, the lowest. */
function lowestDefault(classes: readonly JsonObject[]): JsonObject | undefined {
  const value = (c: JsonObject) => (typeof c["value"] === "number" ? c["value"] : 0);
  return classes.filter((c) => c["globalDefault"] === true).sort((a, b) => value(a) - value(b))[0];
}
