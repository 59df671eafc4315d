import { seededRandom, VirtualClock } from "@telltale/clock";
import { describe, expect, test } from "vitest";
import { Load } from "./load.ts";
import { Runner, type RunOptions } from "./runner.ts";
import { scaled } from "./scaled.ts";

function master(options: Partial<RunOptions> = {}, failRatio = 0) {
  const clock = new VirtualClock();
  const load = new Load(seededRandom(1), { rate: 5, failRatio, names: 2 });
  const runner = new Runner(load, clock, {
    expectWorkers: 2,
    autostart: true,
    headless: false,
    users: 10,
    spawnRate: 5,
    runTime: 15_000,
    autoquit: 6_000,
    rebalancing: true,
    resetStats: false,
    exitCodeOnError: 1,
    ...options,
  });
  let code: number | undefined;
  void runner.exited.then((it) => {
    code = it;
  });
  const told: string[] = [];
  const join = (...ids: string[]) => {
    for (const id of ids) runner.join(id, () => told.push(id));
  };
  const total = () => {
    runner.look();
    return load.total.requests;
  };
  /** State, connected workers, users. */
  const now = () => [runner.state, runner.workerCount, runner.users];
  return { clock, runner, load, join, told, total, now, pass: (ms: number) => clock.settle(ms), code: () => code };
}

describe("a run as it should be", () => {
  test("goes from ready to exit 0, at Locust's times", async () => {
    const it = master();
    expect(it.now()).toEqual(["ready", 0, 0]);
    it.join("a");
    await it.pass(5_000);
    expect(it.now()).toEqual(["ready", 1, 0]);
    it.join("b");
    await it.pass(1_000);
    expect(it.now()).toEqual(["spawning", 2, 5]);
    await it.pass(1_100);
    expect(it.now()).toEqual(["running", 2, 10]);
    expect(it.runner.workers.map(({ state, users }) => [state, users])).toEqual([
      ["running", 5],
      ["running", 5],
    ]);
    await it.pass(13_850);
    expect(it.now()).toEqual(["running", 2, 10]);
    await it.pass(50);
    expect(it.now()).toEqual(["stopping", 0, 0]);
    await it.pass(100);
    expect(it.now()).toEqual(["stopped", 2, 0]);
    await it.pass(6_000);
    expect(it.now()).toEqual(["stopped", 0, 0]);
    expect([it.told, it.code()]).toEqual([["a", "b"], undefined]);
    await it.pass(600);
    expect([it.code(), it.runner.isOver]).toEqual([0, true]);
  });

  test("has numbers that come every three seconds, and the last ones after the end", async () => {
    const it = master();
    it.join("a", "b");
    await it.pass(3_900);
    expect(it.total()).toBe(0);
    await it.pass(200);
    const first = it.total();
    expect(first).toBeGreaterThan(80);
    await it.pass(2_700);
    expect(it.total()).toBe(first);
    await it.pass(8_000);
    it.runner.stop();
    const stopped = it.total();
    await it.pass(3_000);
    expect(it.total()).toBeGreaterThan(stopped);
    const last = it.total();
    await it.pass(5_000);
    expect(it.total()).toBe(last);
  });

  test("is the same for the same seed, however often somebody looks", async () => {
    const [often, once] = [master(), master()];
    for (const it of [often, once]) it.join("a", "b");
    for (let i = 0; i < 140; i += 1) {
      await often.pass(100);
      often.total();
    }
    await once.pass(14_000);
    expect(Math.abs(often.total() - once.total())).toBeLessThan(5);
  });
});

describe("an exit code", () => {
  test.each([
    ["0 when all went well", {}, 0, {}, 0],
    ["1 after a failed request", {}, 0.5, {}, 1],
    ["that of --exit-code-on-error", { exitCodeOnError: 7 }, 0.5, {}, 7],
    ["0 by --exit-code-on-error", { exitCodeOnError: 0 }, 0.5, {}, 0],
    ["1 after an exception in user code", {}, 0, { exceptions: 1 }, 1],
    ["2 after an error that nobody handled", {}, 0, { crashed: true }, 2],
    ["the test's own", {}, 0.5, { exitCode: 42, crashed: true }, 42],
  ])("is %s", async (_, options, failRatio, outcome, code) => {
    const it = master(options, failRatio);
    it.join("a", "b");
    it.runner.outcome(outcome);
    await it.pass(30_000);
    expect(it.code()).toBe(code);
  });

  test("is 0 when it is terminated in the middle, and 1 when a request had failed", async () => {
    for (const [failRatio, code] of [
      [0, 0],
      [0.5, 1],
    ] as const) {
      const it = master({}, failRatio);
      it.join("a", "b");
      await it.pass(8_000);
      it.runner.quit();
      await it.pass(600);
      expect([it.code(), it.told]).toEqual([code, ["a", "b"]]);
    }
  });

  test("is 0 when failures were reset", async () => {
    const it = master({}, 0.5);
    it.join("a", "b");
    await it.pass(19_500);
    expect(it.runner.exitCode).toBe(1);
    it.load.reset();
    await it.pass(10_000);
    expect(it.code()).toBe(0);
  });

  test("is 1 when not enough workers came in time", async () => {
    const it = master({ expectWorkersMaxWait: 10_000 });
    it.join("a");
    await it.pass(10_500);
    expect(it.code()).toBeUndefined();
    await it.pass(2_000);
    expect([it.code(), it.told]).toEqual([1, ["a"]]);
  });
});

