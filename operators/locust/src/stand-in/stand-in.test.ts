import { request } from "node:http";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { workerId } from "./control.ts";
import type { Fault } from "./faults.ts";
import { type StandIn, type StandInOptions, startStandIn } from "./stand-in.ts";

let clock: VirtualClock;
let it: StandIn;
beforeEach(() => {
  clock = new VirtualClock();
});
afterEach(() => it.stop());

const start = async (options: Partial<StandInOptions> = {}) => {
  it = await startStandIn({ clock, random: seededRandom(1), ...options });
};

const ask = (path: string, method = "GET", body = "") => {
  const delivery = it.ask({ method, path, body });
  if (delivery.as !== "answer") throw new Error(`${path}: ${delivery.as}`);
  return delivery.reply;
};

interface Shown {
  readonly worker_count: number;
  readonly stats: readonly { readonly name: string; readonly num_requests: number }[];
  readonly errors: readonly { readonly last_seen: number }[];
}
const json = (path: string, method?: string, body?: string): Shown => JSON.parse(ask(path, method, body).body);

describe("the web API", () => {
  test("has Locust's routes, with its codes", async () => {
    await start({ web: { basePath: "/l" } });
    const code = (path: string, method?: string) => ask(path, method).status;
    for (const path of ["/", "/stats/requests", "/worker-count", "/exceptions", "/tasks", "/logs", "/stats/report"]) {
      expect([path, code(`/l${path}`)]).toEqual([path, 200]);
      expect([path, code(path)]).toEqual([path, 404]);
    }
    for (const path of ["/stats/requests/csv", "/stats/failures/csv", "/exceptions/csv"]) {
      expect(ask(`/l${path}`).headers["content-type"]).toBe("text/csv");
    }
    expect(code("/l/stats/requests_full_history/csv")).toBe(404);
    expect(code("/l/stats/workers")).toBe(404);
    expect([code("/l/swarm"), code("/l/stats/requests", "POST"), code("/l/user", "POST")]).toEqual([405, 405, 201]);
    expect(ask("/l/login")).toMatchObject({ status: 302, headers: { location: "/l/" } });
    expect(ask("/l/worker-count", "HEAD")).toMatchObject({ status: 200, body: "" });
    expect(ask("/l/").body).toContain("window.templateArgs = {");
  });

  test("with a login sends everybody to its page", async () => {
    await start({ web: { login: true } });
    expect(ask("/stats/requests")).toMatchObject({
      status: 302,
      headers: { location: "/login?next=%2Fstats%2Frequests" },
    });
    expect(ask("/login").status).toBe(200);
  });

  test("starts, stops and resets a test", async () => {
    await start();
    expect(json("/swarm", "POST", "user_count=4")).toMatchObject({ success: false });
    expect(json("/swarm", "POST", "user_count=4&spawn_rate=2&run_time=soon")).toMatchObject({ success: false });
    it.runner.join(workerId("a"));
    expect(json("/swarm", "POST", "user_count=4&spawn_rate=2&run_time=1m")).toEqual({
      success: true,
      message: "Swarming started",
      host: "",
      run_time: 60,
    });
    await clock.settle(10_000);
    expect(json("/stats/requests")).toMatchObject({ state: "running", user_count: 4, worker_count: 1 });
    expect(json("/stop")).toEqual({ success: true, message: "Test stopped" });
    await clock.settle(5_000);
    const stopped = json("/stats/requests");
    expect(stopped).toMatchObject({ state: "stopped", user_count: 0 });
    expect(stopped.stats.at(-1)?.num_requests).toBeGreaterThan(50);
    expect(ask("/stats/reset").body).toBe("ok");
    await clock.settle(3_000);
    expect(json("/stats/requests").stats.at(-1)).toMatchObject({ name: "Aggregated", num_requests: 0 });
  });

  test("answers from a cache for two seconds", async () => {
    await start();
    const first = ask("/stats/requests").body;
    it.runner.join(workerId("a"));
    await clock.settle(1_900);
    expect(ask("/stats/requests").body).toBe(first);
    await clock.settle(200);
    expect(json("/stats/requests").worker_count).toBe(1);
    expect(json("/worker-count")).toEqual({ worker_count: 1 });
  });

  test("shows 500 rows and their sum, whatever there is", async () => {
    await start({ load: { names: 700, rate: 500, failRatio: 1 }, run: { autostart: true, users: 10, spawnRate: 10 } });
    it.runner.join(workerId("a"));
    await clock.settle(10_000);
    const { stats, errors } = json("/stats/requests");
    expect([stats.length, errors.length, stats.at(-1)?.name]).toEqual([501, 500, "Aggregated"]);
    const shown = stats.slice(0, -1).reduce((sum, row) => sum + row.num_requests, 0);
    expect(stats.at(-1)?.num_requests).toBeGreaterThan(shown);
  });
});

