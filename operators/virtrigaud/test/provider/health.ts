// Whether a provider is well, and what it can do, on a server in virtual time (3.2 steps 8 and 9).
import { afterEach, expect, test } from "vitest";
import { Provider } from "../../src/kinds/index.ts";
import { answer, refuse, repeat } from "../../src/simulated/faults.ts";
import { type ProviderStage, providerStage } from "./stage.ts";

let it: ProviderStage | undefined;
afterEach(async () => {
  await it?.end();
  it = undefined;
});

const image = "example/qemu-provider:dev";

test("S18 health thresholds: three failures in a row, not two, make it unhealthy, and one success restores it", async () => {
  it = await providerStage();
  await it.running();
  const { host } = it;
  const down = refuse("UNAVAILABLE", "hypervisor gone");
  host.script("validate", repeat(down, 2));
  const seen = new Set([(await it.status()).lastHealthCheck]);
  for (let i = 0; i < 2; i += 1) {
    await it.probes(1);
    seen.add((await it.status()).lastHealthCheck);
    expect((await it.status()).healthy).toBeUndefined();
    expect(await it.says()).toBe("Unknown ConnectionFailed hypervisor gone");
    expect(await it.says("Connected")).toBe("False ConnectionFailed hypervisor gone");
  }
  expect(await it.says("Healthy")).toBe("Unknown ConnectionFailed 2 of 3 failures: hypervisor gone");
  await it.probes(1);
  seen.add((await it.status()).lastHealthCheck);
  expect(await it.says("Healthy")).toBe("True ProviderHealthy simulated");
  host.script("validate", repeat(down, 3));
  await it.probes(2);
  expect(await it.says()).toBe("Unknown ConnectionFailed hypervisor gone");
  await it.probes(1);
  seen.add((await it.status()).lastHealthCheck);
  expect((await it.status()).healthy).toBeUndefined();
  expect(await it.says("Healthy")).toBe("Unknown ConnectionFailed hypervisor gone");
  expect(await it.says()).toBe("False ConnectionFailed hypervisor gone");
  expect(seen.size).toBe(5);
  await it.probes(1);
  expect((await it.status()).healthy).toBe(true);
  expect(await it.says()).toBe("True ProviderHealthy Provider is healthy and ready");
});

test("S20 breaker: while nothing is sent, the probe still is, and sees the recovery within one interval", async () => {
  it = await providerStage();
  await it.running();
  const { host } = it;
  host.everywhere(refuse("UNAVAILABLE"));
  await it.probes(10);
  expect((await it.status()).healthy).toBeUndefined();
  expect(it.samples).toContainEqual(expect.objectContaining({ is: "breaker", at: "open" }));
  host.heal();
  const took = await it.probes(1);
  expect(took).toBeLessThanOrEqual(36_000);
  expect(await it.says()).toMatch(/^True ProviderHealthy/);
});

test("it answers and cannot work: connected, and unhealthy after the threshold", async () => {
  it = await providerStage();
  await it.running({ healthCheck: { failureThreshold: 1, successThreshold: 2 } });
  expect(await it.says("Healthy")).toBe("False HealthCheckFailed 1 of 2 successes: simulated");
  await it.probes(1);
  expect((await it.status()).healthy).toBe(true);
  it.host.script("validate", answer({ ok: false, message: "login failed, password=canary-9xQ" }));
  await it.probes(1);
  expect((await it.status()).healthy).toBe(false);
  expect(await it.says("Connected")).toMatch(/^True Connected/);
  expect(await it.says()).toMatch(/^False HealthCheckFailed login failed/);
  expect(JSON.stringify(await it.status())).not.toContain("canary");
});

test("a restart of the manager forgets no failed connection, and resets no verdict", async () => {
  it = await providerStage();
  await it.running();
  it.host.isUp = false;
  await it.probes(2);
  await it.restart();
  expect(await it.says()).toMatch(/^Unknown ConnectionFailed/);
  await it.probes(1);
  expect(await it.says()).toMatch(/^False ConnectionFailed/);
  await it.restart();
  await it.pass(100);
  expect(await it.says()).toMatch(/^False ConnectionFailed/);
});

