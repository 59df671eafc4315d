// The Locust operator as it is shipped, on a real kube-apiserver: first with nothing behind its objects, then with real Locust processes,
// then with these killed under load. What it says is read against Locust itself, and against the pods.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findConnection, httpTransport, type Transport } from "@telltale/client";
import { systemClock as clock, sleep } from "@telltale/clock";
import { Pod } from "@telltale/kinds/builtin";
import { LocustTest, type LocustTestStatus, localPods } from "@telltale/locust";
import { processRuntime, workloads } from "@telltale/workloads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { locustFor } from "../../../tools/locust/locust.ts";
import { type ShippedOperator, startShipped } from "./shipped.ts";

const assets = assetsFor("Locust as it is shipped");
const locust = locustFor("Locust as it is shipped");
const namespace = "default";

describe.skipIf(assets === undefined || locust === undefined)("Locust as it is shipped", () => {
  let operator: ShippedOperator;
  let folder = "";
  const stop = new AbortController();
  let backend: Promise<unknown> = Promise.resolve();
  let transport: Transport | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "telltale-locust-"));
    operator = await startShipped({ assets: assets ?? "", operator: "locust" });
    await operator.applySamples("minimal.yaml", "failing.yaml", "full.yaml");
  }, 240_000);
  afterAll(async () => {
    stop.abort();
    await backend;
    await transport?.close();
    await operator?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const statusOf = async (name: string): Promise<LocustTestStatus> =>
    (await operator.client.get(LocustTest, name, { namespace })).status ?? {};
  const ofMinimal = async () => {
    const lines = (await operator.conditionLines()).filter((line) => line.startsWith("LocustTest default/minimal "));
    return lines.map((line) => line.replace("LocustTest default/minimal ", ""));
  };
  const rowOf = (name: string): readonly string[] => {
    const rows = operator.kubectl("get", "lotest", "-n", namespace).trim().split("\n");
    return rows.find((row) => row.startsWith(`${name} `))?.split(/ {2,}/) ?? [];
  };
  const podsOf = async () => {
    const { items } = await operator.client.list(Pod, { namespace, labelSelector: "performance-test-name=minimal" });
    return items;
  };
  /** What the master says, asked without the operator. */
  const askMaster = async () => {
    const master = (await podsOf()).find(({ metadata }) => metadata?.name?.includes("-master"));
    const answer = await fetch(`http://${master?.status?.podIP}:8089/stats/requests`);
    return (await answer.json()) as { state: string; worker_count: number; user_count: number };
  };

  test("says nothing good while nobody runs its Jobs", async () => {
    await operator.until(
      "three tests wait",
      (lines) => lines.filter((line) => line.endsWith("phase=Pending")).length === 3,
    );
    const lines = await operator.quiet(12_000);
    expect(lines.filter((line) => / \w+=True /.test(line))).toEqual([]);
    for (const name of ["minimal", "failing", "full"]) {
      const of = (type: string) => lines.find((line) => line.startsWith(`LocustTest default/${name} ${type}=`));
      expect(of("Ready")).toMatch(/Ready=False WaitingForPods: Job \S+ has 0 of 1 pods$/);
      expect(of("PodsHealthy")).toContain("=Unknown PodsStarting: Waiting for pods to start");
      expect(of("TelemetryAvailable")).toContain("=Unknown WaitingForMaster:");
      expect(of("TestCompleted")).toContain("=False TestInProgress: Test has not started");
      expect(rowOf(name).slice(1, 4)).toEqual([
        "Pending",
        name === "full" ? "10" : name === "failing" ? "2" : "3",
        "0",
      ]);
      expect(await statusOf(name)).toMatchObject({ connectedWorkers: 0, workersSource: "JobStatus" });
      for (const field of ["startTime", "masterStartTime", "progress", "testResult"])
        expect(await statusOf(name)).not.toHaveProperty(field);
    }
    const events = (await operator.eventLines()).filter((line) => line.includes(" LocustTest/"));
    expect([...new Set(events.map((line) => line.split(" ").slice(0, 2).join(" ")))].sort()).toEqual([
      "Normal Created",
      "Warning SchedulingIgnored",
    ]);
  }, 240_000);

  test("says what Locust says once it runs", async () => {
    // One test is enough for this machine. Nothing collects garbage yet.
    operator.kubectl("delete", "lotest", "failing", "full");
    operator.kubectl("delete", "job", "failing-master", "failing-worker", "full-master", "full-worker");
    operator.kubectl("delete", "deployment", "--all", "-n", "locust-system");
    const { kubeconfig } = operator.controlPlane;
    transport = httpTransport(await findConnection({ clock, path: kubeconfig, env: {} }));
    const { images } = localPods({ locust: locust ?? "", kubeconfig, processes: folder });
    // The exporter for Prometheus is no part of what is tested: something runs in its place.
    const idle = { command: [process.execPath, "-e", "setInterval(() => {}, 1e6)"] as const };
    const runtime = processRuntime({ images: { ...images, "containersol/locust_exporter*": idle } });
    backend = workloads({ transport, runtime }).run(stop.signal);
    const isTrue = (lines: readonly string[], type: string) =>
      lines.some((line) => line.startsWith(`LocustTest default/minimal ${type}=True`));
    await operator.until("all workers are connected, by Locust", (lines) =>
      ["Ready", "WorkersConnected", "PodsHealthy", "TelemetryAvailable"].every((type) => isTrue(lines, type)),
    );
    await expect
      .poll(async () => (await statusOf("minimal")).progress?.state, { timeout: 90_000, interval: 250 })
      .toBe("running");
    const [said, status, pods] = [await askMaster(), await statusOf("minimal"), await podsOf()];
    expect(said).toMatchObject({ state: "running", worker_count: 3 });
    expect(status).toMatchObject({
      phase: "Running",
      connectedWorkers: said.worker_count,
      workersSource: "LocustAPI",
      progress: { state: said.state, runTime: "1m0s" },
    });
    expect(pods.map(({ status: of }) => of?.phase)).toEqual(["Running", "Running", "Running", "Running"]);
    expect(await ofMinimal()).toEqual([
      "PodsHealthy=True PodsHealthy: All pods are healthy",
      "Ready=True ResourcesCreated: All resources created",
      "TelemetryAvailable=True Polling: Reading the Locust web API",
      "TestCompleted=False TestInProgress: Test is running",
      "WorkersConnected=True AllWorkersConnected: 3/3 workers connected",
      "phase=Running",
    ]);
    const [, phase, workers, connected, users] = rowOf("minimal");
    expect([phase, workers, connected]).toEqual(["Running", "3", "3"]);
    expect(Number(users)).toBeLessThanOrEqual(said.user_count);
    const events = (await operator.eventLines()).filter((line) => line.includes(" LocustTest/minimal"));
    expect(events.filter((line) => line.startsWith("Normal TestStarted"))).toHaveLength(1);
    expect(events.filter((line) => line.startsWith("Warning"))).toEqual([]);
  }, 300_000);

  test("says that it is over once Locust is killed under load", async () => {
    const names = (await podsOf()).map(({ metadata }) => metadata?.name ?? "");
    const before = await statusOf("minimal");
    // The master first: else it would tell of lost workers.
    for (const name of [...names].sort()) {
      process.kill(Number(readFileSync(join(folder, `${name}.pid`), "utf8")), "SIGKILL");
    }
    await operator.until("the test has failed", (lines) => lines.includes("LocustTest default/minimal phase=Failed"));
    await sleep(clock, 2_000);
    const lines = await ofMinimal();
    const found = (type: string) => lines.find((line) => line.startsWith(`${type}=`));
    const cause = "Test failed: master exited with code 137 (killed)";
    expect(found("TestCompleted")).toBe(`TestCompleted=True TestFailed: ${cause}`);
    expect(found("Ready")).toBe(`Ready=False ResourcesFailed: ${cause}`);
    expect(found("WorkersConnected")).not.toContain("=True");
    expect(found("TelemetryAvailable")).toMatch(/=Unknown TestFinished: /);
    expect(found("PodsHealthy")).not.toContain("=True");
    expect(found("LoadComplete")).not.toContain("=True");
    const status = await statusOf("minimal");
    expect(status.progress).not.toHaveProperty("currentUsers");
    expect(status.progress?.percent).toBeLessThan(100);
    expect(status.testResult?.final).not.toBe(true);
    expect(status.startTime).toBe(before.startTime);
    expect((await operator.eventLines()).filter((line) => /TestCompleted LocustTest\/minimal/.test(line))).toEqual([]);
    expect(operator.kubectl("get", "lotest", "-n", namespace)).toMatch(/^minimal +Failed +3 /m);
  }, 300_000);
});
