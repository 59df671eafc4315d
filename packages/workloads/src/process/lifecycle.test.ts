// Probes, hooks and the end of pods, with real programs.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VirtualClock } from "@telltale/clock";
import type { Pod } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Driver, driverPool, eventually, must, podOf, script } from "../../test/process/driver.ts";
import type { PodReport } from "../kubelet/pod-runtime.ts";

vi.setConfig({ testTimeout: 60_000 });
const { drive, clean } = driverPool();
afterEach(clean);

const shared = { volumes: [{ name: "v", emptyDir: {} }] };
const mount = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
const fileOf = ({ root }: Driver, pod: Pod, name: string) =>
  join(root, "pods", must(pod.metadata?.uid), "volumes/v", name);
const main = ({ containers }: PodReport) => must(containers[0]);

/** A web server on the address and port that its pod was given; `/health` answers what the file `health` says. */
const web = {
  command: [
    process.execPath,
    "-e",
    `require("node:http").createServer((request, response) => {
       if (request.url !== "/health") return response.end("hello from " + process.env.HOSTNAME);
       let status = 200;
       try { status = Number(require("node:fs").readFileSync(process.env.TELLTALE_MOUNT_V + "/health", "utf8")); } catch {}
       response.writeHead(status).end();
     }).listen(Number(process.env.PORT_8080), process.env.POD_IP);`,
  ],
  ports: [{ name: "web", containerPort: 8080 }],
  ...mount,
};

describe("readiness", () => {
  it("follows the probe, and pods with the same port do not meet", async () => {
    const driver = await drive();
    const readinessProbe = { httpGet: { port: "web", path: "/health" }, periodSeconds: 1, failureThreshold: 1 };
    const pods = [podOf([{ ...web, readinessProbe }], shared), podOf([{ ...web, readinessProbe }], shared)];
    for (const pod of pods) await driver.apply(pod);
    for (const pod of pods) {
      await driver.until(pod, (report) => main(report).isReady);
      const { host, port } = must(must(driver.runtime.access).address(pod, 8080));
      expect(await (await fetch(`http://${host}:${port}/`)).text()).toBe(`hello from ${pod.metadata?.name}`);
    }
    const [pod] = pods;
    writeFileSync(fileOf(driver, must(pod), "health"), "503");
    const report = await driver.until(must(pod), (it) => !main(it).isReady);
    expect(main(report)).toMatchObject({ state: { is: "running" }, isStarted: true, restartCount: 0 });
    expect(driver.events(must(pod)).at(-1)).toEqual({
      type: "Warning",
      reason: "Unhealthy",
      message: "Readiness probe failed: HTTP probe failed with statuscode: 503",
    });
  });

  it("on a shared address goes by a port that was free", async () => {
    const driver = await drive({ addresses: "shared" });
    const readinessProbe = { tcpSocket: { port: 8080 }, periodSeconds: 1 };
    const pods = [podOf([{ ...web, readinessProbe }], shared), podOf([{ ...web, readinessProbe }], shared)];
    for (const pod of pods) await driver.apply(pod);
    for (const pod of pods) expect((await driver.until(pod, (it) => main(it).isReady)).podIP).toBe("127.0.0.1");
    const access = must(driver.runtime.access);
    const ports = pods.map((pod) => access.address(pod, 8080)?.port);
    expect(new Set([...ports, 8080]).size).toBe(3);
    expect(access.address(must(pods[0]), 9999)).toBeUndefined();
  });
});

describe("liveness", () => {
  it("restarts a container that fails, and says so", async () => {
    const driver = await drive();
    const livenessProbe = {
      exec: { command: ["sh", "-c", "test -f /v/ok || { echo not well; exit 1; }"] },
      periodSeconds: 1,
      failureThreshold: 2,
    };
    const pod = podOf([script("sleep 600", { livenessProbe, ...mount })], {
      ...shared,
      terminationGracePeriodSeconds: 5,
    });
    await driver.apply(pod);
    const report = await driver.until(pod, (it) => main(it).restartCount === 1 && main(it).state.is === "running");
    expect(main(report).last).toMatchObject({ exitCode: 143, signal: 15, reason: "Error" });
    const messages = driver.events(pod).map(({ message }) => message);
    expect(messages.filter((text) => text === "Liveness probe failed: not well\n")).toHaveLength(2);
    expect(messages).toContain("Container main failed liveness probe, will be restarted");
  });
});

