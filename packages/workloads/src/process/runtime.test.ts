// Pods as local processes: real programs, seen through reports.
import { rmSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Driver, type DriverOptions, drive, podOf, script } from "../../test/process/driver.ts";

vi.setConfig({ testTimeout: 30_000 });

const drivers: Driver[] = [];

async function driver(options?: DriverOptions): Promise<Driver> {
  const made = await drive(options);
  drivers.push(made);
  return made;
}

afterEach(async () => {
  for (const { stop, root } of drivers.splice(0)) {
    await stop();
    rmSync(root, { recursive: true, force: true });
  }
});

describe("a container that ends", () => {
  it("is terminated with its exit code, and its log stays", async () => {
    const it = await driver();
    const pod = podOf([script("echo out; echo err >&2; exit 3")], { restartPolicy: "Never" });
    await it.apply(pod);
    const report = await it.untilStates(pod, "terminated");
    expect(report.containers[0]).toMatchObject({
      state: { is: "terminated", exitCode: 3, reason: "Error" },
      restartCount: 0,
      isReady: false,
      isStarted: false,
    });
    expect((await it.logs(pod)).split("\n").sort()).toEqual(["", "err", "out"]);
  });
});
