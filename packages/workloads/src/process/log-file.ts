// The log of one run of a container: records in a file, and in the file before it once the first is full. What a program writes
// is bounded in size on disk, and in speed: reading from its pipe pauses, which in turn stops the program.
import { closeSync, mkdirSync, openSync, renameSync, rmSync, write } from "node:fs";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { type Clock, sleep } from "@telltale/clock";
import type { Instant } from "@telltale/kinds";

export type Stream = "stdout" | "stderr";

export interface LogLimits {
  /** Of one file; there are two. */
  readonly bytes: number;
  /** Bytes in a second, of the records as they are on disk. */
  readonly rate: number;
}

/** What a reader needs to know of a log that still grows. */
export interface LiveLog {
  readonly path: string;
  /** Counts the files that were begun. The last but one is at `path` with `.1`. */
  readonly generation: number;
  /** Bytes of whole records in the newest file. */
  readonly size: number;
  readonly isClosed: boolean;
  /** Calls on each change, until it is given up. */
  follow(call: () => void): () => void;
}

/** A line that is longer is more than one record. */
const longestRecord = 16_384;
const window = 100;
/** Bytes that are made into records in one go: 64 kB of the shortest lines kept everybody else waiting for 20 ms. */
const portion = 8_192;

export class LogFile implements LiveLog {
  readonly path: string;
  generation = 0;
  size = 0;
  isClosed = false;
  readonly #clock: Clock;
  readonly #limits: LogLimits;
  readonly #followers = new Set<() => void>();
  readonly #listeners = new Set<(stream: Stream, bytes: Uint8Array) => void>();
  readonly #partial = new Map<Stream, Buffer>();
  readonly #stop = new AbortController();
  #file: number | undefined;
  /** Both streams write to one file: one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #spent = { since: 0, bytes: 0 };

  constructor(path: string, clock: Clock, limits: LogLimits) {
    this.path = path;
    this.#clock = clock;
    this.#limits = limits;
    mkdirSync(dirname(path), { recursive: true });
    for (const old of [path, `${path}.1`]) rmSync(old, { force: true });
  }

  /** Takes all that a stream says, at the speed that is allowed. Resolves at its end. */
  async take(stream: Stream, source: Readable): Promise<void> {
    try {
      for await (const chunk of source) {
        const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
        for (const listen of this.#listeners) listen(stream, bytes);
        for (let at = 0; at < bytes.length; at += portion)
          await this.#write(() => this.#records(stream, bytes.subarray(at, at + portion)));
        await this.#slowDown();
      }
    } catch {
      // The pipe was taken away: what came through it is written.
    }
    await this.#write(() => this.#rest(stream));
  }

  /** What comes in, as it comes in. For `kubectl attach`. */
  listen(call: (stream: Stream, bytes: Uint8Array) => void): () => void {
    this.#listeners.add(call);
    return () => void this.#listeners.delete(call);
  }

  follow(call: () => void): () => void {
    this.#followers.add(call);
    return () => void this.#followers.delete(call);
  }

  /** No more slowing down: what is in the pipes is read out. */
  hurry(): void {
    this.#stop.abort();
  }

  async close(): Promise<void> {
    this.hurry();
    await this.#turn;
    this.isClosed = true;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#tell();
  }

  #tell(): void {
    for (const call of [...this.#followers]) call();
  }

  #write(records: () => Buffer | undefined): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      const bytes = records();
      if (bytes === undefined || this.isClosed) return;
      try {
        this.#file ??= openSync(this.path, "w");
        if (this.size > 0 && this.size + bytes.length > this.#limits.bytes) this.#file = this.#rotate(this.#file);
        await writeAll(this.#file, bytes);
      } catch {
        return; // a full disk must not end the container; what does not fit is lost
      }
      this.size += bytes.length;
      this.#spent.bytes += bytes.length;
      this.#tell();
    });
    return this.#turn;
  }

  /** In one go, so that a reader can tell whether the file that it opened is the one it meant. */
  #rotate(file: number): number {
    closeSync(file);
    this.#file = undefined;
    renameSync(this.path, `${this.path}.1`);
    this.generation += 1;
    this.size = 0;
    return openSync(this.path, "w");
  }

  #records(stream: Stream, chunk: Buffer): Buffer | undefined {
    const before = this.#partial.get(stream);
    const bytes = before === undefined ? chunk : Buffer.concat([before, chunk]);
    const whole = prefix(this.#clock.now(), stream, "F");
    const part = prefix(this.#clock.now(), stream, "P");
    const out: Buffer[] = [];
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(0x0a, at);
      const length = (end < 0 ? bytes.length : end) - at;
      if (length > longestRecord) {
        out.push(part, bytes.subarray(at, at + longestRecord), newline);
        at += longestRecord;
      } else if (end >= 0) {
        out.push(whole, bytes.subarray(at, end + 1));
        at = end + 1;
      } else break;
    }
    if (at < bytes.length) this.#partial.set(stream, Buffer.from(bytes.subarray(at)));
    else this.#partial.delete(stream);
    return out.length === 0 ? undefined : Buffer.concat(out);
  }

  /** What came without an end of line. */
  #rest(stream: Stream): Buffer | undefined {
    const rest = this.#partial.get(stream);
    this.#partial.delete(stream);
    return rest === undefined ? undefined : Buffer.concat([prefix(this.#clock.now(), stream, "P"), rest, newline]);
  }

  async #slowDown(): Promise<void> {
    const now = this.#clock.uptime();
    const { since, bytes } = this.#spent;
    if (now - since >= window) {
      this.#spent = { since: now, bytes: 0 };
      return;
    }
    if (bytes < (this.#limits.rate * window) / 1_000 || this.#stop.signal.aborted) return;
    await sleep(this.#clock, window - (now - since), this.#stop.signal).catch(() => {});
  }
}

const writeSome = promisify(write);

async function writeAll(file: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await writeSome(file, bytes, at)).bytesWritten;
}

const newline = Buffer.from("\n");

/** `2026-01-01T00:00:00.000000000Z stdout F `: as container runtimes write their logs. */
function prefix(now: Instant, stream: Stream, tag: "F" | "P"): Buffer {
  return Buffer.from(`${momentText(now)} ${stream} ${tag} `);
}

/** Always as long, so that moments compare as texts. */
export function momentText(now: Instant): string {
  return `${new Date(now).toISOString().slice(0, 23)}000000Z`;
}
