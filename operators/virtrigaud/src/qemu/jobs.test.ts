import { EventEmitter } from "node:events";
import { turn, VirtualClock } from "@telltale/clock";
import { expect, it } from "vitest";
import { type JobBox, jobStep } from "./jobs.ts";
import type { Machine } from "./machine.ts";
import type { Qmp } from "./qmp.ts";
import type { Doing } from "./work.ts";

it("a job that runs for long has one listener on QEMU's events at a time, and none at its end", async () => {
  const clock = new VirtualClock();
  const events = new EventEmitter();
  let status = "running";
  const qmp = {
    execute: async (command: string) => (command === "query-jobs" ? [{ id: "t-1", status }] : {}),
    onEvent(heard: (name: string, data: unknown) => void) {
      events.on("event", heard);
      return () => events.off("event", heard);
    },
  } as unknown as Qmp;
  const machine = {} as Machine;
  const box = {
    host: { clock },
    machines: { need: () => machine },
    running: { process: async () => ({ pid: 1, start: "1" }), monitor: async () => qmp },
  } as unknown as JobBox;
  const step = jobStep(box, {
    name: "copy",
    stage: "Copying",
    vmId: "q-1",
    start: async () => true,
    isDone: async () => true,
  });
  if (step.kind !== "qmp") throw new Error("a job is a step of QEMU");
  const task = { signal: new AbortController().signal, progress: () => {} } as unknown as Doing;
  const watched = step.watch("t-1", task);
  for (let i = 0; i < 20; i += 1) {
    await turn();
    expect(events.listenerCount("event")).toBe(1);
    clock.advance(500);
  }
  await turn();
  status = "concluded";
  events.emit("event", "JOB_STATUS_CHANGE", { id: "t-1" });
  await watched;
  expect(events.listenerCount("event")).toBe(0);
});
