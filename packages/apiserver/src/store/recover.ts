// What a folder holds after whatever happened to it: the newest whole snapshot, and the log behind it. A write that was cut
// short is cut off; anything else that is missing or damaged is named, and the folder is not opened.
import { closeSync, fsyncSync, ftruncateSync, openSync, readdirSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { StoreUnusable } from "./errors.ts";
import { decode, type LogEntry, tailOf } from "./log.ts";
import {
  filesOf,
  type Manifest,
  readManifest,
  type SegmentLink,
  segmentName,
  snapshotName,
  syncFolder,
} from "./manifest.ts";
import { ParsedObjects, StoredRecord } from "./record.ts";
import { readSnapshot, tableOf } from "./snapshot.ts";
import type { Table } from "./table.ts";

export interface Recovered {
  /** No smaller than any revision that was ever given out. */
  readonly revision: number;
  readonly tables: Map<string, Table>;
  readonly parsed: ParsedObjects;
  /** The revision of the snapshot that this comes from, 0 without one. */
  readonly snapshot: number;
  /** The log files in order. */
  readonly segments: readonly Segment[];
}

export interface Segment extends SegmentLink {
  readonly path: string;
  /** The revision of the last record in it, or of the last one before it where it has none. */
  readonly last: number;
}

/** Undefined for a folder in which no store has been. */
export async function recover(dir: string, log: (line: string) => void): Promise<Recovered | undefined> {
  const { snapshots, segments: files, leftovers } = filesOf(readdirSync(dir));
  const manifest = readManifest(dir);
  if (manifest === undefined) {
    if (snapshots.length + files.length === 0) return undefined;
    throw new StoreUnusable(`store ${dir} has data but no MANIFEST`, "repair");
  }
  const parsed = new ParsedObjects();
  const { revision: snapshot, tables } = await newestSnapshot(dir, snapshots, manifest.snapshot, parsed, log);
  const { links, obsolete } = neededFiles(dir, manifest, files, snapshot);

  let revision = snapshot;
  let previous = links[0]?.after ?? 0;
  if (previous > snapshot) throw gap(dir, snapshot, previous);
  const segments: Segment[] = [];
  const torn: { path: string; end: number; bytes: number }[] = [];
  for (const [i, link] of links.entries()) {
    const path = join(dir, segmentName(link.first));
    if (link.after !== undefined && link.after !== previous) throw gap(dir, previous, link.after);
    const start = previous;
    const bytes = readFileSync(path);
    const end = decode(bytes, (entry) => {
      const follows = entry.revision === previous + 1 || previous === start || entry.skipped === true;
      if (!follows && manifest.segments !== undefined) throw gap(dir, previous, entry.revision - 1);
      previous = entry.revision;
      if (entry.revision > revision) replay(tables, entry, parsed);
      revision = Math.max(revision, entry.revision);
    });
    const tail = tailOf(bytes, end);
    if (tail.kind === "damaged" || (tail.kind === "torn" && i < links.length - 1))
      throw damaged(path, bytes, end, tail.kind === "damaged" ? tail.next : undefined, previous);
    if (tail.kind === "torn") torn.push({ path, end, bytes: bytes.length - end });
    segments.push({ path, first: link.first, after: start, last: previous });
  }
  if (manifest.last !== undefined && manifest.last > Math.max(previous, snapshot))
    throw gap(dir, Math.max(previous, snapshot), manifest.last);

  // All is there: only now anything is changed.
  for (const { path, end, bytes } of torn) cutOff(path, end, bytes, log);
  const superseded = snapshots.filter((old) => old !== snapshot).map(snapshotName);
  for (const name of [...leftovers, ...superseded, ...obsolete.map(segmentName)]) unlinkSync(join(dir, name));
  syncFolder(dir);
  return { revision: Math.max(revision, manifest.highWater), tables, parsed, snapshot, segments };
}

/** The newest snapshot that is whole, no older than the one that the log begins at. */
export async function newestSnapshot(
  dir: string,
  revisions: readonly number[],
  atLeast: number,
  parsed: ParsedObjects,
  log: (line: string) => void,
): Promise<{ revision: number; tables: Map<string, Table> }> {
  for (const revision of revisions.toReversed()) {
    if (revision < atLeast) break;
    const tables = await readSnapshot(join(dir, snapshotName(revision)), parsed);
    if (!("bad" in tables)) return { revision, tables };
    log(`store ${dir}: ${snapshotName(revision)} ${tables.bad}; it is not used`);
  }
  if (atLeast === 0) return { revision: 0, tables: new Map() };
  throw new StoreUnusable(
    `store ${dir}: ${snapshotName(atLeast)} is missing or damaged, and the log before it was removed`,
    "copy",
  );
}

interface NeededFiles {
  readonly links: readonly { readonly first: number; readonly after: number | undefined }[];
  /** Revisions in the names of log files all of which is in the snapshot. */
  readonly obsolete: readonly number[];
}

/** The log files that hold what the snapshot does not. Throws where one of them is missing, or is in no list. */
function neededFiles(dir: string, manifest: Manifest, files: readonly number[], snapshot: number): NeededFiles {
  const { segments } = manifest;
  if (segments === undefined) {
    const obsolete = files.filter((_, i) => (files[i + 1] ?? Number.POSITIVE_INFINITY) <= snapshot + 1);
    const links = files.filter((first) => !obsolete.includes(first)).map((first) => ({ first, after: undefined }));
    return { links, obsolete };
  }
  const links = segments.filter((_, i) => (segments[i + 1]?.after ?? Number.POSITIVE_INFINITY) > snapshot);
  for (const [i, { first }] of links.entries()) {
    if (files.includes(first)) continue;
    const next = links[i + 1];
    const to = next === undefined ? manifest.last : next.after;
    if (to !== undefined && to <= snapshot) continue;
    const lost = to === undefined ? `the writes from revision ${first} on are lost` : lostBetween(first - 1, to);
    throw new StoreUnusable(`store ${dir}: ${segmentName(first)} is missing: ${lost}`, "repair");
  }
  const listed = new Set(links.map(({ first }) => first));
  const obsolete = files.filter((first) => !listed.has(first));
  for (const first of obsolete) {
    const newest = newestIn(readFileSync(join(dir, segmentName(first))));
    if (newest > snapshot)
      throw new StoreUnusable(
        `store ${dir}: ${segmentName(first)} holds writes up to revision ${newest}, and MANIFEST does not list it`,
        "repair",
      );
  }
  return { links: links.filter(({ first }) => files.includes(first)), obsolete };
}

function newestIn(bytes: Buffer): number {
  let newest = 0;
  decode(bytes, ({ revision }) => {
    newest = revision;
  });
  return newest;
}

const gap = (dir: string, from: number, to: number): StoreUnusable =>
  new StoreUnusable(`store ${dir}: the log has a gap: ${lostBetween(from, to)}`, "repair");

const lostBetween = (from: number, to: number): string =>
  to <= from + 1
    ? `the write of revision ${from + 1} is lost`
    : `the writes of revisions ${from + 1} to ${to} are lost`;

function damaged(path: string, bytes: Buffer, end: number, next: number | undefined, last: number): StoreUnusable {
  const where = `${path} is damaged at byte ${end}`;
  if (next === undefined)
    return new StoreUnusable(`${where}: the writes after revision ${last} in this file are lost`, "repair");
  let first: number | undefined;
  let whole = 0;
  decode(
    bytes,
    ({ revision }) => {
      first ??= revision;
      whole += 1;
    },
    next,
  );
  return new StoreUnusable(
    `${where}: ${lostBetween(last, (first ?? last) - 1)}, and from byte ${next} on ${whole === 1 ? "one write is" : `${whole} writes are`} whole`,
    "repair",
  );
}

function cutOff(path: string, end: number, bytes: number, log: (line: string) => void): void {
  log(`${path}: the write at byte ${end} was cut short and never acknowledged; cut off ${bytes} bytes`);
  const file = openSync(path, "r+");
  try {
    ftruncateSync(file, end);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function replay(tables: Map<string, Table>, { revision, key, json }: LogEntry, parsed: ParsedObjects): void {
  const table = tableOf(tables, key);
  if (json === undefined) table.delete(key);
  else table.set(new StoredRecord({ key, revision, created: table.get(key)?.created ?? revision }, json, parsed));
}
