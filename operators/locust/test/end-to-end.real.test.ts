// Section 21.9: real Locust as pods of the process runtime, on the embedded server.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { toCrd } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { manager } from "@telltale/runtime";
import { processRuntime, workloads } from "@telltale/workloads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { locustFor } from "../../../tools/locust/locust.ts";
import { LocustTest, locustOperator, standardConfig } from "../src/index.ts";
import { type LoadTarget, startLoadTarget } from "./locust/target.ts";

const locust = locustFor("operators/locust: end to end");
const runner = fileURLToPath(new URL("./run-locust.ts", import.meta.url));
const namespace = "default";

const locustfile = `
from locust import HttpUser, task, constant

class Shopper(HttpUser):
    wait_time = constant(0.1)

    @task
    def shop(self):
        self.client.get("/PATH")
`;

describe.skipIf(locust === undefined)("real Locust", () => {
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
    const runtime = processRuntime({
      images: {
        "locustio/locust:*": {
          command: [process.execPath, runner, locust ?? ""],
          env: { LOCUST_KUBECONFIG: kubeconfig },
        },
      },
    });
    server = await startApiServer({
      serviceAccounts: true,
      objects: [toCrd(LocustTest)],
      ...(runtime.access && { pods: runtime.access }),
    });
    await writeFile(kubeconfig, server.kubeconfig());
    const transport = inProcessTransport(server.client);
    client = createClient({ transport, clock: systemClock, random: systemRandom });
    const telemetry = { ...standardConfig.telemetry, mode: "pod-ip" as const, interval: 2000, statusInterval: 2000 };
    const config = { ...standardConfig, exporter: { at: "disabled" } as const, telemetry };
    const operator = manager({
      name: "locust",
      transport,
      controllers: locustOperator({ config, transport }),
      events: "v1",
    });
    const cluster = workloads({ transport, runtime, rootCertificate: server.ca });
    running = Promise.all([operator.run(stop.signal), cluster.run(stop.signal)]);
  });

  afterAll(async () => {
    stop.abort();
    await running;
    await target.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function make(name: string, path: string, replicas: number): Promise<void> {
    const data = { "test.py": locustfile.replace("PATH", path) };
    await client.create(ConfigMap, { metadata: { name: `${name}-scripts`, namespace }, data });
    const common = "--locustfile /lotest/src/test.py";
    await client.create(LocustTest, {
      apiVersion: LocustTest.apiVersion,
      kind: LocustTest.kind,
      metadata: { name, namespace },
      spec: {
        image: "locustio/locust:2.46.3",
        master: {
          command: `${common} --host ${target.url} --users 10 --spawn-rate 10 --run-time 10s --csv ${join(folder, name)}`,
          autoquit: { enabled: true, timeout: 6 },
        },
        worker: { command: common, replicas },
        testFiles: { configMapRef: `${name}-scripts` },
      },
    });
  }

  const phase = (name: string) => async () => (await client.get(LocustTest, name, { namespace })).status?.phase;

  /** All requests and failures, as Locust's own report has them. */
  async function reported(name: string): Promise<readonly number[]> {
    const lines = (await readFile(join(folder, `${name}_stats.csv`), "utf8")).trim().split("\n");
    const [, , requests, failures] = lines.find((line) => line.includes("Aggregated"))?.split(",") ?? [];
    return [Number(requests), Number(failures)];
  }

  it("A104 a test with 3 workers runs to Succeeded, and its numbers are Locust's own", async () => {
    let most = 0;
    await make("good", "ok", 3);
    await expect
      .poll(
        async () => {
          const { status } = await client.get(LocustTest, "good", { namespace });
          most = Math.max(most, status?.connectedWorkers ?? 0);
          return status?.phase;
        },
        { timeout: 90_000, interval: 250 },
      )
      .toBe("Succeeded");
    const { status } = await client.get(LocustTest, "good", { namespace });
    expect(most).toBe(3);
    expect(status).toMatchObject({ connectedWorkers: 3, workersSource: "LocustAPI", progress: { percent: 100 } });
    expect(status?.testResult?.final).toBe(true);
    expect(status?.testResult?.totalRequests).toBeGreaterThan(0);
    const { totalRequests, failedRequests } = status?.testResult ?? {};
    expect([totalRequests, failedRequests]).toEqual(await reported("good"));
  }, 120_000);

  it("A105 one with failing requests ends Failed, and says with which code", async () => {
    await make("bad", "fail", 2);
    await expect.poll(phase("bad"), { timeout: 90_000, interval: 250 }).toBe("Failed");
    const { status } = await client.get(LocustTest, "bad", { namespace });
    const told = status?.conditions?.find(({ type }) => type === "TestCompleted");
    expect(told?.message).toMatch(/code 1 .*requests failed/);
    expect(status?.testResult?.failedRequests).toBeGreaterThan(0);
  }, 120_000);
});
