// The simulated provider as people start it: over gRPC, with what its environment orders.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { seededRandom, systemClock, VirtualClock } from "@telltale/clock";
import { silentLog } from "@telltale/runtime";
import { expect, it } from "vitest";
import { provider, wireTo } from "../../test/wire/stage.ts";
import { simulatedDial } from "./dial.ts";
import { SimulatedHost } from "./host.ts";
import { simulatedProgram, trouble } from "./program.ts";

it("it answers over gRPC, and has the mock's machines where it is like the mock", async () => {
  const surroundings = { flags: { like: "mock" }, env: {}, clock: systemClock, log: silentLog };
  const { handlers } = await simulatedProgram.start(surroundings);
  const { port } = await provider(handlers);
  const { ask } = wireTo(port);
  const { vms } = await ask("listVMs", {}, { deadline: 5_000 });
  expect(vms.map(({ id, powerState }) => [id, powerState])).toEqual([
    ["vm-1", "On"],
    ["vm-2", "On"],
    ["vm-3", "Off"],
  ]);
  const { id, task } = await ask("create", { name: "web", imageJson: '{"TemplateName":"t"}' }, { deadline: 5_000 });
  expect([id, task?.id]).toEqual(["vm-4", "task-1"]);
});

it("it is a program", async () => {
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [main, "--version"]);
  expect(stdout).toBe("virtrigaud-simulated 0.1.0\n");
});

it("a family that nobody knows is refused with those that there are", async () => {
  const surroundings = { flags: { like: "x" }, env: {}, clock: systemClock, log: silentLog };
  await expect(simulatedProgram.start(surroundings)).rejects.toThrow(
    "--like is x; set it to one of complete, vsphere, libvirt, proxmox, mock",
  );
});

function troubled(env: Readonly<Record<string, string>>) {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, random: seededRandom(1), like: "mock" });
  trouble(host, env);
  const { ask } = simulatedDial({ clock, find: () => host })({ endpoint: "", serverName: "", connectTimeout: 1 });
  return { clock, host, ask };
}

it.each([
  ["create", "create"],
  ["task_status", "taskStatus"],
  ["snapshot_create", "snapshotCreate"],
  ["image_prepare", "imagePrepare"],
] as const)("MOCK_FAILURE_MODE=%s makes that fail, and nothing else", async (mode, method) => {
  const { ask } = troubled({ MOCK_FAILURE_MODE: mode });
  for (let i = 0; i < 3; i += 1) {
    await expect(ask(method, {}, { deadline: 1_000 })).rejects.toMatchObject({ code: "INTERNAL" });
  }
  expect((await ask("listVMs", {}, { deadline: 1_000 })).vms).toEqual([]);
});

it("MOCK_FAILURE_MODE=all makes all of these fail, and a word that is none is refused", async () => {
  const { ask } = troubled({ MOCK_FAILURE_MODE: "all" });
  await expect(ask("validate", {}, { deadline: 1_000 })).rejects.toMatchObject({ code: "INTERNAL" });
  await expect(ask("describe", { id: "x" }, { deadline: 1_000 })).rejects.toMatchObject({ code: "INTERNAL" });
  expect(() => troubled({ MOCK_FAILURE_MODE: "sometimes" })).toThrow("MOCK_FAILURE_MODE");
});

it("MOCK_SLOW_MODE=true makes every answer late by 100 to 600 ms", async () => {
  const { clock, ask } = troubled({ MOCK_SLOW_MODE: "true" });
  for (let i = 0; i < 5; i += 1) {
    const began = clock.now();
    let isDone = false;
    const call = ask("validate", {}, { deadline: 1_000 }).finally(() => {
      isDone = true;
    });
    while (!isDone) await clock.settle(1);
    await call;
    expect(clock.now() - began).toBeGreaterThanOrEqual(100);
    expect(clock.now() - began).toBeLessThanOrEqual(601);
  }
});
