// Containers that end, in their order and again: real programs, seen through reports.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { VirtualClock } from "@telltale/clock";
import { afterEach, describe, expect, it, vi } from "vitest";
import { driverPool, eventually, must, podOf, script } from "../../test/process/driver.ts";

vi.setConfig({ testTimeout: 60_000 });
const { drive, clean } = driverPool();
afterEach(clean);

const once = { restartPolicy: "Never" } as const;

describe("a container that ends", () => {
  it("is terminated with its exit code, and its log stays", async () => {
    const driver = await drive();
    const pod = podOf([script("echo out; echo err >&2; exit 3")], once);
    await driver.apply(pod);
    const report = await driver.untilStates(pod, "terminated");
    expect(report.containers[0]).toMatchObject({
      state: { is: "terminated", exitCode: 3, reason: "Error", containerID: `process://${pod.metadata?.uid}/main/0` },
      restartCount: 0,
      isReady: false,
      isStarted: false,
    });
    expect((await driver.logs(pod)).split("\n").sort()).toEqual(["", "err", "out"]);
    expect(driver.events(pod)).toEqual([
      { type: "Normal", reason: "Created", message: "Container created" },
      { type: "Normal", reason: "Started", message: "Container started" },
    ]);
  });

  it("by itself is Completed, by a signal has that signal", async () => {
    const driver = await drive();
    const pod = podOf([script("exit 0"), script("kill -9 $$$$"), script("kill -TERM $$$$")], once);
    await driver.apply(pod);
    const { containers } = await driver.untilStates(pod, "terminated", "terminated", "terminated");
    expect(containers.map(({ state }) => state)).toMatchObject([
      { exitCode: 0, reason: "Completed" },
      { exitCode: 137, signal: 9, reason: "Error" },
      { exitCode: 143, signal: 15, reason: "Error" },
    ]);
  });

  it("takes with it what it left behind, in its group or out of it", async () => {
    const driver = await drive();
    const leave = `
      const { spawn } = require("node:child_process");
      for (const detached of [true, false]) {
        const left = spawn("sleep", ["600"], { detached, stdio: "ignore" });
        left.unref();
        console.log(left.pid);
      }
      process.exit(0);`;
    const pod = podOf([{ command: [process.execPath, "-e", leave] }], once);
    await driver.apply(pod);
    await driver.untilStates(pod, "terminated");
    const pids = (await driver.logs(pod)).trim().split("\n").map(Number);
    expect(pids).toHaveLength(2);
    await eventually(() => !pids.some((pid) => existsSync(`/proc/${pid}`)));
  });

  it("says its last words, from its file or from its log", async () => {
    const driver = await drive();
    const fallback = { terminationMessagePolicy: "FallbackToLogsOnError" };
    const pod = podOf(
      [
        script("echo it was the disk > /dev/termination-log; exit 1"),
        script("echo last line; exit 1", fallback),
        script("echo from the file > $TELLTALE_TERMINATION_LOG; echo log; exit 1", fallback),
        script("echo fine; exit 0", fallback),
        script("echo long; head -c 9000 /dev/zero | tr '\\0' x > /tmp/msg; exit 1", {
          terminationMessagePath: "/tmp/msg",
        }),
      ],
      once,
    );
    await driver.apply(pod);
    const report = await driver.until(pod, ({ containers }) =>
      containers.every(({ state }) => state.is === "terminated"),
    );
    const messages = report.containers.map(({ state }) => (state.is === "terminated" ? state.message : ""));
    expect(messages.slice(0, 4)).toEqual(["it was the disk\n", "last line\n", "from the file\n", undefined]);
    expect(messages[4]).toBe("x".repeat(4096));
  });
});

