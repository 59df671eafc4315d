// The journal on disk: groups of writes go to the log in one piece, snapshots keep the log short.
// A disk that fails once is not trusted again: nothing more is written, and everybody who waits is told.
import { closeSync, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { type FileHandle, open, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Timer } from "@telltale/clock";
import { StoreFailed } from "./errors.ts";
import { encode } from "./log.ts";
import { type SegmentLink, segmentName, snapshotName, syncFolder, writeManifest } from "./manifest.ts";
import type { Recovered, Segment } from "./recover.ts";
import { writeAll, writeSnapshot } from "./snapshot.ts";
import type { Journal, JournalEntry, StoreSnapshot } from "./store.ts";

/** When a write counts as safe: on the disk, on it within the interval, or whenever the system gets round to it. */
export type SyncMode = "always" | "interval" | "never";

/** How a disk fails: it refuses to sync, breaks off in the middle of a write, or is full. */
export type DiskFault = "fsyncError" | "torn" | "full";
/** Asked before each write to the log and each sync of it. */
export type DiskFaults = (operation: "write" | "sync") => DiskFault | undefined;

/** When to begin a new log file, and when to take a snapshot. */
export interface DiskLimits {
  readonly segmentBytes: number;
  readonly snapshotRecords: number;
  readonly snapshotBytes: number;
}

export const diskLimits: DiskLimits = {
  segmentBytes: 64 * 2 ** 20,
  snapshotRecords: 50_000,
  snapshotBytes: 64 * 2 ** 20,
};

export interface DiskOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly sync: SyncMode;
  readonly intervalMs: number;
  readonly limits: DiskLimits;
  readonly log: (line: string) => void;
  readonly faults: DiskFaults;
  readonly recovered: Pick<Recovered, "revision" | "snapshot" | "segments">;
  /** Everything as it is now, for a snapshot. */
  readonly image: () => Pick<StoreSnapshot, "revision" | "tables">;
  readonly unlock: () => void;
}

/** How many revisions are reserved at once: so many are skipped after an unclean stop. */
export const reserved = 10_000;

export class DiskJournal implements Journal {
  readonly #options: DiskOptions;
  #state: State = { at: "open" };
  #group = group();
  #file: OpenSegment | undefined;
  /** Log files that are written no more. */
  #done: Segment[];
  #running: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  #snapshotting: Promise<void> | undefined;
  #timer: Timer | undefined;
  #highWater: number;
  #snapshot: number;
  /** The revision of the last write that was taken, and of the last one that is in the log. */
  #taken: number;
  #written: number;
  #onFailure: (written: number, error: StoreFailed) => void = () => undefined;
  #sinceSnapshot = { records: 0, bytes: 0 };

  constructor(options: DiskOptions) {
    this.#options = options;
    this.#done = [...options.recovered.segments];
    this.#snapshot = options.recovered.snapshot;
    this.#highWater = options.recovered.revision + reserved;
    this.#written = this.#done.at(-1)?.last ?? this.#snapshot;
    this.#taken = options.recovered.revision;
    this.#writeManifest();
  }

  onFailure(listener: (written: number, error: StoreFailed) => void): void {
    this.#onFailure = listener;
  }

  append(entry: JournalEntry): () => Promise<void> {
    this.reserve(entry.revision);
    const { frames, promise } = this.#group;
    const skipped = entry.revision === this.#taken + 1 ? {} : { skipped: true as const };
    frames.push(encode({ ...entry, ...skipped }));
    this.#taken = entry.revision;
    if (frames.length === 1) this.#group.first = entry.revision;
    this.#group.last = entry.revision;
    this.#running ??= this.#run();
    return () => promise;
  }

