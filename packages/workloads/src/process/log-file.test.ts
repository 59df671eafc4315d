// Logs of containers: written from pipes, read as `kubectl logs` does.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { turn, VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LogFile, type LogLimits } from "./log-file.ts";
import { type LogSource, type ReadOptions, readLog } from "./log-read.ts";

const start = instant(Date.UTC(2026, 0, 1));
let folder = "";
let clock = new VirtualClock(start);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telltale-log-"));
  clock = new VirtualClock(start);
});
afterEach(() => rmSync(folder, { recursive: true }));

const limits: LogLimits = { bytes: 1_000_000, rate: 1_000_000_000 };
const path = () => join(folder, "0.log");

/** A log with these chunks of output, a second apart. */
async function written(chunks: readonly (string | Buffer)[], own: Partial<LogLimits> = {}): Promise<LogFile> {
  const log = new LogFile(path(), clock, { ...limits, ...own });
  const pipe = new PassThrough();
  const taken = log.take("stdout", pipe);
  for (const chunk of chunks) {
    const size = () => log.size + log.generation;
    const before = size();
    pipe.write(chunk);
    while (size() === before && chunk.includes("\n")) await turn();
    clock.advance(1_000);
  }
  pipe.end();
  await taken;
  return log;
}

async function read(source: LogSource, options: Partial<ReadOptions> = {}): Promise<string> {
  const { signal } = new AbortController();
  const chunks: Uint8Array[] = [];
  for await (const chunk of readLog(source, { follow: false, timestamps: false, signal, ...options }))
    chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

describe("a log", () => {
  it("gives back what was written, byte by byte", async () => {
    const log = await written(["one\ntwo", "\n\nthree"]);
    expect(await read(log)).toBe("one\ntwo\n\nthree");
    await log.close();
    expect(await read({ path: path() })).toBe("one\ntwo\n\nthree");
  });

  it("keeps characters whole that came in two parts, and bytes that are no text", async () => {
    const [first, second] = [Buffer.from("fü").subarray(0, 2), Buffer.from("fü").subarray(2)];
    const log = await written([Buffer.concat([first]), Buffer.concat([second, Buffer.from("nf\n")])]);
    expect(await read(log)).toBe("fünf\n");
  });

  it("is in the format of container runtimes on disk", async () => {
    const log = new LogFile(path(), clock, limits);
    await log.take("stdout", Readable.from([Buffer.from("out\n")]));
    await log.take("stderr", Readable.from([Buffer.from("no end")]));
    await log.close();
    expect(readFileSync(path(), "utf8")).toBe(
      "2026-01-01T00:00:00.000000000Z stdout F out\n2026-01-01T00:00:00.000000000Z stderr P no end\n",
    );
  });

  it("shows moments, once for each line", async () => {
    const log = await written(["a\n", "b", "c\n"]);
    expect(await read(log, { timestamps: true })).toBe(
      "2026-01-01T00:00:00.000000000Z a\n2026-01-01T00:00:02.000000000Z bc\n",
    );
    const long = "x".repeat(40_000);
    const pieces = await written([`${long}\n`]);
    expect(await read(pieces, { timestamps: true })).toBe(`2026-01-01T00:00:03.000000000Z ${long}\n`);
  });

  it.each([
    [0, ""],
    [1, "d\n"],
    [2, "c\nd\n"],
    [4, "a\nb\nc\nd\n"],
    [99, "a\nb\nc\nd\n"],
  ])("has a tail of %i lines", async (tailLines, wanted) => {
    expect(await read(await written(["a\nb\n", "c\n", "d\n"]), { tailLines })).toBe(wanted);
  });

  it("can be read from a moment on, and not beyond a number of bytes", async () => {
    const log = await written(["a\n", "b\n", "c\n"]);
    expect(await read(log, { since: instant(start + 1_000) })).toBe("b\nc\n");
    expect(await read(log, { since: instant(start + 1_001) })).toBe("c\n");
    expect(await read(log, { tailLines: 2, since: instant(start + 2_000) })).toBe("c\n");
    expect(await read(log, { limitBytes: 3 })).toBe("a\nb");
    expect(await read(log, { limitBytes: 0 })).toBe("");
  });

  it("of a container that said nothing is empty", async () => {
    const log = new LogFile(path(), clock, limits);
    expect(await read(log)).toBe("");
    expect(await read({ path: join(folder, "none.log") })).toBe("");
  });
});

describe("a log that is too long", () => {
  const line = (n: number) => `${String(n).padStart(9, "0")}\n`; // 50 bytes on disk

  it("has two files, and forgets the oldest lines", async () => {
    const log = await written(
      Array.from({ length: 50 }, (_, n) => line(n)),
      { bytes: 500 },
    );
    expect(readdirSync(folder).sort()).toEqual(["0.log", "0.log.1"]);
    expect(statSync(path()).size + statSync(`${path()}.1`).size).toBeLessThanOrEqual(1_000);
    const kept = await read(log);
    expect(kept.endsWith(line(49))).toBe(true);
    expect(kept.split("\n")[0]).toBe("000000030");
    expect(await read(log, { tailLines: 12 })).toBe(Array.from({ length: 12 }, (_, n) => line(38 + n)).join(""));
    await log.close();
    expect(await read({ path: path() })).toBe(kept);
    expect(await read({ path: path() }, { tailLines: 12 })).toBe(await read(log, { tailLines: 12 }));
  });

  it("begins anew for a new run", async () => {
    await written([line(1)]);
    expect(await read(await written([line(2)]))).toBe(line(2));
  });
});

describe("a log that is followed", () => {
  async function followed(log: LogFile, options: Partial<ReadOptions> = {}) {
    const abort = new AbortController();
    let text = "";
    const done = (async () => {
      for await (const chunk of readLog(log, { follow: true, timestamps: false, signal: abort.signal, ...options }))
        text += Buffer.from(chunk).toString();
    })();
    const until = async (wanted: string) => {
      while (text !== wanted) await turn();
    };
    return { until, done, abort };
  }

  it("goes on as it grows, and ends with it", async () => {
    const log = new LogFile(path(), clock, limits);
    const pipe = new PassThrough();
    const taken = log.take("stdout", pipe);
    const reader = await followed(log);
    pipe.write("one\n");
    await reader.until("one\n");
    pipe.write("two\n");
    await reader.until("one\ntwo\n");
    pipe.end("rest");
    await taken;
    await log.close();
    await reader.done;
    await reader.until("one\ntwo\nrest");
  });

  it("loses nothing when the file changes under it", async () => {
    const log = new LogFile(path(), clock, { ...limits, bytes: 300 });
    const pipe = new PassThrough();
    const taken = log.take("stdout", pipe);
    const reader = await followed(log);
    let wanted = "";
    for (let n = 0; n < 40; n += 1) {
      pipe.write(`line ${n}\n`);
      wanted += `line ${n}\n`;
      await reader.until(wanted);
    }
    expect(log.generation).toBeGreaterThan(3);
    pipe.end();
    await taken;
    await log.close();
    await reader.done;
  });

  it("begins at its tail", async () => {
    const log = await written(["a\nb\n"]);
    const reader = await followed(log, { tailLines: 1 });
    await reader.until("b\n");
    reader.abort.abort();
    await reader.done;
  });

  it("is left when its reader goes", async () => {
    const log = await written(["a\n"]);
    const reader = await followed(log);
    await reader.until("a\n");
    reader.abort.abort();
    await reader.done;
  });
});

describe("a flood", () => {
  it("is read no faster than allowed", async () => {
    const log = new LogFile(path(), clock, { ...limits, rate: 100_000 });
    const line = Buffer.from(`${"x".repeat(959)}\n`); // 1,000 bytes on disk
    const source = new Readable({
      highWaterMark: 1,
      read() {
        this.push(line);
      },
    });
    void log.take("stdout", source);
    const pause = async () => {
      while (clock.next() === undefined) await turn();
    };
    await pause();
    const first = log.size;
    expect(first).toBeLessThan(20_000);
    for (let tenth = 0; tenth < 10; tenth += 1) {
      clock.advance(100);
      await pause();
    }
    expect(log.size).toBeGreaterThan(50_000);
    expect(log.size - first).toBeLessThan(220_000);
    source.destroy();
    await log.close();
  });

  it("stops when the pipe is taken away, and what came is there", async () => {
    const log = new LogFile(path(), clock, limits);
    const pipe = new PassThrough();
    const taken = log.take("stdout", pipe);
    pipe.write("a\nb");
    while (log.size === 0) await turn();
    pipe.destroy();
    await taken;
    await log.close();
    expect(await read({ path: path() })).toBe("a\nb");
  });
});
