import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, existsSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, turn, VirtualClock } from "@telltale/clock";
import { afterEach, describe, expect, it } from "vitest";
import { lineWriter, type Write } from "./line-writer.ts";

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
});

/** A disk that answers by a script: how many bytes it takes, or why none. `undefined` takes all. */
function disk(...script: readonly (number | string | undefined)[]) {
  const steps = [...script];
  let text = "";
  const write: Write = (_fd, bytes, done) => {
    const step = steps.shift();
    const error = typeof step === "string" ? Object.assign(new Error(step), { code: step }) : null;
    const taken = error === null ? (typeof step === "number" ? step : bytes.length) : 0;
    text += Buffer.from(bytes.subarray(0, taken)).toString();
    queueMicrotask(() => done(error, taken));
  };
  return { write, text: () => text };
}

function bench(write: Write, waiting?: number) {
  const clock = new VirtualClock();
  let lost = 0;
  const writer = lineWriter({
    fd: 1,
    clock,
    write,
    onLost: () => {
      lost += 1;
    },
    ...(waiting === undefined ? {} : { waiting }),
  });
  return { clock, writer, lost: () => lost };
}

describe("on a disk of all sorts", () => {
  it("lines arrive in order, also when the disk takes them in pieces", async () => {
    const { write, text } = disk(3, 1, undefined, 4);
    const { writer, lost } = bench(write);
    for (const line of ["one\n", "two\n", "three\n"]) writer.write(line);
    await writer.flush();
    expect([text(), lost()]).toEqual(["one\ntwo\nthree\n", 0]);
  });

  it("a full disk costs the lines that did not fit, and no more", async () => {
    const { write, text } = disk("ENOSPC");
    const { writer, lost } = bench(write);
    writer.write("one\n");
    await writer.flush();
    writer.write("two\n");
    await writer.flush();
    expect([text(), lost()]).toEqual(["two\n", 1]);
  });

  it("a line that was torn by a full disk does not take the next one along", async () => {
    const { write, text } = disk(undefined, 2, "ENOSPC", "ENOSPC");
    const { writer, lost } = bench(write);
    writer.write("one\n");
    await writer.flush();
    for (const line of ["torn", "lost"]) {
      writer.write(`${line}\n`);
      await writer.flush();
    }
    writer.write("two\n");
    await writer.flush();
    expect([text(), lost()]).toEqual(["one\nto\ntwo\n", 2]);
  });

  it("lines that come while a write is under way go together, and are lost together", async () => {
    const { write, text } = disk(undefined, "EIO");
    const { writer, lost } = bench(write);
    for (const line of ["one\n", "two\n", "three\n"]) writer.write(line);
    await writer.flush();
    expect([text(), lost()]).toEqual(["one\n", 2]);
  });

  it("a reader that is slow is waited for, while lines up to a limit wait", async () => {
    const { write, text } = disk("EAGAIN", "EAGAIN");
    const { writer, lost, clock } = bench(write, 8);
    for (const line of ["one\n", "two\n", "six\n", "ten\n"]) writer.write(line);
    await clock.settle(199);
    expect([text(), lost()]).toEqual(["", 1]);
    await clock.settle(1);
    await writer.flush();
    expect(text()).toBe("one\ntwo\nsix\n");
  });

  it("a flush does not wait for ever", async () => {
    const { clock, writer } = bench(() => {});
    writer.write("one\n");
    let over = false;
    const flushed = writer.flush(500).finally(() => {
      over = true;
    });
    await clock.settle(499);
    expect(over).toBe(false);
    await clock.settle(1);
    expect(await flushed).toBe(false);
  });

  it("a descriptor that is none loses lines and throws nothing", async () => {
    let lost = 0;
    const clock = new VirtualClock();
    const writer = lineWriter({ fd: -1, clock, onLost: () => (lost += 1) });
    writer.write("one\n");
    expect(await writer.flush()).toBe(true);
    expect(lost).toBe(1);
  });
});

