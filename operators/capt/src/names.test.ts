import { isDnsSubdomain } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  annotations,
  controlPlaneApplyName,
  controlPlaneConnectionName,
  finalizers,
  kubeconfigApplyName,
  kubeconfigOutputsName,
  kubeconfigSecretName,
  labels,
  labelValue,
  leaseName,
  stateSecretName,
  vpcApplyName,
  workspaceBase,
  workspaceName,
} from "./names.ts";

test("2.2 children are called as those of older installations are", () => {
  expect([
    vpcApplyName("demo-net"),
    controlPlaneApplyName("demo-cp"),
    kubeconfigApplyName("demo-cp"),
    controlPlaneConnectionName("demo-cp"),
    kubeconfigOutputsName("demo"),
    kubeconfigSecretName("demo"),
  ]).toEqual([
    "demo-net-vpc",
    "demo-cp-eks-controlplane-apply",
    "demo-cp-kubeconfig-apply",
    "demo-cp-eks-connection",
    "demo-outputs-kubeconfig",
    "demo-kubeconfig",
  ]);
});

test("2.2 labels, annotations and finalizers are what others look for", () => {
  expect([finalizers.captCluster, finalizers.captControlPlane, finalizers.workspaceTemplateApply]).toEqual([
    "infrastructure.cluster.x-k8s.io/captcluster",
    "controlplane.cluster.x-k8s.io/captcontrolplane",
    "infrastructure.cluster.x-k8s.io/finalizer",
  ]);
  expect([labels.clusterName, annotations.paused, annotations.resetFailure, labels.applyName]).toEqual([
    "cluster.x-k8s.io/cluster-name",
    "cluster.x-k8s.io/paused",
    "capt.infrastructure.cluster.x-k8s.io/reset-failure",
    "capt.infrastructure.cluster.x-k8s.io/apply-name",
  ]);
});

describe("6.4 the name of a Workspace", () => {
  const apply = { namespace: "t1", name: "demo-cp-eks-controlplane-apply" };

  test("is that of the apply without the word apply, where it has a namespace", () => {
    expect(workspaceName(apply, "Namespaced")).toBe("demo-cp-eks-controlplane");
    expect(workspaceBase("demo-net-vpc")).toBe("demo-net-vpc");
    expect(workspaceBase("apply-apply")).toBe("apply");
  });

  test("tells equal names of two namespaces apart, where it has none", () => {
    const [one, other] = ["t1", "t2"].map((namespace) => workspaceName({ ...apply, namespace }, "Cluster"));
    expect(one).toBe("demo-cp-eks-controlplane-4203fc45");
    expect(other).not.toBe(one);
    expect(other?.startsWith("demo-cp-eks-controlplane-")).toBe(true);
  });

  test("is a name that a server takes, whatever the apply is called", () => {
    const part = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), part, (parts, namespace) => {
        const name = workspaceName({ namespace, name: parts.join(".") }, "Cluster");
        expect(isDnsSubdomain(name), name).toBe(true);
        expect(name.length).toBeLessThanOrEqual(59);
      }),
      { seed: 1 },
    );
  });
});

test("a name that is too long for a label is cut there, and stays different from others", () => {
  const long = (end: string) => `${"a".repeat(100)}${end}`;
  expect(labelValue("demo")).toBe("demo");
  expect(labelValue(long("x"))).toHaveLength(63);
  expect(labelValue(long("x"))).not.toBe(labelValue(long("y")));
});

test("12.8 the parts of a state are numbered, the first has the plain name", () => {
  expect([stateSecretName("u1"), stateSecretName("u1", 2)]).toEqual(["capt-tfstate-u1", "capt-tfstate-u1-2"]);
});

test("7.3 processes that run the same parts share a lease, whatever the order", () => {
  expect(leaseName(["control-plane", "infrastructure"])).toBe(leaseName(["infrastructure", "control-plane"]));
  expect(leaseName(["infrastructure"])).not.toBe(leaseName(["control-plane"]));
  expect(leaseName([])).toMatch(/^capt-[0-9a-f]{8}$/);
});
