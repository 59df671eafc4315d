import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { systemClock, VirtualClock } from "@telltale/clock";
import { expect, it } from "vitest";
import type { Sample } from "../samples.ts";
import { type PinoLogOptions, pinoLog } from "./pino-log.ts";

async function bench(options: Partial<PinoLogOptions> = {}) {
  const lines: string[] = [];
  const samples: Sample[] = [];
  const clock = new VirtualClock();
  const log = await pinoLog({
    level: "info",
    clock,
    sink: (sample) => samples.push(sample),
    destination: (line) => lines.push(line),
    ...options,
  });
  return { log, lines, samples, clock, last: () => JSON.parse(lines.at(-1) ?? "{}") as Record<string, unknown> };
}

it("a line has its level by name, its time by the clock, its fields and its message", async () => {
  const { log, last, lines, clock } = await bench({ fields: { operator: "boats" } });
  clock.advance(1_500);
  log.warn("it is late", { by: 3 });
  expect(last()).toEqual({
    level: "warn",
    ts: "2026-01-01T00:00:01.500Z",
    operator: "boats",
    by: 3,
    msg: "it is late",
  });
  expect(lines[0]?.endsWith("}\n")).toBe(true);
});

it("fields that were added stand on every line, and only there", async () => {
  const { log, last } = await bench();
  const inner = log.with({ controller: "boats" }).with({ name: "b1" });
  inner.info("x", { more: 1 });
  expect(last()).toMatchObject({ controller: "boats", name: "b1", more: 1 });
  log.info("y");
  expect(last()).not.toHaveProperty("controller");
});

it("says nothing below its level", async () => {
  const { log, lines } = await bench({ level: "warn" });
  log.debug("a");
  log.info("b");
  log.with({}).info("c");
  log.warn("d");
  log.error("e");
  expect(lines).toHaveLength(2);
});

it("an error is told with its message, its code and where it came from", async () => {
  const { log, last } = await bench();
  log.error("failed", { err: Object.assign(new Error("no room"), { code: "ENOSPC" }) });
  expect(last()["err"]).toMatchObject({ type: "Error", message: "no room", code: "ENOSPC" });
  expect((last()["err"] as { stack: string[] }).stack[0]).toContain("pino-log.test.ts");
});

it("no secret leaves by the message, a field or a field of every line", async () => {
  const { log, lines } = await bench();
  log.with({ token: "hunter2" }).info("password=hunter2", { url: "https://me:hunter2@host/" });
  expect(lines[0]).not.toContain("hunter2");
});

it("a message with signs of a format stays as it is", async () => {
  const { log, last } = await bench();
  log.info("100%s of %d %%");
  expect(last()["msg"]).toBe("100%s of %d %%");
});

it("a line that cannot be taken, or made, is lost and counted", async () => {
  const { log, samples } = await bench({
    destination: () => {
      throw new Error("closed");
    },
  });
  log.info("a");
  const field = {
    get bad(): string {
      throw new Error("unreadable");
    },
  };
  log.info("b", field);
  expect(samples).toEqual([{ is: "lost log" }, { is: "lost log" }]);
});

it.skipIf(!existsSync("/dev/full"))("a full disk costs lines, which are counted, and not the process", async () => {
  const fd = openSync("/dev/full", "w");
  const { log, samples } = await bench({ destination: fd, clock: systemClock });
  for (let i = 0; i < 10; i += 1) log.info("a");
  await log.flush(60_000);
  closeSync(fd);
  expect(samples).toEqual(Array.from({ length: 10 }, () => ({ is: "lost log" })));
});

it("neither it nor metrics are loaded with the runtime", () => {
  const script = `
    await import(${JSON.stringify(new URL("../index.ts", import.meta.url).href)});
    const { createRequire } = await import("node:module");
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    console.log(loaded.filter((path) => /node_modules.(pino|prom-client)/.test(path)).length);
  `;
  const args = ["--no-warnings", "--input-type=module", "--eval", script];
  expect(execFileSync(process.execPath, args, { encoding: "utf8" }).trim()).toBe("0");
}, 60_000);
