// Reads the log of one run of a container for `kubectl logs`: from the end or from a moment, with moments or without, and on
// as it grows.
import { type FileHandle, open } from "node:fs/promises";
import type { LogOptions } from "../kubelet/pod-runtime.ts";
import { type LiveLog, momentText } from "./log-file.ts";

export type ReadOptions = Pick<LogOptions, "follow" | "timestamps" | "since" | "tailLines" | "limitBytes" | "signal">;

/** What a reader sees of a log: as it grows, or as it was left. */
export type LogSource = LiveLog | { readonly path: string };

export async function* readLog(source: LogSource, options: ReadOptions): AsyncGenerator<Uint8Array> {
  const { signal, limitBytes = Number.POSITIVE_INFINITY } = options;
  const text = new RecordText(options);
  let left = limitBytes;
  for await (const block of blocks(source, options)) {
    const bytes = text.of(block);
    const given = bytes.subarray(0, left);
    left -= given.length;
    if (given.length > 0) yield given;
    if (left <= 0 || text.isFull || signal.aborted) return;
  }
}

const blockSize = 65_536;

/** The bytes of the records, in order, from where the reader wants to begin. */
async function* blocks(source: LogSource, options: ReadOptions): AsyncGenerator<Buffer> {
  const { signal, follow, tailLines } = options;
  const live = "generation" in source ? source : undefined;
  let at = await beginning(source, live, tailLines);
  // Without following, what is there now: a log that floods would have no end.
  const last = live === undefined || follow ? undefined : { generation: live.generation, offset: live.size };
  try {
    for (;;) {
      const room = roomAt(at, live, last);
      const buffer = Buffer.alloc(Math.max(0, room));
      const read = at.file === undefined || room <= 0 ? 0 : (await at.file.read(buffer, 0, room, at.offset)).bytesRead;
      if (read > 0) {
        at = { ...at, offset: at.offset + read };
        yield buffer.subarray(0, read);
      } else if (at.generation < (last ?? live ?? { generation: 0 }).generation) {
        await at.file?.close();
        at = await openAt(source, live, at.generation + 1);
      } else if (live === undefined || !follow || live.isClosed || signal.aborted) return;
      else {
        await growth(live, signal, at);
        if (at.file === undefined) at = await openAt(source, live, at.generation);
      }
    }
  } finally {
    await at.file?.close();
  }
}

/** How much of the file may be read now: whole records, and none beyond the last. */
function roomAt({ generation, offset }: Position, live: LiveLog | undefined, last: Mark | undefined): number {
  if (last !== undefined && generation > last.generation) return 0;
  const isLast = last !== undefined && generation === last.generation;
  const isGrowing = live !== undefined && generation >= live.generation && !live.isClosed;
  const end = isLast ? last.offset : isGrowing ? live.size : Number.POSITIVE_INFINITY;
  return Math.min(blockSize, end - offset);
}

interface Mark {
  /** Of a live log as it counts; of another: -1 for the older file, 0 for the newer. */
  readonly generation: number;
  readonly offset: number;
}

interface Position extends Mark {
  readonly file: FileHandle | undefined;
}

async function openAt(source: LogSource, live: LiveLog | undefined, wanted: number): Promise<Position> {
  for (;;) {
    const newest = live?.generation ?? 0;
    const generation = Math.max(wanted, newest - 1);
    const file = await open(generation < newest ? `${source.path}.1` : source.path, "r").catch(() => undefined);
    if (live === undefined || live.generation === newest) return { file, generation, offset: 0 };
    await file?.close(); // the files moved on meanwhile
  }
}

/** The oldest record, or the one that is so many from the end. */
async function beginning(source: LogSource, live: LiveLog | undefined, tail: number | undefined): Promise<Position> {
  const newest = live?.generation ?? 0;
  if (tail === undefined) return openAt(source, live, newest - 1);
  let wanted = tail;
  for (const generation of [newest, newest - 1]) {
    const position = await openAt(source, live, generation);
    if (position.file === undefined) continue;
    const size =
      live !== undefined && generation === newest && !live.isClosed ? live.size : (await position.file.stat()).size;
    const { offset, lines } = await backwards(position.file, size, wanted);
    if (lines >= wanted || generation < newest) return { ...position, offset };
    wanted -= lines;
    await position.file.close();
  }
  return openAt(source, live, newest);
}

/** Where the last so many lines begin, and how many there are at most. */
async function backwards(file: FileHandle, size: number, wanted: number): Promise<{ offset: number; lines: number }> {
  const buffer = Buffer.alloc(blockSize);
  if (wanted <= 0) return { offset: size, lines: 0 };
  let ends = 0;
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - blockSize);
    const { bytesRead } = await file.read(buffer, 0, to - from, from);
    for (let at = bytesRead - 1; at >= 0; at -= 1) {
      if (buffer[at] !== 0x0a) continue;
      if (ends === wanted) return { offset: from + at + 1, lines: wanted };
      ends += 1;
    }
    to = from;
  }
  return { offset: 0, lines: ends };
}

/** Resolves when there is more to read, or nothing more to come. */
function growth(live: LiveLog, signal: AbortSignal, at: Position): Promise<void> {
  return new Promise((resolve) => {
    const stands = () => live.generation === at.generation && live.size <= at.offset && !live.isClosed;
    if (!stands() || signal.aborted) return resolve();
    const done = () => {
      if (stands() && !signal.aborted) return;
      stop();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const stop = live.follow(done);
    signal.addEventListener("abort", done);
  });
}

/** Records become what the program wrote. */
class RecordText {
  readonly #timestamps: boolean;
  readonly #since: string | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #isLineStart = true;
  /** A tail is so many records and no more, however many came while it was looked for. */
  #left: number;

  constructor({ timestamps, since, tailLines, follow }: ReadOptions) {
    this.#left = tailLines === undefined || follow ? Number.POSITIVE_INFINITY : tailLines;
    this.#timestamps = timestamps;
    this.#since = since === undefined ? undefined : momentText(since);
  }

  get isFull(): boolean {
    return this.#left <= 0;
  }

  of(block: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? block : Buffer.concat([this.#rest, block]);
    const out: Buffer[] = [];
    let at = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0 && !this.isFull; end = bytes.indexOf(0x0a, at)) {
      this.#left -= 1;
      this.#record(bytes.subarray(at, end + 1), out);
      at = end + 1;
    }
    this.#rest = Buffer.from(bytes.subarray(at));
    return Buffer.concat(out);
  }

  #record(line: Buffer, out: Buffer[]): void {
    const moment = line.toString("latin1", 0, momentLength);
    const isWhole = line[momentLength + 8] === 0x46; // F
    if (this.#since !== undefined && moment < this.#since) return;
    if (this.#timestamps && this.#isLineStart) out.push(line.subarray(0, momentLength + 1));
    out.push(line.subarray(momentLength + 10, isWhole ? undefined : line.length - 1));
    this.#isLineStart = isWhole;
  }
}

const momentLength = 30;