test("a pod that goes is seen at once, and that nobody answers by the next question", async () => {
  it = await providerStage();
  await it.running();
  it.host.isUp = false;
  await it.pods(0);
  expect(await it.says()).toMatch(/^False DeploymentNotReady/);
  await it.probes(1);
  expect((await it.status()).healthy).toBeUndefined();
  expect(await it.says("Connected")).toMatch(/^False ConnectionFailed/);
  const asked = it.host.asked("validate").length;
  await it.pass(120_000);
  expect(it.host.asked("validate")).toHaveLength(asked);
});

test("with health checks disabled a provider is never ready: what it can do is asked, and whether it is healthy is not", async () => {
  it = await providerStage();
  await it.box({ healthCheck: { enabled: false } });
  await it.pods(1);
  expect(await it.says()).toMatch(/^Unknown NotAsked/);
  await it.pass(60_000);
  expect(it.host.asked("validate")).toEqual([]);
  expect(it.host.asked("getCapabilities")).toHaveLength(1);
  expect(await it.says("Healthy")).toBe("Unknown HealthCheckDisabled Health checks are disabled");
  expect(await it.says("Connected")).toMatch(/^True Connected/);
  expect(await it.says()).toMatch(/^Unknown HealthCheckDisabled/);
  it.host.isUp = false;
  await it.pass(400_000);
  expect(await it.says("Connected")).toMatch(/^False ConnectionFailed/);
  expect(await it.says()).toMatch(/^Unknown ConnectionFailed/);
  expect((await it.status()).healthy).toBeUndefined();
  it.host.isUp = true;
  await it.patch(Provider, "box", { spec: { healthCheck: { enabled: true } } });
  await it.probes(1);
  expect(await it.says()).toMatch(/^True ProviderHealthy/);
});

test("what it can do stays known when it cannot say, and whatever it says fits into the status", async () => {
  it = await providerStage();
  const odd = ["", "\0", "x".repeat(9_000), ...Array.from({ length: 500 }, (_, i) => `t${i}`)];
  const wild = { supportedDiskTypes: odd, supportsSnapshots: true, totalVcpus: -4, totalMemoryBytes: 2n ** 62n };
  it.host.script("getCapabilities", answer(wild), repeat(refuse("INTERNAL", "no")));
  it.host.script("validate", answer({ ok: true, message: `${"x ".repeat(40_000)}\u001b[31m` }));
  await it.running();
  const { reportedCapabilities, resourceUsage, capabilities } = await it.status();
  expect(reportedCapabilities?.supportedDiskTypes).toHaveLength(64);
  expect(resourceUsage?.cpu?.total).toBeUndefined();
  expect(capabilities).toEqual(["VirtualMachines", "Snapshots", "DiskManagement"]);
  await it.pass(400_000);
  expect(await it.says("CapabilitiesReported")).toBe("False CapabilitiesUnavailable no");
  expect((await it.status()).reportedCapabilities).toEqual(reportedCapabilities);
  expect(it.complaints).toEqual([]);
});

test("two conditions are there under their old names where somebody asks for them, and gone when nobody does", async () => {
  it = await providerStage({ settings: { legacyProviderConditions: true } });
  await it.running();
  expect(await it.says("ProviderRuntimeReady")).toBe(await it.says("RuntimeReady"));
  expect(await it.says("ProviderAvailable")).toBe(await it.says("Healthy"));
  const status = await it.status();
  await it.end();
  it = await providerStage({ idle: true });
  await it.box();
  await it.client.status.patch(Provider, { name: "box", namespace: "demo" }, { merge: { status } });
  it.start();
  await it.pass(5_000);
  expect(await it.says("ProviderRuntimeReady")).toBe("");
});

test("a paused provider is looked at and left as it is", async () => {
  it = await providerStage();
  await it.running();
  await it.patch(Provider, "box", { metadata: { annotations: { "virtrigaud.io/paused": "true" } } });
  await it.patch(Provider, "box", { spec: { runtime: { image: "example/qemu-provider:next" } } });
  await it.pass(60_000);
  expect((await it.deployment())?.spec?.template.spec?.containers[0]?.image).toBe(image);
  expect((await it.status()).runtime?.message).toMatch(/^Paused/);
  expect((await it.status()).observedGeneration).toBe(2);
});
