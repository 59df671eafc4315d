// Makes a damaged folder one that can be opened: what is whole is kept, what is lost is said, and every damaged file stays
// beside the new one.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { reserved } from "./disk.ts";
import { StoreUnusable } from "./errors.ts";
import { lock } from "./lock.ts";
import { decode, encode, type LogEntry, tailOf } from "./log.ts";
import {
  filesOf,
  type Manifest,
  readManifest,
  type SegmentLink,
  segmentName,
  syncFolder,
  writeManifest,
} from "./manifest.ts";
import { ParsedObjects } from "./record.ts";
import { newestSnapshot } from "./recover.ts";

/** Gives a line for everything that was damaged or missing; none where nothing was. Throws where nothing can be done. */
export async function repairStore(folder: string): Promise<readonly string[]> {
  const dir = resolve(folder);
  if (!existsSync(dir)) throw new StoreUnusable(`${dir} is not there`, "copy");
  const found: string[] = [];
  const unlock = lock(dir, (line) => found.push(line));
  try {
    await repair(dir, (line) => found.push(line));
  } finally {
    unlock();
  }
  return found;
}

async function repair(dir: string, report: (line: string) => void): Promise<void> {
  const { snapshots, segments: files } = filesOf(readdirSync(dir));
  const manifest = manifestOf(dir, report);
  if (manifest === undefined && snapshots.length + files.length === 0)
    throw new StoreUnusable(`${dir} holds no store`, "copy");
  // Without MANIFEST nobody knows where the log begins: a snapshot that is damaged may be what it begins at.
  const atLeast = manifest?.snapshot ?? snapshots.at(-1) ?? 0;
  const { revision: snapshot } = await newestSnapshot(dir, snapshots, atLeast, new ParsedObjects(), report);

  for (const { first } of manifest?.segments ?? [])
    if (!files.includes(first))
      report(`${segmentName(first)} is missing; its writes are lost unless they are in a snapshot`);
  const links: SegmentLink[] = [];
  let previous = 0;
  for (const first of files) {
    links.push({ first, after: previous });
    for (const { revision } of repairSegment(dir, segmentName(first), report)) previous = revision;
  }
  const kept = links.filter((_, i) => (links[i + 1]?.after ?? Number.POSITIVE_INFINITY) > snapshot);
  const newest = Math.max(snapshot, previous, manifest?.highWater ?? 0);
  writeManifest(dir, {
    highWater: manifest === undefined ? newest + reserved : newest,
    snapshot,
    segments: kept.map((link, i) => (i === 0 ? { ...link, after: Math.min(link.after, snapshot) } : link)),
    last: undefined,
  });
}

function manifestOf(dir: string, report: (line: string) => void): Manifest | undefined {
  try {
    return readManifest(dir);
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error;
    report(`MANIFEST is damaged; it is kept as ${setAside(dir, "MANIFEST")} and made from the other files`);
    return undefined;
  }
}

/** The whole records of a log file, in a new file where there was anything else. */
function repairSegment(dir: string, name: string, report: (line: string) => void): readonly LogEntry[] {
  const bytes = readFileSync(join(dir, name));
  const entries: LogEntry[] = [];
  let end = decode(bytes, (entry) => entries.push(entry));
  const lost: string[] = [];
  for (;;) {
    const tail = tailOf(bytes, end);
    if (tail.kind === "whole") break;
    const { next = bytes.length } = tail.kind === "damaged" ? tail : {};
    const before = entries.at(-1)?.revision;
    const bad = end;
    end = decode(bytes, (entry) => entries.push(entry), next);
    lost.push(`${next - bad} bytes at byte ${bad}, behind revision ${before ?? "none"}`);
    if (next === bytes.length) break;
  }
  if (lost.length === 0) return entries;
  const aside = setAside(dir, name);
  let previous: number | undefined;
  const frames = entries.map((entry) => {
    const follows = previous === undefined || entry.revision === previous + 1;
    previous = entry.revision;
    return encode(follows ? entry : { ...entry, skipped: true });
  });
  writeFileSync(join(dir, name), Buffer.concat(frames), { mode: 0o600, flush: true });
  syncFolder(dir);
  report(
    `${name} was damaged: lost ${lost.join("; ")}; ${entries.length} writes are kept, and the damaged file as ${aside}`,
  );
  return entries;
}

/** Renames a file to the first free name with `.damaged`. */
function setAside(dir: string, name: string): string {
  for (let i = 1; ; i++) {
    const aside = i === 1 ? `${name}.damaged` : `${name}.damaged-${i}`;
    if (existsSync(join(dir, aside))) continue;
    renameSync(join(dir, name), join(dir, aside));
    return aside;
  }
}
