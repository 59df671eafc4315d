// Containers that want more than they may have: processes, memory, room on disk. The damage is bounded in each test by itself.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { driverPool, eventually, must, podOf, script } from "../../test/process/driver.ts";
import { hasProc, processes, variableOf } from "./proc.ts";

vi.setConfig({ testTimeout: 60_000 });
const { drive, clean } = driverPool();
afterEach(clean);

const once = { restartPolicy: "Never" } as const;

/** How many processes of a pod live. */
const living = (uid: string) => processes().filter(({ pid }) => variableOf(pid, "TELLTALE_POD_UID") === uid).length;

describe.skipIf(!hasProc)("a fork bomb", () => {
  // Each level doubles: 256 processes at most, which end by themselves.
  const bomb = "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) & f $(($1 - 1)) & fi; sleep 30; }; f 7";

  it("is ended with everything that it made, and others are left alone", async () => {
    const driver = await drive({ maxProcesses: 20 });
    const other = podOf([script("sleep 600")]);
    await driver.apply(other);
    const pod = podOf([script(bomb)], once);
    await driver.apply(pod);
    const report = await driver.untilStates(pod, "terminated");
    expect(report.containers[0]?.state).toMatchObject({
      exitCode: 137,
      reason: "ProcessLimitExceeded",
      message: expect.stringMatching(/^the container had \d+ processes, more than the 20 that it may have$/),
    });
    await eventually(() => living(must(pod.metadata?.uid)) === 0);
    expect((await driver.untilStates(other, "running")).containers[0]?.restartCount).toBe(0);
  });

  it("is found also where each process has a session of its own", async () => {
    const driver = await drive({ maxProcesses: 20 });
    const scatter = `
      const { spawn } = require("node:child_process");
      for (let n = 0; n < 40; n += 1) spawn("sleep", ["30"], { detached: true, stdio: "ignore", env: n % 2 ? process.env : {} }).unref();
      setTimeout(() => {}, 30_000);`;
    const pod = podOf(
      [{ command: [process.execPath, "-e", scatter], env: [{ name: "PATH", value: must(process.env["PATH"]) }] }],
      once,
    );
    await driver.apply(pod);
    const report = await driver.untilStates(pod, "terminated");
    expect(report.containers[0]?.state).toMatchObject({ reason: "ProcessLimitExceeded" });
    await eventually(() => living(must(pod.metadata?.uid)) === 0);
  });
});

describe.skipIf(!hasProc)("a memory limit", () => {
  const grow = `
    const kept = [];
    setInterval(() => kept.push(Buffer.alloc(20_000_000, 1)), 20);`;

  it("ends a container that goes beyond it", async () => {
    const driver = await drive();
    const limits = { memory: "150Mi" };
    const pod = podOf([{ command: [process.execPath, "-e", grow], resources: { limits } }], once);
    await driver.apply(pod);
    const report = await driver.untilStates(pod, "terminated");
    expect(report.containers[0]?.state).toMatchObject({
      exitCode: 137,
      reason: "OOMKilled",
      message: expect.stringContaining("more than its limit of 157286400"),
    });
  });
});

describe("a log that floods", () => {
  it("is bounded on disk, and nobody else waits for it", async () => {
    const driver = await drive({ log: { bytes: 200_000, rate: 2_000_000 } });
    const pod = podOf([script("while :; do echo 0123456789012345678901234567890123456789; done")], once);
    await driver.apply(pod);
    const folder = join(driver.root, "pods", must(pod.metadata?.uid), "containers/main/logs");
    const size = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    await eventually(() => {
      expect(size()).toBeLessThan(600_000);
      return readdirSync(folder).includes("0.log.1");
    });
    const other = podOf([script("echo still here")], once);
    await driver.apply(other);
    await driver.untilStates(other, "terminated");
    expect(await driver.logs(pod, { tailLines: 1 })).toBe("0123456789012345678901234567890123456789\n");
    await driver.delete(pod, 1);
    await driver.untilStates(pod, "terminated");
    expect(size()).toBeLessThan(600_000);
    expect(readFileSync(join(folder, "0.log"), "latin1")).toMatch(/ stdout [FP] \d+\n$/);
  });
});
