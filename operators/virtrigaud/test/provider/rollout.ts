// A change of a provider's Deployment on a cluster with simulated pods: one that holds its state directory alone, and what the Provider
// reports of its roll-out (3.2).
import { inProcessTransport } from "@telltale/client";
import { seededRandom } from "@telltale/clock";
import { Deployment, PersistentVolumeClaim, Pod } from "@telltale/kinds/builtin";
import { type SimulatedRuntime, simulatedRuntime, workloads } from "@telltale/workloads";
import { afterEach, expect, test } from "vitest";
import { Provider } from "../../src/kinds/index.ts";
import { namespace } from "../stage.ts";
import { type ProviderStage, type ProviderStageOptions, providerStage, runtime } from "./stage.ts";

const minute = 60_000;
const image = (tag: string) => ({ runtime: { image: `example/qemu-provider:${tag}` } });

let cluster: ProviderStage;
let end = async () => {};
afterEach(() => end());

/** Only the pod that came first is ready, until it is deleted: as with a lock on a state directory. */
function lockingRuntime(): SimulatedRuntime {
  const inner = simulatedRuntime({ behaviour: { stop: 15_000 } });
  let holder: string | undefined;
  return {
    ...inner,
    async sync(pod, now, refers) {
      const report = await inner.sync(pod, now, refers);
      const { uid = "" } = pod.metadata ?? {};
      holder ??= uid;
      if (holder === uid) return report;
      return { ...report, containers: report.containers.map((container) => ({ ...container, isReady: false })) };
    },
    async drop(uid) {
      if (holder === uid) holder = undefined;
      await inner.drop(uid);
    },
  };
}

async function startCluster(options: ProviderStageOptions = {}): Promise<void> {
  cluster = await providerStage(options);
  const { server, clock } = cluster;
  const stop = new AbortController();
  const transport = inProcessTransport(server.client);
  const running = workloads({ transport, clock, random: seededRandom(4), runtime: lockingRuntime() }).run(stop.signal);
  end = async () => {
    end = async () => {};
    stop.abort();
    await cluster.pass(1_000);
    await cluster.end();
    await running;
  };
  await cluster.pass(1_000);
}

const strategy = async () => (await cluster.deployment())?.spec?.strategy;
const isReady = async () => (await cluster.says()).startsWith("True");
const isRolledOut = async () => (await cluster.says("RolloutComplete")).startsWith("True");
const images = async () => {
  const { items } = await cluster.client.list(Pod, { namespace });
  return items.map(({ spec }) => spec?.containers[0]?.image);
};

test("a new image of a provider that holds its state alone: the old pod goes first, and the new one gets ready", async () => {
  await startCluster();
  await cluster.box();
  await cluster.until(isReady, 2 * minute);
  expect(await strategy()).toEqual({ type: "Recreate" });
  await cluster.patch(Provider, "box", { spec: image("new") });
  await cluster.until(async () => !(await isRolledOut()), minute);
  expect(await cluster.says("RolloutComplete")).toMatch(/^False RollingOut 0 of 1 pods run the current template/);
  await cluster.until(isRolledOut, 2 * minute);
  await cluster.until(isReady, 2 * minute);
  expect(await images()).toEqual(["example/qemu-provider:new"]);
  expect(cluster.complaints).toEqual([]);
});

test("the Deployment of an older version, whose roll-out is stuck, is changed in place", async () => {
  await startCluster();
  await cluster.box();
  await cluster.until(isReady, 2 * minute);
  // As an older version of this operator left it: rolling, with another template, and with a new pod that waits for the old one's lock.
  const container = { name: "provider", image: "example/qemu-provider:old" };
  await cluster.client.patch(
    Deployment,
    { name: runtime, namespace },
    {
      merge: {
        metadata: { annotations: { "telltale.dev/applied": "older" } },
        spec: { strategy: { type: "RollingUpdate" }, template: { spec: { containers: [container] } } },
      },
    },
  );
  expect(await strategy()).toMatchObject({ rollingUpdate: { maxSurge: "25%" } });
  const { uid } = (await cluster.deployment())?.metadata ?? {};
  await cluster.patch(Provider, "box", { spec: image("new") });
  await cluster.until(isRolledOut, 3 * minute);
  expect(await strategy()).toEqual({ type: "Recreate" });
  expect(await images()).toEqual(["example/qemu-provider:new"]);
  expect((await cluster.deployment())?.metadata?.uid).toBe(uid);
  await cluster.until(isReady, 2 * minute);
  expect(cluster.complaints).toEqual([]);
});

test("a roll-out that does not progress is reported, while the old pod serves", async () => {
  await startCluster();
  // A provider of another hypervisor shares nothing, so its old pod stays until the new one is ready; this one never is.
  await cluster.box({ type: "vsphere" });
  await cluster.until(isReady, 2 * minute);
  expect((await strategy())?.type).toBe("RollingUpdate");
  await cluster.patch(Provider, "box", { spec: image("new") });
  await cluster.pass(5 * minute);
  expect(await cluster.says("RolloutComplete")).toBe(
    "False RollingOut 1 of 1 pods run the current template, 1 older ones are left",
  );
  await cluster.pass(6 * minute);
  expect(await cluster.says("RolloutComplete")).toMatch(
    /^False RolloutStuck Deployment reports ProgressDeadlineExceeded: /,
  );
  expect(await cluster.says()).toMatch(/^True ProviderHealthy/);
  await cluster.patch(Provider, "box", { spec: image("dev") });
  await cluster.until(isRolledOut, 3 * minute);
});

test("a provider that mounts a claim for one node only is rolled out after the old pod has let go of it", async () => {
  await startCluster();
  await cluster.box({ type: "vsphere" });
  await cluster.until(isReady, 2 * minute);
  const claim = (name: string, mode: string) =>
    cluster.client.create(PersistentVolumeClaim, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace, labels: { "virtrigaud.io/component": "migration-storage" } },
      spec: { accessModes: [mode], resources: { requests: { storage: "1Gi" } } },
    });
  await claim("shared", "ReadWriteMany");
  await cluster.pass(1_000);
  expect((await strategy())?.type).toBe("RollingUpdate");
  await claim("single", "ReadWriteOnce");
  await cluster.pass(1_000);
  expect(await strategy()).toEqual({ type: "Recreate" });
  await cluster.remove(PersistentVolumeClaim, "single");
  await cluster.pass(1_000);
  expect((await strategy())?.type).toBe("RollingUpdate");
});
