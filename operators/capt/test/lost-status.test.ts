// API-11: a status that somebody took away comes back by itself, although nobody tells of that: at the next look. Until then nothing is
// asked for, and nothing written.
import type { KindRef } from "@telltale/kinds";
import { afterEach, expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import {
  CaptMachine,
  CaptMachineDeployment,
  CaptMachineSet,
  ClusterV1beta1,
  ClusterV1beta2,
  WorkspaceTemplate,
} from "../src/kinds/index.ts";
import { bridgeStage, controlPlaneReady, networkReady } from "./bridge-stage.ts";
import { demo, minute, timeless } from "./demo.ts";
import { namespace, type Stage } from "./stage.ts";

let on: Stage | undefined;
afterEach(() => on?.end());

const statusOf = async (it: Stage, kind: KindRef, name: string): Promise<unknown> =>
  ((await it.get(kind, name)) as { readonly status?: unknown } | undefined)?.status;
const wipe = (it: Stage, kind: KindRef, name: string) =>
  it.client.status.patch(kind, { name, namespace }, { json: [{ op: "remove", path: "/status" }] });

test.each(["v1beta1", "v1beta2"] as const)("B7 of a Cluster %s that nobody else looks after", async (version) => {
  const asked: string[] = [];
  const it = await bridgeStage({
    version,
    config: { clusterApiMode: "standalone", failureDomainsShape: "list" },
    wrap: (way) => ({
      send(request) {
        // Whole lists are those of watches that begin anew.
        if (request.path.includes("/namespaces/")) asked.push(`${request.method} ${request.path.split("?")[0]}`);
        return way.send(request);
      },
      close: () => way.close(),
    }),
  });
  on = it;
  const kind = version === "v1beta1" ? ClusterV1beta1 : ClusterV1beta2;
  await it.cluster();
  await it.network();
  await it.controlPlane({ controlPlaneEndpoint: { host: "10.0.0.1", port: 6443 } });
  await it.networkSays(networkReady);
  await it.controlPlaneSays(controlPlaneReady);
  await it.pass(2_000);
  const before = timeless(await statusOf(it, kind, "demo"));
  expect(before).toContain('"phase":"Provisioned"');
  asked.length = 0;
  await it.pass(4 * 5 * minute);
  expect(asked).toEqual([]);
  await wipe(it, kind, "demo");
  await it.pass(5 * minute);
  expect(timeless(await statusOf(it, kind, "demo"))).toBe(before);
  expect(asked.filter((line) => line.includes("/status"))).toHaveLength(1);
});

test("14 of machines, their sets and deployments", async () => {
  const it = await demo({
    runner: "simulated",
    config: { controllers: [...standardConfig.controllers, "machines"], features: { machines: true } },
  });
  on = it;
  await it.make(WorkspaceTemplate, {
    metadata: { name: "machine" },
    spec: {
      template: { spec: { forProvider: { source: "Inline", module: 'output "instance_id" { value = "x" }' } } },
    },
  });
  const spec = { nodeGroupRef: { name: "w", namespace }, workspaceTemplateRef: { name: "machine" }, instanceType: "s" };
  await it.make(CaptMachineDeployment, { metadata: { name: "workers" }, spec: { replicas: 1, template: { spec } } });
  await it.pass(2 * minute);
  const kinds: readonly KindRef[] = [CaptMachineDeployment, CaptMachineSet, CaptMachine];
  for (const kind of kinds) {
    const [found] = await it.list(kind);
    const name = found?.metadata?.name ?? "";
    const before = timeless(await statusOf(it, kind, name));
    expect(before).toContain('"reason":"Simulated","status":"True","type":"Ready"');
    await wipe(it, kind, name);
    await it.pass(6 * minute);
    expect([kind.kind, timeless(await statusOf(it, kind, name))]).toEqual([kind.kind, before]);
  }
});
