// Makes, changes and removes instances. One that is refused keeps none of the others back.
import type { Applied } from "@telltale/client";
import { annotationPatch, type Hands } from "@telltale/runtime";
import { text } from "@telltale/status";
import { type Bind9Cluster, Bind9Instance } from "../kinds/index.ts";
import { annotations, finalizers } from "../names.ts";
import { attempted, Refusal } from "../refusal.ts";
import { observe, type Senses } from "./observe.ts";
import type { Kept, Plan } from "./plan.ts";
import type { Made, World } from "./world.ts";

type ClusterHands = Hands<typeof Bind9Cluster>;

export async function act(plan: Plan, hands: ClusterHands, world: World, senses: Senses): Promise<World> {
  let hasActed = false;
  let refused: Made["refused"];
  const taken = new Set(world.taken);
  const attempt = async (name: string, step: () => Promise<"acted" | "idle" | "foreign">) => {
    const outcome = await attempted(step);
    if (outcome instanceof Refusal) {
      refused ??= { name, said: text`${outcome.said}` };
      hands.log.warn("an instance could not be changed", { instance: name, err: outcome.cause });
    } else if (outcome === "foreign") taken.add(name);
    else if (outcome === "acted") hasActed = true;
  };
  for (const { instance, slot } of plan.repair) {
    await attempt(instance.metadata.name ?? "", () => renumber(instance, slot, hands));
  }
  for (const kept of plan.keep) await attempt(kept.name, () => ensure(kept, hands));
  for (const instance of plan.remove) {
    await attempt(instance.metadata.name ?? "", async () => {
      await hands.remove(Bind9Instance, instance, "Background");
      return "acted";
    });
  }
  const after = observe(world.it, hands, senses);
  const made = { hasActed, ...(refused === undefined ? {} : { refused }) };
  return { ...after, taken: [...new Set([...after.taken, ...taken])], made };
}

/** Refused or not, the slot that was computed counts for this pass. */
async function renumber(instance: Bind9Instance, slot: number, hands: ClusterHands): Promise<"idle"> {
  const operations = annotationPatch(instance, { [annotations.instanceIndex]: String(slot) });
  if (operations.length > 0) await hands.patch(Bind9Instance, instance, operations);
  return "idle";
}

async function ensure({ name, slot, labels, spec }: Kept, hands: ClusterHands): Promise<"acted" | "idle" | "foreign"> {
  const { as } = await hands.ensure(
    Bind9Instance,
    { metadata: { name, labels: { ...labels } }, spec: spec as Applied<Bind9Instance["spec"]> },
    {
      // From then on replicas are a person's, the slot changes only by a repair, and finalizers belong to whoever set them.
      atCreation: {
        metadata: {
          annotations: { [annotations.instanceIndex]: String(slot) },
          finalizers: [finalizers.bind9Instance],
        },
        spec: { replicas: 1 },
      },
    },
  );
  return as === "created" ? "acted" : as === "foreign" ? "foreign" : "idle";
}
