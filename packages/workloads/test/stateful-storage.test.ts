// A StatefulSet with storage, from its manifest to the file that a replaced pod finds again, on simulated pods and on processes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random } from "@telltale/clock";
import { PersistentVolumeClaim, Pod, StatefulSet } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { processRuntime, simulatedRuntime, workloads } from "../src/index.ts";
import type { PodRuntime } from "../src/kubelet/pod-runtime.ts";
import { eventually, must, textOf } from "./process/driver.ts";

const namespace = "default";
const labels = { app: "db" };

/** It writes a line for each start, and says how many there are. */
const script = "echo started >> /data/starts; wc -l < /data/starts; while :; do sleep 0.1; done";

const db = {
  metadata: { name: "db", namespace },
  spec: {
    serviceName: "db",
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: "main",
            image: "example.test/db:1",
            command: ["sh", "-c", script],
            volumeMounts: [{ name: "data", mountPath: "/data" }],
          },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } },
      },
    ],
  },
};

interface Running {
  readonly client: Client;
  log(pod: string): Promise<string>;
}

let end = async (): Promise<void> => {};
afterEach(() => end());

async function start(runtime: PodRuntime): Promise<Running> {
  const server = await startApiServer({
    listen: false,
    serviceAccounts: true,
    ...(runtime.access && { pods: runtime.access }),
  });
  const transport = inProcessTransport(server.client);
  const stop = new AbortController();
  const running = workloads({ transport, runtime, rootCertificate: server.ca() }).run(stop.signal);
  end = async () => {
    stop.abort();
    await running;
    await server.stop();
  };
  const client = createClient({ transport, clock, random });
  const log = async (name: string) => {
    const pod = await client.get(Pod, name, { namespace });
    const { signal } = stop;
    const options = { container: "main", follow: false, previous: false, timestamps: false, signal };
    return textOf(await must(runtime.access).logs(pod, options));
  };
  return { client, log };
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;

const ready = async (client: Client): Promise<readonly Pod[]> =>
  (await client.list(Pod, { namespace })).items.filter(isReady);

/** Both pods ready, each with a bound claim of its own; db-0 is deleted, and the one that follows it has the same claim. */
async function runAndReplace({ client }: Running): Promise<void> {
  await client.create(StatefulSet, db);
  await eventually(async () => (await ready(client)).length === 2);
  const claims = (await client.list(PersistentVolumeClaim, { namespace })).items;
  expect(claims.map(({ metadata, status }) => [metadata?.name, status?.phase])).toEqual([
    ["data-db-0", "Bound"],
    ["data-db-1", "Bound"],
  ]);
  const before = await client.get(Pod, "db-0", { namespace });
  expect(before.spec?.volumes).toContainEqual({ name: "data", persistentVolumeClaim: { claimName: "data-db-0" } });
  await client.delete(Pod, { name: "db-0", namespace }, { propagation: "Background" });
  await eventually(async () => {
    const found = (await ready(client)).find(({ metadata }) => metadata?.name === "db-0");
    return found !== undefined && found.metadata?.uid !== before.metadata?.uid;
  });
  const after = (await client.list(PersistentVolumeClaim, { namespace })).items;
  expect(after.map(({ metadata }) => metadata?.uid)).toEqual(claims.map(({ metadata }) => metadata?.uid));
}

describe("a StatefulSet that mounts its volumeClaimTemplates", () => {
  test("runs on simulated pods, and a replaced pod gets the claim of its name", async () => {
    await runAndReplace(await start(simulatedRuntime()));
  });

  test("runs on processes, and a replaced pod finds what was written", async () => {
    const root = mkdtempSync(join(tmpdir(), "telltale-storage-"));
    const running = await start(processRuntime({ root, shutdownGrace: 0 }));
    try {
      await runAndReplace(running);
      await eventually(async () => (await running.log("db-0")) === "2\n");
      expect(await running.log("db-1")).toBe("1\n");
    } finally {
      await end();
      end = async () => {};
      rmSync(root, { recursive: true, force: true });
    }
  });
});
