// Daemons, nodes and pods on them for tests of the decisions.
import { instant } from "@telltale/kinds";
import type { DaemonSet, Node, Pod } from "@telltale/kinds/builtin";
import { daemonPod } from "../src/daemonset/pod.ts";
import { type View, view } from "../src/daemonset/view.ts";

type Spec = NonNullable<DaemonSet["spec"]>;
type Strategy = NonNullable<Spec["updateStrategy"]>;

export const now = instant(Date.parse("2026-01-01T01:00:00Z"));

export const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0): Strategy => ({
  type: "RollingUpdate",
  rollingUpdate: { maxUnavailable, maxSurge },
});

export const daemon = (spec: Partial<Spec> = {}, pod: Partial<NonNullable<Pod["spec"]>> = {}): DaemonSet => ({
  metadata: {
    name: "agent",
    namespace: "n",
    uid: "set",
    generation: 2,
    annotations: { "deprecated.daemonset.template.generation": "2" },
  },
  spec: {
    selector: { matchLabels: { app: "agent" } },
    updateStrategy: rolling(1),
    template: {
      metadata: { labels: { app: "agent" } },
      spec: { containers: [{ name: "main", image: "example.test/app:2" }], ...pod },
    },
    ...spec,
  },
});

export const node = (name: string, spec: Node["spec"] = {}, labels: Record<string, string> = {}): Node => ({
  metadata: { name, labels },
  spec,
});

export const nodes = (count: number): readonly Node[] => Array.from({ length: count }, (_, i) => node(`node-${i + 1}`));

export type State = "Pending" | "Unready" | "Ready" | "Failed" | "Succeeded" | "Leaving" | "Gone";

let born = 0;

/** A pod for a node, in a state, `of` the present template (`new`) or one before it. Later ones are younger. Ready for an hour. */
export function podOn(on: string, state: State = "Ready", of: "new" | "old" = "new"): Pod {
  born += 1;
  const set = daemon();
  const isPresent = of === "new";
  const metadata = {
    ...set.metadata,
    annotations: { "deprecated.daemonset.template.generation": isPresent ? "2" : "1" },
  };
  const made = daemonPod({ ...set, metadata }, on, of);
  const isReady = state === "Ready" || state === "Leaving";
  const phase = state === "Gone" ? "Succeeded" : ["Pending", "Failed", "Succeeded"].includes(state) ? state : "Running";
  const isLeaving = state === "Leaving" || state === "Gone";
  return {
    ...made,
    metadata: {
      ...made.metadata,
      name: `${on}-${born}`,
      namespace: "n",
      creationTimestamp: new Date(born * 1000).toISOString(),
      ...(isLeaving ? { deletionTimestamp: "2026-01-01T00:59:00Z" } : {}),
    },
    ...(made.spec === undefined ? {} : { spec: { ...made.spec, ...(state === "Pending" ? {} : { nodeName: on }) } }),
    status: {
      phase,
      conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: "2026-01-01T00:00:00Z" }],
    },
  };
}

export const viewOf = (set: DaemonSet, on: readonly Node[], pods: readonly Pod[]): View =>
  view(set, on, pods, new Set(["new"]));
