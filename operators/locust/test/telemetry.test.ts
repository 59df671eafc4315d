// What the masters' answers do to a test, with the whole operator, in virtual time.
import { formatTime } from "@telltale/kinds";
import { afterEach, describe, expect, test } from "vitest";
import { type Followed, followed, worker } from "./followed.ts";

let it: Followed;
afterEach(() => it.end());

const join = (...which: readonly number[]) => {
  for (const i of which) it.standIn.runner.join(worker(i));
};

/** Load as the stand-in makes it, without the machine that would end it. */
const underLoad = () => {
  join(1, 2, 3);
  it.standIn.runner.force({ state: "running", users: 100 });
  it.standIn.runner.load.set({ requests: 812, failures: 3, average: 83.4081 }, it.clock.now());
};

describe("a test that is followed", () => {
  test("A65 shows what the master says (telemetry)", async () => {
    it = await followed();
    underLoad();
    await it.pass(21_000);
    const { testResult, connectedWorkers, workersSource, progress } = await it.status();
    expect(testResult).toMatchObject({
      totalRequests: 812,
      failedRequests: 3,
      averageResponseTime: 83.41,
      final: false,
    });
    expect({ connectedWorkers, workersSource }).toEqual({ connectedWorkers: 3, workersSource: "LocustAPI" });
    expect(progress).toMatchObject({ currentUsers: 100, targetUsers: 100, state: "running", runTime: "5m0s" });
    expect(await it.says("TelemetryAvailable")).toBe("True Polling Reading the Locust web API");
  });

  test.each(["old-2.10", "old-2.31", "old-2.44"] as const)("A66 also by %s (telemetry)", async (is) => {
    it = await followed();
    underLoad();
    it.standIn.runner.forceWorkers([
      { id: worker(1), state: "running" },
      { id: worker(2), state: "running" },
      { id: worker(3), state: "missing" },
    ]);
    it.standIn.faults.add({ is });
    await it.pass(11_000);
    expect(await it.status()).toMatchObject({ connectedWorkers: 2, testResult: { totalRequests: 812 } });
  });

  test("A77 is asked for its statistics, and for nothing else, in its whole life (telemetry)", async () => {
    const run = { autostart: true, expectWorkers: 3, users: 10, spawnRate: 5, runTime: 60_000, autoquit: 30_000 };
    it = await followed({
      command: "--users 10 --run-time 1m --web-base-path /l",
      standIn: { run, web: { basePath: "/l" } },
    });
    join(1, 2, 3);
    await it.pass(88_000);
    expect(await it.status()).toMatchObject({
      testResult: { final: true },
      progress: { state: "stopped", percent: 100 },
    });
    await it.pass(60_000);
    expect(it.standIn.runner.isOver).toBe(true);
    expect(new Set(it.standIn.requests.map(({ method, path }) => `${method} ${path}`))).toEqual(
      new Set(["GET /l/stats/requests"]),
    );
    expect(it.standIn.requests.length).toBeGreaterThan(8);
  });

  test("A75 has final numbers, which come 3.5 s after the end, and nothing changes them (telemetry)", async () => {
    it = await followed();
    underLoad();
    await it.pass(30_000);
    it.standIn.runner.force({ state: "stopped", users: 0 });
    it.standIn.runner.load.set({ requests: 48_290, failures: 0, average: 50 }, it.clock.now());
    const before = it.standIn.requests.length;
    while (it.standIn.requests.length === before) await it.pass(500);
    it.standIn.runner.load.set({ requests: 48_300, failures: 0, average: 50 }, it.clock.now());
    await it.pass(4_000);
    expect(it.standIn.requests.length).toBe(before + 2);
    const [first, second] = it.standIn.requests.slice(before).map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(3_100);
    expect((second ?? 0) - (first ?? 0)).toBeLessThan(3_900);
    const time = formatTime(it.clock.now());
    const conditions = [{ type: "Complete", status: "True", lastTransitionTime: time }];
    await it.job("master", { active: 0, succeeded: 1, completionTime: time, conditions });
    const ended = await it.status();
    expect(ended).toMatchObject({ phase: "Succeeded", testResult: { totalRequests: 48_300, final: true } });
    const requests = it.standIn.requests.length;
    it.standIn.runner.load.set({ requests: 5, failures: 5, average: 50 }, it.clock.now());
    await it.pass(600_000);
    expect(await it.status()).toEqual(ended);
    expect(it.standIn.requests.length).toBe(requests);
  });

  test("A76 keeps its numbers when somebody resets them afterwards (telemetry)", async () => {
    const run = { autostart: true, expectWorkers: 3, users: 10, spawnRate: 5, runTime: 60_000, autoquit: 60_000 };
    it = await followed({ command: "--users 10 --run-time 1m", standIn: { run } });
    join(1, 2, 3);
    await it.pass(85_000);
    const { testResult } = await it.status();
    expect(testResult?.totalRequests).toBeGreaterThan(1_000);
    it.standIn.ask({ method: "GET", path: "/stats/reset" });
    await it.pass(20_000);
    expect((await it.status()).testResult).toMatchObject({ totalRequests: testResult?.totalRequests, final: true });
  });

  test("A72 is written every 15 s at most, while its numbers change all the time (telemetry)", async () => {
    const run = { autostart: true, expectWorkers: 3, users: 100, spawnRate: 100, runTime: 900_000 };
    it = await followed({ config: { interval: 2_000 }, standIn: { run } });
    join(1, 2, 3);
    await it.pass(20_000);
    const before = it.writes();
    await it.pass(300_000);
    expect(it.writes() - before).toBeLessThanOrEqual(20);
    expect(it.writes() - before).toBeGreaterThanOrEqual(10);
  });

  test("A31 goes on after a restart where it was (telemetry)", async () => {
    const run = { autostart: true, expectWorkers: 3, users: 10, spawnRate: 10, runTime: 300_000 };
    it = await followed({ standIn: { run } });
    join(1, 2, 3);
    await it.pass(60_000);
    const { progress } = await it.status();
    await it.restart();
    await it.pass(60_000);
    const after = await it.status();
    expect(after.progress?.loadStartTime).toBe(progress?.loadStartTime);
    expect(after.progress?.percent).toBeGreaterThan(progress?.percent ?? 100);
    expect(after).toMatchObject({ connectedWorkers: 3, workersSource: "LocustAPI" });
  });

  test("A50a whose workers quit long before its time is up ends well, with a warning (telemetry)", async () => {
    const run = { autostart: true, expectWorkers: 3, users: 10, spawnRate: 10, runTime: 300_000, autoquit: 30_000 };
    it = await followed({ standIn: { run } });
    join(1, 2, 3);
    await it.pass(60_000);
    for (const i of [1, 2, 3]) it.standIn.runner.leave(worker(i));
    await it.job("worker", { active: 0, succeeded: 3, conditions: [{ type: "Complete", status: "True" }] });
    await it.pass(60_000);
    expect(await it.status()).toMatchObject({ phase: "Running", connectedWorkers: 0 });
    expect(await it.says("WorkersConnected")).toBe("False WorkersMissing 0/3 workers connected");
    await it.pass(220_000);
    expect([it.standIn.runner.isOver, it.standIn.runner.exitCode]).toEqual([true, 0]);
    await it.pod("demo-master-x", { phase: "Succeeded" });
    await it.job("master", { active: 0, succeeded: 1, conditions: [{ type: "Complete", status: "True" }] });
    const { phase, progress } = await it.status();
    expect(phase).toBe("Succeeded");
    expect(progress?.duration).toMatch(/^(5\ds|1m\ds)$/);
    expect(await it.says("TestCompleted")).toBe(
      "True TestSucceeded Test completed successfully (warning: the load ended before its run time: 50s of 5m0s)",
    );
    expect(await it.events()).toContain("TestInterrupted");
  });

  test("A45 whose master is another one begins anew (telemetry)", async () => {
    it = await followed();
    underLoad();
    await it.pass(30_000);
    await it.pod("demo-master-x", { phase: "Failed", podIP: "10.0.0.1" });
    await it.pass(30_000);
    expect(await it.status()).toMatchObject({ testResult: { totalRequests: 812 } });
    it.standIn.runner.force({ state: "ready", users: 0 });
    it.standIn.runner.load.set({ requests: 0, failures: 0, average: 0 }, it.clock.now());
    await it.pod("demo-master-y", { phase: "Running", podIP: "10.0.0.2" });
    await it.pass(20_000);
    expect(it.asked.at(-1)).toMatchObject({ url: "http://10.0.0.2:8089/stats/requests" });
    const status = await it.status();
    expect(status).not.toHaveProperty("testResult");
    expect(status.progress).toEqual({ targetUsers: 100, runTime: "5m0s", state: "ready" });
  });
});

