import type { KubeObject } from "@telltale/kinds";
import type { Cache, Labels, Sample } from "@telltale/runtime";
import { describe, expect, test } from "vitest";
import { CAPTCluster, CAPTControlPlane, Workspace } from "./kinds/index.ts";
import { type CaptMetrics, captFamilies, captMetrics, managedMetrics } from "./metrics.ts";

const none = { held: () => [] };

/** What was told: `name{a="b"} 1`. */
function told(act: (metrics: CaptMetrics) => void, policy: "terminal" | "degraded" = "terminal"): string[] {
  const lines: string[] = [];
  const tell = (name: keyof ReturnType<typeof captFamilies>, labels: Labels = {}, value = 1) => {
    expect(Object.keys(labels)).toEqual([...captFamilies(none)[name].labels]);
    lines.push(`${name} ${Object.values(labels).join(" ")} ${value}`);
  };
  act(captMetrics({ tell }, policy));
  return lines;
}
const sampled = (sample: Sample, policy?: "degraded") => told(({ sink }) => sink(sample), policy);

describe("10.6 the operator's own metrics", () => {
  test("count passes and their time", () => {
    expect(sampled({ is: "pass", controller: "captcluster", result: "requeue", took: 250 })).toEqual([
      "capt_reconcile_total captcluster requeue 1",
      "capt_reconcile_seconds captcluster 0.25",
    ]);
  });

  test.each([
    ["written", "written"],
    ["unchanged", "skipped"],
    ["deferred", "skipped"],
    ["conflict", "conflict"],
    ["failed", "error"],
  ] as const)("call a status that was %s %s", (outcome, result) => {
    const sample: Sample = { is: "status", controller: "a", kind: "CAPTCluster", outcome, significance: "detail" };
    expect(sampled(sample)).toEqual([`capt_status_writes_total CAPTCluster ${result} 1`]);
  });

  test("have how long a phase lasted", () => {
    const phase = { is: "phase", controller: "a", kind: "CAPTControlPlane", to: "Ready" } as const;
    expect(sampled({ ...phase, from: "Creating", after: 90_000 })).toEqual([
      "capt_phase_transition_seconds CAPTControlPlane Creating Ready 90",
    ]);
    expect(sampled(phase)).toEqual([]);
  });

  const flip = (kind: string, type: string, status: string, reason: string): Sample => ({
    is: "flip",
    controller: "a",
    kind,
    type,
    status,
    reason,
  });

  test.each([
    ["CAPTCluster", "VPCFailed", "VPCReadyTimeout", "vpc"],
    ["CAPTCluster", "VPCFailed", "SecretTimeout", "secret"],
    ["CAPTControlPlane", "Failed", "ControlPlaneTimeout", "controlPlane"],
    ["CAPTControlPlane", "Failed", "WorkspaceReadyTimeout", "workspace"],
  ])("9.4 count %s %s %s as a timeout, and as terminal only where it is", (kind, type, reason, clock) => {
    const sample = flip(kind, type, "True", reason);
    expect(sampled(sample)).toEqual([
      `capt_timeouts_total ${kind} ${clock} 1`,
      `capt_terminal_failures_total ${kind} ${reason} 1`,
    ]);
    expect(sampled(sample, "degraded")).toEqual([`capt_timeouts_total ${kind} ${clock} 1`]);
  });

  test("count other failures as terminal, and nothing else as a failure", () => {
    expect(sampled(flip("CAPTCluster", "VPCFailed", "True", "InvalidVPCConfig"), "degraded")).toEqual([
      "capt_terminal_failures_total CAPTCluster InvalidVPCConfig 1",
    ]);
    expect(sampled(flip("CAPTCluster", "VPCFailed", "False", "NotFailed"))).toEqual([]);
    expect(sampled(flip("CAPTControlPlane", "Ready", "False", "SecretTimeout"))).toEqual([]);
    expect(sampled({ is: "panic", controller: "a" })).toEqual([]);
  });

  test("tell of runs, of who looks after Clusters, and of what runs Workspaces", () => {
    expect(told(({ onRun }) => onRun({ operation: "apply", result: "success", took: 3_000 }))).toEqual([
      "capt_runner_runs_total apply success 1",
      "capt_runner_seconds apply 3",
    ]);
    expect(told(({ onMode }) => onMode("external"))).toEqual([
      "capt_cluster_api_mode external 1",
      "capt_cluster_api_mode standalone 0",
      "capt_cluster_api_mode unsure 0",
    ]);
    expect(told(({ onRunner }) => onRunner("simulated"))).toContain("capt_runner_kind simulated 1");
  });

  test("count those that no Cluster has taken yet, at each scrape", () => {
    const owner = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "demo", uid: "1" };
    const free: KubeObject = { metadata: { name: "a" } };
    const owned: KubeObject = { metadata: { name: "b", ownerReferences: [owner] } };
    const all = [
      { kind: CAPTCluster, store: { values: () => [free, owned, free].values() } },
      { kind: CAPTControlPlane, store: { values: () => [owned].values() } },
      { kind: Workspace, store: { values: () => [free].values() } },
    ];
    class Known {
      readonly all = all;
      held() {
        return this.all;
      }
    }
    const cache = new Known() as unknown as Pick<Cache, "held">;
    expect([...captFamilies(cache).capt_waiting_for_owner.read()]).toEqual([
      [{ kind: "CAPTCluster" }, 2],
      [{ kind: "CAPTControlPlane" }, 0],
    ]);
  });

  test("have no label that could be the name of an object", () => {
    const labels = Object.values(captFamilies(none)).flatMap((family) => [...family.labels] as string[]);
    expect(labels).not.toContain("name");
    expect(labels).not.toContain("namespace");
  });
});

test("M-2 who looks after Clusters, and what runs Workspaces, is told once there is a meter", () => {
  const lines: string[] = [];
  const { metrics, onMode, onRunner } = managedMetrics("terminal");
  onRunner("simulated");
  onMode("unsure");
  metrics(
    () => ({ tell: (name, labels, value) => lines.push(`${name} ${Object.values(labels ?? {}).join()} ${value}`) }),
    none as unknown as Cache,
  );
  expect(lines).toContain("capt_runner_kind simulated 1");
  expect(lines).toContain("capt_cluster_api_mode unsure 1");
  onMode("external");
  expect(lines.slice(-3)).toEqual([
    "capt_cluster_api_mode external 1",
    "capt_cluster_api_mode standalone 0",
    "capt_cluster_api_mode unsure 0",
  ]);
});
