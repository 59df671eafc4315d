// Ends what a provider that died in the middle of a snapshot has left: afterwards the snapshot is there, or it never was.
import type { Box } from "./box.ts";
import { settleLayers, statePaths } from "./layers.ts";
import type { Machine } from "./machine.ts";
import { thawGuest } from "./quiet.ts";
import { readSnapshots, type Snapshot, writeSnapshots } from "./snapshot-file.ts";

export async function settle(box: Box, found: Machine): Promise<Machine> {
  const machine = await settleLayers(box, found);
  const snapshots = await readSnapshots(box, machine.id);
  if (!snapshots.some(({ isTaking }) => isTaking === true)) return machine;
  const isOn = (await box.running.process(machine)) !== undefined;
  const settled: Snapshot[] = [];
  for (const { isTaking = false, ...snapshot } of snapshots) {
    if (isTaking && isOn && snapshot.quiesced) await thawGuest(box, machine);
    const isThere = !isTaking || (await isTaken(box, machine, snapshot, isOn));
    if (isThere) settled.push(isTaking ? { ...snapshot, quiesced: false } : snapshot);
  }
  await writeSnapshots(box, machine.id, settled);
  return machine;
}

/** What was frozen has a layer above it. A tag is in every disk, or it is taken away from those that have it. */
async function isTaken(box: Box, machine: Machine, { kind, layers, id }: Snapshot, isOn: boolean): Promise<boolean> {
  if (kind === "external") return machine.root.layer !== layers["root"];
  const paths = statePaths(box, machine);
  const infos = await Promise.all(paths.map((path) => box.info(path, "qcow2")));
  const tagged = paths.filter((_path, i) => infos[i]?.snapshots.includes(id));
  if (tagged.length === paths.length) return true;
  // QEMU itself tags all disks or none: a machine that runs has no tag on some.
  if (!isOn)
    for (const path of tagged) await box.img("a snapshot cannot be taken away", "snapshot", "-q", "-d", id, path);
  return false;
}