describe("startup", () => {
  it("comes before readiness and liveness", async () => {
    const driver = await drive();
    const test = (name: string) => ({ exec: { command: ["test", "-f", `/v/${name}`] }, periodSeconds: 1 });
    const probes = { startupProbe: { ...test("up"), failureThreshold: 1_000 }, readinessProbe: test("none") };
    const livenessProbe = { ...test("none"), failureThreshold: 1 };
    const pod = podOf([script("sleep 600", { ...probes, livenessProbe, ...mount })], {
      ...shared,
      terminationGracePeriodSeconds: 5,
    });
    await driver.apply(pod);
    await driver.until(pod, () => driver.events(pod).some(({ message }) => message.startsWith("Startup probe failed")));
    expect(driver.events(pod).some(({ message }) => /Liveness|Readiness/.test(message))).toBe(false);
    writeFileSync(fileOf(driver, pod, "up"), "");
    const report = await driver.until(pod, (it) => main(it).isStarted);
    expect(main(report)).toMatchObject({ isReady: false, restartCount: 0 });
    await driver.until(pod, (it) => main(it).restartCount === 1);
  });

  it("that never succeeds restarts the container", async () => {
    const driver = await drive();
    const startupProbe = { tcpSocket: { port: 8080 }, periodSeconds: 1, failureThreshold: 1 };
    const pod = podOf([script("sleep 600", { startupProbe })], { terminationGracePeriodSeconds: 5 });
    await driver.apply(pod);
    await driver.until(pod, (it) => main(it).restartCount === 1);
    expect(driver.events(pod).map(({ message }) => message)).toContain(
      "Container main failed startup probe, will be restarted",
    );
  });
});

describe("hooks", () => {
  it("postStart comes before the container counts as running", async () => {
    const driver = await drive();
    const command = ["sh", "-c", "while [ ! -f /v/go ]; do sleep 0.05; done; echo hook > /v/hook"];
    const pod = podOf([script("sleep 600", { lifecycle: { postStart: { exec: { command } } }, ...mount })], shared);
    expect(main(await driver.apply(pod)).state).toEqual({ is: "waiting", reason: "ContainerCreating" });
    writeFileSync(fileOf(driver, pod, "go"), "");
    await driver.untilStates(pod, "running");
    expect(readFileSync(fileOf(driver, pod, "hook"), "utf8")).toBe("hook\n");
  });

  it("postStart that fails ends the container", async () => {
    const driver = await drive();
    const lifecycle = { postStart: { exec: { command: ["false"] } } };
    const pod = podOf([script("sleep 600", { lifecycle })], { restartPolicy: "Never" });
    await driver.apply(pod);
    const report = await driver.untilStates(pod, "terminated");
    expect(main(report).state).toMatchObject({ exitCode: 143 });
    expect(driver.events(pod).map(({ reason }) => reason)).toEqual([
      "Created",
      "Started",
      "FailedPostStartHook",
      "Killing",
    ]);
  });

  it("preStop comes before the signal", async () => {
    const driver = await drive();
    const preStop = { exec: { command: ["sh", "-c", "echo hook >> /v/log"] } };
    const pod = podOf(
      [
        script("trap 'echo term >> /v/log; exit 0' TERM; touch /v/up; while :; do sleep 0.05; done", {
          lifecycle: { preStop },
          ...mount,
        }),
      ],
      shared,
    );
    await driver.apply(pod);
    await eventually(() => existsSync(fileOf(driver, pod, "up")));
    await driver.delete(pod);
    const report = await driver.untilStates(pod, "terminated");
    expect(main(report).state).toMatchObject({ exitCode: 0, reason: "Completed" });
    expect(readFileSync(fileOf(driver, pod, "log"), "utf8")).toBe("hook\nterm\n");
    expect(driver.events(pod).at(-1)).toEqual({
      type: "Normal",
      reason: "Killing",
      message: "Stopping container main",
    });
  });

  it("preStop asks by HTTP too, and one that fails does not matter", async () => {
    const driver = await drive();
    const lifecycle = { preStop: { httpGet: { port: 9 } } };
    const pod = podOf([script("sleep 600", { lifecycle })]);
    await driver.apply(pod);
    await driver.delete(pod);
    await driver.untilStates(pod, "terminated");
    expect(driver.events(pod).map(({ reason }) => reason)).toContain("FailedPreStopHook");
  });
});