describe("a fault", () => {
  const shape = (fault: Fault) => {
    it.faults.add(fault, { times: 1 });
    return json("/stats/requests");
  };

  beforeEach(async () => {
    await start();
    it.runner.join(workerId("a"));
    it.runner.join(workerId("b"));
    it.runner.load.set({ requests: 100, failures: 2, average: 50 }, clock.now());
  });

  test("gives the shapes of old versions", () => {
    const now = shape({ is: "clock", ms: 0 });
    expect(now).toMatchObject({ worker_count: 2, current_rps: 0 });
    const last = shape({ is: "old-2.44" });
    expect(last).toHaveProperty("worker_count");
    expect(last).not.toHaveProperty("current_rps");
    const older = shape({ is: "old-2.31" });
    expect(older).not.toHaveProperty("worker_count");
    expect(older).toHaveProperty("current_response_time_percentiles");
    const oldest = shape({ is: "old-2.10" });
    expect(oldest).not.toHaveProperty("current_response_time_percentiles");
    expect(oldest).toHaveProperty("current_response_time_percentile_1");
  });

  test("spoils an answer", () => {
    expect(shape({ is: "no-aggregate" }).stats.map(({ name }) => name)).toEqual(["/item"]);
    expect(shape({ is: "reset-stats" }).stats.at(-1)).toMatchObject({ num_requests: 0 });
    expect(shape({ is: "types" })).toMatchObject({ worker_count: -1, user_count: "many" });
    const [before, after] = [shape({ is: "clock", ms: 0 }), shape({ is: "clock", ms: 5_000 })];
    expect((after.errors[0]?.last_seen ?? 0) - (before.errors[0]?.last_seen ?? 0)).toBeCloseTo(5);
    const counts = [1, 2, 3, 4].map(() => shape({ is: "flap-workers" }).worker_count);
    expect(new Set(counts)).toEqual(new Set([1, 2]));
    for (const is of ["nan", "truncate", "html"] as const) expect(() => shape({ is })).toThrow(SyntaxError);
    it.faults.add({ is: "huge" }, { times: 1 });
    expect(ask("/stats/requests").body.length).toBeGreaterThan(10 * 2 ** 20);
  });

  test("lasts for so many requests, for a time, or until it is cleared", async () => {
    it.faults.add({ is: "status", code: 503 }, { times: 2 });
    expect([1, 2, 3].map(() => ask("/worker-count").status)).toEqual([503, 503, 200]);
    it.faults.add({ is: "status", code: 401 }, { ms: 5_000 });
    await clock.settle(4_900);
    expect(ask("/worker-count").status).toBe(401);
    await clock.settle(200);
    expect(ask("/worker-count").status).toBe(200);
    it.faults.add({ is: "status", code: 302 });
    it.faults.add({ is: "slow", ms: 700 });
    it.faults.clear("status");
    expect(it.ask({ method: "GET", path: "/worker-count" })).toMatchObject({ as: "answer", after: 700 });
    it.faults.clear();
    expect(it.ask({ method: "GET", path: "/worker-count" })).toMatchObject({ as: "answer", after: 0 });
  });

  test("of a connection leaves no answer", () => {
    for (const is of ["reset", "hang", "drip"] as const) {
      it.faults.add({ is }, { times: 1 });
      expect(it.ask({ method: "GET", path: "/" }).as).toBe(is);
    }
    const before = it.requests.length;
    it.faults.add({ is: "refuse" }, { times: 1 });
    expect(it.ask({ method: "GET", path: "/" }).as).toBe("refused");
    expect(it.requests.length).toBe(before);
  });
});

