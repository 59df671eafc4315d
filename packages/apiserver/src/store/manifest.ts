// MANIFEST, and the names of the other files in a store's folder.
import { closeSync, fdatasyncSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StoreUnusable } from "./errors.ts";

export interface Manifest {
  readonly format: 1;
  /** No revision above this has been given out. After a clean stop it is the last one, else somewhat more. */
  readonly highWater: number;
  /** The revision of the newest snapshot, 0 without one: older log files may be gone. */
  readonly snapshot: number;
}

export function readManifest(dir: string): Manifest | undefined {
  let text: string;
  try {
    text = readFileSync(join(dir, "MANIFEST"), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const manifest = JSON.parse(text) as Manifest;
    const whole = [manifest.highWater, manifest.snapshot].every((n) => Number.isSafeInteger(n) && n >= 0);
    if (manifest.format === 1 && whole) return manifest;
  } catch {
    // Said below, with the rest.
  }
  throw new StoreUnusable(`store ${dir}: MANIFEST is not one of this version; restore the folder from a copy`);
}

/** Replaces MANIFEST in one step. Synchronous, so that no two replacements can cross. */
export function writeManifest(dir: string, manifest: Manifest): void {
  const path = join(dir, "MANIFEST");
  const file = openSync(`${path}.tmp`, "w");
  try {
    writeFileSync(file, JSON.stringify(manifest));
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.tmp`, path);
  syncFolder(dir);
}

/** Makes new names in a folder safe. */
export function syncFolder(dir: string): void {
  const folder = openSync(dir, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

export const snapshotName = (revision: number): string => `snap-${revision}.jsonl`;
export const segmentName = (firstRevision: number): string => `wal-${firstRevision}.log`;

/** The revisions in the names of the files of a folder, ascending. */
export function filesOf(names: readonly string[]): { snapshots: number[]; segments: number[]; leftovers: string[] } {
  const revisions = (pattern: RegExp) =>
    names
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  return {
    snapshots: revisions(/^snap-(\d+)\.jsonl$/),
    segments: revisions(/^wal-(\d+)\.log$/),
    leftovers: names.filter((name) => /^(snap-\d+\.jsonl|MANIFEST)\.tmp$/.test(name)),
  };
}
