// The end of a cluster: secondaries first, then primaries; what people made stays (8.3, step 9).
import { done, type Finalized, type Hands, waiting } from "@telltale/runtime";
import type { Draft } from "@telltale/status";
import { Bind9Cluster, Bind9Instance } from "../kinds/index.ts";
import { beingDeleted } from "../messages.ts";
import { observe, type Senses } from "./observe.ts";
import { statusOf } from "./status.ts";

export async function finalize(
  it: Bind9Cluster,
  hands: Hands<typeof Bind9Cluster>,
  draft: Draft<typeof Bind9Cluster>,
  senses: Senses,
): Promise<Finalized> {
  const managed = hands.children(Bind9Instance);
  const secondaries = managed.filter(({ spec }) => spec.role === "secondary");
  const next = secondaries.length > 0 ? secondaries : managed;
  for (const instance of next) {
    if (instance.metadata.deletionTimestamp === undefined) await hands.remove(Bind9Instance, instance, "Background");
  }
  const said = statusOf(observe(it, hands, senses), hands.now);
  draft.condition("Ready", false, "Progressing", beingDeleted(Bind9Cluster.kind, it.metadata.name ?? ""));
  draft.children("Bind9Instance", said.children);
  draft.set({
    instanceCount: said.instanceCount,
    readyInstances: said.readyInstances,
    instances: [...said.instances],
  });
  return hands.children(Bind9Instance).length > 0 ? waiting(5_000) : done;
}
