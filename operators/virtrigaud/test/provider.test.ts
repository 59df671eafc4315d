// Providers on a server in virtual time: what is made for them, what they say, and how they end (3.2).
import { Deployment } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { Provider } from "../src/kinds/index.ts";
import { refuse, repeat } from "../src/simulated/faults.ts";
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
    expect((await it.status()).healthy).toBe(true);
    expect(await it.says()).toMatch(/^True ProviderHealthy/);
    expect(await it.says("Connected")).toBe("False ConnectionFailed hypervisor gone");
  }
  expect(await it.says("Healthy")).toBe("True ProviderHealthy 2 of 3 failures: hypervisor gone");
  await it.probes(1);
  seen.add((await it.status()).lastHealthCheck);
  expect(await it.says("Healthy")).toBe("True ProviderHealthy simulated");
  host.script("validate", repeat(down, 3));
  await it.probes(2);
  expect((await it.status()).healthy).toBe(true);
  await it.probes(1);
  seen.add((await it.status()).lastHealthCheck);
  expect((await it.status()).healthy).toBe(false);
  expect(await it.says("Healthy")).toBe("False HealthCheckFailed hypervisor gone");
  expect(await it.says()).toBe("False ConnectionFailed hypervisor gone");
  expect(seen.size).toBe(5);
  await it.probes(1);
  expect((await it.status()).healthy).toBe(true);
  expect(await it.says()).toBe("True ProviderHealthy Provider is healthy and ready");
});
