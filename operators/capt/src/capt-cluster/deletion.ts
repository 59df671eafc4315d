// How a CAPTCluster goes (3.6.4): after its control plane and its machines, with its apply, and with or without the network.
import { isNotFound } from "@telltale/client";
import { type Finalized, type Hands, waiting } from "@telltale/runtime";
import { type Draft, type SafeText, text } from "@telltale/status";
import { ownerOf } from "../gate.ts";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import { CaptMachine } from "../kinds/capt-machine.ts";
import type { Cluster } from "../kinds/cluster.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { controlPlaneGroup, finalizers, labels, labelValue } from "../names.ts";
import { appliesOf, completed, notLeaving, waitsFor } from "../provider/deletion.ts";
import { anyCluster } from "../server.ts";
import { asking } from "../trouble.ts";
import type { Senses } from "./observe.ts";
import { applyNameOf } from "./world.ts";

/** What still stands in the way. */
export interface Leftovers {
  readonly it: CAPTCluster;
  readonly controlPlane?: CAPTControlPlane;
  readonly machines: number;
  readonly applies: readonly WorkspaceTemplateApply[];
}

/** What is done about it. */
export type Step =
  | { readonly row: "D2" | "D3" | "D5"; readonly reason: WaitReason; readonly message: SafeText }
  | {
      readonly row: "D4";
      readonly reason: WaitReason;
      readonly message: SafeText;
      readonly remove: readonly WorkspaceTemplateApply[];
    }
  | { readonly row: "D6"; readonly isRetained: boolean };

type WaitReason =
  | "WaitingForControlPlaneDeletion"
  | "WaitingForMachineDeletion"
  | "WaitingForWorkspaceTemplateApplyDeletion"
  | "VPCRetained";

/** The next step. Pure. */
export function nextStep({ it, controlPlane, machines, applies }: Leftovers): Step {
  const isRetained = it.spec?.retainVpcOnDelete === true;
  if (controlPlane !== undefined) {
    const message = text`waiting for CAPTControlPlane ${controlPlane.metadata.name ?? ""}`;
    return { row: "D2", reason: "WaitingForControlPlaneDeletion", message };
  }
  if (machines > 0) {
    return { row: "D3", reason: "WaitingForMachineDeletion", message: text`waiting for ${machines} machines` };
  }
  const first = applies[0];
  if (first === undefined) return { row: "D6", isRetained: isRetained && it.status?.vpcId !== undefined };
  const said = isRetained
    ? ({ reason: "VPCRetained", message: text`VPC ${it.status?.vpcId ?? "of this cluster"} is retained` } as const)
    : ({ reason: "WaitingForWorkspaceTemplateApplyDeletion", message: waitsFor(first) } as const);
  const remove = notLeaving(applies);
  return remove.length > 0 ? { row: "D4", ...said, remove } : { row: "D5", ...said };
}

const { plural } = WorkspaceTemplateApply;

/** A request that fails leaves everything as it is: what is not known to be gone is there. */
export async function finalize(
  it: CAPTCluster,
  hands: Hands<typeof CAPTCluster>,
  draft: Draft<typeof CAPTCluster>,
  senses: Senses,
): Promise<Finalized> {
  const step = nextStep(await leftovers(it, hands, senses));
  if (step.row === "D6") {
    if (step.isRetained) hands.event("Normal", "VPCRetained", `VPC ${it.status?.vpcId} is retained`);
    return completed(it, draft, [finalizers.captCluster, finalizers.captClusterLegacy], ["Ready", "Deleting"]);
  }
  if (step.row === "D4") {
    for (const apply of step.remove) await removeApply(apply, it, hands);
  }
  draft
    .set({ ready: false })
    .condition("Ready", false, "Deleting", step.message)
    .condition("Deleting", true, step.reason, step.message);
  return waiting(10_000);
}

async function removeApply(
  apply: WorkspaceTemplateApply,
  it: CAPTCluster,
  hands: Hands<typeof CAPTCluster>,
): Promise<void> {
  const wanted = it.spec?.retainVpcOnDelete ?? false;
  const isRight = (apply.spec.retainWorkspaceOnDelete ?? false) === wanted;
  const keep = [{ op: "add", path: "/spec/retainWorkspaceOnDelete", value: wanted }] as const;
  const found = isRight ? apply : await asking("patch", plural, () => hands.patch(WorkspaceTemplateApply, apply, keep));
  await asking("delete", plural, () => hands.remove(WorkspaceTemplateApply, found, "Background"));
}

async function leftovers(it: CAPTCluster, hands: Hands<typeof CAPTCluster>, senses: Senses): Promise<Leftovers> {
  const { namespace = "" } = it.metadata;
  const clusterName = ownerOf(it)?.name ?? it.metadata.labels?.[labels.clusterName] ?? it.metadata.name ?? "";
  const cluster = hands.get(anyCluster(senses.kinds), { namespace, name: clusterName });
  const controlPlane = controlPlaneOf(hands.list(CAPTControlPlane, { namespace }), cluster, clusterName);
  const machines = senses.config.features.machines ? await countMachines(namespace, clusterName, hands) : 0;
  const applies = await appliesOf(it, it.spec === undefined ? [] : [applyNameOf(it)], hands);
  return { it, machines, applies, ...(controlPlane === undefined ? {} : { controlPlane }) };
}

/** By the Cluster's reference, else by the label, else by the name. Pure. */
export function controlPlaneOf(
  all: readonly CAPTControlPlane[],
  cluster: Cluster | undefined,
  clusterName: string,
): CAPTControlPlane | undefined {
  const reference = cluster?.spec.controlPlaneRef;
  const group = reference === undefined ? "" : "apiGroup" in reference ? reference.apiGroup : reference.apiVersion;
  const isOurs = reference?.kind === CAPTControlPlane.kind && group?.split("/")[0] === controlPlaneGroup;
  const named = isOurs ? all.find(({ metadata }) => metadata.name === reference?.name) : undefined;
  const marked = (it: CAPTControlPlane) => it.metadata.labels?.[labels.clusterName];
  return (
    named ??
    all.find((it) => marked(it) === labelValue(clusterName)) ??
    all.find((it) => it.metadata.name === clusterName && marked(it) === undefined)
  );
}

async function countMachines(
  namespace: string,
  clusterName: string,
  hands: Hands<typeof CAPTCluster>,
): Promise<number> {
  const labelSelector = `${labels.clusterName}=${labelValue(clusterName)}`;
  try {
    const listed = () => hands.server.list(CaptMachine, { namespace, labelSelector });
    return (await asking("list", CaptMachine.plural, listed)).items.length;
  } catch (error) {
    if (isNotFound(error)) return 0; // a server that does not know the kind has none
    throw error;
  }
}
