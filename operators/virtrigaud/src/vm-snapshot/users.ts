// Who needs a snapshot to stay: a migration or a clone that is under way. Pure.
import { type SafeText, text } from "@telltale/status";
import type { VMClone, VMMigration, VMSnapshot } from "../kinds/index.ts";

export function userOf(
  { metadata: { name } }: VMSnapshot,
  migrations: readonly VMMigration[],
  clones: readonly VMClone[],
): SafeText | undefined {
  const migration = migrations.find(
    (it) => (it.spec.source.snapshotRef?.name === name || it.status?.snapshotRef === name) && isMoving(it),
  );
  if (migration !== undefined) return text`VMMigration ${migration.metadata.name ?? ""} uses it`;
  const clone = clones.find((it) => it.spec.source.snapshotRef?.name === name && isCloning(it));
  return clone === undefined ? undefined : text`VMClone ${clone.metadata.name ?? ""} uses it`;
}

/** Which snapshots one of them may need: for whoever has to look again when it changes. */
export const usedBy = (it: VMMigration | VMClone): readonly string[] =>
  [
    it.spec.source.snapshotRef?.name,
    it.status !== undefined && "snapshotRef" in it.status ? it.status.snapshotRef : undefined,
  ].flatMap((name) => (name === undefined || name === "" ? [] : [name]));

// What is on its way out cleans up behind itself, and the snapshot with it: that must not wait for its end.

function isMoving({ metadata, spec, status }: VMMigration): boolean {
  if (metadata.deletionTimestamp !== undefined || status?.phase === "Ready") return false;
  const { retryPolicy } = spec.options ?? {};
  const left = retryPolicy === undefined ? 0 : (retryPolicy.maxRetries ?? 3) - (status?.retryCount ?? 0);
  return status?.phase !== "Failed" || left > 0;
}

const isCloning = ({ metadata, status }: VMClone): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== "Ready" && status?.phase !== "Failed";