describe("without autoquit, autostart or a web API", () => {
  test("it stays after the end", async () => {
    const it = master();
    const stays = new Runner(it.load, it.clock, { ...base, autostart: true, runTime: 5_000 });
    stays.join("a");
    await it.pass(100_000);
    expect([stays.state, stays.isOver]).toEqual(["stopped", false]);
  });

  test("it begins when somebody says so", async () => {
    const it = master({ autostart: false });
    it.join("a", "b");
    await it.pass(60_000);
    expect(it.now()).toEqual(["ready", 2, 0]);
    expect(it.runner.start(4, 2)).toBe(true);
    it.runner.stopIn(6_000);
    await it.pass(3_000);
    expect(it.now()).toEqual(["running", 2, 4]);
    await it.pass(60_000);
    expect([it.now(), it.code()]).toEqual([["stopped", 2, 0], undefined]);
    const before = it.total();
    expect(before).toBeGreaterThan(0);
    it.runner.start(4, 2);
    expect(it.total()).toBe(0);
  });

  test("it does not begin without workers", () => {
    const it = master({ autostart: false });
    expect(it.runner.start(4, 2)).toBe(false);
    expect(it.runner.state).toBe("ready");
  });

  test("it quits at once when its time is up", async () => {
    const it = master({ headless: true, autostart: false });
    it.join("a", "b");
    await it.pass(17_000);
    expect(it.code()).toBe(0);
  });
});

const base: RunOptions = {
  expectWorkers: 1,
  autostart: false,
  headless: false,
  rebalancing: true,
  resetStats: false,
  exitCodeOnError: 1,
};

describe("a worker", () => {
  test("that is silent is missing after 4 s, and forgotten after a minute more", async () => {
    const it = master({ runTime: 300_000 });
    it.join("a", "b");
    await it.pass(5_000);
    it.runner.lose("b");
    await it.pass(3_900);
    expect(it.now()).toEqual(["running", 2, 10]);
    await it.pass(200);
    expect(it.runner.workers.map(({ id, state }) => [id, state])).toEqual([
      ["a", "running"],
      ["b", "missing"],
    ]);
    await it.pass(1_000);
    expect(it.now()).toEqual(["running", 1, 10]);
    await it.pass(60_000);
    expect(it.runner.workers.map(({ id }) => id)).toEqual(["a"]);
  });

  test("that is missing takes its users along, where nobody rebalances", async () => {
    const it = master({ rebalancing: false, runTime: 300_000 });
    it.join("a", "b");
    await it.pass(5_000);
    it.runner.lose("b");
    await it.pass(10_000);
    expect(it.now()).toEqual(["running", 1, 5]);
  });

  test("that is heard of again is there again", async () => {
    const it = master({ runTime: 300_000 });
    it.join("a", "b");
    await it.pass(5_000);
    it.runner.lose("b");
    await it.pass(10_000);
    it.runner.beat("b");
    await it.pass(1_000);
    expect(it.now()).toEqual(["running", 2, 10]);
    expect(it.runner.workers.map(({ users }) => users)).toEqual([5, 5]);
  });

  test("that comes late gets users too", async () => {
    const it = master({ runTime: 300_000 });
    it.join("a", "b");
    await it.pass(5_000);
    it.join("c");
    await it.pass(1_000);
    expect(it.runner.workers.map(({ users }) => users)).toEqual([4, 3, 3]);
  });

  test("that was the last one ends the load, and the master stays until the time is up", async () => {
    const it = master();
    it.join("a", "b");
    await it.pass(5_000);
    it.runner.leave("a");
    it.runner.leave("b");
    await it.pass(1_000);
    expect(it.now()).toEqual(["stopped", 0, 0]);
    await it.pass(8_000);
    expect(it.code()).toBeUndefined();
    await it.pass(15_000);
    expect(it.code()).toBe(0);
  });

  test("that was the last one of a headless master takes it along", async () => {
    const it = master({ headless: true });
    it.join("a", "b");
    await it.pass(5_000);
    it.runner.leave("a");
    it.runner.leave("b");
    await it.pass(1_000);
    expect(it.code()).toBe(0);
  });

  test("that leaves before the start makes the state stopped, which proves nothing", async () => {
    const it = master();
    it.join("a");
    it.runner.leave("a");
    expect(it.now()).toEqual(["stopped", 0, 0]);
    it.join("a", "b");
    await it.pass(3_000);
    expect(it.runner.state).toBe("running");
  });
});

test("--reset-stats begins to count when all users are there", async () => {
  const it = master({ resetStats: true, users: 50, runTime: 60_000 });
  it.join("a", "b");
  await it.pass(9_500);
  expect(it.total()).toBeGreaterThan(100);
  await it.pass(700);
  expect(it.total()).toBe(0);
});

test("a clock can go faster", async () => {
  const clock = new VirtualClock();
  const fast = scaled(clock, 10);
  const [began, at] = [fast.now(), { fired: 0 }];
  fast.after(60_000, () => {
    at.fired = clock.uptime();
  });
  await clock.settle(10_000);
  expect([at.fired, fast.now() - began, fast.uptime()]).toEqual([6_000, 100_000, 100_000]);
});
