// Processes do not outlive their server, however it ends, and the next one knows what was there.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Driver, driverPool, eventually, isAlive, must, podOf, script } from "../../test/process/driver.ts";
import { hasProc, processes, variableOf } from "./proc.ts";
import { processRuntime } from "./runtime.ts";

vi.setConfig({ testTimeout: 60_000 });
const { drive, clean } = driverPool();
let root = "";
const servers: ChildProcess[] = [];
/** What each server wrote to its standard error. */
const warned = new WeakMap<ChildProcess, string>();
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "telltale-survival-"));
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.kill("SIGKILL");
  await clean();
  for (const { pid } of inPods()) process.kill(pid, "SIGKILL");
  rmSync(root, { recursive: true, force: true });
});

/** Other programs that run in pods of this folder. */
const inPods = () => processes().filter(({ pid }) => variableOf(pid, "TELLTALE_ROOT")?.startsWith(`${root}/`));

interface Told {
  readonly server: ChildProcess;
  readonly reaper: number;
  readonly pids: readonly number[];
}

/** A server in a process of its own: runs one pod that starts processes in three ways, and tells their pids. */
async function serve(): Promise<Told> {
  const program = `
    import { drive, podOf, script, must } from ${JSON.stringify(new URL("../../test/process/driver.ts", import.meta.url).href)};
    const driver = await drive({ root: ${JSON.stringify(root)} });
    const leave = \`
      const { spawn } = require("node:child_process");
      const pids = [true, false].map((detached) => spawn("sleep", ["600"], { detached, stdio: "ignore" }).pid);
      console.log([process.pid, ...pids].join(" "));
      setTimeout(() => {}, 600_000);\`;
    const pod = podOf([{ command: [process.execPath, "-e", leave] }]);
    pod.metadata.uid = "uid-of-the-pod";
    await driver.apply(pod);
    let text = "";
    const options = { container: "main", follow: true, previous: false, timestamps: false, signal: new AbortController().signal };
    for await (const chunk of await driver.runtime.access.logs(pod, options)) {
      text += Buffer.from(chunk).toString();
      if (text.endsWith("\\n")) console.log(text.trim());
    }
  `;
  const server = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  server.stderr?.setEncoding("utf8").on("data", (text: string) => {
    warned.set(server, `${warned.get(server) ?? ""}${text}`);
  });
  servers.push(server);
  const [line] = (await once(createInterface({ input: must(server.stdout) }), "line")) as [string];
  return { server, pids: line.split(" ").map(Number), reaper: must(reaperOf(server)) };
}

/** The process beside a server that leads a session and runs a program of ours. */
function reaperOf(server: ChildProcess): number | undefined {
  const leaders = processes().filter(({ parent, session, pid }) => parent === server.pid && session === pid);
  return leaders.find(({ pid }) => (read(`/proc/${pid}/cmdline`) ?? "").includes("reaper-program"))?.pid;
}

describe.skipIf(!hasProc)("when the server is killed", () => {
  it("its processes end with it, and so does the one that ended them", async () => {
    const { server, pids, reaper } = await serve();
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    server.kill("SIGKILL");
    await eventually(() => !pids.some(isAlive));
    await eventually(() => !isAlive(reaper));
  });

  it("with the process that would have ended them, the next server does it before it begins", async () => {
    const { server, pids, reaper } = await serve();
    process.kill(reaper, "SIGKILL");
    server.kill("SIGKILL");
    await once(server, "exit");
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    await drive({ root });
    expect(inPods()).toEqual([]);
    await eventually(() => !pids.some(isAlive));
  });

  it("the next one starts its containers again, and says what became of them", async () => {
    const { server } = await serve();
    server.kill("SIGKILL");
    await once(server, "exit");
    const driver = await drive({ root });
    const pod = {
      ...podOf([script("sleep 600")]),
      metadata: { name: "again", namespace: "default", uid: "uid-of-the-pod" },
    };
    expect((await driver.apply(pod)).containers[0]).toMatchObject({
      restartCount: 1,
      state: { is: "running" },
      last: { exitCode: 137, reason: "ContainerStatusUnknown" },
    });
  });

  it("the one that ends them is there again when it is killed alone, and that is said", async () => {
    const { server, pids, reaper } = await serve();
    process.kill(reaper, "SIGKILL");
    await eventually(() => reaperOf(server) !== undefined && reaperOf(server) !== reaper);
    await eventually(
      () => warned.get(server)?.includes(`(${reaper}) was killed by SIGKILL and is started again`) === true,
    );
    server.kill("SIGKILL");
    await eventually(() => !pids.some(isAlive));
  });
});

