// The role that spot instances need, made where it is missing (CP-13). It holds nothing up: what goes wrong is told as an Event.
import type { Hands } from "@telltale/runtime";
import { type Chain, observeChain, shownOutput, textIn } from "../chain.ts";
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { spotRoleCheckName, spotRoleCreateName, templates } from "../names.ts";
import { asking, isTrouble, untroubled } from "../trouble.ts";
import { errorOf } from "../workspace-conditions.ts";
import type { Senses } from "./observe.ts";
import { metadata } from "./plan.ts";
import { clusterNameOf, type World } from "./world.ts";

type PlaneHands = Hands<typeof CAPTControlPlane>;

export async function ensureSpotRole(world: World, hands: PlaneHands, senses: Senses): Promise<void> {
  const { name = "" } = world.it.metadata;
  const done = await untroubled(hands.log, async () => {
    const check = await applied(world, hands, senses, spotRoleCheckName(name), templates.spotRoleCheck);
    if (check !== undefined && isMissing(check)) {
      await applied(world, hands, senses, spotRoleCreateName(name), templates.spotRoleCreate);
    }
    return {};
  });
  if (isTrouble(done)) hands.event("Warning", "SpotServiceLinkedRoleFailed", done.message);
}

/** Whether the check has come to an end, and found none. Pure. */
export function isMissing(chain: Chain): boolean {
  if (chain.class !== "Available") return false;
  const found = textIn(chain.secret, "role_exists") ?? shownOutput(chain, "role_exists");
  return found === false || found === "false";
}

async function applied(
  world: World,
  hands: PlaneHands,
  senses: Senses,
  name: string,
  template: string,
): Promise<Chain | undefined> {
  const { it } = world;
  const { namespace = "" } = it.metadata;
  if (hands.get(WorkspaceTemplate, { namespace, name: template }) === undefined) return undefined;
  const region = it.spec.controlPlaneConfig?.region;
  const variables = { cluster_name: clusterNameOf(world), ...(region === undefined ? {} : { region }) };
  const apply = { metadata: metadata(world, name), spec: { templateRef: { name: template, namespace }, variables } };
  await asking("create", WorkspaceTemplateApply.plural, () => hands.ensure(WorkspaceTemplateApply, apply));
  const { kinds, config } = senses;
  const chain = await observeChain(it, { namespace, name }, hands, { kinds, allowed: config.allowedSecretNamespaces });
  if (chain.class === "Error" && chain.workspace !== undefined) {
    hands.event(
      "Warning",
      "SpotServiceLinkedRoleFailed",
      `workspace ${chain.workspaceName}: ${errorOf(chain.workspace)}`,
    );
  }
  return chain;
}
