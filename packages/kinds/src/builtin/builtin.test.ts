import { describe, expect, it } from "vitest";
import type { KindRef } from "../object.ts";
import * as builtin from "./index.ts";

// The discovery table of the API server specification (Appendix B), the columns that a kind knows about itself:
// `resource Kind scope [shortNames] {categories} /subresources`. Kinds without types of their own are left out.
const discovery: Readonly<Record<string, string>> = {
  v1: `
    bindings Binding ns
    componentstatuses ComponentStatus cl [cs]
    configmaps ConfigMap ns [cm]
    endpoints Endpoints ns [ep]
    events Event ns [ev]
    limitranges LimitRange ns [limits]
    namespaces Namespace cl [ns] /status
    nodes Node cl [no] /status
    persistentvolumeclaims PersistentVolumeClaim ns [pvc] /status
    persistentvolumes PersistentVolume cl [pv] /status
    pods Pod ns [po] {all} /status
    podtemplates PodTemplate ns
    replicationcontrollers ReplicationController ns [rc] {all} /scale /status
    resourcequotas ResourceQuota ns [quota] /status
    secrets Secret ns
    serviceaccounts ServiceAccount ns [sa]
    services Service ns [svc] {all} /status`,
  "apps/v1": `
    controllerrevisions ControllerRevision ns
    daemonsets DaemonSet ns [ds] {all} /status
    deployments Deployment ns [deploy] {all} /scale /status
    replicasets ReplicaSet ns [rs] {all} /scale /status
    statefulsets StatefulSet ns [sts] {all} /scale /status`,
  "events.k8s.io/v1": `
    events Event ns [ev]`,
  "authentication.k8s.io/v1": `
    selfsubjectreviews SelfSubjectReview cl
    tokenreviews TokenReview cl`,
  "authorization.k8s.io/v1": `
    localsubjectaccessreviews LocalSubjectAccessReview ns
    selfsubjectaccessreviews SelfSubjectAccessReview cl
    selfsubjectrulesreviews SelfSubjectRulesReview cl
    subjectaccessreviews SubjectAccessReview cl`,
  "autoscaling/v2": `
    horizontalpodautoscalers HorizontalPodAutoscaler ns [hpa] {all} /status`,
  "autoscaling/v1": `
    horizontalpodautoscalers HorizontalPodAutoscaler ns [hpa] {all} /status`,
  "batch/v1": `
    cronjobs CronJob ns [cj] {all} /status
    jobs Job ns {all} /status`,
  "certificates.k8s.io/v1": `
    certificatesigningrequests CertificateSigningRequest cl [csr] /status`,
  "networking.k8s.io/v1": `
    ingressclasses IngressClass cl
    ingresses Ingress ns [ing] /status
    networkpolicies NetworkPolicy ns [netpol]`,
  "policy/v1": `
    poddisruptionbudgets PodDisruptionBudget ns [pdb] /status`,
  "rbac.authorization.k8s.io/v1": `
    clusterrolebindings ClusterRoleBinding cl
    clusterroles ClusterRole cl
    rolebindings RoleBinding ns
    roles Role ns`,
  "storage.k8s.io/v1": `
    csidrivers CSIDriver cl
    csinodes CSINode cl
    csistoragecapacities CSIStorageCapacity ns
    storageclasses StorageClass cl [sc]
    volumeattachments VolumeAttachment cl /status`,
  "admissionregistration.k8s.io/v1": `
    mutatingwebhookconfigurations MutatingWebhookConfiguration cl {api-extensions}
    validatingadmissionpolicies ValidatingAdmissionPolicy cl {api-extensions} /status
    validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cl {api-extensions}
    validatingwebhookconfigurations ValidatingWebhookConfiguration cl {api-extensions}`,
  "apiextensions.k8s.io/v1": `
    customresourcedefinitions CustomResourceDefinition cl [crd,crds] {api-extensions} /status`,
  "scheduling.k8s.io/v1": `
    priorityclasses PriorityClass cl [pc]`,
  "coordination.k8s.io/v1": `
    leases Lease ns`,
  "node.k8s.io/v1": `
    runtimeclasses RuntimeClass cl`,
  "discovery.k8s.io/v1": `
    endpointslices EndpointSlice ns`,
  "flowcontrol.apiserver.k8s.io/v1": `
    flowschemas FlowSchema cl /status
    prioritylevelconfigurations PriorityLevelConfiguration cl /status`,
};

/** Kinds that only subresources speak: no resource is named after them. */
const subresourceKinds = ["authentication.k8s.io/v1 TokenRequest", "autoscaling/v1 Scale", "policy/v1 Eviction"];

const kinds: readonly KindRef[] = Object.values(builtin);
const nameOf = (kind: KindRef) => `${kind.apiVersion} ${kind.kind}`;

/** A kind as the line that discovery has for it. */
function line(kind: KindRef): string {
  return [
    kind.plural,
    kind.kind,
    kind.scope === "Cluster" ? "cl" : "ns",
    ...(kind.shortNames.length === 0 ? [] : [`[${kind.shortNames}]`]),
    ...(kind.categories.length === 0 ? [] : [`{${kind.categories}}`]),
    ...(kind.subresources.scale ? ["/scale"] : []),
    ...(kind.subresources.status ? ["/status"] : []),
  ].join(" ");
}

describe("built-in kinds", () => {
  it.each(Object.entries(discovery))("%s has the names, scopes and subresources of discovery", (apiVersion, table) => {
    const expected = table.trim().split(/\n\s*/).sort();
    const found = kinds.filter((k) => k.apiVersion === apiVersion && !subresourceKinds.includes(nameOf(k)));
    expect(found.map(line).sort()).toEqual(expected);
  });

  it("covers no group that discovery does not have", () => {
    const known = new Set(Object.keys(discovery));
    expect(kinds.filter((k) => !known.has(k.apiVersion)).map(nameOf)).toEqual([]);
  });

  it.each(subresourceKinds)("%s is there, namespaced, for the subresource that speaks it", (name) => {
    expect(kinds.find((k) => nameOf(k) === name)).toMatchObject({
      scope: "Namespaced",
      subresources: { status: false, scale: false },
    });
  });

  it("names the core group by its version alone", () => {
    expect(builtin.Pod.apiVersion).toBe("v1");
    expect(builtin.CoreEvent).toMatchObject({ apiVersion: "v1", kind: "Event", plural: "events" });
    expect(builtin.Event).toMatchObject({ apiVersion: "events.k8s.io/v1", kind: "Event", plural: "events" });
  });

  it("derives singular and list kind from the kind", () => {
    expect(kinds.map((k) => k.singular)).toEqual(kinds.map((k) => k.kind.toLowerCase()));
    expect(kinds.map((k) => k.listKind)).toEqual(kinds.map((k) => `${k.kind}List`));
  });

  it("cannot be changed", () => {
    expect(kinds.filter((k) => !Object.isFrozen(k)).map(nameOf)).toEqual([]);
  });

  it("carries the type of its objects", () => {
    const pod: NonNullable<(typeof builtin.Pod)["~object"]> = { metadata: { name: "a" }, spec: { containers: [] } };
    const same: builtin.Pod = pod;
    // @ts-expect-error a pod has no replicas
    const wrong: builtin.Pod = { spec: { replicas: 1 } };
    expect([same, wrong]).toHaveLength(2);
  });
});
