// Services, claims, budgets and the rest on a real kube-apiserver: it takes what our controllers write, and they come to rest.
import { type Client, createClient, findConnection, httpTransport } from "@telltale/client";
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import {
  ClusterRole,
  ConfigMap,
  EndpointSlice,
  Endpoints,
  HorizontalPodAutoscaler,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
} from "@telltale/kinds/builtin";
import { type Log, manager } from "@telltale/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { controllers } from "../src/controllers.ts";

const assets = assetsFor("what controllers of Services and volumes write, on a real server");
const namespace = "real";
const labels = { app: "web" };

describe.skipIf(assets === undefined)("a real server", () => {
  let plane: ControlPlane;
  let client: Client;
  let run: Promise<void>;
  const stop = new AbortController();
  const complaints: string[] = [];
  let writes = 0;

  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    const connection = await findConnection({ clock: systemClock, path: plane.kubeconfig, env: {} });
    client = createClient({ transport: httpTransport(connection), clock: systemClock, random: systemRandom });
    const working = manager({
      name: "workloads",
      transport: httpTransport(connection),
      controllers: controllers({ rootCertificate: "PEM" }),
      log: complaining(complaints),
      sinks: [
        (sample) => {
          if (sample.is === "request" && sample.method !== "GET") writes += 1;
        },
      ],
    });
    run = working.run(stop.signal);
    await client.create(Namespace, { metadata: { name: namespace } });
  }, 60_000);

  afterAll(async () => {
    stop.abort();
    await run;
    await client?.close();
    await plane?.stop();
  }, 60_000);

  const until = async (holds: () => Promise<unknown>) => {
    for (let i = 0; i < 500; i += 1) {
      if (await holds().catch(() => undefined)) return;
      await sleep(systemClock, 20);
    }
    throw new Error(`it did not come: ${holds}\n${complaints.join("\n")}`);
  };
  const here = { namespace };

  it("has an account and a certificate in a new namespace, and sums in its roles", async () => {
    await until(() => client.get(ServiceAccount, "default", here));
    await until(async () => (await client.get(ConfigMap, "kube-root-ca.crt", here)).data?.["ca.crt"] === "PEM");
    await until(async () => ((await client.get(ClusterRole, "edit")).rules ?? []).length > 0);
  });

  it("shows the pods of a Service", async () => {
    const ports = [{ name: "http", port: 80, targetPort: "http" }];
    await client.create(Service, {
      metadata: { name: "web", namespace },
      spec: { type: "LoadBalancer", selector: labels, ports },
    });
    const container = { name: "main", image: "example.test/app:1", ports: [{ name: "http", containerPort: 8080 }] };
    await client.create(Pod, { metadata: { name: "web", namespace, labels }, spec: { containers: [container] } });
    const conditions = [{ type: "Ready", status: "True" }];
    const status = { phase: "Running", podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }], conditions };
    await client.status.patch(Pod, { name: "web", namespace }, { merge: { status } });
    await until(async () => (await client.get(Endpoints, "web", here)).subsets?.[0]?.addresses?.[0]?.ip === "10.0.0.1");
    await until(async () => {
      const { items } = await client.list(EndpointSlice, { ...here, labelSelector: "kubernetes.io/service-name=web" });
      return (
        items.length === 1 && items[0]?.endpoints?.[0]?.conditions?.ready === true && items[0].ports?.[0]?.port === 8080
      );
    });
    await until(async () => {
      const [ingress] = (await client.get(Service, "web", here)).status?.loadBalancer?.ingress ?? [];
      return ingress?.ip === "127.0.0.1";
    });
  });

  it("binds a claim without a class, and lets it grow", async () => {
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await client.create(PersistentVolumeClaim, { metadata: { name: "data", namespace }, spec: claim });
    await until(async () => (await client.get(PersistentVolumeClaim, "data", here)).status?.phase === "Bound");
    const name = (await client.get(PersistentVolumeClaim, "data", here)).spec?.volumeName ?? "";
    await until(async () => (await client.get(PersistentVolume, name)).status?.phase === "Bound");
    const merge = { spec: { resources: { requests: { storage: "2Gi" } } } };
    await client.patch(PersistentVolumeClaim, { name: "data", namespace }, { merge });
    await until(async () => {
      const { status } = await client.get(PersistentVolumeClaim, "data", here);
      return status?.capacity?.["storage"] === "2Gi";
    });
  });

  it("has budgets and autoscalers that say how things are", async () => {
    const metadata = { name: "web", namespace };
    await client.create(PodDisruptionBudget, {
      metadata,
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    });
    await until(async () => (await client.get(PodDisruptionBudget, "web", here)).status?.currentHealthy === 1);
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    await client.create(HorizontalPodAutoscaler, { metadata, spec: { maxReplicas: 3, scaleTargetRef } });
    await until(async () => {
      const { status } = await client.get(HorizontalPodAutoscaler, "web", here);
      return status?.conditions?.[0]?.reason === "FailedGetScale";
    });
  });

  it("comes to rest", async () => {
    await sleep(systemClock, 2000);
    const before = writes;
    await sleep(systemClock, 3000);
    expect(writes).toBe(before);
    expect(complaints).toEqual([]);
  });
});

function complaining(lines: string[]): Log {
  const note = (level: string) => (message: string, fields?: object) => {
    const text = `${level}: ${message} ${JSON.stringify(fields, (_key, it) => (it instanceof Error ? it.message : it))}`;
    if (!text.includes("is deprecated")) lines.push(text);
  };
  const none = () => {};
  const log: Log = { debug: none, info: none, warn: note("warn"), error: note("error"), with: () => log };
  return log;
}
