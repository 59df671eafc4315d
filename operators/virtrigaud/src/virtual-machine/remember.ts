// What a machine is called on the provider, kept on the object beside its status: whoever restores objects without their statuses
// finds the machines again.
import { annotations } from "../names.ts";
import type { VMHands } from "./act.ts";
import type { World } from "./world.ts";

export async function remember({ vm, held, record }: World, hands: VMHands): Promise<void> {
  const { id } = held;
  if (id === undefined || vm.metadata.annotations?.[annotations.providerId] === id) return;
  // The record of the attempt goes in the same request, where nothing goes on any more.
  const isOver = record !== undefined && held.lastTaskRef === undefined;
  await hands.annotate({ [annotations.providerId]: id, ...(isOver ? { [annotations.pendingOp]: undefined } : {}) });
}
