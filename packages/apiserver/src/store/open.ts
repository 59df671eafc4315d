// Opens a store: in memory, or on a folder that it takes for itself.
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Clock } from "@telltale/clock";
import { type DiskFaults, DiskJournal, type DiskLimits, diskLimits, type SyncMode } from "./disk.ts";
import type { HistoryLimits } from "./history.ts";
import { lock } from "./lock.ts";
import { recover } from "./recover.ts";
import { Store, type StoreSnapshot } from "./store.ts";

export type Storage =
  | {
      readonly kind: "memory";
      /** Begins with this, of whatever server: many worlds from one beginning. */
      readonly from?: StoreSnapshot;
    }
  | {
      readonly kind: "disk";
      readonly dir: string;
      /** `interval` unless told: only a crash of the system, not of the process, can lose the last `intervalMs`. */
      readonly sync?: SyncMode;
      readonly intervalMs?: number;
      readonly limits?: Partial<DiskLimits>;
    };

export interface OpenOptions {
  readonly clock: Clock;
  readonly storage: Storage;
  readonly history?: Partial<HistoryLimits>;
  /** Hears what an operator should know: a tail cut off, a lock taken over, a disk that failed. */
  readonly log?: (line: string) => void;
  readonly faults?: DiskFaults;
}

export async function openStore(options: OpenOptions): Promise<Store> {
  const { clock, storage, history = {}, log = () => undefined, faults = () => undefined } = options;
  if (storage.kind === "memory") {
    const store = new Store({ clock, history });
    if (storage.from !== undefined) store.restore(storage.from);
    return store;
  }
  const dir = resolve(storage.dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const unlock = lock(dir, log);
  try {
    keepPrivate(dir);
    const recovered = await recover(dir, log);
    const journal = new DiskJournal({
      dir,
      clock,
      sync: storage.sync ?? "interval",
      intervalMs: storage.intervalMs ?? 50,
      limits: { ...diskLimits, ...storage.limits },
      log,
      faults,
      recovered: recovered ?? { revision: 1, snapshot: 0, segments: [] },
      image: () => store.snapshot(),
      unlock,
    });
    const store: Store = new Store({ clock, history, journal, ...(recovered === undefined ? {} : { recovered }) });
    return store;
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Secrets are in there: a folder and files that others may read, from an earlier version or a copy, are theirs no longer. */
function keepPrivate(dir: string): void {
  chmodSync(dir, 0o700);
  for (const name of readdirSync(dir)) if (/^(MANIFEST|LOCK|snap-|wal-)/.test(name)) chmodSync(join(dir, name), 0o600);
}
