// The admission that is part of the server: priorities, tolerations, service accounts, and what protects volumes and nodes.
import { at, type JsonObject, text } from "../json.ts";
import { forbidden, type GroupResource, StatusError } from "../status.ts";
import { each, given, list, number } from "./edit.ts";

const pods: GroupResource = { group: "", resource: "pods" };

export interface World {
  /** A PriorityClass by name. */
  priorityClass(name: string): JsonObject | undefined;
  /** The PriorityClass for pods that name none. */
  defaultPriorityClass(): JsonObject | undefined;
  /** Pods get their namespace's ServiceAccount and its token. Off as in envtest when absent. */
  readonly serviceAccounts?: {
    find(namespace: string, name: string): JsonObject | undefined;
    /** Five characters for the name of the token volume. */
    suffix(): string;
  };
}

/** A new pod as the server's own admission leaves it. Throws a StatusError to refuse. */
export function admitPod(pod: JsonObject, namespace: string, world: World): JsonObject {
  return withServiceAccount(withTolerations(withPriority(pod, world)), namespace, world);
}

/** Priority: the number behind a class, which a pod cannot choose by itself. */
function withPriority(pod: JsonObject, world: World): JsonObject {
  const spec = given(pod, "spec") ?? {};
  const name = text(at(pod, "metadata", "name"));
  const wanted = text(spec["priorityClassName"]);
  const found = wanted === "" ? world.defaultPriorityClass() : world.priorityClass(wanted);
  if (wanted !== "" && found === undefined)
    throw forbidden(pods, name, `no PriorityClass with name ${wanted} was found`);
  const priority = number(found, "value") ?? 0;
  const preemption = text(found?.["preemptionPolicy"]) || "PreemptLowerPriority";
  const asked = number(spec, "priority");
  if (asked !== undefined && asked !== priority)
    throw forbidden(
      pods,
      name,
      `the integer value of priority (${asked}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  const policy = text(spec["preemptionPolicy"]);
  if (policy !== "" && policy !== preemption)
    throw forbidden(
      pods,
      name,
      `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; priority admission controller computed ${preemption} from the given PriorityClass name`,
    );
  const className = text(at(found, "metadata", "name"));
  return {
    ...pod,
    spec: {
      ...spec,
      ...(className === "" ? {} : { priorityClassName: className }),
      priority,
      preemptionPolicy: preemption,
    },
  };
}

const tolerated = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** DefaultTolerationSeconds: five minutes on a node that is not well, unless the pod says otherwise. At every write of a pod. */
export function withTolerations(pod: JsonObject): JsonObject {
  const spec = given(pod, "spec") ?? {};
  const own = each(spec, "tolerations");
  const covers = (toleration: JsonObject, key: string): boolean => {
    const effect = text(toleration["effect"]);
    return ["", key].includes(text(toleration["key"])) && (effect === "" || effect === "NoExecute");
  };
  const missing = tolerated.filter((key) => !own.some((toleration) => covers(toleration, key)));
  if (missing.length === 0) return pod;
  const added = missing.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
  return { ...pod, spec: { ...spec, tolerations: [...own, ...added] } };
}

const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";

function withServiceAccount(pod: JsonObject, namespace: string, { serviceAccounts }: World): JsonObject {
  // A pod that mirrors one of a node's own is none of the cluster's accounts.
  if (serviceAccounts === undefined || at(pod, "metadata", "annotations", "kubernetes.io/config.mirror") !== undefined)
    return pod;
  const spec = given(pod, "spec") ?? {};
  const name = text(spec["serviceAccountName"]) || "default";
  const account = serviceAccounts.find(namespace, name);
  if (account === undefined)
    throw new StatusError(
      403,
      "Forbidden",
      `pods ${JSON.stringify(text(at(pod, "metadata", "name")))} is forbidden: error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
      { name: text(at(pod, "metadata", "name")), kind: "pods" },
    );
  const mounted = spec["automountServiceAccountToken"] ?? account["automountServiceAccountToken"] ?? true;
  const secrets = list(spec, "imagePullSecrets").length === 0 ? list(account, "imagePullSecrets") : [];
  const named: JsonObject = {
    ...spec,
    serviceAccountName: name,
    serviceAccount: name,
    ...(secrets.length === 0 ? {} : { imagePullSecrets: secrets }),
  };
  return { ...pod, spec: mounted === true ? withToken(named, serviceAccounts.suffix()) : named };
}

function withToken(spec: JsonObject, suffix: string): JsonObject {
  const existing = each(spec, "volumes").find((volume) => text(volume["name"]).startsWith("kube-api-access-"));
  const name = existing === undefined ? `kube-api-access-${suffix}` : text(existing["name"]);
  let used = false;
  const mount = (container: JsonObject): JsonObject => {
    if (each(container, "volumeMounts").some((m) => m["mountPath"] === tokenPath)) return container;
    used = true;
    const mounts = [...list(container, "volumeMounts"), { name, readOnly: true, mountPath: tokenPath }];
    return { ...container, volumeMounts: mounts };
  };
  const changed: JsonObject = { ...spec };
  for (const group of ["containers", "initContainers"])
    if (each(spec, group).length > 0) changed[group] = each(spec, group).map(mount);
  if (used && existing === undefined) changed["volumes"] = [...list(spec, "volumes"), tokenVolume(name)];
  return changed;
}

/** Seven seconds more than an hour, to tell it from what users write. */
const tokenVolume = (name: string): JsonObject => ({
  name,
  projected: {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
        },
      },
    ],
  },
});

const protections: Readonly<Record<string, string>> = {
  "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
  "/persistentvolumes": "kubernetes.io/pv-protection",
  "storage.k8s.io/volumeattributesclasses": "kubernetes.io/vac-protection",
};

/** StorageObjectInUseProtection: a new volume or claim cannot go while it is used. */
export function withProtection(object: JsonObject, resource: GroupResource): JsonObject {
  const finalizer = protections[`${resource.group}/${resource.resource}`];
  const metadata = given(object, "metadata") ?? {};
  const own = list(metadata, "finalizers");
  if (finalizer === undefined || own.includes(finalizer)) return object;
  return { ...object, metadata: { ...metadata, finalizers: [...own, finalizer] } };
}

/** TaintNodesByCondition: nothing is scheduled to a new node until it says that it is ready. */
export function withNotReadyTaint(node: JsonObject): JsonObject {
  const spec = given(node, "spec") ?? {};
  const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
  const own = each(spec, "taints");
  if (own.some((t) => t["key"] === taint.key && t["effect"] === taint.effect)) return node;
  return { ...node, spec: { ...spec, taints: [...own, taint] } };
}