describe("a master that cannot be read", () => {
  test("A67 is asked less and less often, A68 and after a minute the Job counts (telemetry)", async () => {
    it = await followed();
    underLoad();
    await it.pass(11_000);
    it.standIn.faults.add({ is: "refuse" });
    const begun = it.clock.now();
    await it.pass(34_000);
    expect(await it.says("TelemetryAvailable")).toBe(
      "False MasterUnreachable The Locust web API does not answer: connection refused",
    );
    expect(await it.status()).toMatchObject({
      phase: "Running",
      testResult: { totalRequests: 812 },
      workersSource: "LocustAPI",
    });
    await it.job("worker", { active: 3, ready: 2 });
    await it.pass(40_000);
    expect(await it.status()).toMatchObject({ workersSource: "JobStatus", connectedWorkers: 2, phase: "Running" });
    await it.pass(600_000);
    const gaps = gapsOf(it, begun);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000);
    expect(gaps.at(-1)).toBeGreaterThan(48_000);
    expect(gaps.slice(0, 2).every((gap) => gap < 12_000)).toBe(true);
    it.standIn.faults.clear();
    await it.pass(75_000);
    expect(await it.says("TelemetryAvailable")).toBe("True Polling Reading the Locust web API");
    expect(await it.status()).toMatchObject({ workersSource: "LocustAPI", connectedWorkers: 3 });
    await it.pass(30_000);
    expect(gapsOf(it, begun).at(-1)).toBeLessThan(12_000);
    expect((await it.events()).filter((reason) => reason === "TelemetryUnavailable")).toHaveLength(1);
  });

  test("A69 that asks for a login is said at once, asked every minute, and not followed (telemetry)", async () => {
    it = await followed({ standIn: { web: { login: true } } });
    const begun = it.clock.now();
    await it.pass(2_000);
    expect(await it.says("TelemetryAvailable")).toBe(
      "False AuthenticationRequired The Locust web API asks for a login: HTTP 302",
    );
    await it.pass(300_000);
    expect(it.standIn.requests.every(({ path }) => path === "/stats/requests")).toBe(true);
    expect(Math.min(...gapsOf(it, begun).slice(1))).toBeGreaterThan(48_000);
    expect(await it.status()).toMatchObject({ phase: "Running", workersSource: "JobStatus", connectedWorkers: 3 });
  });

  test.each(["html", "truncate", "nan", "huge"] as const)("A70 as its answer is %s (telemetry)", async (is) => {
    it = await followed();
    it.standIn.faults.add({ is });
    await it.pass(34_000);
    expect(await it.says("TelemetryAvailable")).toMatch(
      /^False InvalidResponse The Locust web API does not answer with statistics: (not JSON|too large)$/,
    );
    expect(await it.status()).not.toHaveProperty("testResult");
  });

  test.each(["hang", "drip", "reset"] as const)("that does %s is unreachable", async (is) => {
    it = await followed();
    it.standIn.faults.add({ is });
    await it.pass(45_000);
    const what = is === "reset" ? "connection reset" : "timeout";
    expect(await it.says("TelemetryAvailable")).toBe(
      `False MasterUnreachable The Locust web API does not answer: ${what}`,
    );
  });

  test("whose answers are late, odd or flapping is read all the same", async () => {
    it = await followed();
    underLoad();
    for (const fault of [
      { is: "slow", ms: 2_000 },
      { is: "types" },
      { is: "no-aggregate" },
      { is: "clock", ms: 1e9 },
    ] as const) {
      it.standIn.faults.clear();
      it.standIn.faults.add(fault);
      await it.pass(23_000);
      expect(await it.says("TelemetryAvailable")).toBe("True Polling Reading the Locust web API");
    }
    it.standIn.faults.clear();
    it.standIn.faults.add({ is: "flap-workers" });
    await it.pass(12_000);
    const one = (await it.status()).connectedWorkers;
    await it.pass(10_000);
    expect([one, (await it.status()).connectedWorkers].sort()).toEqual([2, 3]);
  });

  test("A71 as it has no web API is never asked (telemetry)", async () => {
    it = await followed({ command: "--headless --users 5 --run-time 1m" });
    await it.pass(120_000);
    expect(it.asked).toEqual([]);
    expect(await it.says("TelemetryAvailable")).toBe(
      "False WebUIDisabled The test runs without a web API; connectedWorkers counts ready worker pods",
    );
    expect(await it.events()).not.toContain("TelemetryUnavailable");
    expect(await it.status()).toMatchObject({ phase: "Running", workersSource: "JobStatus", connectedWorkers: 3 });
  });

  test("as the API server refuses the proxy is said with the permission that is missing", async () => {
    it = await followed({ config: { mode: "api-proxy" }, isReal: true });
    const match = { verbs: ["get"], resource: "pods", subresource: "proxy" };
    it.server.faults.add({ match, effect: { status: 403 } });
    await it.pass(2_000);
    expect(await it.says("TelemetryAvailable")).toBe(
      "False PermissionDenied The API server does not let the operator reach the Locust web API: it may not get pods/proxy",
    );
    expect(await it.status()).toMatchObject({ phase: "Running" });
  });

  test("as telemetry is switched off is never asked, and the Job counts its workers", async () => {
    it = await followed({ config: { mode: "off" } });
    await it.pass(120_000);
    expect(it.asked).toEqual([]);
    expect(await it.says("TelemetryAvailable")).toBe(
      "False Disabled Telemetry is switched off; connectedWorkers counts ready worker pods",
    );
    expect(await it.events()).not.toContain("TelemetryUnavailable");
    expect(await it.status()).toMatchObject({ phase: "Running", workersSource: "JobStatus", connectedWorkers: 3 });
  });

  test("A78 is asked at the port and path of its command line (telemetry)", async () => {
    it = await followed({ command: "--web-port 9000 --web-base-path /l", standIn: { web: { basePath: "/l" } } });
    await it.pass(3_000);
    expect(it.asked[0]).toMatchObject({ url: "http://10.0.0.1:9000/l/stats/requests" });
    expect(await it.says("TelemetryAvailable")).toMatch(/^True Polling/);
  });

  test("A79 as it is somebody else's is never asked (telemetry)", async () => {
    it = await followed();
    const labels = { "performance-test-pod-name": "demo-master", "performance-test-name": "demo" };
    await it.pod("stranger", { phase: "Running", podIP: "10.6.6.6" }, { labels, ownerReferences: [] });
    await it.pass(60_000);
    expect(it.asked.length).toBeGreaterThan(4);
    expect(JSON.stringify(it.asked)).not.toContain("10.6.6.6");
  });

  test("A49 is not asked any more when its test is deleted (telemetry)", async () => {
    it = await followed();
    underLoad();
    await it.pass(15_000);
    const [asked, writes] = [it.asked.length, it.writes()];
    await it.remove();
    await it.pass(600_000);
    expect([it.asked.length, it.writes()]).toEqual([asked, writes]);
  });

  test("is not asked any more when its test is over", async () => {
    it = await followed();
    underLoad();
    await it.pass(15_000);
    const conditions = [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }];
    await it.job("master", { active: 0, failed: 1, conditions });
    const asked = it.asked.length;
    await it.pass(600_000);
    expect(it.asked.length).toBe(asked);
  });
});