describe("when the server stops", () => {
  const stopped = async (driver: Driver) => {
    await driver.stop();
    expect(inPods()).toEqual([]);
  };

  it("nothing is left running, and what ran starts again with the next", async () => {
    const first = await drive({ root });
    const pod = podOf([script("trap '' TERM; sleep 600"), script("exit 0"), script("sleep 600")]);
    const { podIP } = await first.apply({ ...pod, spec: { ...must(pod.spec), restartPolicy: "OnFailure" } });
    await first.untilStates(pod, "running", "terminated", "running");
    await stopped(first);
    const second = await drive({ root });
    const report = await second.apply({ ...pod, spec: { ...must(pod.spec), restartPolicy: "OnFailure" } });
    expect(report.podIP).toBe(podIP);
    expect(report.containers.map(({ restartCount, state }) => [restartCount, state.is])).toEqual([
      [1, "running"],
      [0, "terminated"],
      [1, "running"],
    ]);
    await stopped(second);
  });

  it("a pod that is not restarted has failed", async () => {
    const first = await drive({ root });
    const pod = podOf([script("sleep 600")], { restartPolicy: "Never" });
    await first.apply(pod);
    await stopped(first);
    const second = await drive({ root });
    expect((await second.apply(pod)).containers[0]?.state).toMatchObject({
      is: "terminated",
      exitCode: 137,
      reason: "ContainerStatusUnknown",
    });
    await stopped(second);
  });

  it("containers may end by themselves first", async () => {
    const driver = await drive({ root, shutdownGrace: 20_000 });
    const mount = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const pod = podOf(
      [script("trap 'echo bye > /v/bye; exit' TERM; touch /v/up; while :; do sleep 0.05; done", mount)],
      {
        volumes: [{ name: "v", emptyDir: {} }],
      },
    );
    await driver.apply(pod);
    const file = (name: string) => join(root, "pods", must(pod.metadata?.uid), "volumes/v", name);
    await eventually(() => read(file("up")) !== undefined);
    await driver.stop();
    expect(read(file("bye"))).toBe("bye\n");
  });

  it("the log of a pod that is over can still be read, although nobody brings it further", async () => {
    const first = await drive({ root });
    const pod = podOf([script("echo the end")], { restartPolicy: "Never" });
    await first.apply(pod);
    await first.untilStates(pod, "terminated");
    await stopped(first);
    const second = await drive({ root });
    expect(await second.logs(pod)).toBe("the end\n");
    await expect(second.logs(podOf([script("exit 0")]))).rejects.toThrow("is not available");
  });

  it("the log of before is still there", async () => {
    const first = await drive({ root });
    const pod = podOf([script("echo run $TELLTALE_CONTAINER; sleep 600")]);
    await first.apply(pod);
    await eventually(async () => (await first.logs(pod)) !== "");
    await stopped(first);
    const second = await drive({ root });
    await second.apply(pod);
    expect(await second.logs(pod, { previous: true })).toBe(`run ${pod.metadata?.uid}/main/0\n`);
  });
});

describe("the folder of pods", () => {
  it("belongs to one server at a time", async () => {
    await drive({ root });
    await expect(drive({ root })).rejects.toThrow(`the folder of pods ${root} is in use by this process`);
  });

  it("that was lost is made up for by what the pod says of itself", async () => {
    const driver = await drive({ root });
    const running = { name: "main", image: "", imageID: "", ready: true, restartCount: 4 };
    const state = { running: { startedAt: "2026-01-01T00:00:00Z" } };
    const pod = { ...podOf([script("sleep 600")]), status: { containerStatuses: [{ ...running, state }] } };
    expect((await driver.apply(pod)).containers[0]).toMatchObject({
      restartCount: 5,
      last: { reason: "ContainerStatusUnknown" },
    });
    const terminated = {
      exitCode: 0,
      reason: "Completed",
      startedAt: "2026-01-01T00:00:00Z",
      finishedAt: "2026-01-01T00:00:01Z",
    };
    const done = {
      ...podOf([script("exit 1")], { restartPolicy: "Never" }),
      status: { containerStatuses: [{ ...running, state: { terminated } }] },
    };
    expect((await driver.apply(done)).containers[0]).toMatchObject({ restartCount: 4, state: { exitCode: 0 } });
  });

  it("of its own goes with the runtime", async () => {
    const runtime = processRuntime();
    await runtime.start({ wake: () => {} });
    await runtime.stop();
    await runtime.stop();
  });

  it("must be one that a shell takes as it is", async () => {
    await expect(drive({ root: join(root, "with blank") })).rejects.toThrow("has characters that a shell would take");
  });
});

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