  reserve(revision: number): void {
    if (this.#state.at === "failed") throw this.#state.error;
    if (this.#state.at === "stopped") throw new StoreFailed(`store ${this.#options.dir} is closed`);
    if (revision <= this.#highWater) return;
    this.#highWater = revision + reserved;
    try {
      this.#writeManifest();
    } catch (error) {
      throw this.#fail("writing MANIFEST", error);
    }
  }

  async close(revision: number): Promise<void> {
    try {
      await this.#running;
      await this.#stop();
      if (this.#state.at === "failed") return;
      await this.#endSegment();
      this.#highWater = revision;
      this.#writeManifest(this.#done.at(-1)?.last ?? 0);
    } catch (error) {
      throw this.#fail("closing", error);
    } finally {
      await this.#release();
    }
  }

  async abandon(): Promise<void> {
    this.#refuse(new StoreFailed(`store ${this.#options.dir} was abandoned`));
    await this.#running;
    await this.#stop();
    await this.#release();
  }

  /** Writes group after group, until there is nothing left. */
  async #run(): Promise<void> {
    // Whoever writes in the same turn joins the group.
    await undefined;
    while (this.#group.frames.length > 0 && this.#state.at === "open") {
      const now = this.#group;
      this.#group = group();
      try {
        await this.#write(now);
        now.resolve();
      } catch (error) {
        now.reject(this.#fail("writing the log", error));
      }
    }
    this.#running = undefined;
  }

  async #write({ frames, first, last }: Group): Promise<void> {
    if (this.#file !== undefined && this.#file.bytes >= this.#options.limits.segmentBytes) await this.#endSegment();
    this.#file ??= await this.#beginSegment(first);
    const bytes = frames.length === 1 && frames[0] !== undefined ? frames[0] : Buffer.concat(frames);
    const file = this.#file;
    try {
      await this.#put(file.handle, bytes);
      if (this.#options.sync === "always") await this.#datasync(file.handle);
    } catch (error) {
      takeBack(file);
      throw error;
    }
    file.bytes += bytes.length;
    file.size += bytes.length;
    file.last = last;
    this.#written = last;
    if (this.#options.sync === "interval") this.#syncSoon();
    this.#sinceSnapshot.records += frames.length;
    this.#sinceSnapshot.bytes += bytes.length;
    const { snapshotRecords, snapshotBytes } = this.#options.limits;
    if (this.#sinceSnapshot.records >= snapshotRecords || this.#sinceSnapshot.bytes >= snapshotBytes) {
      this.#snapshotting ??= this.#takeSnapshot();
    }
  }

  async #put(handle: FileHandle, bytes: Buffer): Promise<void> {
    const fault = this.#options.faults("write");
    if (fault === "torn") await writeAll(handle, bytes.subarray(0, bytes.length >> 1));
    if (fault !== undefined) throw diskError(fault);
    await writeAll(handle, bytes);
  }

  async #datasync(handle: FileHandle): Promise<void> {
    const fault = this.#options.faults("sync");
    if (fault !== undefined) throw diskError(fault);
    await handle.datasync();
  }

  #syncSoon(): void {
    this.#timer ??= this.#options.clock.after(this.#options.intervalMs, () => {
      this.#timer = undefined;
      const handle = this.#file?.handle;
      if (handle === undefined || this.#state.at !== "open") return;
      const before = this.#syncing ?? Promise.resolve();
      this.#syncing = before
        .then(() => this.#datasync(handle))
        .catch((error: unknown) => void this.#fail("syncing the log", error));
    });
  }

  async #beginSegment(first: number): Promise<OpenSegment> {
    const path = join(this.#options.dir, segmentName(first));
    const handle = await open(path, "ax", 0o600);
    // In the list before the first record: a log file that is missing shows.
    this.#file = { path, handle, bytes: 0, size: 0, first, after: this.#written, last: this.#written };
    this.#writeManifest();
    return this.#file;
  }

  /** Synced in every mode: a log file that others follow is whole. */
  async #endSegment(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#syncing;
    await this.#datasync(file.handle);
    const { path, first, after, last } = file;
    // In one step: a MANIFEST that is written while the file is closed lists it, too.
    this.#file = undefined;
    this.#done.push({ path, first, after, last });
    await file.handle.close();
  }

  /** A snapshot that fails costs only time at the next start: the log has everything. */
  async #takeSnapshot(): Promise<void> {
    const { dir, log } = this.#options;
    const { revision, tables } = this.#options.image();
    this.#sinceSnapshot = { records: 0, bytes: 0 };
    // What is written from now on goes to a file that outlives this snapshot.
    if (this.#file !== undefined) this.#file.bytes = Number.POSITIVE_INFINITY;
    const path = join(dir, snapshotName(revision));
    const unfinished = `${path}.tmp`;
    try {
      const handle = await open(unfinished, "w", 0o600);
      try {
        const { whole } = await writeSnapshot(handle, tables.values(), () => this.#state.at === "open");
        if (!whole) return;
        await handle.datasync();
      } finally {
        await handle.close();
      }
      if (this.#state.at !== "open") return;
      await rename(unfinished, path);
      syncFolder(dir);
      const old = this.#snapshot;
      const obsolete = this.#done.filter(({ last }) => last <= revision);
      this.#done = this.#done.filter(({ last }) => last > revision);
      this.#snapshot = revision;
      this.#writeManifest();
      for (const segment of obsolete) await unlink(segment.path);
      if (old > 0 && old < revision) await unlink(join(dir, snapshotName(old)));
    } catch (error) {
      log(`store ${dir}: no snapshot at revision ${revision}: ${String(error)}`);
    } finally {
      await rm(unfinished, { force: true });
      this.#snapshotting = undefined;
    }
  }

  /** `last` is told by a stop in order only: behind it nothing is missing. */
  #writeManifest(last?: number): void {
    const open = this.#file === undefined ? [] : [this.#file];
    const segments = [...this.#done, ...open].map(({ first, after }) => ({ first, after }));
    writeManifest(this.#options.dir, { highWater: this.#highWater, snapshot: this.#snapshot, segments, last });
  }

  /** From here on every write is refused. The first failure is the one that counts. */
  #fail(step: string, cause: unknown): StoreFailed {
    if (this.#state.at === "failed") return this.#state.error;
    const { dir, log } = this.#options;
    const why = cause instanceof Error ? cause.message : String(cause);
    const error = new StoreFailed(
      `store ${dir} takes no more writes: ${step} failed: ${why}; see to the disk and start again`,
      cause,
    );
    log(error.message);
    this.#refuse(error);
    this.#onFailure(this.#written, error);
    return error;
  }

  #refuse(error: StoreFailed): void {
    this.#state = { at: "failed", error };
    this.#group.reject(error);
  }

  async #stop(): Promise<void> {
    this.#timer?.cancel();
    if (this.#state.at === "open") this.#state = { at: "stopped" };
    await this.#snapshotting;
    await this.#syncing;
  }

  async #release(): Promise<void> {
    await this.#file?.handle.close();
    this.#file = undefined;
    this.#options.unlock();
  }
}

type State =
  | { readonly at: "open" } // takes writes
  | { readonly at: "failed"; readonly error: StoreFailed } // or abandoned: for good, and what waits is rejected
  | { readonly at: "stopped" }; // closed in order

interface OpenSegment extends SegmentLink {
  readonly path: string;
  readonly handle: FileHandle;
  /** Counted for the limit; no limit is left where a new file must begin. */
  bytes: number;
  /** Where the whole groups end. */
  size: number;
  last: number;
}

/** Removes what a failed group left in the file: nobody was told that it is there. A disk that refuses this too may keep it. */
function takeBack({ path, size }: OpenSegment): void {
  try {
    const file = openSync(path, "r+");
    try {
      ftruncateSync(file, size);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // What is cut short is found at the next start.
  }
}

/** Writes that go to the disk together. */
interface Group {
  readonly frames: Buffer[];
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: StoreFailed) => void;
  first: number;
  last: number;
}

function group(): Group {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Nobody need wait for a group; a failure is also told by the log and by the next write.
  promise.catch(() => undefined);
  return { frames: [], promise, resolve, reject, first: 0, last: 0 };
}

function diskError(fault: DiskFault): Error {
  return new Error(fault === "full" ? "ENOSPC: no space left on device" : "EIO: i/o error");
}
