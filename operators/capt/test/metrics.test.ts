// Section 10.6: what a scrape shows of a whole operator.
import { seededRandom } from "@telltale/clock";
import { afterEach, expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import { managedMetrics } from "../src/metrics.ts";
import { captOperator } from "../src/operator.ts";
import { workspaceRunner } from "../src/runner/controller.ts";
import { simulatedEngine } from "../src/runner/simulated/simulated-engine.ts";
import { type Demo, demo, minute } from "./demo.ts";

let on: Demo | undefined;
afterEach(() => on?.end());

test("M-1 a scrape tells of runs, of who looks after Clusters, of failures, and of what nobody has taken", async () => {
  const ours = managedMetrics("terminal");
  ours.onRunner("simulated");
  const config = { ...standardConfig, clusterApiMode: "standalone" as const };
  on = await demo({
    config,
    metrics: ours.metrics,
    controllers({ clock, kinds }) {
      const engine = simulatedEngine({ clock });
      const made = { engine, clock, random: seededRandom(7), namespace: "capt-system", kinds, onRun: ours.onRun };
      return captOperator({ config, kinds, runner: workspaceRunner(made), onMode: ours.onMode });
    },
  });
  await on.templates();
  await on.cluster();
  await on.network({}, "lonely");
  await on.network({ vpcTemplateRef: { name: "missing" } });
  await on.plane();
  await on.pass(16 * minute);
  await on.edit("network", { vpcTemplateRef: { name: "vpc" } });
  await on.pass(10_000);
  expect((await on.the.network()).status).toMatchObject({ ready: true });
  const lines = (await on.scrape()).split("\n");
  for (const line of [
    'capt_cluster_api_mode{mode="standalone"} 1',
    'capt_cluster_api_mode{mode="external"} 0',
    'capt_runner_kind{kind="simulated"} 1',
    'capt_waiting_for_owner{kind="CAPTCluster"} 1',
    'capt_waiting_for_owner{kind="CAPTControlPlane"} 0',
    'capt_timeouts_total{kind="CAPTCluster",clock="vpc"} 1',
    'capt_terminal_failures_total{kind="CAPTCluster",reason="VPCReadyTimeout"} 1',
    'capt_runner_runs_total{operation="apply",result="applied"} 1',
    'capt_runner_seconds_count{operation="apply"} 1',
  ])
    expect(lines).toContain(line);
});
