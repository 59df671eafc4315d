import type { KubeObject } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import { standardConfig } from "../config.ts";
import { clusterctlMetadata, components, componentsFile } from "./components.ts";
import type { Provider } from "./provider.ts";

const of = (provider: Provider, more = {}) =>
  components({
    provider,
    config: standardConfig,
    namespace: "capt-system",
    image: "example.com/capt:1",
    args: ["--leader-elect=true"],
    ...more,
  });
const named = (objects: readonly KubeObject[], kind: string) =>
  objects.flatMap((it) => (it.kind === kind ? [it.metadata?.name] : []));

describe("what clusterctl installs", () => {
  test("2.1 has the definitions of one provider, and its label on everything", () => {
    expect(named(of("control-plane"), "CustomResourceDefinition")).toEqual([
      "captcontrolplanes.controlplane.cluster.x-k8s.io",
      "captcontrolplanetemplates.controlplane.cluster.x-k8s.io",
    ]);
    expect(named(of("infrastructure"), "CustomResourceDefinition")).toHaveLength(8);
    for (const provider of ["infrastructure", "control-plane"] as const) {
      for (const { metadata } of of(provider))
        expect(metadata?.labels).toMatchObject({ "cluster.x-k8s.io/provider": `${provider}-capt` });
    }
  });

  test("has nothing twice, so that either can go without the other", () => {
    const keys = [...of("infrastructure"), ...of("control-plane", { namespace: "capt-control-plane-system" })].map(
      ({ kind, metadata }) => `${kind} ${metadata?.namespace ?? ""}/${metadata?.name}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("brings the Workspace along only where it is asked to", () => {
    const name = "workspaces.tf.upbound.io";
    expect(named(of("infrastructure"), "CustomResourceDefinition")).not.toContain(name);
    expect(named(of("infrastructure", { withWorkspaces: true }), "CustomResourceDefinition")).toContain(name);
    expect(named(of("control-plane", { withWorkspaces: true }), "CustomResourceDefinition")).not.toContain(name);
  });

  test("gives the control plane's process no rights of the bridge or the runner", () => {
    expect(named(of("control-plane"), "ClusterRole")).toContain("capt-control-plane-manager");
    for (const part of ["cluster-bridge", "runner", "machines"])
      expect(named(of("control-plane"), "ClusterRole")).not.toContain(`capt-control-plane-${part}`);
    expect(named(of("infrastructure"), "ClusterRole")).toContain("capt-runner");
  });

  test("2.1 says which contract a release is for, in a file that clusterctl looks for", () => {
    expect(clusterctlMetadata([{ major: 0, minor: 1 }])).toEqual({
      apiVersion: "clusterctl.cluster.x-k8s.io/v1alpha3",
      kind: "Metadata",
      releaseSeries: [{ major: 0, minor: 1, contract: "v1beta2" }],
    });
    expect(componentsFile("control-plane")).toBe("control-plane-components.yaml");
  });
});

describe("the Deployment", () => {
  const podOf = (objects: readonly KubeObject[]) => {
    const found = objects.find(({ kind }) => kind === "Deployment") as { spec?: { template?: { spec?: unknown } } };
    return found.spec?.template?.spec as Record<string, unknown>;
  };

  test("13.5 is nobody's, writes to its own volumes only, and has its container named manager", () => {
    expect(podOf(of("infrastructure"))).toMatchObject({
      serviceAccountName: "capt",
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "manager",
          image: "example.com/capt:1",
          args: ["--leader-elect=true"],
          ports: [{ containerPort: 8080 }, { containerPort: 8081 }],
          readinessProbe: { httpGet: { path: "/readyz", port: "health" } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
          volumeMounts: [{ name: "runs", mountPath: "/var/lib/capt" }, { name: "tmp" }],
        },
      ],
      volumes: [{ name: "runs" }, { name: "tmp" }],
    });
  });

  test("12.8 has longer than a cancelled run takes to stop", () => {
    expect(podOf(of("infrastructure"))["terminationGracePeriodSeconds"]).toBeGreaterThan(75);
  });

  test("writes nowhere where nothing is run", () => {
    expect(podOf(of("control-plane"))).not.toHaveProperty("volumes");
    const config = { ...standardConfig, runner: { ...standardConfig.runner, kind: "none" as const } };
    expect(podOf(of("infrastructure", { config }))).not.toHaveProperty("volumes");
  });
});
