// 16.6: what Bindcar answers, and what is said of it.
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Preset } from "../src/bindcar-simulated/faults.ts";
import { Bind9GlobalCluster } from "../src/kinds/index.ts";
import { namespace, type Stage, stage } from "./stage.ts";

let it: Stage | undefined;
// Hours of virtual time take seconds, more of them on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

afterEach(async () => {
  await it?.end();
  it = undefined;
});

async function up(primaries = 1): Promise<{ on: Stage; pod: string }> {
  it = await stage();
  await it.cluster("dns", primaries, 0);
  await it.pass(40_000);
  const pod = (await it.pods("dns-primary-0"))[0]?.metadata?.name ?? "";
  return { on: it, pod };
}

const ready = async (on: Stage) => (await on.says("b9", "dns-primary-0")).startsWith("True");

describe("A-85 A-104 each fault has its reason, and goes as it came", () => {
  const rows: readonly [Preset, string, string][] = [
    ["http-400", "BindcarBadRequest", "received an invalid request error from Bindcar API (400)"],
    ["http-401", "BindcarAuthFailed", "failed Bindcar authentication (401)"],
    ["http-403", "BindcarAuthFailed", "failed Bindcar authentication (403)"],
    ["http-404", "ZoneNotFound", "is missing a zone or resource in BIND9 (404)"],
    ["http-500", "BindcarInternalError", "reported a Bindcar API internal error (500)"],
    ["rndc-auth", "RNDCAuthenticationFailed", "failed RNDC authentication"],
    ["http-501", "BindcarNotImplemented", "does not support the requested Bindcar operation (501)"],
    ["http-502", "GatewayError", "is unreachable through the gateway (502)"],
    ["http-503", "GatewayError", "is unreachable through the gateway (503)"],
    ["http-504", "GatewayError", "is unreachable through the gateway (504)"],
    ["http-418", "BindcarUnreachable", "returned an unexpected HTTP error from Bindcar (418)"],
    ["refused", "BindcarUnreachable", "cannot connect to Bindcar API"],
    ["reset", "BindcarUnreachable", "cannot connect to Bindcar API"],
    ["hang", "BindcarUnreachable", "cannot connect to Bindcar API"],
  ];
  test("A-83 A-84 A-85 A-103 A-104 within 75 s there, within 45 s gone", async () => {
    const { on, pod } = await up(2);
    const bindcar = await on.bindcar(pod);
    for (const [preset, reason, phrase] of rows) {
      const id = bindcar.faults.add(preset);
      await on.until(async () => !(await ready(on)), 75_000);
      expect(await on.says("b9", "dns-primary-0", "Pod-0")).toBe(`False ${reason} Pod ${pod} ${phrase}`);
      await on.pass(1_500);
      expect(await on.says("b9c", "dns")).toBe("False PartiallyReady 1/2 instances are ready");
      expect(await on.says("b9c", "dns", "Bind9Instance-0")).toBe(
        `False ${reason} Instance dns-primary-0 ${phrase} (0/1 pods)`,
      );
      bindcar.faults.clear(id);
      await on.until(() => ready(on), 45_000);
    }
    expect(on.complaints).toEqual([]);
  }, 60_000);
});

test("A-86 a single failure changes nothing, and nothing is written", async () => {
  const { on, pod } = await up();
  const bindcar = await on.bindcar(pod);
  on.writes();
  bindcar.faults.add({ action: { type: "status", code: 503 }, times: 1 });
  await on.pass(120_000);
  expect(on.writes()).toEqual([]);
});

test("A-87 an answer that flaps turns the condition twice at most in ten minutes", async () => {
  const { on, pod } = await up();
  const bindcar = await on.bindcar(pod);
  bindcar.faults.add("flap");
  let flips = 0;
  let last = await ready(on);
  for (let i = 0; i < 120; i += 1) {
    await on.pass(5_000);
    const now = await ready(on);
    if (now !== last) flips += 1;
    last = now;
  }
  expect(flips).toBeLessThanOrEqual(2);
});

test("A-146 a Bindcar that says it is busy is no broken one for five minutes", async () => {
  const { on, pod } = await up();
  (await on.bindcar(pod)).faults.add("http-429");
  await on.pass(295_000);
  expect(await ready(on)).toBe(true);
  await on.pass(120_000);
  expect(await on.says("b9", "dns-primary-0", "Pod-0")).toMatch(/^False BindcarUnreachable .*\(429\)$/);
});

test("A-82 a pod in a crash loop shows on every level, and so does its recovery", async () => {
  it = await stage();
  const { apiVersion, kind } = Bind9GlobalCluster;
  const spec = { namespace, primary: { replicas: 2 } };
  await it.client.create(Bind9GlobalCluster, { apiVersion, kind, metadata: { name: "dns" }, spec });
  await it.pass(40_000);
  expect(await it.says("b9gc", "dns")).toBe("True ClustersReady All 1 clusters are ready (dns-system/dns)");
  const pod = (await it.pods("dns-primary-0"))[0]?.metadata?.name ?? "";
  const heal = it.runtime.rules.add({ match: { name: pod }, container: "bind9", crash: 1000 });
  it.runtime.rules.kill({ name: pod });
  await it.until(async () => (await it?.says("b9gc", "dns"))?.startsWith("False") === true, 90_000);
  await it.pass(90_000);
  expect(await it.says("b9", "dns-primary-0", "Pod-0")).toMatch(
    /^False PodsCrashing Pod \S+ is crashing \(container bind9/,
  );
  expect(await it.says("b9", "dns-primary-0")).toBe("False PodsCrashing No pods are ready: pods are crashing");
  expect(await it.says("b9c", "dns")).toBe("False PartiallyReady 1/2 instances are ready");
  expect(await it.says("b9gc", "dns")).toBe(
    "False ClustersProgressing 0/1 clusters are ready (not ready: dns-system/dns)",
  );
  heal();
  await it.pass(400_000);
  expect(await it.says("b9gc", "dns")).toBe("True ClustersReady All 1 clusters are ready (dns-system/dns)");
});

test("a new pod whose Bindcar cannot be reached is never ready, and no Event says so", async () => {
  it = await stage({ ready: 3_000 });
  const seen = new Set<string>();
  // Before it answers anything: each new pod has an address, and nothing listens there.
  await it.cluster("dns", 1, 0);
  for (let i = 0; i < 60; i += 1) {
    const [pod] = await it.pods();
    if (pod?.status?.podIP !== undefined && i < 5) (await it.bindcar(pod.metadata?.name ?? "")).faults.add("refused");
    await it.pass(1_000);
    for (const { type, status } of await it.conditions("b9", "dns-primary-0")) seen.add(`${type}=${status}`);
    for (const { type, status } of await it.conditions("b9c", "dns")) seen.add(`${type}=${status}`);
  }
  expect([...seen].filter((said) => said.endsWith("=True"))).toEqual([]);
  expect(await it.says("b9", "dns-primary-0", "Pod-0")).toMatch(/^False BindcarUnreachable/);
  expect((await it.events("Bind9Instance")).filter((event) => event.startsWith("Normal"))).toEqual([]);
});
