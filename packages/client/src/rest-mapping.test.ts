import { seededRandom, VirtualClock } from "@telltale/clock";
import { expect, it } from "vitest";
import { type Reply, refusal, scripted } from "../test/scripted.ts";
import { createClient } from "./client.ts";
import { discover } from "./rest-mapping.ts";

function asking(answers: Record<string, Reply>) {
  const transport = scripted(({ path }) => answers[path] ?? refusal(404, "NotFound"));
  const client = createClient({
    transport,
    clock: new VirtualClock(),
    random: seededRandom(1),
    budget: { attempts: 1, total: 0, first: 0, longest: 0 },
  });
  return { transport, client };
}

const deployments = {
  resource: "deployments",
  responseKind: { group: "apps", version: "v1", kind: "Deployment" },
  scope: "Namespaced",
  singularResource: "deployment",
  verbs: ["get", "list"],
  shortNames: ["deploy"],
  categories: ["all"],
  subresources: [{ subresource: "status" }, { subresource: "scale" }],
};
const nodes = { resource: "nodes", responseKind: { kind: "Node" }, scope: "Cluster", verbs: ["get"] };

const aggregatedServer: Record<string, Reply> = {
  "/api": {
    body: {
      kind: "APIGroupDiscoveryList",
      items: [{ metadata: {}, versions: [{ version: "v1", resources: [nodes] }] }],
    },
  },
  "/apis": {
    body: {
      kind: "APIGroupDiscoveryList",
      items: [
        { metadata: { name: "apps" }, versions: [{ version: "v1", resources: [deployments] }] },
        { metadata: { name: "metrics.k8s.io" }, versions: [{ version: "v1beta1", freshness: "Stale" }] },
      ],
    },
  },
};

const legacyServer: Record<string, Reply> = {
  "/api": { body: { kind: "APIVersions", versions: ["v1"] } },
  "/apis": {
    body: {
      kind: "APIGroupList",
      groups: [
        {
          name: "apps",
          versions: [{ version: "v1beta1" }, { version: "v1" }, { version: "v0" }],
          preferredVersion: { version: "v1" },
        },
        { name: "metrics.k8s.io", versions: [{ version: "v1beta1" }] },
      ],
    },
  },
  "/api/v1": {
    body: { resources: [{ name: "nodes", singularName: "", namespaced: false, kind: "Node", verbs: ["get"] }] },
  },
  "/apis/apps/v1": {
    body: {
      resources: [
        {
          name: "deployments",
          singularName: "deployment",
          namespaced: true,
          kind: "Deployment",
          verbs: ["get", "list"],
          shortNames: ["deploy"],
          categories: ["all"],
        },
        { name: "deployments/status", namespaced: true, kind: "Deployment" },
        { name: "deployments/scale", namespaced: true, kind: "Scale" },
      ],
    },
  },
  "/apis/apps/v1beta1": { body: { resources: [{ name: "deployments", namespaced: true, kind: "Deployment" }] } },
  "/apis/metrics.k8s.io/v1beta1": refusal(503, "ServiceUnavailable"),
};

it.each([
  ["in two requests where the server aggregates", aggregatedServer, 2],
  ["version by version where it does not", legacyServer, 7],
])("finds what a server has %s", async (_name, answers, requests) => {
  const { client, transport } = asking(answers);
  const found = await discover(client);
  expect(found.find({ name: "deploy" })).toEqual({
    group: "apps",
    version: "v1",
    apiVersion: "apps/v1",
    kind: "Deployment",
    listKind: "DeploymentList",
    plural: "deployments",
    singular: "deployment",
    scope: "Namespaced",
    verbs: ["get", "list"],
    shortNames: ["deploy"],
    categories: ["all"],
    subresources: { status: true, scale: true },
  });
  expect(found.find({ name: "Node", group: "", version: "v1" })?.scope).toBe("Cluster");
  expect(found.find({ name: "node" })?.kind).toBe("Node");
  expect(found.find({ name: "Deployment", group: "extensions" })).toBeUndefined();
  expect(found.find({ name: "Pod" })).toBeUndefined();
  expect(found.failed).toEqual(["metrics.k8s.io/v1beta1"]);
  expect(transport.asked).toHaveLength(requests);
  expect(transport.asked[0]?.headers["accept"]).toContain("as=APIGroupDiscoveryList");
});
