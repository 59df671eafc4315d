// How a CAPTControlPlane goes (4.7.6): what depends on it first, then itself. Its Secrets go with it by the garbage collector,
// so that others can use them until then.
import { type Finalized, type Hands, waiting } from "@telltale/runtime";
import { type Draft, type SafeText, text } from "@telltale/status";
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import {
  annotations,
  finalizers,
  kubeconfigApplyName,
  labels,
  labelValue,
  spotRoleCheckName,
  spotRoleCreateName,
} from "../names.ts";
import { appliesOf, completed, notLeaving, waitsFor } from "../provider/deletion.ts";
import { asking } from "../trouble.ts";
import type { Senses } from "./observe.ts";
import { applyNameOf } from "./world.ts";

type PlaneHands = Hands<typeof CAPTControlPlane>;

/** What still stands in the way. */
export interface Leftovers {
  /** The applies that depend on the control plane. */
  readonly dependents: readonly WorkspaceTemplateApply[];
  readonly applies: readonly WorkspaceTemplateApply[];
  /** Workspaces whose apply is gone already. */
  readonly workspaces: readonly string[];
}

export type Step =
  | {
      readonly row: "E2" | "E3";
      readonly reason: "WaitingForKubeconfigWorkspaceDeletion" | "WaitingForWorkspaceDeletion";
      readonly message: SafeText;
      readonly remove: readonly WorkspaceTemplateApply[];
    }
  | { readonly row: "E4" };

/** The next step. Pure. */
export function nextStep({ dependents, applies, workspaces }: Leftovers): Step {
  const isDependent = dependents.length > 0;
  const first = isDependent ? dependents : applies;
  const reason = isDependent ? "WaitingForKubeconfigWorkspaceDeletion" : "WaitingForWorkspaceDeletion";
  const row = isDependent ? "E2" : "E3";
  const [apply] = first;
  if (apply !== undefined) {
    return { row, reason, message: waitsFor(apply), remove: notLeaving(first) };
  }
  if (workspaces.length === 0) return { row: "E4" };
  return { row: "E3", reason, message: text`waiting for workspace ${[...workspaces].sort().join(", ")}`, remove: [] };
}

/** A request that fails leaves everything as it is: what is not known to be gone is there. */
export async function finalize(
  it: CAPTControlPlane,
  hands: PlaneHands,
  draft: Draft<typeof CAPTControlPlane>,
  senses: Senses,
): Promise<Finalized> {
  const step = nextStep(await leftovers(it, hands, senses));
  if (step.row === "E4") return completed(it, draft, [finalizers.captControlPlane], ["Ready", "Available", "Deleting"]);
  for (const apply of step.remove) {
    await asking("delete", plural, () => hands.remove(WorkspaceTemplateApply, apply, "Background"));
  }
  draft
    .set({ ready: false })
    .condition("Ready", false, "Deleting", step.message)
    .condition("Available", false, "Deleting", step.message)
    .condition("Deleting", true, step.reason, step.message);
  return waiting(10_000);
}

const { plural } = WorkspaceTemplateApply;

async function leftovers(it: CAPTControlPlane, hands: PlaneHands, senses: Senses): Promise<Leftovers> {
  const { name = "", namespace = "" } = it.metadata;
  const main = it.spec === undefined ? [] : [applyNameOf(it)];
  const others = [kubeconfigApplyName(name), spotRoleCheckName(name), spotRoleCreateName(name)];
  const known = hands.children(WorkspaceTemplateApply).map(({ metadata }) => metadata.name ?? "");
  const found = await appliesOf(it, [...main, ...others], hands);
  const isOther = ({ metadata }: WorkspaceTemplateApply) => others.includes(metadata.name ?? "");
  const workspaces =
    found.length > 0 ? [] : await workspacesOf([...new Set([...main, ...others, ...known])], namespace, hands, senses);
  return { dependents: found.filter(isOther), applies: found.filter((apply) => !isOther(apply)), workspaces };
}

/** Workspaces that lead back to one of the applies. Those that somebody wanted to keep are not waited for. */
async function workspacesOf(
  names: readonly string[],
  namespace: string,
  hands: PlaneHands,
  { kinds }: Senses,
): Promise<readonly string[]> {
  const values = names.map(labelValue).join(",");
  const labelSelector = `${labels.applyNamespace}=${labelValue(namespace)},${labels.applyName} in (${values})`;
  const { items } = await asking("list", kinds.Workspace.plural, () =>
    hands.server.list(kinds.Workspace, { labelSelector }),
  );
  return items
    .filter(({ metadata }) => metadata.annotations?.[annotations.retained] === undefined)
    .map(({ metadata }) => metadata.name ?? "");
}