test("A80 failed requests are in the message of a failed test (telemetry)", async () => {
  it = await followed();
  underLoad();
  it.standIn.runner.load.set({ requests: 812, failures: 1, average: 83 }, it.clock.now());
  await it.pass(15_000);
  expect(it.standIn.runner.exitCode).toBe(1);
  const terminated = { exitCode: 1, reason: "Error" };
  const containerStatuses = [
    { name: "demo-master", image: "l", imageID: "", ready: false, restartCount: 0, state: { terminated } },
  ];
  await it.pod("demo-master-x", { phase: "Failed", containerStatuses });
  await it.job("master", { active: 0, failed: 1, conditions: [{ type: "Failed", status: "True" }] });
  expect(await it.says("TestCompleted")).toContain("1 of 812 requests failed");
});

// Fifty at once keep a busy machine busy.
const long = { timeout: 120_000 };
test.each([16, 5])("A108 50 tests at once are read %i at a time, and all succeed (telemetry)", long, async (most) => {
  const run = { autostart: true, expectWorkers: 3, users: 10, spawnRate: 5, runTime: 60_000, autoquit: 60_000 };
  const standIn = { run };
  it = await followed({
    latency: 1_000,
    config: { maxConcurrency: most },
    standIn,
    command: "--users 10 --run-time 1m",
  });
  const names = Array.from({ length: 49 }, (_, i) => `t${i}`);
  await it.more(...names);
  join(1, 2, 3);
  await it.pass(100_000);
  expect(it.most()).toBe(most);
  expect(new Set(it.asked.map(({ master }) => master.uid)).size).toBe(50);
  const conditions = [{ type: "Complete", status: "True" }];
  for (const name of ["demo", ...names]) await it.job("master", { active: 0, succeeded: 1, conditions }, name);
  for (const name of ["demo", ...names]) {
    expect(await it.status(name)).toMatchObject({
      phase: "Succeeded",
      workersSource: "LocustAPI",
      connectedWorkers: 3,
      testResult: { final: true },
      progress: { percent: 100 },
    });
  }
  expect(it.slowest()).toBeLessThan(1_000);
});

