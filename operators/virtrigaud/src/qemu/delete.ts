// Takes a machine away: its process, then its name, then its files.
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";

/** A machine that is not there is no error. What is being done to it is ended, unless it would leave a disk in pieces. */
export async function remove(box: Box, id: string): Promise<void> {
  if (box.machines.get(id) === undefined) return;
  const user = box.machines.find(({ basedOn }) => basedOn.includes(id));
  if (user !== undefined)
    throw new RpcError(
      "FAILED_PRECONDITION",
      `machine ${id} is in use: the disks of ${user.name} are made on top of its own`,
    );
  const task = box.tasks.holding(id);
  if (task !== undefined && (task.op === "create" || task.op === "shutdown" || task.op === "clone") && task.vmId === id)
    await box.tasks.cancel(task.id);
  // What was being made is gone with its task.
  if (box.machines.get(id) === undefined) return;
  await box.alone(id, "delete", async (machine) => {
    await box.running.stop(machine);
    await box.machines.drop(id);
  });
}
