// Lines to a file descriptor, without ever blocking or breaking the process: a full disk, a closed pipe or a reader that
// sleeps costs lines, which are counted, and nothing else. The next line tries again.
import { constants, fstatSync, openSync, write as systemWrite } from "node:fs";
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

export interface LineWriter {
  /** Takes one line, with its end. Returns at once. */
  write(line: string): void;
  /** Until every line is written or lost, or the time is up: a reader may sleep for good. Says whether nothing is left. */
  flush(within?: Ms): Promise<boolean>;
}

export interface LineWriterOptions {
  readonly fd: number;
  readonly clock: Clock;
  /** Called once for each line that is lost. */
  readonly onLost: () => void;
  /** How many bytes may wait; what comes on top is lost. Default: 1 MiB. */
  readonly waiting?: number;
  readonly write?: Write;
}

/** As `fs.write`: how many bytes went, or why none did. */
export type Write = (
  fd: number,
  bytes: Uint8Array,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

/** Of one write: as much as a pipe holds. */
const batchSize = 65_536;
/** After which a reader that took nothing is tried again. */
const pause = 100;

export function lineWriter(options: LineWriterOptions): LineWriter {
  const { clock, onLost, waiting = 1024 * 1024, write = systemWrite } = options;
  const fd = write === systemWrite ? neverWaiting(options.fd) : options.fd;
  const lines: Buffer[] = [];
  const done = new Set<() => void>();
  let bytes = 0;
  let busy = false;
  /** Half a line was written before the rest was lost: the next one begins on a line of its own. */
  let torn = false;

  function next(): void {
    const batch: Buffer[] = torn ? [Buffer.from("\n")] : [];
    let size = 0;
    for (let line = lines[0]; line !== undefined && (size === 0 || size + line.length <= batchSize); line = lines[0]) {
      lines.shift();
      batch.push(line);
      size += line.length;
    }
    bytes -= size;
    busy = size > 0;
    if (busy) send(Buffer.concat(batch));
    else settle();
  }

  function send(rest: Buffer): void {
    try {
      write(fd, rest, (error, written) => answered(rest, error, written));
    } catch {
      lose(rest); // no descriptor at all
    }
  }

  function answered(rest: Buffer, error: NodeJS.ErrnoException | null, written: number): void {
    // A reader that is slow is waited for; lines pile up meanwhile, up to the limit.
    if (error?.code === "EAGAIN" || (error === null && written === 0)) clock.after(pause, () => send(rest));
    else if (error !== null) lose(rest);
    else if (written < rest.length) send(partly(rest, written));
    else {
      torn = false;
      next();
    }
  }

  function partly(rest: Buffer, written: number): Buffer {
    if (written > 0) torn = rest[written - 1] !== 10;
    return rest.subarray(written);
  }

  /** What could not be written. The lines behind it have their own try. */
  function lose(rest: Buffer): void {
    const lines = rest[0] === 10 ? rest.subarray(1) : rest; // the end of a torn line is none
    for (const byte of lines) if (byte === 10) onLost();
    next();
  }

  function settle(): void {
    for (const resolve of done) resolve();
    done.clear();
  }

  return {
    write(line) {
      const buffer = Buffer.from(line);
      if (bytes + buffer.length > waiting) {
        onLost();
        return;
      }
      lines.push(buffer);
      bytes += buffer.length;
      if (!busy) next();
    },
    async flush(within = 1_000) {
      if (busy) {
        await new Promise<void>((resolve) => {
          const timer = clock.after(within, resolve);
          done.add(() => {
            timer.cancel();
            resolve();
          });
        });
      }
      return !busy;
    },
  };
}

/**
 * The same pipe by a descriptor of our own that does not wait. A write that waits for a sleeping reader holds a thread, and then
 * not even `process.exit` comes to an end. Where the pipe cannot be opened again (it is somebody else's, or this is not Linux),
 * and for sockets, the given one has to do.
 */
function neverWaiting(fd: number): number {
  try {
    if (!fstatSync(fd).isFIFO()) return fd;
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return fd;
  }
}
