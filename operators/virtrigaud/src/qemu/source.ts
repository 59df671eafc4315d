// What a disk is copied from: a file that does not change while it is read. A running machine is given new layers for that.
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import { freeze, layerPath, layersOf } from "./layers.ts";
import type { Machine } from "./machine.ts";
import { settle } from "./settle.ts";
import { hasInternal, readSnapshots, type Snapshot, snapshotNamed } from "./snapshot-file.ts";
import { mergeSteps } from "./snapshot-merge.ts";
import type { Step } from "./work.ts";

/** As a task keeps it. */
export interface Source {
  readonly vmId: string;
  /** The layer of each disk to read. */
  readonly layers: Snapshot["layers"];
  /** What to read inside of it. */
  readonly tag?: string;
  /** Layers that were put on top only for the copy, and go into those below when it is done. */
  readonly tops?: Snapshot["layers"];
  readonly isOn: boolean;
}

/** For a copy of a snapshot, or of the machine as it is now. */
export async function sourceOf(box: Box, found: Machine, snapshotId: string): Promise<Source> {
  const machine = await settle(box, found);
  const isOn = (await box.running.process(machine)) !== undefined;
  const at = { vmId: machine.id, isOn };
  if (snapshotId !== "") {
    const { id, kind, layers } = snapshotNamed(await readSnapshots(box, machine.id), snapshotId);
    return { ...at, layers, ...(kind === "internal" ? { tag: id } : {}) };
  }
  const layers = layersOf(machine);
  if (!isOn) return { ...at, layers };
  const frozen = await freeze(box, machine, await box.running.monitor(machine));
  return { ...at, layers, tops: layersOf(frozen) };
}

/** For disks that are made on top: layers that stay frozen for good. */
export async function baseOf(box: Box, found: Machine, snapshotId: string): Promise<Source> {
  const machine = await settle(box, found);
  const snapshots = await readSnapshots(box, machine.id);
  const isOn = (await box.running.process(machine)) !== undefined;
  const at = { vmId: machine.id, isOn };
  const refuse = (why: string) => new RpcError("FAILED_PRECONDITION", `${why}; make a full clone instead`);
  if (snapshotId !== "") {
    const { kind, layers } = snapshotNamed(snapshots, snapshotId);
    if (kind === "internal") throw refuse("nothing can be made on top of a snapshot that is inside a disk");
    return { ...at, layers };
  }
  if (hasInternal(machine, snapshots)) throw refuse("snapshots of the machine could not be gone back to any more");
  await freeze(box, machine, isOn ? await box.running.monitor(machine) : undefined);
  return { ...at, layers: layersOf(machine) };
}

/** The file of a disk, and what qemu-img is told to read in it. Others may have it open: it does not change. */
export function readArguments(box: Box, { vmId, layers, tag }: Source, disk: string): readonly string[] {
  const inside = tag === undefined ? [] : ["-l", `snapshot.name=${tag}`];
  return ["-U", ...inside, sourcePath(box, { vmId, layers }, disk)];
}

export function sourcePath(box: Box, { vmId, layers }: Pick<Source, "vmId" | "layers">, disk: string): string {
  const layer = layers[disk];
  if (layer === undefined) throw new RpcError("NOT_FOUND", "the snapshot has no such disk");
  return layerPath(box, vmId, disk, layer);
}

/** After a copy that failed: the same, by a task of its own. */
export async function takeBack(box: Box, { vmId, layers, tops }: Source, task: string): Promise<void> {
  const machine = box.machines.get(vmId);
  if (tops === undefined || machine === undefined || machine.root.layer !== tops["root"]) return;
  const isOn = (await box.running.process(machine)) !== undefined;
  const params = { snapshot: { id: task, layers }, tops, isOn };
  await box.tasks.start({ op: "merge", vmId, holds: [vmId], key: `merge:${task}`, params });
}

/** After the copy: the machine's disks are as they were. */
export function giveBack(box: Box, { vmId, layers, tops, isOn }: Source): readonly Step[] {
  return tops === undefined ? [] : mergeSteps(box, vmId, layers, tops, isOn);
}
