import { describe, expect, it } from "vitest";
import { instant } from "../values/time.ts";
import { growth, sum, written } from "./amounts.ts";
import { inScopes } from "./scopes.ts";
import { canGrow, isIgnored, namesCounted, overdueAt, resourcesCounted, unspecified, usageOf } from "./usage.ts";

const pods = { group: "", resource: "pods" };
const services = { group: "", resource: "services" };
const claims = { group: "", resource: "persistentvolumeclaims" };
const now = instant(Date.UTC(2026, 0, 1));
const taken = (of: typeof pods, object: object, at = now) => written(usageOf(of, object, at));

const container = (name: string, requests: object = {}, limits: object = {}, more: object = {}) => ({
  name,
  resources: { requests, limits },
  ...more,
});
const pod = (spec: object, more: object = {}) => ({ spec, status: { phase: "Pending" }, ...more });

describe("what a pod takes", () => {
  it("is its place, and what its containers ask for together, under every name", () => {
    const two = pod({
      containers: [
        container("a", { cpu: "500m", memory: "1Gi" }, { cpu: "1" }),
        container("b", { cpu: "250m", "ephemeral-storage": "1Gi" }),
      ],
    });
    expect(taken(pods, two)).toEqual({
      "count/pods": "1",
      cpu: "750m",
      "ephemeral-storage": "1Gi",
      "limits.cpu": "1",
      memory: "1Gi",
      pods: "1",
      "requests.cpu": "750m",
      "requests.ephemeral-storage": "1Gi",
      "requests.memory": "1Gi",
    });
  });

  it("is no less than its largest step of initialisation, beside the sidecars that are there by then", () => {
    const started = pod({
      initContainers: [
        container("first", { cpu: "4" }),
        container("sidecar", { cpu: "1" }, {}, { restartPolicy: "Always" }),
        container("second", { cpu: "5" }),
      ],
      containers: [container("main", { cpu: "2" })],
    });
    expect(taken(pods, started)).toMatchObject({ cpu: "6" });
    const small = pod({
      initContainers: [container("sidecar", { cpu: "1" }, {}, { restartPolicy: "Always" })],
      containers: [container("main", { cpu: "2" })],
    });
    expect(taken(pods, small)).toMatchObject({ cpu: "3" });
  });

  it("is what the pod says as a whole where it does, with its overhead", () => {
    const whole = pod({
      resources: { requests: { cpu: "3" }, limits: { cpu: "4" } },
      overhead: { cpu: "250m", memory: "10Mi" },
      containers: [container("main", { cpu: "1" })],
    });
    expect(taken(pods, whole)).toMatchObject({ cpu: "3250m", memory: "10Mi", "limits.cpu": "4250m" });
    expect(taken(pods, whole)).not.toHaveProperty(["limits.memory"]);
  });

  it("counts devices and huge pages under the names that quotas have for them", () => {
    const device = pod({ containers: [container("main", { "example.com/gpu": "2", "hugepages-2Mi": "4Mi" })] });
    expect(taken(pods, device)).toMatchObject({
      "requests.example.com/gpu": "2",
      "hugepages-2Mi": "4Mi",
      "requests.hugepages-2Mi": "4Mi",
    });
    expect(taken(pods, device)).not.toHaveProperty(["example.com/gpu"]);
  });

  it("is only its place in the list once it has ended", () => {
    for (const phase of ["Succeeded", "Failed"]) {
      const ended = { spec: { containers: [container("main", { cpu: "1" })] }, status: { phase } };
      expect(taken(pods, ended)).toEqual({ "count/pods": "1" });
    }
  });

  it("ends a grace period after the moment at which it should have been gone", () => {
    const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 30 };
    const going = pod({ containers: [container("main")] }, { metadata });
    expect(overdueAt(going)).toBe(now + 30_000);
    expect(taken(pods, going, instant(now + 30_000))).toMatchObject({ pods: "1" });
    expect(taken(pods, going, instant(now + 30_001))).toEqual({ "count/pods": "1" });
  });

  it("is not changed by nonsense", () => {
    const odd = { spec: { containers: [null, 7, { resources: { requests: { cpu: "much" } } }] }, status: [] };
    expect(taken(pods, odd)).toEqual({ "count/pods": "1", pods: "1" });
  });
});

