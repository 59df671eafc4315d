// A guest that writes nothing for a moment, so that a snapshot of its disks is whole. It may have no agent for that.
import type { Box } from "./box.ts";
import type { Machine } from "./machine.ts";

/** Has the guest write what it holds back; false where it cannot. */
export async function freezeGuest(box: Box, machine: Machine): Promise<boolean> {
  try {
    await box.running.agent(machine, 2000, (ask) => ask("guest-fsfreeze-freeze", {}, 5000));
    return true;
  } catch {
    await thawGuest(box, machine);
    return false;
  }
}

export async function thawGuest(box: Box, machine: Machine): Promise<void> {
  await box.running.agent(machine, 2000, (ask) => ask("guest-fsfreeze-thaw", {}, 5000)).catch(() => undefined);
}
