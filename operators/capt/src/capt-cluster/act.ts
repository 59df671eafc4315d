// Makes and changes the apply of a network. What fails is told, not thrown: the status says it.
import type { Hands } from "@telltale/runtime";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { asking, isTrouble, untroubled } from "../trouble.ts";
import { decide } from "./decide.ts";
import { observe, type Senses } from "./observe.ts";
import type { Plan } from "./plan.ts";
import type { World } from "./world.ts";

export async function act(plan: Plan, hands: Hands<typeof CAPTCluster>, world: World, senses: Senses): Promise<World> {
  const after = await untroubled(hands.log, () => made(plan, hands, world, senses));
  if (isTrouble(after)) return { ...world, trouble: after };
  // Before a failure that only a person ends, the cache is not believed (P-10).
  const isFailing = decide(after, hands.now).is === "failing";
  return isFailing ? observe(world.it, hands, senses, true) : after;
}

async function made({ apply }: Plan, hands: Hands<typeof CAPTCluster>, world: World, senses: Senses): Promise<World> {
  if (apply === undefined) return world;
  const verb = world.chain.apply === undefined ? "create" : "patch";
  const { as } = await asking(verb, WorkspaceTemplateApply.plural, () => hands.ensure(WorkspaceTemplateApply, apply));
  return as === "unchanged" ? world : observe(world.it, hands, senses);
}
