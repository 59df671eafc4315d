// MANIFEST, and the names of the other files in a store's folder.
import { closeSync, fdatasyncSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32c } from "./crc32c.ts";
import { StoreUnusable } from "./errors.ts";

export interface Manifest {
  /** No revision above this has been given out. After a clean stop it is the last one, else somewhat more. */
  readonly highWater: number;
  /** The revision of the newest snapshot, 0 without one: older log files are removed. */
  readonly snapshot: number;
  /** The log files in order; undefined in a folder that an earlier version wrote. */
  readonly segments: readonly SegmentLink[] | undefined;
  /** The revision of the last record of the log after a clean stop, 0 where there is none; undefined while it is written. */
  readonly last: number | undefined;
}

/** A log file as the chain of them knows it: a file that is missing shows. */
export interface SegmentLink {
  /** The revision of its first record, which is in its name. */
  readonly first: number;
  /** The revision of the record before that, in the file before or in none; 0 for the first of all. */
  readonly after: number;
}

export function readManifest(dir: string): Manifest | undefined {
  let text: string;
  try {
    text = readFileSync(join(dir, "MANIFEST"), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const manifest = parseManifest(text);
  if (manifest !== undefined) return manifest;
  throw new StoreUnusable(`store ${dir}: MANIFEST is not one of this version, or damaged`, "repair");
}

function parseManifest(text: string): Manifest | undefined {
  let parsed: Written;
  try {
    parsed = JSON.parse(text) as Written;
  } catch {
    return undefined;
  }
  const { format, highWater, snapshot, segments, last } = parsed;
  if (![highWater, snapshot].every((n) => Number.isSafeInteger(n) && n >= 0)) return undefined;
  if (format === 1) return { highWater, snapshot, segments: undefined, last: undefined };
  return format === 2 && text === written({ highWater, snapshot, segments, last })
    ? { highWater, snapshot, segments, last }
    : undefined;
}

type Written = Manifest & { readonly format: number };

function written({ highWater, snapshot, segments, last }: Manifest): string {
  const content = JSON.stringify({ format: 2, highWater, snapshot, segments, last });
  return `${content.slice(0, -1)},"crc32c":${crc32c(Buffer.from(content))}}`;
}

/** Replaces MANIFEST in one step. Synchronous, so that no two replacements can cross. */
export function writeManifest(dir: string, manifest: Manifest): void {
  const path = join(dir, "MANIFEST");
  const file = openSync(`${path}.tmp`, "w", 0o600);
  try {
    writeFileSync(file, written(manifest));
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