test("who has ended, or has no web API, refuses", async () => {
  await start({ run: { headless: true } });
  expect(it.ask({ method: "GET", path: "/" })).toEqual({ as: "refused" });
  await it.stop();
  await start();
  it.runner.end(0);
  expect(it.ask({ method: "GET", path: "/" })).toEqual({ as: "refused" });
  expect(await it.exited).toBe(0);
});

describe("on a port", () => {
  const send = (url: string, method = "GET", body?: object): Promise<{ status: number; text: string } | string> =>
    new Promise((resolve) => {
      const sent = request(url, { method, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.once("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const control = async (path: string, method = "GET", body?: object) => {
    const answer = await send(`${it.controlUrl}/_ctl${path}`, method, body);
    return typeof answer === "string" ? answer : { status: answer.status, body: JSON.parse(answer.text) };
  };

  beforeEach(() => start({ listen: { controlPort: 0 } }));

  test("it is told what to say by its control plane, which keeps a log of what was asked", async () => {
    await control("/workers", "POST", { count: 3 });
    await control("/state", "POST", { state: "running" });
    await control("/users", "POST", { users: 7 });
    await control("/totals", "POST", { requests: 100, failures: 4, average: 12 });
    const { text } = (await send(`${it.url}/stats/requests`)) as { text: string };
    expect(JSON.parse(text)).toMatchObject({ worker_count: 3, state: "running", user_count: 7, fail_ratio: 0.04 });
    const workers = [{ id: workerId("a"), state: "missing" }];
    expect(await control("/workers", "POST", { workers })).toMatchObject({ body: { workerCount: 0 } });
    await control("/outcome", "POST", { exitCode: 9 });
    expect(await control("/state")).toMatchObject({ body: { exitCode: 9, totals: { requests: 100, failures: 4 } } });
    expect(await control("/requests")).toMatchObject({ body: [{ method: "GET", path: "/stats/requests" }] });
  });

  test("it says what it does not understand", async () => {
    for (const [path, body] of [
      ["/workers", { count: -1 }],
      ["/workers", { workers: [{ id: 5 }] }],
      ["/totals", {}],
      ["/users", { users: "many" }],
      ["/state", { state: "missing" }],
      ["/faults", { is: "bad luck" }],
      ["/faults", { is: "status", code: 9 }],
      ["/faults", { is: "refuse", times: 3 }],
    ] as const) {
      expect(await control(path, "POST", body)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    }
    expect(await control("/faults?is=refused", "DELETE")).toMatchObject({
      status: 400,
      body: { error: 'there is no fault "refused"' },
    });
    expect(await control("/nothing")).toMatchObject({ status: 404 });
  });

  test("it closes its port while it refuses, and opens it again", async () => {
    expect(await send(`${it.url}/worker-count`)).toMatchObject({ status: 200 });
    await control("/faults", "POST", { is: "refuse" });
    await turn();
    expect(await send(`${it.url}/worker-count`)).toBe("ECONNREFUSED");
    await control("/faults?is=refuse", "DELETE");
    await turn();
    expect(await send(`${it.url}/worker-count`)).toMatchObject({ status: 200 });
    await control("/faults", "POST", { is: "reset", times: 1 });
    expect(await send(`${it.url}/worker-count`)).toBe("ECONNRESET");
  });

  test("nobody listens any more when the master has ended", async () => {
    it.runner.end(0);
    await it.exited;
    await it.stop();
    expect(await send(`${it.url}/worker-count`)).toBe("ECONNREFUSED");
  });
});
