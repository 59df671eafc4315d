import { startApiServer } from "@telltale/apiserver";
import { createClient, inProcessTransport } from "@telltale/client";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { type Kind, toCrd } from "@telltale/kinds";
import { expect, test } from "vitest";
import { ClusterV1beta1, ClusterV1beta2 } from "./kinds/cluster.ts";
import { NamespacedWorkspace, Workspace } from "./kinds/workspace.ts";
import { serverKinds } from "./server.ts";

async function kindsOn(...kinds: readonly unknown[]) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const objects = kinds.map((kind) => toCrd(kind as Kind));
  const server = await startApiServer({ listen: false, clock, random, authorization: "always-allow", objects });
  const found = await serverKinds(createClient({ transport: inProcessTransport(server.client), clock, random }));
  await server.stop();
  return [found.Cluster.version, found.Workspace.scope];
}

test("7.1 the newer Cluster is used where it is served, else the older one", async () => {
  expect(await kindsOn(ClusterV1beta2)).toEqual(["v1beta2", "Cluster"]);
  expect(await kindsOn(ClusterV1beta1)).toEqual(["v1beta1", "Cluster"]);
});

test("API-9 6.4 whether Workspaces have a namespace is asked of the server", async () => {
  expect(await kindsOn(ClusterV1beta2, Workspace)).toEqual(["v1beta2", "Cluster"]);
  expect(await kindsOn(ClusterV1beta2, NamespacedWorkspace)).toEqual(["v1beta2", "Namespaced"]);
});

test("a server that has neither yet is taken for the real thing", async () => {
  expect(await kindsOn()).toEqual(["v1beta2", "Cluster"]);
});
