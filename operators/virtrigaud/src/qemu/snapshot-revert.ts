// Goes back to snapshots, and takes them away.
import type { Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import { jobStep } from "./jobs.ts";
import { childrenOf, layerPath, layersOf, makeLayer, statePaths } from "./layers.ts";
import { disksOf, type Machine, withLayers } from "./machine.ts";
import { settle } from "./settle.ts";
import { devicesOf, snapshotIn, tagsOf, writableNodes } from "./snapshot-create.ts";
import {
  hasInternal,
  isReachable,
  readSnapshots,
  type Snapshot,
  snapshotFor,
  snapshotNamed,
  writeSnapshots,
} from "./snapshot-file.ts";
import { forget, forgetStep } from "./snapshot-merge.ts";
import type { Work } from "./work.ts";

/** With memory the machine runs afterwards, as it ran then; without it is off. */
export function snapshotRevert(box: Box, request: Requested<"snapshotRevert">): Promise<Reply<"snapshotRevert">> {
  return box.alone(request.vmId, "revert", async (found) => {
    const machine = await settle(box, found);
    const snapshots = await readSnapshots(box, machine.id);
    const snapshot = snapshotNamed(snapshots, request.snapshotId);
    const refuse = (why: string) => new RpcError("FAILED_PRECONDITION", why);
    if (snapshot.kind === "external") {
      if (hasInternal(machine, snapshots))
        throw refuse("later snapshots would be lost with the layer that they are in; delete them first");
      await box.running.stop(machine);
      await startOver(box, machine, snapshot.layers);
      return {};
    }
    if (!isReachable(machine, snapshot))
      throw refuse("the snapshot is in a layer that others stand on, which cannot change any more");
    if (!snapshot.memory) {
      await box.running.stop(machine);
      await eachWithTag(box, machine, snapshot.id, (path) =>
        box.img("the snapshot cannot be gone back to", "snapshot", "-q", "-a", snapshot.id, path),
      );
      return {};
    }
    await box.running.start(machine);
    if ((await devicesOf(await box.running.monitor(machine))) !== snapshot.devices)
      throw refuse("the machine has other devices than when its memory was saved");
    return begin(box, "revert", machine, snapshot);
  });
}

/** New empty layers on frozen ones. A disk that was added since is not part of the snapshot, and stays. */
async function startOver(box: Box, machine: Machine, frozen: Snapshot["layers"]): Promise<void> {
  const layer = machine.nextLayer;
  const disks = disksOf(machine).filter(({ name }) => frozen[name] !== undefined);
  for (const { name } of disks) {
    const below = layerPath(box, machine.id, name, frozen[name] ?? 0);
    await makeLayer(box, below, layerPath(box, machine.id, name, layer), (await box.info(below, "qcow2")).virtualSize);
  }
  const layers = Object.fromEntries(disks.map(({ name }) => [name, layer]));
  await box.machines.save({ ...withLayers(machine, layers), nextLayer: layer + 1 });
  for (const { name, layer: old } of disks) await box.host.remove(layerPath(box, machine.id, name, old));
}

export function snapshotDelete(box: Box, request: Requested<"snapshotDelete">): Promise<Reply<"snapshotDelete">> {
  return box.alone(request.vmId, "snapshot delete", async (found) => {
    const machine = await settle(box, found);
    const snapshots = await readSnapshots(box, machine.id);
    const snapshot = snapshotFor(snapshots, request.snapshotId);
    if (snapshot === undefined) return {};
    const isOn = (await box.running.process(machine)) !== undefined;
    if (snapshot.kind === "internal") {
      if (!isReachable(machine, snapshot)) return markDeleted(box, machine, snapshot);
      if (isOn) return begin(box, "unsnapshot", machine, snapshot);
      await eachWithTag(box, machine, snapshot.id, (path) =>
        box.img("the snapshot cannot be deleted", "snapshot", "-q", "-d", snapshot.id, path),
      );
      await forget(box, machine.id, snapshot);
      return {};
    }
    const children = await childrenOf(box, layerPath(box, machine.id, "root", snapshot.layers["root"] ?? 0));
    if (children.length === 0) {
      for (const [name, layer] of Object.entries(snapshot.layers))
        await box.host.remove(layerPath(box, machine.id, name, layer));
      await forget(box, machine.id, snapshot);
      return {};
    }
    const active = layerPath(box, machine.id, "root", machine.root.layer);
    // What others stand on stays until they are gone; a merge would also lose what is inside the upper layer.
    const isMerged = children.length === 1 && children[0] === active && !hasInternal(machine, snapshots);
    return isMerged ? begin(box, "merge", machine, snapshot) : markDeleted(box, machine, snapshot);
  });
}

/** Every file of the machine that has the tag. */
async function eachWithTag(
  box: Box,
  machine: Machine,
  tag: string,
  act: (path: string) => Promise<unknown>,
): Promise<void> {
  for (const path of statePaths(box, machine))
    if ((await box.info(path, "qcow2")).snapshots.includes(tag)) await act(path);
}

async function markDeleted(box: Box, { id }: Machine, snapshot: Snapshot): Promise<Reply<"snapshotDelete">> {
  const snapshots = await readSnapshots(box, id);
  const marked = snapshots.map((one) => (one.id === snapshot.id ? { ...one, isDeleted: true } : one));
  await writeSnapshots(box, id, marked);
  return {};
}

async function begin(box: Box, op: string, { id }: Machine, snapshot: Snapshot): Promise<{ task: { id: string } }> {
  const machine = box.machines.need(id);
  const isOn = (await box.running.process(machine)) !== undefined;
  const params = { snapshot: { ...snapshot }, isOn, tops: layersOf(machine) };
  const task = await box.tasks.start({ op, vmId: id, holds: [id], key: `${op}:${snapshot.id}`, params });
  return { task: { id: task.id } };
}

/** Memory and disks as they were. */
export const revertWork = (box: Box): Work => ({
  isCopy: false,
  steps(record) {
    const { vmId } = record;
    const { id: tag } = snapshotIn(record);
    return [
      jobStep(box, {
        name: "load the memory",
        stage: "Reverting",
        vmId,
        async start(qmp, job) {
          const nodes = await writableNodes(qmp, box.machines.need(vmId));
          await qmp.execute("snapshot-load", { "job-id": job, tag, vmstate: nodes[0], devices: nodes });
          return true;
        },
        // Whether it was loaded leaves no trace: who asks again loads it again.
        isDone: () => Promise.resolve(false),
      }),
      {
        name: "go on",
        stage: "Reverting",
        kind: "steps",
        async run() {
          const qmp = await box.running.monitor(box.machines.need(vmId));
          await qmp.execute("cont").catch(() => undefined);
        },
      },
    ];
  },
});

/** A tag inside the disks of a machine that runs. */
export const unsnapshotWork = (box: Box): Work => ({
  isCopy: false,
  steps(record) {
    const { vmId } = record;
    const snapshot = snapshotIn(record);
    return [
      jobStep(box, {
        name: "delete the snapshot",
        stage: "Deleting",
        vmId,
        async start(qmp, job) {
          const nodes = await writableNodes(qmp, box.machines.need(vmId));
          await qmp.execute("snapshot-delete", { "job-id": job, tag: snapshot.id, devices: nodes });
          return true;
        },
        isDone: async () => !(await tagsOf(box, vmId)).includes(snapshot.id),
      }),
      forgetStep(box, vmId, snapshot),
    ];
  },
});
