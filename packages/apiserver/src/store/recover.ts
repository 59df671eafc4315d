// What a folder holds after whatever happened to it: the newest whole snapshot, and the log behind it up to the first bad record.
import { closeSync, fsyncSync, ftruncateSync, openSync, readdirSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { StoreUnusable } from "./errors.ts";
import { decode } from "./log.ts";
import { filesOf, type Manifest, readManifest, segmentName, snapshotName, syncFolder } from "./manifest.ts";
import { ParsedObjects, StoredRecord } from "./record.ts";
import { readSnapshot, tableOf } from "./snapshot.ts";
import type { JournalEntry } from "./store.ts";
import type { Table } from "./table.ts";

export interface Recovered {
  /** No smaller than any revision that was ever given out. */
  readonly revision: number;
  readonly tables: Map<string, Table>;
  readonly parsed: ParsedObjects;
  /** The revision of the snapshot that this comes from, 0 without one. */
  readonly snapshot: number;
  /** The log files, each with the last revision in it. */
  readonly segments: readonly Segment[];
}

export interface Segment {
  readonly path: string;
  readonly last: number;
}

/** Undefined for a folder in which no store has been. */
export async function recover(dir: string, log: (line: string) => void): Promise<Recovered | undefined> {
  const { snapshots, segments, leftovers } = filesOf(readdirSync(dir));
  for (const name of leftovers) unlinkSync(join(dir, name));
  const manifest = readManifest(dir);
  if (manifest === undefined) {
    if (snapshots.length + segments.length === 0) return undefined;
    throw new StoreUnusable(`store ${dir} has data but no MANIFEST; restore the folder from a copy`);
  }
  const parsed = new ParsedObjects();
  const { revision: snapshot, tables } = await newestSnapshot(dir, snapshots, manifest, parsed, log);
  for (const old of snapshots) if (old !== snapshot) unlinkSync(join(dir, snapshotName(old)));
  let revision = snapshot;
  const kept: Segment[] = [];
  for (const [i, first] of segments.entries()) {
    const path = join(dir, segmentName(first));
    const next = segments[i + 1];
    if (next !== undefined && next <= snapshot + 1) {
      unlinkSync(path); // All of it is in the snapshot.
      continue;
    }
    let last = 0;
    const apply = (entry: JournalEntry) => {
      last = entry.revision;
      if (entry.revision > revision) replay(tables, entry, parsed);
      revision = Math.max(revision, entry.revision);
    };
    cut(path, readFileSync(path), apply, next === undefined, log);
    if (last > 0) kept.push({ path, last });
    else unlinkSync(path);
  }
  syncFolder(dir);
  return { revision: Math.max(revision, manifest.highWater), tables, parsed, snapshot, segments: kept };
}

async function newestSnapshot(
  dir: string,
  revisions: readonly number[],
  manifest: Manifest,
  parsed: ParsedObjects,
  log: (line: string) => void,
): Promise<{ revision: number; tables: Map<string, Table> }> {
  for (const revision of revisions.toReversed()) {
    if (revision < manifest.snapshot) break;
    const tables = await readSnapshot(join(dir, snapshotName(revision)), parsed);
    if (!("bad" in tables)) return { revision, tables };
    log(`store ${dir}: ${snapshotName(revision)} ${tables.bad}; it is not used`);
  }
  if (manifest.snapshot === 0) return { revision: 0, tables: new Map() };
  throw new StoreUnusable(
    `store ${dir}: ${snapshotName(manifest.snapshot)} is missing or damaged, and the log before it is gone; restore the folder from a copy`,
  );
}

/** Replays a log file. The end of the last one may be torn, and is cut off; in an earlier one it is damage. */
function cut(
  path: string,
  bytes: Buffer,
  apply: (entry: JournalEntry) => void,
  isLast: boolean,
  log: (line: string) => void,
): void {
  const end = decode(bytes, apply);
  if (end === bytes.length) return;
  if (!isLast) {
    throw new StoreUnusable(
      `${path} is damaged at byte ${end}, with later log files behind it; restore the folder from a copy`,
    );
  }
  log(`${path}: the record at byte ${end} is not whole; cut off ${bytes.length - end} bytes`);
  const file = openSync(path, "r+");
  try {
    ftruncateSync(file, end);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function replay(tables: Map<string, Table>, { revision, key, json }: JournalEntry, parsed: ParsedObjects): void {
  const table = tableOf(tables, key);
  if (json === undefined) table.delete(key);
  else table.set(new StoredRecord({ key, revision, created: table.get(key)?.created ?? revision }, json, parsed));
}
