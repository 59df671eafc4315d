import { describe, expect, test } from "vitest";
import { builtinStrategy as kind } from "../../test/strategies.ts";
import { serviceAllocator } from "./allocator.ts";
import { allStrategies } from "./builtin.ts";

const now = "2026-01-01T00:00:00Z";

describe("the list of built-in kinds", () => {
  test("is the discovery table", () => {
    const table: Readonly<Record<string, string>> = {
      "": "bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services",
      "apiregistration.k8s.io": "apiservices",
      apps: "controllerrevisions daemonsets deployments replicasets statefulsets",
      "events.k8s.io": "events",
      "authentication.k8s.io": "selfsubjectreviews tokenreviews",
      "authorization.k8s.io":
        "localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews",
      autoscaling: "horizontalpodautoscalers",
      batch: "cronjobs jobs",
      "certificates.k8s.io": "certificatesigningrequests",
      "networking.k8s.io": "ingressclasses ingresses ipaddresses networkpolicies servicecidrs",
      policy: "poddisruptionbudgets",
      "rbac.authorization.k8s.io": "clusterrolebindings clusterroles rolebindings roles",
      "storage.k8s.io":
        "csidrivers csinodes csistoragecapacities storageclasses volumeattachments volumeattributesclasses",
      "admissionregistration.k8s.io":
        "mutatingwebhookconfigurations validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations",
      "apiextensions.k8s.io": "customresourcedefinitions",
      "scheduling.k8s.io": "priorityclasses",
      "coordination.k8s.io": "leases",
      "node.k8s.io": "runtimeclasses",
      "discovery.k8s.io": "endpointslices",
      "resource.k8s.io": "deviceclasses resourceclaims resourceclaimtemplates resourceslices",
      "flowcontrol.apiserver.k8s.io": "flowschemas prioritylevelconfigurations",
    };
    const expected = Object.entries(table).flatMap(([group, names]) =>
      names.split(" ").map((name) => `${group}/${name}`),
    );
    const kinds = allStrategies.map(({ kind }) => kind);
    const served = new Set(kinds.map(({ group, plural }) => `${group}/${plural}`));
    expect([...served].sort()).toEqual(expected.sort());
    expect(kinds.find(({ plural }) => plural === "horizontalpodautoscalers")?.version).toBe("v2");
  });

  test("a Job with the labels of its pods keeps them, one without gets those of its pods", () => {
    const context = { ...serviceAllocator(), uid: "u", now };
    const job = (labels: object) => ({
      metadata: { name: "a", ...labels },
      spec: { template: { metadata: { labels: { app: "a" } }, spec: { containers: [] } } },
    });
    const labelsOf = (made: unknown) => (made as { metadata: { labels: object } }).metadata.labels;
    const { prepareCreate, default: filled } = kind("batch", "Job");
    expect(labelsOf(prepareCreate(filled(job({ labels: { app: "a" } })), context))).toEqual({ app: "a" });
    expect(Object.keys(labelsOf(prepareCreate(filled(job({})), context)))).toContain("job-name");
  });

  test("every strategy passes an empty object without an exception", () => {
    const context = { ...serviceAllocator(), uid: "u", now };
    for (const one of allStrategies) {
      const empty = one.default({ apiVersion: one.kind.apiVersion, kind: one.kind.kind, metadata: { name: "a" } });
      const made = one.prepareCreate(empty, context);
      one.validate(made);
      one.validateUpdate(one.prepareUpdate(made, made, context), made);
      one.prepareStatusUpdate(made, made, context);
      expect(one.selectable(made)["metadata.name"], one.kind.kind).toBe("a");
    }
  });

  test("U19 generation is tracked where it is", () => {
    const tracked = ["Pod", "PodTemplate", "ReplicationController"];
    for (const name of ["ConfigMap", "Secret", "Service", "Namespace", "ResourceQuota", "LimitRange", ...tracked])
      expect(kind("", name).tracksGeneration, name).toBe(tracked.includes(name));
    expect(kind("autoscaling", "HorizontalPodAutoscaler", "v2").tracksGeneration).toBe(false);
    expect(kind("discovery.k8s.io", "EndpointSlice").tracksGeneration).toBe(true);
  });

  test("U05, U10 who may be created by PUT, and who needs a resourceVersion", () => {
    const creates = allStrategies.filter((one) => one.allowCreateOnUpdate).map((one) => one.kind.kind);
    expect(new Set(creates)).toEqual(
      new Set([
        "Lease",
        "Endpoints",
        "Event",
        "LimitRange",
        "Service",
        "RuntimeClass",
        "Role",
        "RoleBinding",
        "ClusterRole",
        "ClusterRoleBinding",
      ]),
    );
    expect(kind("coordination.k8s.io", "Lease").allowUnconditionalUpdate).toBe(false);
    expect(kind("policy", "PodDisruptionBudget").allowUnconditionalUpdate).toBe(false);
    expect(kind("apps", "Deployment").allowUnconditionalUpdate).toBe(true);
  });
});