describe("what other objects take", () => {
  const service = (spec: object) => taken(services, { spec });
  const ports = [{ port: 1 }, { port: 2, nodePort: 30_000 }];

  it("of a Service is its ports on nodes, and a load balancer", () => {
    const plain = { services: "1", "count/services": "1", "services.nodeports": "0", "services.loadbalancers": "0" };
    expect(service({ ports })).toEqual(plain);
    expect(service({ type: "NodePort", ports })).toEqual({ ...plain, "services.nodeports": "2" });
    const balanced = { ...plain, "services.nodeports": "2", "services.loadbalancers": "1" };
    expect(service({ type: "LoadBalancer", ports })).toEqual(balanced);
    expect(service({ type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports })).toEqual({
      ...balanced,
      "services.nodeports": "1",
    });
  });

  it("of a claim is its storage, also under its class", () => {
    const claim = { spec: { storageClassName: "fast", resources: { requests: { storage: "5Gi" } } } };
    expect(taken(claims, claim)).toEqual({
      "count/persistentvolumeclaims": "1",
      persistentvolumeclaims: "1",
      "requests.storage": "5Gi",
      "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
      "fast.storageclass.storage.k8s.io/requests.storage": "5Gi",
    });
    const grown = { ...claim, status: { allocatedResources: { storage: "6Gi" } } };
    expect(taken(claims, grown)).toMatchObject({ "requests.storage": "6Gi" });
  });

  it("of anything else is one, under the old name too where there is one", () => {
    expect(taken({ group: "", resource: "secrets" }, {})).toEqual({ "count/secrets": "1", secrets: "1" });
    expect(taken({ group: "apps", resource: "deployments" }, {})).toEqual({ "count/deployments.apps": "1" });
    expect(taken({ group: "example.com", resource: "secrets" }, {})).toEqual({ "count/secrets.example.com": "1" });
  });

  it("can grow for Services and claims alone", () => {
    expect([pods, services, claims, { group: "", resource: "secrets" }].map(canGrow)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe("what a quota counts", () => {
  const names = [
    "pods",
    "limits.cpu",
    "services.nodeports",
    "count/widgets.example.com",
    "secrets",
    "requests.storage",
  ];

  it("is found by the names in it", () => {
    expect(namesCounted(pods, names)).toEqual(["pods", "limits.cpu"]);
    expect(namesCounted({ group: "example.com", resource: "widgets" }, names)).toEqual(["count/widgets.example.com"]);
    expect(resourcesCounted(names)).toEqual([
      pods,
      services,
      { group: "example.com", resource: "widgets" },
      { group: "", resource: "secrets" },
      claims,
    ]);
  });

  it("is never Events, and nothing under a name that nobody knows", () => {
    expect(resourcesCounted(["count/events", "count/events.events.k8s.io", "bananas", "count/"])).toEqual([]);
    expect(isIgnored({ group: "events.k8s.io", resource: "events" })).toBe(true);
  });
});

describe("what containers have to say", () => {
  const silent = pod({
    initContainers: [container("setup", { cpu: "1" })],
    containers: [container("b"), container("a", { cpu: "1" }, { cpu: "1" })],
  });

  it("is told by name, with those that did not", () => {
    expect(unspecified(silent, ["requests.cpu", "limits.cpu", "pods"])).toBe(
      "must specify limits.cpu for: b,setup; requests.cpu for: b",
    );
  });

  it("is nothing where the quota limits nothing of the kind, or the pod speaks for them", () => {
    expect(unspecified(silent, ["pods", "requests.ephemeral-storage"])).toBeUndefined();
    const whole = pod({ resources: { requests: { cpu: "1" } }, containers: [container("a")] });
    expect(unspecified(whole, ["requests.cpu"])).toBeUndefined();
  });
});

describe("a quota with scopes", () => {
  const plain = pod({ containers: [container("main")] });
  const strong = pod({
    containers: [container("main", { cpu: "1" })],
    activeDeadlineSeconds: 0,
    priorityClassName: "high",
  });
  const both = (spec: object) => [plain, strong].map((it) => inScopes(spec, pods, it));
  const by = (operator: string, values: string[] = []) => ({
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, values }] },
  });

  it.each([
    [{}, [true, true]],
    [{ scopes: ["Terminating"] }, [false, true]],
    [{ scopes: ["NotTerminating"] }, [true, false]],
    [{ scopes: ["BestEffort"] }, [true, false]],
    [{ scopes: ["NotBestEffort"] }, [false, true]],
    [{ scopes: ["NotBestEffort", "NotTerminating"] }, [false, false]],
    [{ scopes: ["PriorityClass"] }, [false, true]],
    [by("Exists"), [false, true]],
    [by("DoesNotExist"), [true, false]],
    [by("In", ["high"]), [false, true]],
    [by("NotIn", ["high"]), [true, false]],
    [{ scopes: ["CrossNamespacePodAffinity"] }, [false, false]],
    [{ scopes: ["SomethingNew"] }, [false, false]],
  ])("%j is about a plain pod and about one with all marks: %j", (spec, expected) => {
    expect(both(spec)).toEqual(expected);
  });

  it("knows a pod that asks for neighbours of other namespaces", () => {
    const term = { topologyKey: "zone", namespaces: ["other"] };
    const affinity = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: term }] } };
    expect(inScopes({ scopes: ["CrossNamespacePodAffinity"] }, pods, pod({ affinity }))).toBe(true);
  });

  it("is about pods only", () => {
    expect(inScopes({ scopes: ["NotTerminating"] }, services, {})).toBe(false);
    expect(inScopes({}, services, {})).toBe(true);
  });
});

describe("amounts", () => {
  const of = (cpu: string) => usageOf(pods, pod({ containers: [container("main", { memory: cpu })] }), now);

  it("are written as the first part of a sum was", () => {
    expect(written(sum(of("1Gi"), of("1G")))).toMatchObject({ memory: "2073741824" });
    expect(written(sum(of("0"), of("1Gi")))).toMatchObject({ memory: "1Gi" });
  });

  it("never grow by less than nothing", () => {
    expect(written(growth(of("1Gi"), of("2Gi")))).toMatchObject({ memory: "0", pods: "0" });
  });
});
