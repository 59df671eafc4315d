// A frozen layer that nobody needs is merged: the active one is written into it, and it takes the writes again.
import type { Box } from "./box.ts";
import { jobStep } from "./jobs.ts";
import { isActive, layerPath, nodesOf } from "./layers.ts";
import { type Disk, disksOf, withLayers } from "./machine.ts";
import { snapshotIn } from "./snapshot-create.ts";
import { readSnapshots, type Snapshot, writeSnapshots } from "./snapshot-file.ts";
import type { Step, Work } from "./work.ts";

export const mergeWork = (box: Box): Work => ({
  isCopy: true,
  steps(record) {
    const snapshot = snapshotIn(record);
    const tops = record.params["tops"] as Snapshot["layers"]; // as `begin` wrote them
    return [
      ...mergeSteps(box, record.vmId, snapshot.layers, tops, record.params["isOn"] === true),
      forgetStep(box, record.vmId, snapshot),
    ];
  },
});

/** Disk by disk: what is in `tops` goes into `frozen`, which is active at once. */
export function mergeSteps(
  box: Box,
  vmId: string,
  frozen: Snapshot["layers"],
  tops: Snapshot["layers"],
  isOn: boolean,
): readonly Step[] {
  const disks = disksOf(box.machines.need(vmId)).filter(({ name }) => frozen[name] !== undefined);
  return disks.flatMap((disk) => {
    const lower = frozen[disk.name] ?? 0;
    const top = tops[disk.name] ?? 0;
    const merge = isOn ? mergeLive(box, vmId, disk, lower) : mergeOff(box, vmId, disk.name, top);
    return [merge, take(box, vmId, disk.name, lower, top)];
  });
}

/** The lower layer is the active one. */
function take(box: Box, vmId: string, name: string, lower: number, top: number): Step {
  return {
    name: `take the merged ${name}`,
    stage: "Merging",
    kind: "steps",
    async run() {
      await box.machines.save(withLayers(box.machines.need(vmId), { [name]: lower }));
      await box.host.remove(layerPath(box, vmId, name, top));
    },
  };
}

function mergeLive(box: Box, vmId: string, disk: Disk, lower: number): Step {
  return jobStep(box, {
    name: `merge ${disk.name}`,
    stage: "Merging",
    vmId,
    async start(qmp, job) {
      const nodes = await nodesOf(qmp, disk);
      if (nodes === undefined) return false;
      const which = { device: nodes.active, "base-node": nodes.below };
      await qmp.execute("block-commit", { "job-id": job, ...which, "auto-dismiss": false });
      return true;
    },
    isDone: (qmp) => isActive(qmp, disk, layerPath(box, vmId, disk.name, lower)),
  });
}

function mergeOff(box: Box, vmId: string, name: string, top: number): Step {
  return {
    name: `merge ${name}`,
    stage: "Merging",
    kind: "proc",
    argv: async () => [box.settings.programs.img, "commit", "-p", "-d", "-f", "qcow2", layerPath(box, vmId, name, top)],
  };
}

export function forgetStep(box: Box, vmId: string, snapshot: Snapshot): Step {
  return {
    name: "forget the snapshot",
    stage: "Deleting",
    kind: "steps",
    run: () => forget(box, vmId, snapshot),
  };
}

/** Takes a snapshot off the list; what came after it comes after what was before it. */
export async function forget(box: Box, id: string, snapshot: Snapshot): Promise<void> {
  const snapshots = await readSnapshots(box, id);
  const others = snapshots.filter((one) => one.id !== snapshot.id);
  await writeSnapshots(
    box,
    id,
    others.map((one) => (one.parent === snapshot.id ? { ...one, parent: snapshot.parent } : one)),
  );
}
