// A snapshot file: everything at one revision, a record a line, then a line that says that it is whole.
import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { crc32c } from "./crc32c.ts";
import { type ParsedObjects, StoredRecord } from "./record.ts";
import { resourceOf } from "./subscribers.ts";
import { Table } from "./table.ts";

// Encoding this much takes less than a millisecond; between two slices the loop is free for others.
const sliceLength = 128 * 2 ** 10;
const marker = ',"object":';

/** Writes all records. Gives up between two slices when told to, and then says false. */
export async function writeSnapshot(
  file: FileHandle,
  tables: Iterable<Table>,
  goOn: () => boolean,
): Promise<{ whole: boolean }> {
  let [crc, count, lines, length] = [0, 0, [] as string[], 0];
  const flush = async () => {
    const bytes = Buffer.from(lines.join(""));
    crc = crc32c(bytes, 0, bytes.length, crc);
    [lines, length] = [[], 0];
    await writeAll(file, bytes);
  };
  for (const table of tables) {
    for (const { key, revision, created, json } of table) {
      // The JSON goes in as it is; this is an object with members in a fixed order.
      lines.push(`${JSON.stringify({ key, revision, created }).slice(0, -1)}${marker}${json}}\n`);
      count += 1;
      length += json.length;
      if (length < sliceLength) continue;
      if (!goOn()) return { whole: false };
      await flush();
    }
  }
  await flush();
  await writeAll(file, Buffer.from(`${JSON.stringify({ records: count, crc32c: crc })}\n`));
  return { whole: goOn() };
}

/** The tables of a snapshot, or why it is not a whole one. */
export async function readSnapshot(path: string, parsed: ParsedObjects): Promise<Map<string, Table> | { bad: string }> {
  const tables = new Map<string, Table>();
  let [crc, count, end, rest] = [0, 0, undefined as string | undefined, Buffer.alloc(0) as Buffer];
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let newline = bytes.indexOf(10); newline >= 0; newline = bytes.indexOf(10, start)) {
      if (end !== undefined) return { bad: "goes on after its end" };
      const line = bytes.subarray(start, newline);
      const split = line.indexOf(marker);
      if (split < 0) end = line.toString();
      else {
        crc = crc32c(bytes, start, newline + 1, crc);
        count += 1;
        const head = headOf(line.toString("utf8", 0, split));
        if (head === undefined) return { bad: `is damaged in line ${count}` };
        const record = new StoredRecord(head, line.toString("utf8", split + marker.length, line.length - 1), parsed);
        tableOf(tables, record.key).set(record);
      }
      start = newline + 1;
    }
    rest = bytes.subarray(start);
  }
  if (end === undefined) return { bad: "has no end" };
  return end === JSON.stringify({ records: count, crc32c: crc }) ? tables : { bad: "does not match its checksum" };
}

export function tableOf(tables: Map<string, Table>, key: string): Table {
  const resource = resourceOf(key);
  const table = tables.get(resource) ?? new Table();
  tables.set(resource, table);
  return table;
}

export async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten;
}

function headOf(text: string): { key: string; revision: number; created: number } | undefined {
  try {
    return JSON.parse(`${text}}`) as { key: string; revision: number; created: number };
  } catch {
    return undefined;
  }
}
