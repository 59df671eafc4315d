// What real Locust does, and what its stand-in therefore does: one list of assertions for both.
import { sleep, systemClock } from "@telltale/clock";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { locustFor } from "../../../tools/locust/locust.ts";
import { parseSample } from "../src/telemetry/sample.ts";
import { freePort, locustfile, Processes, type Program, type Running, standIn, until } from "./locust/processes.ts";
import { type LoadTarget, startLoadTarget } from "./locust/target.ts";

const locust = locustFor("the contract with real Locust");

contract("the stand-in", standIn(5));
describe.skipIf(locust === undefined)("", () => {
  contract("real Locust", { command: [locust ?? ""], env: {}, scale: 1 });
});

function contract(name: string, program: Program): void {
  describe(name, () => {
    const processes = new Processes();
    let target: LoadTarget;
    let [bind, port] = [0, 0];
    beforeAll(async () => {
      target = await startLoadTarget();
    });
    afterEach(() => processes.end());
    afterAll(() => target.close());

    const master = async (more: string, env: Record<string, string> = {}): Promise<Running> => {
      [bind, port] = [await freePort(), await freePort()];
      const line = `-f ${locustfile} --master --master-bind-host 127.0.0.1 --master-bind-port ${bind} --web-host 127.0.0.1
        --web-port ${port} --host ${target.url} --enable-rebalancing --only-summary ${more}`;
      return processes.start(program, line.trim().split(/\s+/), env);
    };
    const worker = (env: Record<string, string> = {}): Running => {
      const line = `-f ${locustfile} --worker --master-host=127.0.0.1 --master-port=${bind}`;
      return processes.start(program, line.split(" "), env);
    };
    const pause = (ms: number) => sleep(systemClock, ms / program.scale);
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", ...init }).catch(() => undefined);
    const stats = async (base = ""): Promise<Stats | undefined> => {
      const answer = await ask(`${base}/stats/requests`);
      return answer?.status === 200 ? ((await answer.json()) as Stats) : undefined;
    };
    /** The statistics, once they are as they should be. */
    const seen = (what: string, isSo: (it: Stats) => boolean, base = ""): Promise<Stats> => {
      const ready = async () => {
        const found = await stats(base);
        return found !== undefined && isSo(found) ? found : undefined;
      };
      return until(`${name}: ${what}`, ready, 100 / program.scale, 30_000);
    };

    test("a run: from ready over spawning and running to stopped, and exit code 0", async () => {
      const run = await master("--expect-workers=2 --autostart --autoquit 6 --users 10 --spawn-rate 5 --run-time 15s");
      const first = await seen("an answer before any worker is there", () => true);
      expect(first).toMatchObject({ state: "ready", worker_count: 0, user_count: 0, workers: [] });
      expect(first.stats).toHaveLength(1);
      expect(first.stats[0]).toMatchObject({ name: "Aggregated", num_requests: 0, num_failures: 0 });
      const one = worker();
      await seen("one worker", (it) => it.worker_count === 1);
      const two = worker();
      const all: Stats[] = [];
      const texts = new Set<string>();
      let isOver = false;
      void run.exited.finally(() => {
        isOver = true;
      });
      const began = systemClock.uptime();
      while (!isOver) {
        const answer = await ask("/stats/requests");
        if (answer?.status === 200) {
          expect(answer.headers.get("content-type")).toBe("application/json");
          const text = await answer.text();
          texts.add(text);
          all.push(JSON.parse(text) as Stats);
        }
        await pause(200);
      }
      const lasted = (systemClock.uptime() - began) * program.scale;
      expect(await Promise.all([run.exited, one.exited, two.exited])).toEqual([0, 0, 0]);
      // 15 s of load, 6 s of waiting, and what it takes to begin and to end.
      expect(lasted).toBeGreaterThan(20_000);
      expect(lasted).toBeLessThan(120_000);
      // The cache of two seconds.
      expect(texts.size).toBeLessThan(lasted / 1_900 + 2);

      const order = ["ready", "spawning", "running", "stopping", "stopped"];
      const places = all.map(({ state }) => order.indexOf(state));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(new Set(all.map(({ state }) => state))).toEqual(expect.objectContaining(new Set(["running", "stopped"])));
      const full = all.find((it) => it.state === "running" && it.user_count === 10);
      expect(full?.worker_count).toBe(2);
      expect(full?.workers.map(({ state, user_count }) => [state, user_count])).toEqual([
        ["running", 5],
        ["running", 5],
      ]);
      const totals = all.map((it) => it.stats.at(-1)?.num_requests ?? -1);
      expect(totals).toEqual([...totals].sort((a, b) => a - b));
      expect(totals.at(-1)).toBeGreaterThan(100);
      const after = all.filter(({ state }) => state === "stopped");
      expect(after.every((it) => it.user_count === 0)).toBe(true);
      expect(after.some((it) => it.worker_count === 2 && it.workers.every(({ state }) => state === "ready"))).toBe(
        true,
      );
      expectShape(full ?? first);
      expect(parseSample(JSON.stringify(full), systemClock.now())).toMatchObject({
        state: "running",
        workers: 2,
        users: 10,
      });
    });

    test("failed requests: they are counted, listed, and the exit code is 1", async () => {
      const failing = { FAILING: "1", STAND_IN_FAIL_RATIO: "0.3" };
      const line = "--expect-workers=1 --autostart --autoquit 2 --users 4 --spawn-rate 4 --run-time 8s";
      const run = await master(line, failing);
      worker(failing);
      const found = await seen("failures", (it) => it.errors.length > 0);
      expect(Object.keys(found.errors[0] ?? {}).sort()).toEqual(
        ["error", "first_seen", "last_seen", "method", "name", "occurrences"].sort(),
      );
      expect(found.stats.at(-1)?.num_failures).toBeGreaterThan(0);
      expect(found.fail_ratio).toBeGreaterThan(0);
      expect(await run.exited).toBe(1);
    });

    test("a worker that is killed is missing, the test goes on, and SIGTERM in the middle ends it with 0", async () => {
      const run = await master("--expect-workers=2 --autostart --autoquit 5 --users 6 --spawn-rate 6 --run-time 5m");
      const [victim, other] = [worker(), worker()];
      await seen("load by two", (it) => it.state === "running" && it.worker_count === 2 && it.user_count === 6);
      victim.kill("SIGKILL");
      const missing = await seen("a missing worker", (it) => it.workers.some(({ state }) => state === "missing"));
      expect(missing.worker_count).toBe(1);
      expect(missing.workers).toHaveLength(2);
      await seen("all users with the other one", (it) => it.state === "running" && it.user_count === 6);
      run.kill("SIGTERM");
      expect(await run.exited).toBe(0);
      expect(await other.exited).toBe(0);
    });

    test("the last worker that leaves ends the load, and the master stays", async () => {
      const run = await master("--expect-workers=1 --autostart --users 2 --spawn-rate 2 --run-time 5m --autoquit 1");
      const only = worker();
      await seen("load", (it) => it.state === "running");
      only.kill("SIGTERM");
      await seen("the end of the load", (it) => it.state === "stopped" && it.worker_count === 0);
      await pause(2_000);
      expect(await stats()).toMatchObject({ state: "stopped" });
      run.kill("SIGTERM");
      expect(await run.exited).toBe(0);
    });

    test("the routes, and those that have effects", async () => {
      const run = await master("--web-base-path /l");
      worker();
      await seen("a worker", (it) => it.worker_count === 1, "/l");
      const paths = ["/", "/stats/requests", "/worker-count", "/exceptions", "/tasks", "/logs", "/stats/report"];
      for (const path of paths) expect([path, (await ask(`/l${path}`))?.status]).toEqual([path, 200]);
      for (const path of ["/stats/requests/csv", "/stats/failures/csv", "/exceptions/csv"]) {
        expect((await ask(`/l${path}`))?.headers.get("content-type")).toMatch(/^text\/csv/);
      }
      const missing = ["/stats/requests", "/l/stats/workers", "/l/stats/requests_full_history/csv"];
      for (const path of missing) expect([path, (await ask(path))?.status]).toEqual([path, 404]);
      expect((await ask("/l/swarm"))?.status).toBe(405);
      expect((await ask("/l/login"))?.status).toBe(302);
      expect(await (await ask("/l/worker-count"))?.json()).toEqual({ worker_count: 1 });
      expect(await (await ask("/l/exceptions"))?.json()).toEqual({ exceptions: [] });

      const swarm = async (body: string) =>
        (await ask("/l/swarm", { method: "POST", body: new URLSearchParams(body) }))?.json();
      expect(await swarm("user_count=2")).toMatchObject({ success: false });
      expect(await swarm("user_count=2&spawn_rate=2&run_time=soon")).toMatchObject({ success: false });
      expect(await swarm("user_count=2&spawn_rate=2&run_time=1m")).toMatchObject({ success: true, run_time: 60 });
      await seen("requests", (it) => it.state === "running" && (it.stats.at(-1)?.num_requests ?? 0) > 0, "/l");
      expect(await (await ask("/l/stop"))?.json()).toEqual({ success: true, message: "Test stopped" });
      await seen("the end", (it) => it.state === "stopped" && it.user_count === 0, "/l");
      await pause(4_000);
      expect(await (await ask("/l/stats/reset"))?.text()).toBe("ok");
      await seen("no requests", (it) => it.stats.at(-1)?.num_requests === 0 && it.state === "stopped", "/l");
      run.kill("SIGTERM");
      expect(await run.exited).toBe(0);
    });

    test("a login is asked for by a redirect", async () => {
      await master("--web-login");
      const answer = await until("an answer", () => ask("/stats/requests"), 100, 30_000);
      expect(answer.status).toBe(302);
      expect(answer.headers.get("location")).toMatch(/^\/login\?next=/);
    });

    test.each([
      ["--autoquit 5", 1],
      ["--master --worker", 255],
      ["--master --processes 2", 1],
      ["--master --web-base-path l", 1],
      ["--master --autostart --expect-workers-max-wait 1 --web-port 0", 1],
      ["--nonsense", 2],
      ["--master -u x", 2],
      ["--master --run-time 5x", 2],
      ["--master --spawn-rate 0", 2],
      ["--master --expect-workers 0", 2],
      ["--slave", 2],
    ])("%s exits with %i", async (line, code) => {
      const bound = `--master-bind-host 127.0.0.1 --master-bind-port ${await freePort()}`;
      const run = processes.start(program, `-f ${locustfile} ${bound} ${line}`.split(" "));
      expect([await run.exited, run.log()]).toEqual([code, expect.anything()]);
    });

    test("a port that is taken: the master exits with 1", async () => {
      await master("");
      await seen("an answer", () => true);
      const line = `-f ${locustfile} --master --master-bind-host 127.0.0.1 --master-bind-port ${bind} --web-port ${await freePort()}`;
      expect(await processes.start(program, line.split(" ")).exited).toBe(1);
    });
  });
}

