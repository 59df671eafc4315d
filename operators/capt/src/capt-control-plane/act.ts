// Does what was planned for a control plane, in an order that readers can rely on: children, then the endpoint, then the
// Secrets; the status comes last (P-7, K-3). What fails is told, not thrown.
import { Secret } from "@telltale/kinds/builtin";
import type { Hands } from "@telltale/runtime";
import { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { secretTypes } from "../names.ts";
import { asking, isTrouble, untroubled } from "../trouble.ts";
import { decide } from "./decide.ts";
import { observe, type Senses } from "./observe.ts";
import { type Apply, type Plan, type Publication, plan as planned } from "./plan.ts";
import { ensureSpotRole } from "./spot-role.ts";
import type { World } from "./world.ts";

type PlaneHands = Hands<typeof CAPTControlPlane>;

export async function act(plan: Plan, hands: PlaneHands, world: World, senses: Senses): Promise<World> {
  const after = await untroubled(hands.log, () => made(plan, hands, world, senses));
  if (isTrouble(after)) return { ...world, trouble: after };
  if (plan.isSpotRoleWanted) await ensureSpotRole(after, hands, senses);
  // Before a failure that only a person ends, the cache is not believed (P-10).
  if (decide(after, hands.now).is !== "failing") return after;
  const sure = await observe(after.it, hands, senses, true);
  // It came at the last moment: what is to be done for it is done before it is told.
  if (sure.trouble !== undefined || decide(sure, hands.now).is === "failing") return sure;
  const late = await untroubled(hands.log, () => made(planned(sure, hands.now), hands, sure, senses));
  return isTrouble(late) ? { ...sure, trouble: late } : late;
}

async function made(plan: Plan, hands: PlaneHands, world: World, senses: Senses): Promise<World> {
  const { apply, kubeconfigApply, endpoint, secrets } = plan;
  const main = apply === undefined ? "unchanged" : await ensureApply(apply, hands);
  const further = kubeconfigApply === undefined ? "unchanged" : await ensureApply(kubeconfigApply, hands);
  const it = endpoint === undefined ? world.it : await setEndpoint(world.it, endpoint, hands);
  for (const secret of secrets) await publish(secret, hands);
  const isChanged = main !== "unchanged" || further !== "unchanged" || it !== world.it || secrets.length > 0;
  if (!isChanged) return world;
  return { ...(await observe(it, hands, senses)), isApplyNew: main === "created" };
}

async function ensureApply(apply: Apply, hands: PlaneHands): Promise<string> {
  const place = { namespace: apply.metadata.namespace ?? "", name: apply.metadata.name ?? "" };
  const verb = hands.get(WorkspaceTemplateApply, place) === undefined ? "create" : "patch";
  const { as } = await asking(verb, WorkspaceTemplateApply.plural, () => hands.ensure(WorkspaceTemplateApply, apply));
  return as;
}

/** Once: whoever was faster is not overruled. */
function setEndpoint(it: CAPTControlPlane, endpoint: object, hands: PlaneHands): Promise<CAPTControlPlane> {
  const path = "/spec/controlPlaneEndpoint";
  return asking("patch", CAPTControlPlane.plural, () =>
    hands.patch(CAPTControlPlane, it, [
      { op: "test", path, value: it.spec.controlPlaneEndpoint ?? null },
      { op: "add", path, value: endpoint },
    ]),
  );
}

/** The type of a Secret cannot be changed: one of ours with another is made anew. */
async function publish({ wanted, there }: Publication, hands: PlaneHands): Promise<void> {
  if (there.is === "ours" && there.live.type !== secretTypes.cluster) {
    const { live } = there;
    await asking("delete", Secret.plural, () => hands.remove(Secret, live, "Background"));
  }
  const verb = there.is === "ours" ? "patch" : "create";
  await asking(verb, Secret.plural, () => hands.ensure(Secret, wanted));
}
