import { type AddressInfo, createServer } from "node:net";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acceptWorkers, runWorker } from "./link.ts";
import { Load } from "./load.ts";
import { Runner } from "./runner.ts";

let clock: VirtualClock;
let runner: Runner;
let port: number;
let link: { close(): void };
let stop: AbortController;

beforeEach(async () => {
  clock = new VirtualClock();
  stop = new AbortController();
  const load = new Load(seededRandom(1), { rate: 5, failRatio: 0, names: 1 });
  const options = { headless: false, rebalancing: true, resetStats: false, exitCodeOnError: 1 };
  runner = new Runner(load, clock, { ...options, expectWorkers: 2, autostart: false });
  port = await freePort();
  link = await acceptWorkers({ host: "127.0.0.1", port }, runner);
});
afterEach(() => {
  stop.abort();
  link.close();
});

/** One that nobody has at the moment. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

const work = (ids: readonly string[], signal = stop.signal) => {
  const exit: { code?: number } = {};
  void runWorker({ host: "127.0.0.1", port, ids, clock, signal }).then((code) => {
    exit.code = code;
  });
  return exit;
};

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

const states = () => runner.workers.map(({ id, state }) => `${id} ${state}`);

test("workers connect, each with as many as it has processes, and stay as long as they are heard of", async () => {
  work(["a"]);
  work(["b", "c"]);
  await until(() => runner.workerCount === 3);
  for (let i = 0; i < 20; i += 1) {
    await clock.settle(1_000);
    await until(() => runner.workerCount === 3);
  }
  expect(states().sort()).toEqual(["a ready", "b ready", "c ready"]);
});

test("a worker that is told to quit exits with 0", async () => {
  const exit = work(["a"]);
  await until(() => runner.workerCount === 1);
  runner.quit();
  await until(() => exit.code !== undefined);
  expect(exit.code).toBe(0);
});

test("a worker that is terminated says goodbye, and exits with 0", async () => {
  const own = new AbortController();
  const exit = work(["a"], own.signal);
  await until(() => runner.workerCount === 1);
  own.abort();
  await until(() => exit.code === 0 && runner.workers.length === 0);
});

test("a master that is gone is missed for a minute, and then the worker exits with 0", async () => {
  const exit = work(["a"]);
  await until(() => runner.workerCount === 1);
  link.close();
  for (let i = 0; i < 58; i += 1) {
    await clock.settle(1_000);
    for (let k = 0; k < 4; k += 1) await turn();
  }
  expect(exit.code).toBeUndefined();
  while (exit.code === undefined) {
    await clock.settle(1_000);
    await turn();
  }
  expect(exit.code).toBe(0);
});

test("a worker that never finds its master exits with 255, after about five minutes", async () => {
  link.close();
  const exit = work(["a"]);
  const began = clock.now();
  while (exit.code === undefined) {
    await clock.settle(1_000);
    for (let k = 0; k < 4; k += 1) await turn();
  }
  expect(exit.code).toBe(255);
  expect(clock.now() - began).toBeGreaterThan(290_000);
});

test("a port that is taken is an error", async () => {
  await expect(acceptWorkers({ host: "127.0.0.1", port }, runner)).rejects.toThrow(/EADDRINUSE/);
});
