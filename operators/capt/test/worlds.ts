// Worlds as values: what a pass over a network or a control plane may see, for tests of pure functions.
import { Buffer } from "node:buffer";
import { type Condition, formatTime, type Instant, instant, plus } from "@telltale/kinds";
import { draft, Secret } from "@telltale/status";
import type { World as NetworkWorld } from "../src/capt-cluster/world.ts";
import { type Credentials, none } from "../src/capt-control-plane/credentials.ts";
import { status as planeStatus } from "../src/capt-control-plane/status.ts";
import type { World as PlaneWorld } from "../src/capt-control-plane/world.ts";
import { type Chain, Outputs } from "../src/chain.ts";
import {
  type CAPTCluster,
  CAPTControlPlane,
  type Cluster,
  type Workspace,
  type WorkspaceTemplateApply,
} from "../src/kinds/index.ts";
import { classify } from "../src/workspace-class.ts";

export const t0: Instant = instant(Date.parse("2026-01-01T00:00:00Z"));
const minute = 60_000;
const limits = { overall: 30 * minute, vpc: 15 * minute, workspace: 15 * minute, secret: 5 * minute };

export const condition = (type: string, status: string, reason: string, message = "", at = t0): Condition => ({
  type,
  status: status as Condition["status"],
  reason,
  message,
  lastTransitionTime: formatTime(at),
  observedGeneration: 1,
});

export const cluster = (spec: object = {}, status: object = {}): Cluster =>
  ({
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Cluster",
    metadata: { name: "demo", namespace: "t1", uid: "c" },
    spec,
    status,
  }) as Cluster;

export const network = (spec: object = {}, status?: object): CAPTCluster =>
  ({
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "CAPTCluster",
    metadata: { name: "demo-net", namespace: "t1", uid: "n", generation: 1 },
    spec: { region: "eu-west-1", vpcTemplateRef: { name: "vpc" }, ...spec },
    ...(status === undefined ? {} : { status }),
  }) as CAPTCluster;

export const plane = (spec: object = {}, status?: object): CAPTControlPlane =>
  ({
    apiVersion: "controlplane.cluster.x-k8s.io/v1beta1",
    kind: "CAPTControlPlane",
    metadata: { name: "demo-cp", namespace: "t1", uid: "p", generation: 1 },
    spec: { version: "1.31", workspaceTemplateRef: { name: "cp" }, ...spec },
    ...(status === undefined ? {} : { status }),
  }) as CAPTControlPlane;

export const apply = (status: object = {}, spec: object = {}): WorkspaceTemplateApply =>
  ({
    metadata: { name: "a", namespace: "t1", generation: 1 },
    spec: { templateRef: { name: "vpc" }, ...spec },
    status: { observedGeneration: 1, ...status },
  }) as WorkspaceTemplateApply;

type Told = readonly [status: "True" | "False" | "Unknown", reason: string, message?: string] | undefined;

export const workspace = (synced: Told, ready: Told, more: object = {}, outputs?: object): Workspace =>
  ({
    metadata: { name: "w", generation: 1, ...more },
    spec: { forProvider: {}, writeConnectionSecretToRef: { namespace: "t1", name: "s" } },
    status: {
      conditions: [
        ...(synced === undefined ? [] : [condition("Synced", ...synced)]),
        ...(ready === undefined ? [] : [condition("Ready", ...ready)]),
      ],
      ...(outputs === undefined ? {} : { atProvider: { outputs } }),
    },
  }) as unknown as Workspace;

export const ok: Told = ["True", "ReconcileSuccess"];
export const available: Told = ["True", "Available"];

/** What stands below an object; `secret` only where it is there. */
export function chain(found: Workspace | "missing" | undefined, more: Partial<Chain> & { data?: object } = {}): Chain {
  const { data, ...rest } = more;
  const base = { isForeign: false, apply: apply({ applied: true, workspaceName: "w" }) };
  if (found === undefined) return { ...base, class: "None", ...rest };
  if (found === "missing") return { ...base, class: "Missing", workspaceName: "w", ...rest };
  const secretPlace = { namespace: "t1", name: "s" };
  const secret = data === undefined ? {} : { secret: outputs(data) };
  return { ...base, class: classify(found, t0), workspaceName: "w", workspace: found, secretPlace, ...secret, ...rest };
}

export const outputs = (data: object): Outputs =>
  new Outputs(
    Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")])),
  );

export const networkWorld = (more: Partial<NetworkWorld> = {}): NetworkWorld => ({
  it: network(),
  cluster: cluster(),
  limits,
  policy: "terminal",
  shape: "list",
  hasTemplate: true,
  chain: chain(undefined),
  ...more,
});

export const planeWorld = (more: Partial<PlaneWorld> = {}): PlaneWorld => ({
  it: plane(),
  cluster: cluster(),
  limits: { ...limits, workspace: 30 * minute },
  policy: "terminal",
  infrastructure: { is: "ready", named: "CAPTCluster demo-net", network: { region: "eu-west-1", vpcId: "vpc-1" } },
  hasTemplate: true,
  chain: chain(undefined),
  credentials: none,
  isApplyNew: false,
  ...more,
});

export const hidden = (text: string): Secret => new Secret(text);

/** What a pass over a control plane says, so many minutes after the beginning. */
export function said(world: PlaneWorld, minutes = 0) {
  const now = plus(t0, minutes * minute);
  const begun = draft(CAPTControlPlane, world.it, now, { strict: true });
  planeStatus(world, begun, now);
  const { status: next, wakeAt, changed, effect } = begun.finish();
  const of = (type: string) => next.conditions?.find((each) => each.type === type);
  const line = (type: string) => (of(type) === undefined ? "" : `${of(type)?.status} ${of(type)?.reason}`);
  return { next, of, line, changed, effect, wakes: wakeAt === undefined ? undefined : wakeAt - now };
}

const endpoint = { cluster_endpoint: "https://10.0.0.1:6443" };

/** A control plane whose run went through. */
export const ran = (data: object = endpoint, shown: object = {}): Chain =>
  chain(workspace(ok, available, {}, shown), { data });

/** Its kubeconfig is written, and there is no certificate. */
export const written: Credentials = {
  ...none,
  kubeconfig: { is: "valid", place: "t1/s", text: new Secret("k") },
  kubeconfigSecret: { is: "ours", live: {}, isCurrent: true },
};

export const readyPlane: PlaneWorld = planeWorld({ chain: ran(), credentials: written });
export const waitingPlane = {
  infrastructure: { is: "waiting", named: "CAPTCluster demo-net" },
  chain: { class: "None", isForeign: false },
} as const;
