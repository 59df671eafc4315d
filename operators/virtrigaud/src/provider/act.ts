// Makes the Service and the Deployment of a provider and puts them right. What the server refuses is told, not thrown: the status
// says it.
import { ApiError, ConnectionError, TimeoutError } from "@telltale/client";
import type { KindRef, KubeObject } from "@telltale/kinds";
import { Deployment, Service } from "@telltale/kinds/builtin";
import { type Ensured, failureFrom, type Hands } from "@telltale/runtime";
import { type Draft, type SafeText, text } from "@telltale/status";
import { Provider } from "../kinds/index.ts";
import { observe, type Senses } from "./observe.ts";
import type { Plan } from "./plan.ts";
import type { Made, World } from "./world.ts";

type ProviderHands = Hands<typeof Provider>;

/** What must be known before the first object is made. */
export const pending = "pending";

export async function act(plan: Plan, hands: ProviderHands, world: World, senses: Senses): Promise<World> {
  see(world, senses);
  if (plan.is === "nothing") return world;
  const made = plan.is === "run" ? await run(plan, hands, world) : await takeDown(world, hands);
  const { namespace = "", name = "" } = world.it.metadata;
  const after = await observe(hands.get(Provider, { namespace, name }) ?? world.it, hands, senses);
  see(after, senses);
  return { ...after, made };
}

/** The probe asks with what was seen last. */
function see({ it, wanted, pods }: World, { sightings }: Senses): void {
  const tls = wanted.is === "invalid" ? undefined : wanted.tls;
  sightings.saw(it.metadata.uid ?? "", { pods, ...(tls === undefined ? {} : { tls }) });
}

async function run(plan: Extract<Plan, { is: "run" }>, hands: ProviderHands, world: World): Promise<Made> {
  if (plan.begins) await hands.checkpoint(pending, sayPending);
  const service = await tried(Service, hands, () => hands.ensure(Service, plan.service));
  if (service !== undefined)
    return { refused: { reason: "ServiceError", said: text`Failed to create service: ${service}` } };
  const deployment = await tried(Deployment, hands, async () => {
    await dropRollingUpdate(plan.deployment, world.deployment, hands);
    return hands.ensure(Deployment, plan.deployment, { mode: "hash" });
  });
  if (deployment !== undefined) {
    return { refused: { reason: "DeploymentError", said: text`Failed to create deployment: ${deployment}` } };
  }
  return plan.postponed > 0 ? { postponed: plan.postponed } : {};
}

/** No apply takes away fields that the server has filled in, and it refuses `Recreate` beside them. */
async function dropRollingUpdate(
  desired: Deployment,
  live: Deployment | undefined,
  hands: ProviderHands,
): Promise<void> {
  const { strategy } = desired.spec ?? {};
  if (strategy?.type !== "Recreate" || live?.spec?.strategy?.rollingUpdate === undefined) return;
  await hands.patch(Deployment, live, [{ op: "replace", path: "/spec/strategy", value: strategy }]);
}

function sayPending(draft: Draft<typeof Provider>): void {
  draft
    .set({ runtime: { mode: "Remote", phase: "Pending", message: "The Service and the Deployment are being made" } })
    .condition("RuntimeReady", false, "DeploymentNotReady", "The Deployment is not made yet")
    .condition("Ready", false, "DeploymentNotReady", "The Deployment is not made yet");
}

/** Why it could not be brought about; undefined where it was. */
async function tried<T extends KubeObject>(
  kind: KindRef<T>,
  hands: ProviderHands,
  ensure: () => Promise<Ensured<T>>,
): Promise<SafeText | undefined> {
  try {
    const { as, live } = await ensure();
    const name = live.metadata?.name ?? "";
    if (as === "foreign") return text`${kind.kind} ${name} belongs to somebody else`;
    return as === "terminating" ? text`the old ${kind.kind} ${name} is still going away` : undefined;
  } catch (error) {
    const { class: of, message } = failureFrom(error);
    const isSaid = error instanceof ApiError || error instanceof ConnectionError || error instanceof TimeoutError;
    if (!isSaid || of === "conflict" || of === "throttled") throw error;
    hands.log.warn("an object of a provider could not be made", { kind: kind.kind, err: error });
    return message;
  }
}

async function takeDown({ deployment, service }: World, hands: ProviderHands): Promise<Made> {
  if (deployment !== undefined) await hands.remove(Deployment, deployment, "Background");
  if (service !== undefined) await hands.remove(Service, service, "Background");
  return {};
}
