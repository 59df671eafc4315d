// Providers on a server in virtual time: what is made for them, what they say, and how they end (3.2).
import { Deployment, Service } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { Provider, VirtualMachine } from "../src/kinds/index.ts";
import { type ProviderStage, providerStage, runtime } from "./provider-stage.ts";
import type { Sent } from "./stage.ts";

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
  expect(await it.says("RuntimeReady")).toBe("False DeploymentNotReady Deployment pods are not ready yet");
  expect(await it.says()).toBe("False DeploymentNotReady Deployment pods are not ready yet");
  await it.pods(1);
  expect(await it.phase()).toBe("Running");
  expect(await it.says("RuntimeReady")).toBe("True DeploymentReady Deployment has 1 ready replicas");
  expect(await it.says()).toBe("False ConnectionFailed The provider has not been asked yet");
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

test("S19 delete in use: it waits for its machines, then everything goes", async () => {
  it = await providerStage();
  await it.running();
  await it.apply(VirtualMachine, "a", machine("box"));
  await it.apply(VirtualMachine, "b", machine("box"));
  await it.pass(2_000);
  expect((await it.status()).connectedVMs).toBe(2);
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
  expect(it.complaints).toEqual([]);
});

test("force-delete does not wait, and says aloud what it leaves behind", async () => {
  it = await providerStage();
  await it.running();
  await it.apply(VirtualMachine, "a", machine("box"));
  await it.remove(Provider, "box");
  await it.patch(Provider, "box", { metadata: { annotations: { "virtrigaud.io/force-delete": "true" } } });
  await it.pass(1_000);
  expect(await it.get(Provider, "box")).toBeUndefined();
  expect(await it.events(Provider)).toEqual([expect.stringMatching(/^Warning ForceDeleted .* 1 VirtualMachines/)]);
});

test("machines of a namespace that may not refer to it neither count nor hold it, unless they exist", async () => {
  it = await providerStage({ namespaces: ["other"] });
  await it.running();
  const foreign = machine({ name: "box", namespace: "demo" });
  await it.apply(VirtualMachine, "a", foreign, {}, "other");
  await it.pass(2_000);
  expect((await it.status()).connectedVMs).toBe(0);
  await it.client.status.patch(VirtualMachine, { name: "a", namespace: "other" }, { merge: { status: { id: "x" } } });
  await it.pass(2_000);
  expect((await it.status()).connectedVMs).toBe(1);
});

test("what its machines use is summed up, against what the hypervisor has where that is told", async () => {
  it = await providerStage({
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
});
