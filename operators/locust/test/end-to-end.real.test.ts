// Section 21.9: real Locust as pods of the process runtime, on the embedded server.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { parseGoDuration, toCrd } from "@telltale/kinds";
import { ConfigMap, Job, Namespace, Pod } from "@telltale/kinds/builtin";
import { manager } from "@telltale/runtime";
import { processRuntime, workloads } from "@telltale/workloads";
import { afterAll, beforeAll, describe, it } from "vitest";
import { locustFor } from "../../../tools/locust/locust.ts";
import { LocustTest, type LocustTestStatus, localPods, locustOperator, standardConfig } from "../src/index.ts";
import { type LoadTarget, startLoadTarget } from "./locust/target.ts";

const locust = locustFor("operators/locust: end to end");
const namespace = "default";
/** Where an operator of its own is stopped and started. */
const apart = "apart";

const locustfile = `
from locust import HttpUser, task, constant

class Shopper(HttpUser):
    wait_time = constant(0.1)

    @task
    def shop(self):
        self.client.get("/PATH")
`;

// At the same time: each of them waits for Locust most of its own.
describe.skipIf(locust === undefined).concurrent("real Locust", () => {
  const stop = new AbortController();
  let folder = "";
  let server: ApiServer;
  let client: Client;
  let target: LoadTarget;
  let running: Promise<unknown>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "telltale-locust-"));
    const kubeconfig = join(folder, "kubeconfig");
    target = await startLoadTarget();
    const runtime = processRuntime(localPods({ locust: locust ?? "", kubeconfig, processes: folder }));
    server = await startApiServer({
      serviceAccounts: true,
      objects: [toCrd(LocustTest)],
      ...(runtime.access && { pods: runtime.access }),
    });
    await writeFile(kubeconfig, server.kubeconfig());
    const transport = inProcessTransport(server.client);
    client = createClient({ transport, clock: systemClock, random: systemRandom });
    await client.create(Namespace, { metadata: { name: apart } });
    const cluster = workloads({ transport, runtime, rootCertificate: server.ca() });
    running = Promise.all([operate(namespace, stop.signal), cluster.run(stop.signal)]);
  });

  /** An operator for the tests of a namespace. */
  function operate(within: string, signal: AbortSignal): Promise<void> {
    const transport = inProcessTransport(server.client);
    const telemetry = { ...standardConfig.telemetry, mode: "pod-ip" as const, interval: 2000, statusInterval: 2000 };
    const timers = { ...standardConfig.timers, workerFailureGrace: 10_000 };
    const config = { ...standardConfig, exporter: { at: "disabled" } as const, telemetry, timers };
    const controllers = locustOperator({ config, transport });
    return manager({ name: "locust", namespaces: [within], transport, controllers, events: "v1" }).run(signal);
  }

  afterAll(async () => {
    stop.abort();
    await running;
    await target.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function make(name: string, path: string, replicas: number, more: Made = {}): Promise<void> {
    const { runTime = "10s", within = namespace, successCriteria } = more;
    const data = { "test.py": locustfile.replace("PATH", path) };
    await client.create(ConfigMap, { metadata: { name: `${name}-scripts`, namespace: within }, data });
    const common = "--locustfile /lotest/src/test.py";
    await client.create(LocustTest, {
      apiVersion: LocustTest.apiVersion,
      kind: LocustTest.kind,
      metadata: { name, namespace: within },
      spec: {
        image: "locustio/locust:2.46.3",
        master: {
          command: `${common} --host ${target.url} --users 10 --spawn-rate 10 --run-time ${runTime} --csv ${join(folder, name)}`,
          autoquit: { enabled: true, timeout: 6 },
        },
        worker: { command: common, replicas },
        ...(successCriteria !== undefined && { successCriteria }),
        testFiles: { configMapRef: `${name}-scripts` },
        env: { variables: [{ name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }] },
      },
    });
  }

  const statusOf = async (name: string, within = namespace): Promise<LocustTestStatus> =>
    (await client.get(LocustTest, name, { namespace: within })).status ?? {};
  const phase = (name: string, within?: string) => async () => (await statusOf(name, within)).phase;
  const says = async (type: string, name: string): Promise<string> => {
    const found = (await statusOf(name)).conditions?.find((it) => it.type === type);
    return found === undefined ? "" : `${found.status} ${found.reason} ${found.message}`;
  };

  /** Names. */
  async function workerPods(name: string): Promise<readonly string[]> {
    const labelSelector = `performance-test-pod-name=${name}-worker`;
    const { items } = await client.list(Pod, { namespace, labelSelector });
    return items.map(({ metadata }) => metadata?.name ?? "");
  }

  async function kill(pod: string | undefined): Promise<void> {
    process.kill(Number(await readFile(join(folder, `${pod}.pid`), "utf8")), "SIGKILL");
  }

  /** All requests and failures, as Locust's own report has them. */
  async function reported(name: string): Promise<readonly number[]> {
    const lines = (await readFile(join(folder, `${name}_stats.csv`), "utf8")).trim().split("\n");
    const [, , requests, failures] = lines.find((line) => line.includes("Aggregated"))?.split(",") ?? [];
    return [Number(requests), Number(failures)];
  }

  it("A104 a test with 3 workers runs to Succeeded, and its numbers are Locust's own", async ({ expect }) => {
    let most = 0;
    const phases = new Set<string>();
    await make("good", "ok", 3);
    await expect
      .poll(
        async () => {
          const { connectedWorkers = 0, phase: now } = await statusOf("good");
          most = Math.max(most, connectedWorkers);
          if (now !== undefined) phases.add(now);
          return now;
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe("Succeeded");
    const status = await statusOf("good");
    // It may be Pending for less than a look.
    expect([...phases].filter((it) => it !== "Pending")).toEqual(["Running", "Succeeded"]);
    expect(most).toBe(3);
    expect(status).toMatchObject({ connectedWorkers: 3, workersSource: "LocustAPI", progress: { percent: 100 } });
    expect(status.testResult?.final).toBe(true);
    expect(status.testResult?.totalRequests).toBeGreaterThan(0);
    const { totalRequests, failedRequests } = status.testResult ?? {};
    expect([totalRequests, failedRequests]).toEqual(await reported("good"));
  }, 120_000);

  it("A105 one with failing requests ends Failed, and says with which code", async ({ expect }) => {
    await make("bad", "fail", 2);
    await expect.poll(phase("bad"), { timeout: 60_000, interval: 250 }).toBe("Failed");
    expect(await says("TestCompleted", "bad")).toMatch(/code 1 .*requests failed/);
    expect((await statusOf("bad")).testResult?.failedRequests).toBeGreaterThan(0);
  }, 120_000);

  it("A106 one whose worker is killed says within 15 s that it is missing, and goes on until it is replaced", async ({
    expect,
  }) => {
    await make("hurt", "ok", 2, { runTime: "5m" });
    const all = /^True AllWorkersConnected 2\/2/;
    await expect.poll(() => says("WorkersConnected", "hurt"), { timeout: 60_000, interval: 250 }).toMatch(all);
    await expect.poll(async () => (await statusOf("hurt")).progress?.state, { timeout: 20_000 }).toBe("running");
    await kill((await workerPods("hurt"))[0]);
    await expect
      .poll(() => says("WorkersConnected", "hurt"), { timeout: 15_000, interval: 250 })
      .toMatch(/^False WorkersMissing/);
    await expect.poll(() => says("WorkersConnected", "hurt"), { timeout: 60_000, interval: 250 }).toMatch(all);
    const status = await statusOf("hurt");
    expect(status).toMatchObject({ phase: "Running", progress: { state: expect.stringMatching(/running|spawning/) } });
    await client.delete(LocustTest, { name: "hurt", namespace }, { propagation: "Background" });
  }, 120_000);

  it.for(["MasterExitCode", "FullLoad"] as const)(
    "one that loses one of two workers after two thirds keeps the other, and by %s its result says what was lost",
    { timeout: 180_000 },
    async (successCriteria, { expect }) => {
      const name = `lost-${successCriteria.toLowerCase()}`;
      await make(name, "ok", 2, { runTime: "30s", successCriteria });
      const percent = async () => (await statusOf(name)).progress?.percent ?? 0;
      await expect.poll(percent, { timeout: 80_000, interval: 100 }).toBeGreaterThanOrEqual(65);
      const [killed, other] = await workerPods(name);
      await kill(killed);
      const isSuccess = successCriteria === "MasterExitCode";
      const end = isSuccess ? "Succeeded" : "Failed";
      await expect.poll(phase(name), { timeout: 60_000, interval: 250 }).toMatch(/Succeeded|Failed/);
      const status = await statusOf(name);
      expect(status).toMatchObject({ phase: end, lostWorkers: 1, progress: { percent: 100, runTime: "30s" } });
      // Of samples that have some time between them.
      expect(parseGoDuration(status.progress?.duration ?? "")).toBeOneOf([30_000, 31_000, 32_000, 33_000, 34_000]);
      const cause = "1 of 2 workers lost while there was load";
      expect(await says("LoadComplete", name)).toBe(`False WorkersLost ${cause}`);
      expect(await says("TestCompleted", name)).toBe(
        isSuccess
          ? `True TestSucceeded Test completed successfully (warning: ${cause})`
          : `True TestFailed Test failed: ${cause}`,
      );
      await expect
        .poll(async () => (await client.get(Pod, other ?? "", { namespace })).status?.phase, { timeout: 20_000 })
        .toBe("Succeeded");
    },
  );

  it("one whose load is stopped before its time has the progress that was run", async ({ expect }) => {
    await make("stopped", "ok", 1, { runTime: "60s" });
    const percent = async () => (await statusOf("stopped")).progress?.percent ?? 0;
    await expect.poll(percent, { timeout: 80_000, interval: 100 }).toBeGreaterThanOrEqual(20);
    const labelSelector = "performance-test-pod-name=stopped-master";
    const { items } = await client.list(Pod, { namespace, labelSelector });
    expect((await fetch(`http://${items[0]?.status?.podIP}:8089/stop`)).status).toBe(200);
    await expect.poll(phase("stopped"), { timeout: 60_000, interval: 250 }).toBe("Succeeded");
    const { progress } = await statusOf("stopped");
    expect(progress?.percent).toBeLessThan(60);
    expect(await says("LoadComplete", "stopped")).toBe(
      `False RanShort The load ended before its run time: ${progress?.duration} of 1m0s`,
    );
    expect(await says("TestCompleted", "stopped")).toContain("(warning: the load ended before its run time");
  }, 180_000);

  it("A107 one that nobody watched has the times of its Job, and no numbers", async ({ expect }) => {
    const first = new AbortController();
    const before = operate(apart, first.signal);
    await make("alone", "ok", 2, { within: apart });
    await expect.poll(async () => (await client.list(Job, { namespace: apart })).items.length).toBe(2);
    await expect.poll(phase("alone", apart)).toMatch(/Pending|Running/);
    first.abort();
    await before;
    const job = () => client.get(Job, "alone-master", { namespace: apart });
    await expect
      .poll(async () => ((await job()).status?.conditions ?? []).map(({ type }) => type), {
        timeout: 60_000,
        interval: 250,
      })
      .toContain("Complete");
    const second = new AbortController();
    const after = operate(apart, second.signal);
    await expect.poll(phase("alone", apart), { timeout: 20_000 }).toBe("Succeeded");
    const { startTime, completionTime } = (await job()).status ?? {};
    const status = await statusOf("alone", apart);
    expect([status.startTime, status.completionTime]).toEqual([startTime, completionTime]);
    expect(status).not.toHaveProperty("testResult");
    second.abort();
    await after;
  }, 120_000);
});

interface Made {
  readonly runTime?: string;
  readonly within?: string;
  readonly successCriteria?: "MasterExitCode" | "FullLoad";
}