interface Stats {
  readonly state: string;
  readonly worker_count: number;
  readonly user_count: number;
  readonly fail_ratio: number;
  readonly workers: readonly { readonly id: string; readonly state: string; readonly user_count: number }[];
  readonly stats: readonly { readonly name: string; readonly num_requests: number; readonly num_failures: number }[];
  readonly errors: readonly object[];
}

/** The keys that an answer has, and its parts. */
function expectShape(stats: Stats): void {
  expect(Object.keys(stats).sort()).toEqual(
    [
      "current_fail_per_sec",
      "current_response_time_percentiles",
      "current_rps",
      "errors",
      "fail_ratio",
      "state",
      "stats",
      "total_fail_per_sec",
      "total_rps",
      "user_count",
      "worker_count",
      "workers",
    ].sort(),
  );
  const row = [
    "avg_content_length",
    "avg_response_time",
    "current_fail_per_sec",
    "current_rps",
    "max_response_time",
    "median_response_time",
    "method",
    "min_response_time",
    "name",
    "num_failures",
    "num_requests",
    "response_time_percentile_0.95",
    "response_time_percentile_0.99",
    "total_fail_per_sec",
    "total_rps",
  ];
  for (const it of stats.stats) expect(Object.keys(it).sort()).toEqual([...row].sort());
  const worker = ["cpu_usage", "id", "memory_usage", "state", "user_count"];
  for (const it of stats.workers) {
    expect(Object.keys(it).sort()).toEqual(worker);
    expect(it.id).toMatch(/^[^_]+_[0-9a-f]{32}$/);
  }
}
