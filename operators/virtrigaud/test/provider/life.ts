// Providers on a server in virtual time: what is made for them, what they say, and how they end (3.2).
import { Deployment, PersistentVolumeClaim, Service } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { Provider, VirtualMachine, VMMigration } from "../../src/kinds/index.ts";
import { volumeOf } from "../../src/provider/runtime-names.ts";
import { namespace, type Sent } from "../stage.ts";
import { type ProviderStage, providerStage, runtime } from "./stage.ts";

let it: ProviderStage | undefined;
afterEach(async () => {
  await it?.end();
  it = undefined;
});

/** The phases that were written, one after the other. */
function phasesIn(writes: readonly Sent[]): readonly string[] {
  const status = writes.filter(({ line }) => line.endsWith("/providers/box/status"));
  return status.flatMap(({ body }) => {
    const said = body.replace(/\{"op":"test".*?\}(?=,\{"op")/g, "");
    return (
      /"phase":"(\w+)"|"\/status\/runtime\/phase","value":"(\w+)"/
        .exec(said)
        ?.slice(1)
        .find((it) => it) ?? []
    );
  });
}

const plain = { tls: { enabled: false } };
const image = "example/qemu-provider:dev";

test("a Provider goes from Pending over Starting to Running, and is ready once it was asked", async () => {
  it = await providerStage();
  await it.box();
  const phases = phasesIn(it.writes());
  expect(phases).toEqual(["Pending", "Starting"]);
  const unseen = "Unknown NotObserved The controller of Deployments has not reported on the Deployment yet";
  expect([await it.says("RuntimeReady"), await it.says()]).toEqual([unseen, unseen]);
  const { runtime: seen, resourceUsage, connectedVMs } = await it.status();
  expect([seen?.readyReplicas, resourceUsage, connectedVMs]).toEqual([undefined, undefined, 0]);
  await it.pods(0);
  expect(await it.says("RuntimeReady")).toBe("False DeploymentNotReady Deployment pods are not ready yet");
  expect(await it.says()).toBe("False DeploymentNotReady Deployment pods are not ready yet");
  await it.pods(1);
  expect(await it.phase()).toBe("Running");
  expect(await it.says("RuntimeReady")).toBe("True DeploymentReady Deployment has 1 ready replicas");
  expect(await it.says()).toBe("Unknown NotAsked The provider has not been asked yet");
  await it.probes(1);
  expect(await it.says()).toBe("True ProviderHealthy Provider is healthy and ready");
  expect(await it.says("Connected")).toBe("True Connected The provider answers");
  expect(await it.says("Healthy")).toBe("True ProviderHealthy simulated");
  expect(await it.says("CapabilitiesReported")).toMatch(/^True CapabilitiesFetched /);
  const status = await it.status();
  expect(status).toMatchObject({
    healthy: true,
    version: "dev",
    connectedVMs: 0,
    observedGeneration: 1,
    runtime: {
      mode: "Remote",
      phase: "Running",
      endpoint: `${runtime}.demo.svc.cluster.local:9443`,
      serviceRef: { name: runtime },
      readyReplicas: 1,
      availableReplicas: 1,
    },
  });
  expect(status.capabilities).toContain("VirtualMachines");
  expect(it.complaints).toEqual([]);
});

test("S17 no TLS block: nothing is deployed until somebody decides, and no later write takes the decision back", async () => {
  it = await providerStage();
  await it.box({ runtime: { image } });
  expect(await it.get(Deployment, runtime)).toBeUndefined();
  expect(await it.phase()).toBe("Failed");
  expect((await it.status()).runtime?.message).toBe("TLS configuration required (see TLSConfigured Condition)");
  expect(await it.says("TLSConfigured")).toMatch(/^False TLSBlockMissing .*secretRef.*enabled: false/);
  expect(await it.says("RuntimeReady")).toMatch(/^False TLSNotConfigured /);
  await it.patch(Provider, "box", { spec: { runtime: { service: plain } } });
  await it.pass(1_000);
  const env = (await it.deployment())?.spec?.template.spec?.containers[0]?.env ?? [];
  expect(env).toContainEqual({ name: "VIRTRIGAUD_PROVIDER_INSECURE", value: "true" });
  expect(await it.says("TLSConfigured")).toMatch(/^False ExplicitlyDisabled /);
  await it.pods(1);
  await it.probes(3);
  await it.patch(Provider, "box", { metadata: { annotations: { note: "x" } } });
  await it.pass(60_000);
  expect((await it.get(Provider, "box"))?.spec.runtime.service?.tls?.enabled).toBe(false);
});

const machine = (provider: string | object) => ({
  providerRef: typeof provider === "string" ? { name: provider } : provider,
  classRef: { name: "small" },
  importedDisk: { diskID: "d", sizeGiB: 10 },
  disks: [{ name: "data", sizeGiB: 5 }],
});

test("S19 delete in use: it waits for its machines, then everything goes; by force it does not wait, and says so", async () => {
  it = await providerStage();
  await it.running();
  await it.apply(VirtualMachine, "a", machine("box"));
  await it.apply(VirtualMachine, "b", machine("box"));
  await it.pass(2_000);
  await it.remove(Provider, "box");
  await it.pass(100);
  expect(await it.phase()).toBe("Stopping");
  expect(await it.says()).toBe("False InUse 2 VirtualMachines still reference this provider");
  expect(await it.deployment()).toBeDefined();
  await it.remove(VirtualMachine, "a");
  await it.pass(2_000);
  expect(await it.says()).toBe("False InUse 1 VirtualMachines still reference this provider");
  await it.remove(VirtualMachine, "b");
  await it.pass(31_000);
  expect(await it.get(Provider, "box")).toBeUndefined();
  expect(await it.deployment()).toBeUndefined();
  expect(await it.get(Service, runtime)).toBeUndefined();
  expect(it.samples).toContainEqual(expect.objectContaining({ is: "gone", provider: "box" }));
  await it.running();
  await it.apply(VirtualMachine, "a", machine("box"));
  await it.remove(Provider, "box");
  await it.patch(Provider, "box", { metadata: { annotations: { "virtrigaud.io/force-delete": "true" } } });
  await it.pass(1_000);
  expect(await it.get(Provider, "box")).toBeUndefined();
  expect(await it.events(Provider)).toEqual([expect.stringMatching(/^Warning ForceDeleted .* 1 VirtualMachines/)]);
  expect(it.complaints).toEqual([]);
});

test("S19 delete in use: a machine that the operator has not been told of yet keeps it too", async () => {
  it = await providerStage({ idle: true });
  const late = { verbs: ["watch"], resource: "virtualmachines" };
  it.server.faults.add({ match: late, effect: { watch: { delayMs: 10_000 } } });
  await it.restart();
  await it.pass(15_000);
  await it.running();
  await it.apply(VirtualMachine, "a", machine("box"));
  await it.remove(Provider, "box");
  await it.pass(1_000);
  expect(await it.says()).toBe("False InUse 1 VirtualMachines still reference this provider");
  await it.remove(VirtualMachine, "a");
  await it.pass(31_000);
  expect(await it.get(Provider, "box")).toBeUndefined();
});

test("what its machines use is summed up; those that may not refer to it count only if they exist", async () => {
  it = await providerStage({
    namespaces: ["other"],
    host: { profile: { capabilities: { totalVcpus: 16, totalMemoryBytes: 8n * 2n ** 30n } } },
  });
  await it.running();
  await it.apply(VirtualMachine, "a", machine("box"));
  const said = { id: "vm-1", currentResources: { cpu: 4, memoryMiB: 2048 }, consoleURL: "https://console.example/1" };
  await it.client.status.patch(VirtualMachine, { name: "a", namespace: "demo" }, { merge: { status: said } });
  await it.apply(VirtualMachine, "b", machine("box"));
  await it.pass(60_000);
  expect((await it.status()).resourceUsage).toEqual({
    cpu: { total: 16, used: 4, available: 12, usagePercent: 25 },
    memory: { total: 8 * 2 ** 30, used: 2 * 2 ** 30, available: 6 * 2 ** 30, usagePercent: 25 },
    storage: { used: 15 * 2 ** 30 },
  });
  expect((await it.status()).capabilities).toContain("ConsoleAccess");
  // Of a namespace that may not refer to it.
  const foreign = machine({ name: "box", namespace: "demo" });
  await it.apply(VirtualMachine, "a", foreign, {}, "other");
  await it.pass(2_000);
  expect((await it.status()).connectedVMs).toBe(1);
  await it.client.status.patch(VirtualMachine, { name: "a", namespace: "other" }, { merge: { status: { id: "x" } } });
  await it.pass(2_000);
  expect((await it.status()).connectedVMs).toBe(2);
});

const claim = (name: string, migration: string, finalizers?: string[]) => ({
  apiVersion: "v1" as const,
  kind: "PersistentVolumeClaim" as const,
  metadata: {
    name,
    namespace,
    labels: { "virtrigaud.io/component": "migration-storage", "virtrigaud.io/migration": migration },
    ...(finalizers === undefined ? {} : { finalizers }),
  },
  spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
});

const mounted = async () =>
  (await it?.deployment())?.spec?.template.spec?.volumes?.flatMap(
    ({ persistentVolumeClaim: of }) => of?.claimName ?? [],
  );

test("staging claims are mounted, all of them, and never one that is going away (L-13)", async () => {
  it = await providerStage();
  await it.running();
  await it.client.create(PersistentVolumeClaim, claim("stage-b", "m2"));
  await it.client.create(PersistentVolumeClaim, claim("stage.a", "m1", ["example.com/held"]));
  const { metadata, ...other } = claim("private", "x");
  await it.client.create(PersistentVolumeClaim, { ...other, metadata: { name: metadata.name, namespace } });
  await it.pass(1_000);
  expect(await mounted()).toEqual(["stage-b", "stage.a"]);
  const [container] = (await it.deployment())?.spec?.template.spec?.containers ?? [];
  expect(container?.volumeMounts).toContainEqual({
    name: volumeOf("stage.a"),
    mountPath: "/mnt/migration-storage/stage.a",
  });
  expect(volumeOf("stage.a")).toMatch(/^migration-stage-a-[0-9a-f]{10}$/);
  expect(volumeOf("x".repeat(100)).length).toBeLessThanOrEqual(63);
  await it.remove(PersistentVolumeClaim, "stage.a");
  await it.pass(1_000);
  expect((await it.get(PersistentVolumeClaim, "stage.a"))?.metadata?.deletionTimestamp).toBeDefined();
  expect(await mounted()).toEqual(["stage-b"]);
});

const migration = (name: string) => ({
  source: { vmRef: { name: "web" }, providerRef: { name: "box" } },
  target: { name: `${name}-new`, providerRef: { name: "elsewhere" } },
  storage: { type: "pvc" as const, pvc: { name } },
});

test("a claim waits while another migration copies through the provider; its own, and a change of the spec, do not", async () => {
  it = await providerStage();
  await it.running();
  await it.apply(VMMigration, "copying", migration("copying"));
  await it.client.status.patch(
    VMMigration,
    { name: "copying", namespace },
    { merge: { status: { phase: "Exporting" } } },
  );
  await it.client.create(PersistentVolumeClaim, claim("stage-1", "copying"));
  await it.pass(1_000);
  expect(await mounted()).toEqual(["stage-1"]);
  await it.client.create(PersistentVolumeClaim, claim("stage-2", "second"));
  await it.pass(1_000);
  expect(await mounted()).toEqual(["stage-1"]);
  expect(await it.says("RuntimeReady")).toBe("True DeploymentReady rollout postponed: 1 transfers running");
  expect(await it.says()).toMatch(/^True/);
  await it.client.status.patch(
    VMMigration,
    { name: "copying", namespace },
    { merge: { status: { phase: "Transferring" } } },
  );
  await it.pass(1_000);
  expect(await mounted()).toEqual(["stage-1", "stage-2"]);
  await it.client.status.patch(
    VMMigration,
    { name: "copying", namespace },
    { merge: { status: { phase: "Exporting" } } },
  );
  await it.client.create(PersistentVolumeClaim, claim("stage-3", "third"));
  await it.patch(Provider, "box", { spec: { runtime: { image: "example/qemu-provider:next" } } });
  await it.pass(1_000);
  expect(await mounted()).toEqual(["stage-1", "stage-2", "stage-3"]);
});
