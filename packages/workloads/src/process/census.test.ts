// Whose a process is, whatever it does to hide it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { eventually, isAlive, must } from "../../test/process/driver.ts";
import { Census, signal } from "./census.ts";
import { hasProc } from "./proc.ts";

const started = new Set<number>();
afterEach(() => {
  for (const pid of started) signal(pid, "SIGKILL");
  started.clear();
});

const sleepers = (census: Census, owner: string) => (census.take().get(owner) ?? []).map(({ pid }) => pid);

describe.skipIf(!hasProc)("a process", () => {
  it("belongs to whom its parent belongs to, and still does when the parent is gone", async () => {
    const census = new Census("r1");
    // Without variables, and with a session of its own: only its parent tells.
    const program = `
      const left = require("node:child_process").spawn("sleep", ["600"], { detached: true, stdio: "ignore", env: {} });
      console.log(left.pid);
      setTimeout(() => {}, 600_000);`;
    const leader = spawn(process.execPath, ["-e", program], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
    started.add(must(leader.pid));
    const [chunk] = (await once(must(leader.stdout), "data")) as [Buffer];
    const left = Number(chunk.toString());
    started.add(left);
    census.lead(must(leader.pid), "pod/main/0");
    expect(sleepers(census, "pod/main/0").sort()).toEqual([must(leader.pid), left].sort());
    leader.kill("SIGKILL");
    await once(leader, "exit");
    expect(sleepers(census, "pod/main/0")).toEqual([left]);
    signal(left, "SIGKILL");
    await eventually(() => !isAlive(left));
    expect(sleepers(census, "pod/main/0")).toEqual([]);
  });

  it("is known by its variables, those of this server only", async () => {
    const run = async (runtime: string) => {
      const env = { PATH: process.env["PATH"], TELLTALE_RUNTIME: runtime, TELLTALE_CONTAINER: "pod/main/0" };
      const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore", env });
      started.add(must(child.pid));
      await once(child, "spawn");
      return must(child.pid);
    };
    const ours = await run("r1");
    await run("r2");
    expect(sleepers(new Census("r1"), "pod/main/0")).toEqual([ours]);
  });
});

it("a signal to somebody who is gone is no error", () => {
  expect(signal(4_194_304, "SIGKILL")).toBe(false);
  expect(signal(process.pid, 0)).toBe(true);
});