test("nothing of an answer, a command line or a URL with more than a path is ever said", async () => {
  const secret = "hunter2";
  const command = `--host https://u:${secret}-a@shop --users 10 --web-base-path /${secret}-b?token=${secret}-c --my-token ${secret}-d`;
  it = await followed({ command });
  underLoad();
  const { failures } = it.standIn.runner.load;
  const now = it.clock.now();
  const error = `https://x/?token=${secret}-e`;
  failures.set("x", { method: "GET", name: `/${secret}-f`, error, occurrences: 1, firstSeen: now, lastSeen: now });
  it.standIn.runner.forceWorkers([{ id: `${secret}-g_1`, state: "missing" }]);
  const before = it.said.length;
  await it.pass(25_000);
  const faults = [
    { is: "html" },
    { is: "truncate" },
    { is: "huge" },
    { is: "status", code: 302 },
    { is: "hang" },
  ] as const;
  for (const fault of faults) {
    it.standIn.faults.clear();
    it.standIn.faults.add(fault);
    await it.pass(200_000);
  }
  expect(it.said.length).toBeGreaterThan(before);
  expect(JSON.stringify([await it.status(), it.said.slice(before)])).not.toContain(secret);
});

/** Milliseconds between requests, refused ones included. */
function gapsOf({ askedAt }: Followed, since: number): number[] {
  const times = askedAt.filter((at) => at >= since);
  return times.slice(1).map((at, i) => at - (times[i] ?? 0));
}