describe.skipIf(!existsSync("/dev/full"))("on a real full disk", () => {
  it("every line is lost and counted, and the process goes on", async () => {
    const fd = openSync("/dev/full", "w");
    undo.push(() => closeSync(fd));
    let lost = 0;
    const writer = lineWriter({ fd, clock: systemClock, onLost: () => (lost += 1) });
    for (let i = 0; i < 1_000; i += 1) writer.write(`line ${i}\n`);
    await writer.flush(60_000);
    expect(lost).toBe(1_000);
  });
});

describe.skipIf(process.platform === "win32")("on a real pipe", () => {
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

  function pipe(): string {
    const folder = mkdtempSync(join(tmpdir(), "telltale-pipe-"));
    undo.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
    return path;
  }

  function read(fd: number): string {
    const bytes = Buffer.alloc(1 << 20);
    let text = "";
    for (;;) {
      try {
        const count = readSync(fd, bytes);
        if (count === 0) return text;
        text += bytes.toString("utf8", 0, count);
      } catch {
        return text; // nothing more for now
      }
    }
  }

  it("lines are lost while nobody is at its other end, and arrive again once somebody is", async () => {
    const path = pipe();
    let reader = openSync(path, O_RDONLY | O_NONBLOCK);
    const fd = openSync(path, O_WRONLY);
    undo.push(() => closeSync(fd));
    let lost = 0;
    const writer = lineWriter({ fd, clock: systemClock, onLost: () => (lost += 1) });
    writer.write("one\n");
    await writer.flush(60_000);
    expect(read(reader)).toBe("one\n");
    closeSync(reader);
    writer.write("two\n");
    await writer.flush(60_000);
    expect(lost).toBe(1);
    reader = openSync(path, O_RDONLY | O_NONBLOCK);
    undo.push(() => closeSync(reader));
    writer.write("three\n");
    await writer.flush(60_000);
    expect([read(reader), lost]).toEqual(["three\n", 1]);
  });

  it.each([
    ["waits", 0],
    ["does not wait", O_NONBLOCK],
  ])("a reader that sleeps blocks nothing where the pipe %s", async (_what, mode) => {
    const path = pipe();
    const reader = openSync(path, O_RDONLY | O_NONBLOCK);
    undo.push(() => closeSync(reader));
    const fd = openSync(path, O_WRONLY | mode);
    undo.push(() => closeSync(fd));
    let lost = 0;
    const writer = lineWriter({ fd, clock: systemClock, onLost: () => (lost += 1), waiting: 100_000 });
    const line = `${"x".repeat(999)}\n`;
    for (let i = 0; i < 1_000; i += 1) writer.write(line);
    expect(lost).toBeGreaterThan(0);
    await turn();
    let got = read(reader);
    const flushed = writer.flush(60_000);
    let over = false;
    void flushed.then(() => {
      over = true;
    });
    while (!over) {
      await turn();
      got += read(reader);
    }
    got += read(reader);
    expect(got.length / line.length + lost).toBe(1_000);
    expect(got).toBe(line.repeat(got.length / line.length));
  });

  it.skipIf(process.platform !== "linux")(
    "a reader that sleeps does not keep the process from ending",
    async () => {
      const path = pipe();
      const reader = openSync(path, O_RDONLY | O_NONBLOCK);
      undo.push(() => closeSync(reader));
      const fd = openSync(path, O_WRONLY);
      undo.push(() => closeSync(fd));
      const script = `
      import { systemClock } from "@telltale/clock";
      const { lineWriter } = await import(${JSON.stringify(new URL("./line-writer.ts", import.meta.url).href)});
      const writer = lineWriter({ fd: 1, clock: systemClock, onLost() {} });
      for (let i = 0; i < 1_000; i += 1) writer.write("x".repeat(999) + "\\n");
      process.exit((await writer.flush(10)) ? 1 : 7);
    `;
      const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", script], {
        cwd: import.meta.dirname,
        stdio: ["ignore", fd, "inherit"],
      });
      undo.push(() => child.kill("SIGKILL"));
      expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(7);
    },
    60_000,
  );
});
