// The snapshots of a machine as they are on disk, `snapshots.json`, and what may be done to one.
import { readFile } from "node:fs/promises";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import type { Machine } from "./machine.ts";

export interface Snapshot {
  /** Its tag inside a disk, too. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Inside the active layer of each disk, or frozen layers of its own. */
  readonly kind: "internal" | "external";
  /** The layer of each disk that it is in, or that it is. */
  readonly layers: Readonly<Record<string, number>>;
  readonly parent: string;
  readonly memory: boolean;
  readonly quiesced: boolean;
  readonly createdAt: string;
  readonly sizeBytes: number;
  /** The devices that the guest had: memory fits no others. */
  readonly devices: string;
  /** Nobody asks for it any more, but others stand on it. */
  readonly isDeleted: boolean;
  /** It is being taken: whether it was shows in the disks. */
  readonly isTaking?: boolean;
}

/** Whether somebody may ask for it. */
export const isKept = ({ isDeleted, isTaking = false }: Snapshot): boolean => !isDeleted && !isTaking;

/** What a caller knows it by who never heard its id. */
export const calledOf = ({ id, name }: Snapshot): string => (name === "" ? id : name);

/** By its id; by its name only as long as somebody may ask for it. */
export const snapshotFor = (snapshots: readonly Snapshot[], wanted: string): Snapshot | undefined =>
  snapshots.find(({ id }) => id === wanted) ?? snapshots.find((one) => one.name === wanted && isKept(one));

export async function readSnapshots(box: Box, id: string): Promise<readonly Snapshot[]> {
  const text = await readFile(box.layout.machine(id).snapshots, "utf8").catch(() => "[]");
  const snapshots: readonly Snapshot[] = JSON.parse(text);
  return snapshots;
}

export async function writeSnapshots(box: Box, id: string, snapshots: readonly Snapshot[]): Promise<void> {
  await box.host.write(box.layout.machine(id).snapshots, `${JSON.stringify(snapshots, undefined, 2)}\n`);
}

/** A snapshot that somebody may still ask for. */
export function snapshotNamed(snapshots: readonly Snapshot[], wanted: string): Snapshot {
  const snapshot = snapshotFor(snapshots.filter(isKept), wanted);
  if (snapshot === undefined) throw new RpcError("NOT_FOUND", "snapshot not found");
  return snapshot;
}

/** Whether an internal snapshot is in the layer that takes the writes: in another one it cannot be gone back to. */
export function isReachable(machine: Machine, { kind, layers }: Snapshot): boolean {
  return kind === "internal" && layers["root"] === machine.root.layer;
}

/** An internal snapshot in the active layer would be out of reach after a freeze, and lost with a merge. */
export function hasInternal(machine: Machine, snapshots: readonly Snapshot[]): boolean {
  return snapshots.some((snapshot) => isReachable(machine, snapshot) && isKept(snapshot));
}
