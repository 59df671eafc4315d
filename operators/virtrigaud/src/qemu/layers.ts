// Layers of a machine's disks: the active one takes the writes, those below it are frozen for good. No file ever changes its name while
// QEMU may have it open, because QEMU opens files again by their names; which layer is active is in `vm.json`.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Box } from "./box.ts";
import { isThere } from "./disks.ts";
import { member } from "./lines.ts";
import { type Disk, disksOf, type Machine, withLayers } from "./machine.ts";
import { type Qmp, QmpError } from "./qmp.ts";
import { asRpcError, devices } from "./reconfigure.ts";

/** The layers that disks have now, by name. */
export function layersOf(machine: Machine): Readonly<Record<string, number>> {
  return Object.fromEntries(disksOf(machine).map(({ name, layer }) => [name, layer]));
}

export function layerPath(box: Box, id: string, name: string, layer: number): string {
  return box.layout.machine(id).disk(name, layer);
}

/**
 * Freezes what every disk is now, and puts an empty layer on top. While the machine runs all disks at one moment, without a pause.
 * Whatever is cut short, the disks read the same.
 */
export async function freeze(box: Box, machine: Machine, qmp: Qmp | undefined): Promise<Machine> {
  const layer = machine.nextLayer;
  const begun: Machine = { ...machine, nextLayer: layer + 1, freezing: layer };
  await box.host.folder(box.layout.machine(machine.id).bases);
  await box.machines.save(begun);
  const actions: object[] = [];
  const attached = qmp === undefined ? [] : await devices(qmp);
  for (const disk of disksOf(machine)) {
    const below = layerPath(box, machine.id, disk.name, disk.layer);
    const path = layerPath(box, machine.id, disk.name, layer);
    const { virtualSize } = await box.info(below, "qcow2");
    await makeLayer(box, below, path, virtualSize);
    const node = attached.find(({ id }) => id === disk.device)?.node;
    if (node === undefined) continue;
    const names = { "node-name": node, "snapshot-file": path, "snapshot-node-name": `l${layer}-${disk.device}` };
    actions.push({ type: "blockdev-snapshot-sync", data: { ...names, format: "qcow2", mode: "existing" } });
  }
  try {
    await qmp?.execute("transaction", { actions }, 60_000);
  } catch (error) {
    // Refused: nothing was put on top. Where only the answer is missing, `settleLayers` finds out.
    if (error instanceof QmpError && error.class === "GenericError") await dropLayer(box, begun, layer);
    asRpcError(error);
  }
  return endFreeze(box, begun, layer);
}

/** An empty layer. Unchecked, because QEMU may have the lower one open: it was made here. */
export async function makeLayer(box: Box, below: string, path: string, size: number): Promise<void> {
  const base = ["-u", "-f", "qcow2", "-b", below, "-F", "qcow2"];
  await box.img("a layer cannot be made", "create", "-q", ...base, path, String(size));
}

async function endFreeze(box: Box, machine: Machine, layer: number): Promise<Machine> {
  const all = Object.fromEntries(disksOf(machine).map(({ name }) => [name, layer]));
  const frozen = withLayers(machine, all);
  await box.machines.save(frozen);
  return frozen;
}

async function dropLayer(box: Box, machine: Machine, layer: number): Promise<void> {
  await box.machines.save(withLayers(machine, {}));
  for (const { name } of disksOf(machine)) await box.host.remove(layerPath(box, machine.id, name, layer));
}

/** Ends what a provider that died in the middle of `freeze` has left. */
export async function settleLayers(box: Box, machine: Machine): Promise<Machine> {
  const { freezing } = machine;
  if (freezing === undefined) return machine;
  const path = layerPath(box, machine.id, "root", freezing);
  const isOn = (await box.running.process(machine)) !== undefined;
  const isOnTop = isOn && (await devices(await box.running.monitor(machine))).some(({ file }) => file === path);
  // Of a machine that is off the new layers are empty, or took the last writes: on top they are right in both cases, if all are there.
  const made = await Promise.all(
    disksOf(machine).map(({ name }) => isThere(layerPath(box, machine.id, name, freezing))),
  );
  if (isOnTop || (!isOn && made.every((is) => is))) return endFreeze(box, machine, freezing);
  await dropLayer(box, machine, freezing);
  return box.machines.need(machine.id);
}

/** Every file of the machine that has its state. */
export function statePaths(box: Box, machine: Machine): readonly string[] {
  const paths = box.layout.machine(machine.id);
  const disks = disksOf(machine).map(({ name, layer }) => paths.disk(name, layer));
  return machine.firmware === "uefi" ? [...disks, paths.disk("vars", 0)] : disks;
}

/** Whether QEMU has a disk's writes go to this file. */
export async function isActive(qmp: Qmp, { device }: Disk, path: string): Promise<boolean> {
  return (await devices(qmp)).some(({ id, file }) => id === device && file === path);
}

/** The node that takes a disk's writes, and the one right below it. */
export async function nodesOf(qmp: Qmp, { device }: Disk): Promise<{ active: string; below: string } | undefined> {
  const active = (await devices(qmp)).find(({ id }) => id === device)?.node;
  const graph = await qmp.execute("x-debug-query-block-graph");
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const nodes = list(member(graph, "nodes"));
  const idOf = (node: unknown) => member(node, "id");
  const top = idOf(nodes.find((node) => member(node, "name") === active));
  const edges = list(member(graph, "edges"));
  const edge = edges.find((one) => member(one, "parent") === top && member(one, "name") === "backing");
  const below = member(
    nodes.find((node) => idOf(node) === member(edge, "child")),
    "name",
  );
  return active !== undefined && edge !== undefined && typeof below === "string" ? { active, below } : undefined;
}

/** Files of this provider that are made right on top of a layer of a root disk, read from the files themselves. */
export async function childrenOf(box: Box, path: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const machine of box.machines.all()) {
    const paths = box.layout.machine(machine.id);
    const upper = await readdir(paths.bases).catch(() => []);
    const files = [
      paths.disk("root", 0),
      ...upper.filter((name) => name.endsWith("-root.qcow2")).map((name) => join(paths.bases, name)),
    ];
    for (const file of files) {
      if (!(await isThere(file))) continue;
      if ((await box.info(file, "qcow2")).backingFile === path) found.push(file);
    }
  }
  return found;
}
