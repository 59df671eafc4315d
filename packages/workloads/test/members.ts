// Sets, members and claims for tests of the decisions.
import { instant } from "@telltale/kinds";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "@telltale/kinds/builtin";
import { revisionOf } from "../src/revisions/history.ts";
import type { View } from "../src/statefulset/plan.ts";
import { identityOf, type Revisions } from "../src/statefulset/pod.ts";

type Spec = NonNullable<StatefulSet["spec"]>;

export const now = instant(Date.parse("2026-01-01T01:00:00Z"));

export const template = (tag: number) => ({
  metadata: { labels: { app: "db" } },
  spec: { containers: [{ name: "main", image: `example.test/app:${tag}` }] },
});

export const setOf = (spec: Partial<Spec> = {}, status?: StatefulSet["status"]): StatefulSet => ({
  metadata: { name: "db", namespace: "n", uid: "set", generation: 1 },
  spec: {
    replicas: 3,
    serviceName: "db",
    selector: { matchLabels: { app: "db" } },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    template: template(1),
    ...spec,
  },
  ...(status === undefined ? {} : { status }),
});

const revision = (tag: number) => revisionOf(setOf(), template(tag), { number: tag, collisions: 0, hashLabel: "hash" });
export const revisions: Revisions = { current: revision(1), update: revision(1) };
export const updating: Revisions = { current: revision(1), update: revision(2) };

export type State = "Pending" | "Unready" | "Ready" | "Failed" | "Succeeded" | "Leaving" | "LeavingUnready";

/** A member as it is in a state; `tag`: of which template. Ready for an hour. */
export function member(ordinal: number, state: State = "Ready", tag = 1): Pod {
  const set = setOf();
  const isReady = state === "Ready" || state === "Leaving";
  const phase = ["Pending", "Failed", "Succeeded"].includes(state) ? state : "Running";
  return {
    metadata: {
      name: `db-${ordinal}`,
      uid: `pod-${ordinal}`,
      labels: {
        app: "db",
        ...identityOf(set, ordinal),
        "controller-revision-hash": revision(tag).metadata?.name ?? "",
      },
      ...(state.startsWith("Leaving") ? { deletionTimestamp: "2026-01-01T00:59:00Z" } : {}),
    },
    status: {
      phase,
      conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: "2026-01-01T00:00:00Z" }],
    },
  };
}

export const claimTemplate: PersistentVolumeClaim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"] },
};

export function viewOf(set: StatefulSet, pods: readonly Pod[], more: Partial<View> = {}): View {
  return { set, revisions, pods, claims: new Map(), ...more };
}
