// Kinds that discovery has to name and that nothing here acts on: kept as plain JSON, or only ever read and empty.
import { builtin } from "@telltale/kinds";
import { type Strategy, strategy } from "./strategy.ts";

const kind = builtin();
const devices = { group: "resource.k8s.io", version: "v1" };

export const plainStrategies: readonly Strategy[] = [
  strategy(
    kind({ group: "", version: "v1", kind: "ComponentStatus", scope: "Cluster", shortNames: ["cs"] }),
    undefined,
    {
      verbs: ["get", "list"],
    },
  ),
  // Written by an aggregating server, which this is not.
  strategy(
    kind({
      group: "apiregistration.k8s.io",
      version: "v1",
      kind: "APIService",
      scope: "Cluster",
      categories: ["api-extensions"],
    }),
    undefined,
    { verbs: ["get", "list", "watch"] },
  ),
  strategy(kind({ ...devices, kind: "DeviceClass", scope: "Cluster" }), undefined, { tracksGeneration: true }),
  strategy(kind({ ...devices, kind: "ResourceClaim", status: true }), undefined),
  strategy(kind({ ...devices, kind: "ResourceClaimTemplate" }), undefined),
  strategy(kind({ ...devices, kind: "ResourceSlice", scope: "Cluster" }), undefined, { tracksGeneration: true }),
];