describe("a pod that is deleted", () => {
  it("is asked to end, and not restarted", async () => {
    const driver = await drive();
    const pod = podOf([script("sleep 600"), script("sleep 600")]);
    await driver.apply(pod);
    await driver.delete(pod);
    const report = await driver.untilStates(pod, "terminated", "terminated");
    expect(report.containers.map(({ state }) => state)).toMatchObject([{ exitCode: 143 }, { exitCode: 143 }]);
    expect((await driver.delete(pod)).containers.map(({ restartCount }) => restartCount)).toEqual([0, 0]);
  });

  it("is killed when its grace is over, and not before", async () => {
    const clock = new VirtualClock();
    const driver = await drive({ clock });
    const pod = podOf([script("trap '' TERM; touch /v/up; while :; do sleep 0.05; done", mount)], shared);
    await driver.apply(pod);
    await eventually(() => existsSync(fileOf(driver, pod, "up")));
    await driver.delete(pod, 30);
    clock.advance(29_999);
    expect(main(await driver.delete(pod, 30)).state.is).toBe("running");
    clock.advance(1);
    const report = await driver.untilStates(pod, "terminated");
    expect(main(report).state).toMatchObject({ exitCode: 137, signal: 9 });
  });

  it("can be told to be quicker, but not to be slower", async () => {
    const clock = new VirtualClock();
    const driver = await drive({ clock });
    const pod = podOf([script("trap '' TERM; touch /v/up; while :; do sleep 0.05; done", mount)], shared);
    await driver.apply(pod);
    await eventually(() => existsSync(fileOf(driver, pod, "up")));
    await driver.delete(pod, 3_600);
    clock.advance(10_000);
    await driver.delete(pod, 5);
    await driver.delete(pod, 60);
    clock.advance(4_999);
    expect(main(await driver.delete(pod, 5)).state.is).toBe("running");
    clock.advance(1);
    await driver.untilStates(pod, "terminated");
  });

  it("does not wait for a preStop hook beyond its grace", async () => {
    const clock = new VirtualClock();
    const driver = await drive({ clock });
    const lifecycle = { preStop: { sleep: { seconds: 1_000 } } };
    const pod = podOf(
      [script("trap 'exit 7' TERM; touch /v/up; while :; do sleep 0.05; done", { lifecycle, ...mount })],
      shared,
    );
    await driver.apply(pod);
    await eventually(() => existsSync(fileOf(driver, pod, "up")));
    await driver.delete(pod, 10);
    clock.advance(10_000);
    expect(main(await driver.untilStates(pod, "terminated")).state).toMatchObject({ exitCode: 7 });
  });

  it("that never began is left as it is", async () => {
    const driver = await drive();
    const pod = podOf([script("sleep 600")]);
    const report = await driver.delete(pod);
    expect(main(report).state).toEqual({ is: "waiting", reason: "ContainerCreating" });
  });

  it("and gone from the server leaves nothing", async () => {
    const driver = await drive();
    const pod = podOf([script("trap '' TERM; sleep 600")]);
    await driver.apply(pod);
    expect([...must(driver.runtime.kept)()]).toEqual([pod.metadata?.uid]);
    await driver.runtime.drop(must(pod.metadata?.uid));
    expect(existsSync(join(driver.root, "pods", must(pod.metadata?.uid)))).toBe(false);
    expect([...must(driver.runtime.kept)()]).toEqual([]);
    expect(must(driver.runtime.access).address(pod, 80)).toBeUndefined();
  });
});

describe("a deadline of the pod", () => {
  it("ends it, with a reason", async () => {
    const clock = new VirtualClock();
    const driver = await drive({ clock });
    const pod = podOf([script("sleep 600"), script("exit 0")], { activeDeadlineSeconds: 60, restartPolicy: "Never" });
    const started = { ...pod, status: { startTime: new Date(clock.now() - 50_000).toISOString() } };
    expect((await driver.apply(started)).wakeAt).toBe(clock.now() + 10_000);
    await driver.untilStates(pod, "running", "terminated");
    clock.advance(10_000);
    const report = await driver.until(pod, ({ ended }) => ended !== undefined);
    expect(report.containers.map(({ state }) => state.is)).toEqual(["terminated", "terminated"]);
    expect(report.ended).toEqual({
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    });
    expect(driver.events(pod).filter(({ reason }) => reason === "DeadlineExceeded")).toHaveLength(1);
  });

  it("does not concern a pod that is over", async () => {
    const clock = new VirtualClock();
    const driver = await drive({ clock });
    const pod = podOf([script("exit 0")], { activeDeadlineSeconds: 60, restartPolicy: "Never" });
    await driver.apply(pod);
    await driver.untilStates(pod, "terminated");
    clock.advance(100_000);
    expect((await driver.apply(pod)).ended).toBeUndefined();
  });
});
