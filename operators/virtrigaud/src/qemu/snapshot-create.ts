// Takes snapshots: with memory inside the disks by a job of QEMU, of a machine that is off inside the disks too, of one that runs by
// freezing a layer.
import { stat } from "node:fs/promises";
import type { Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import { newTaskId } from "./ids.ts";
import { jobStep } from "./jobs.ts";
import { freeze, layerPath, layersOf, statePaths } from "./layers.ts";
import { disksOf, type Machine } from "./machine.ts";
import type { Qmp } from "./qmp.ts";
import { freezeGuest, thawGuest } from "./quiet.ts";
import { asRpcError, cpuCount, devices, memoryBytes } from "./reconfigure.ts";
import { settle } from "./settle.ts";
import { hasInternal, isKept, readSnapshots, type Snapshot, writeSnapshots } from "./snapshot-file.ts";
import type { TaskRecord } from "./task-record.ts";
import type { Work } from "./work.ts";

export function snapshotCreate(box: Box, request: Requested<"snapshotCreate">): Promise<Reply<"snapshotCreate">> {
  return box.alone(request.vmId, "snapshot", async (found) => {
    const machine = await settle(box, found);
    await box.room(0);
    const isOn = (await box.running.process(machine)) !== undefined;
    const qmp = isOn ? await box.running.monitor(machine) : undefined;
    const others = await readSnapshots(box, machine.id);
    const name = request.nameHint.slice(0, 512);
    if (name !== "" && others.some((one) => isKept(one) && one.name === name))
      throw new RpcError("ALREADY_EXISTS", "the machine has a snapshot of this name already; choose another one");
    const isExternal = qmp !== undefined && !request.includeMemory && !hasInternal(machine, others);
    const snapshot: Snapshot = {
      id: newTaskId(box.host.random).replace("t-", "s-"),
      name,
      description: request.description.slice(0, 1024),
      kind: isExternal ? "external" : "internal",
      layers: layersOf(machine),
      parent: others.findLast(isKept)?.id ?? "",
      memory: qmp !== undefined && request.includeMemory,
      quiesced: false,
      createdAt: new Date(box.host.clock.now()).toISOString(),
      sizeBytes: 0,
      devices: qmp === undefined ? "" : await devicesOf(qmp),
      isDeleted: false,
    };
    if (snapshot.memory) return begin(box, machine, snapshot);
    // Written before: whoever finds it unfinished sees in the disks whether it was taken, and thaws the guest.
    const mayBeQuiet = request.quiesce && qmp !== undefined;
    await writeSnapshots(box, machine.id, [...others, { ...snapshot, quiesced: mayBeQuiet, isTaking: true }]);
    const isQuiet = mayBeQuiet && (await freezeGuest(box, machine));
    try {
      if (isExternal) await freeze(box, machine, qmp);
      else await tag(box, machine, snapshot.id, qmp);
    } finally {
      if (isQuiet) await thawGuest(box, machine);
    }
    const sizeBytes = isExternal ? await sizeOf(box, machine) : 0;
    const taken = { ...snapshot, quiesced: isQuiet, sizeBytes };
    await keep(box, machine.id, taken);
    return { snapshotId: snapshot.id, sizeBytes: BigInt(sizeBytes), quiesced: isQuiet };
  });
}

async function begin(box: Box, { id }: Machine, snapshot: Snapshot): Promise<Reply<"snapshotCreate">> {
  await box.room(box.machines.need(id).memoryMiB * 2 ** 20);
  const params = { snapshot: { ...snapshot } };
  const task = await box.tasks.start({ op: "snapshot", vmId: id, holds: [id], key: `snapshot:${snapshot.id}`, params });
  return { snapshotId: snapshot.id, task: { id: task.id } };
}

/** The guest's memory and disks at one moment; it is paused while they are written. */
export const snapshotWork = (box: Box): Work => ({
  isCopy: false,
  steps(record) {
    const { vmId } = record;
    const snapshot = snapshotIn(record);
    return [
      jobStep(box, {
        name: "write the memory",
        stage: "Snapshotting",
        vmId,
        async start(qmp, job) {
          const nodes = await writableNodes(qmp, box.machines.need(vmId));
          await qmp.execute("snapshot-save", { "job-id": job, tag: snapshot.id, vmstate: nodes[0], devices: nodes });
          return true;
        },
        isDone: async () => (await tagsOf(box, vmId)).includes(snapshot.id),
      }),
      {
        name: "keep the snapshot",
        stage: "Snapshotting",
        kind: "steps",
        async run(task) {
          await keep(box, vmId, snapshot);
          task.result({ snapshot_id: snapshot.id, size_bytes: snapshot.sizeBytes, quiesced: false });
        },
      },
    ];
  },
});

async function keep(box: Box, id: string, snapshot: Snapshot): Promise<void> {
  const others = (await readSnapshots(box, id)).filter((one) => one.id !== snapshot.id);
  await writeSnapshots(box, id, [...others, snapshot]);
}

/** A tag inside every disk, at one moment. */
async function tag(box: Box, machine: Machine, name: string, qmp: Qmp | undefined): Promise<void> {
  if (qmp === undefined) {
    for (const path of statePaths(box, machine))
      await box.img("a snapshot cannot be taken", "snapshot", "-q", "-c", name, path);
    return;
  }
  const nodes = await writableNodes(qmp, machine);
  const actions = nodes.map((device) => ({ type: "blockdev-snapshot-internal-sync", data: { device, name } }));
  await qmp.execute("transaction", { actions }, 60_000).catch(asRpcError);
}

/** The nodes that take writes now, the root's first. */
export async function writableNodes(qmp: Qmp, machine: Machine): Promise<readonly string[]> {
  const attached = await devices(qmp);
  const nodes = disksOf(machine).flatMap(({ device }) =>
    attached.filter(({ id }) => id === device).map(({ node }) => node),
  );
  return [...nodes, ...(machine.firmware === "uefi" ? ["vars"] : [])];
}

/** The tags inside the root disk. */
export async function tagsOf(box: Box, id: string): Promise<readonly string[]> {
  const { root } = box.machines.need(id);
  return (await box.info(layerPath(box, id, "root", root.layer), "qcow2")).snapshots;
}

/** What a guest's memory knows of its devices: with others it cannot go on. */
export async function devicesOf(qmp: Qmp): Promise<string> {
  const disks = (await devices(qmp)).map(({ id }) => id).sort();
  return JSON.stringify({ cpus: await cpuCount(qmp), memory: await memoryBytes(qmp), disks });
}

async function sizeOf(box: Box, machine: Machine): Promise<number> {
  const files = disksOf(machine).map(({ name, layer }) => stat(layerPath(box, machine.id, name, layer)));
  return (await Promise.all(files)).reduce((sum, { blocks }) => sum + blocks * 512, 0);
}

export function snapshotIn({ params }: TaskRecord): Snapshot {
  const snapshot = params["snapshot"];
  if (typeof snapshot !== "object" || snapshot === null) throw new RpcError("INTERNAL", "the task has no snapshot");
  return snapshot as Snapshot; // as this provider wrote it
}
