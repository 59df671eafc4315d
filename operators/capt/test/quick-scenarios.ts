// The clusters of `scenarios.ts` for many plans: somebody else runs Workspaces, and each has no more in it than it takes.

import type { Scenario } from "@telltale/simulation";
import { type Config, standardConfig } from "../src/config.ts";
import { captOperator } from "../src/index.ts";
import { ClusterV1beta1, Workspace } from "../src/kinds/index.ts";
import { clusterApi } from "./cluster-api.ts";
import { type Course, quickProvider } from "./quick-provider.ts";
import {
  common,
  differsAfterFailure,
  differsWhenDeleted,
  differsWhenLate,
  leaves,
  manifests,
  shortWait,
  tooLate,
} from "./scenarios.ts";

const minute = 60_000;
const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "demo", cluster: { server: "https://10.0.0.1:6443" } }],
  contexts: [{ name: "demo", context: { cluster: "demo", user: "" } }],
  "current-context": "demo",
});
const outputs = { vpc_id: "vpc-1", azs: '["a","b"]', cluster_endpoint: "https://10.0.0.1:6443", kubeconfig };

/** How the two runs go. */
interface Courses {
  readonly network?: Course;
  readonly plane?: Course;
}

const quickly = (
  name: string,
  apply: Scenario["apply"],
  { network = { takes: 3_000 }, plane = { takes: 5_000 } }: Courses = {},
  settings: Partial<Config> = {},
): Scenario => ({
  ...common,
  name: `${name}-quickly`,
  apply,
  operator() {
    const config: Config = {
      ...standardConfig,
      clusterApiMode: "standalone",
      failureDomainsShape: "map",
      ...settings,
    };
    return captOperator({ config, kinds: { Cluster: ClusterV1beta1, Workspace } });
  },
  others: () => [
    quickProvider({ outputs, courseOf: (it) => (it.startsWith("demo-net") ? network : plane) }),
    ...(settings.clusterApiMode === "external" ? [clusterApi()] : []),
  ],
  // Longer than anything is left alone: a network is waited for a quarter of an hour, a control plane for half an hour.
  quiet: (apply === manifests.network ? 16 : 31) * minute,
});

export const created = quickly("created", manifests.all);
export const networkFails = quickly("network-fails", manifests.network, { network: { failsFor: 4_000, takes: 8_000 } });
export const planeFails: Scenario = {
  ...quickly("plane-fails", manifests.plane, { plane: { takes: 0, isHopeless: true } }),
  differs: differsAfterFailure,
};
export const late: Scenario = {
  ...quickly("late", manifests.network, { network: { takes: tooLate } }, { timeouts: shortWait }),
  quiet: tooLate + minute,
  differs: differsWhenLate,
};
export const deleted: Scenario = {
  ...quickly("deleted", manifests.all),
  people: leaves,
  differs: differsWhenDeleted,
};
export const besideClusterApi = quickly("beside-cluster-api", manifests.plane, {}, { clusterApiMode: "external" });