describe("init containers", () => {
  it("run one after the other, before the rest", async () => {
    const driver = await drive();
    const mount = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const pod = podOf([script("cat /v/log", mount)], {
      ...once,
      volumes: [{ name: "v", emptyDir: {} }],
      initContainers: [
        { name: "i1", ...script("sleep 0.1; echo 1 >> /v/log", mount) },
        { name: "i2", ...script("echo 2 >> /v/log", mount) },
      ],
    });
    const first = await driver.apply(pod);
    expect(first.initContainers.map(({ state }) => state)).toMatchObject([
      { is: "running" },
      { is: "waiting", reason: "PodInitializing" },
    ]);
    expect(first.containers[0]?.state).toMatchObject({ is: "waiting", reason: "PodInitializing" });
    const last = await driver.untilStates(pod, "terminated", "terminated", "terminated");
    expect(last.initContainers.every(({ isReady }) => isReady)).toBe(true);
    expect(await driver.logs(pod)).toBe("1\n2\n");
  });

  it("that fail for good keep the rest from beginning", async () => {
    const driver = await drive();
    const pod = podOf([script("exit 0")], { ...once, initContainers: [{ name: "i", ...script("exit 4") }] });
    await driver.apply(pod);
    const report = await driver.untilStates(pod, "terminated", "PodInitializing");
    expect(report.initContainers[0]).toMatchObject({ state: { exitCode: 4 }, isReady: false });
  });

  it("that stay run beside the rest, and end after it", async () => {
    const driver = await drive();
    const mount = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const side = (name: string) => ({
      name,
      restartPolicy: "Always",
      ...script(`trap 'echo ${name} >> /v/log; exit 0' TERM; touch /v/${name}; while :; do sleep 0.05; done`, mount),
      startupProbe: { exec: { command: ["test", "-f", `/v/${name}`] }, periodSeconds: 1 },
    });
    const pod = podOf([script("test -f /v/s1 && test -f /v/s2 && echo main >> /v/log", mount)], {
      ...once,
      volumes: [{ name: "v", emptyDir: {} }],
      initContainers: [side("s1"), side("s2")],
    });
    await driver.apply(pod);
    const report = await driver.untilStates(pod, "terminated", "terminated", "terminated");
    expect(report.containers[0]?.state).toMatchObject({ exitCode: 0 });
    expect(report.initContainers.map(({ state }) => state)).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
    const folder = join(driver.root, "pods", must(pod.metadata?.uid), "volumes/v/log");
    expect(readFileSync(folder, "utf8")).toBe("main\ns2\ns1\n");
  });
});

describe("a container that crashes", () => {
  it("is restarted at once, then backs off, and keeps the log of the run before", async () => {
    const clock = new VirtualClock();
    const driver = await drive({ clock });
    const pod = podOf([script("echo run $TELLTALE_CONTAINER; exit 1")]);
    await driver.apply(pod);
    const first = await driver.untilStates(pod, "CrashLoopBackOff");
    expect(first.containers[0]).toMatchObject({
      restartCount: 1,
      state: { message: expect.stringContaining("back-off 10s restarting failed container=main pod=") },
      last: { exitCode: 1, reason: "Error" },
    });
    expect(first.wakeAt).toBe(clock.now() + 10_000);
    clock.advance(10_000);
    const second = await driver.until(
      pod,
      ({ containers: [main] }) => main?.restartCount === 2 && main.state.is === "waiting",
    );
    expect(second.containers[0]?.state).toMatchObject({ message: expect.stringContaining("back-off 20s") });
    const uid = pod.metadata?.uid;
    expect(await driver.logs(pod)).toBe(`run ${uid}/main/2\n`);
    expect(await driver.logs(pod, { previous: true })).toBe(`run ${uid}/main/2\n`);
    expect(readdirSync(join(driver.root, "pods", must(uid), "containers/main/logs")).sort()).toEqual([
      "1.log",
      "2.log",
    ]);
    expect(driver.events(pod).filter(({ reason }) => reason === "BackOff")).toHaveLength(2);
  });

  it("shows the log of the run before while it runs again", async () => {
    const driver = await drive();
    const mount = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const pod = podOf([script("if [ -f /v/x ]; then echo two; sleep 600; fi; touch /v/x; echo one; exit 1", mount)], {
      volumes: [{ name: "v", emptyDir: {} }],
    });
    await driver.apply(pod);
    await driver.until(pod, ({ containers: [main] }) => main?.restartCount === 1 && main.state.is === "running");
    expect(await driver.logs(pod, { previous: true })).toBe("one\n");
  });

  it("stays as it is by its policy", async () => {
    const driver = await drive();
    const pod = podOf([script("exit 0")], { restartPolicy: "OnFailure" });
    await driver.apply(pod);
    const report = await driver.untilStates(pod, "terminated");
    expect(report.containers[0]?.restartCount).toBe(0);
    await expect(driver.logs(pod, { previous: true })).rejects.toThrow('previous terminated container "main" in pod');
  });
});
