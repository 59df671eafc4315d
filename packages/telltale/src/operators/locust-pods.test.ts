import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { pretendMasters, shortened, simulatedLife } from "./locust-pods.ts";

const pod = (role: string, i: number, args: readonly string[], annotations = {}): Pod => ({
  metadata: {
    name: `demo-${role}-${i}`,
    namespace: "default",
    uid: `${role}-${i}`,
    labels: { "performance-test-name": "demo", "performance-test-pod-name": `demo-${role}` },
    annotations,
  },
  spec: { containers: [{ name: "main", args: [...args] }] },
  status: { phase: "Running" },
});
const args = ["--users", "10", "--spawn-rate=5", "--run-time", "1m", "--expect-workers=2"];

test("a sample runs for as long as somebody watches, and a short one for as long as it says", () => {
  const test = (command: string) => ({ kind: "LocustTest", spec: { master: { command } } }) as never;
  expect(shortened(test("--users 5 --run-time 30m"))).toEqual(test("--users 5 --run-time 20s"));
  expect(shortened(test("--run-time=5s"))).toEqual(test("--run-time=5s"));
  const other = { kind: "ConfigMap", data: { command: "--run-time 30m" } } as never;
  expect(shortened(other)).toBe(other);
});

test("a master ends with its load, workers and endless tests go on, and other pods are none of Locust's", () => {
  expect(simulatedLife(pod("master", 0, args))).toEqual({ "sim.telltale.dev/exit-after": "64s" });
  expect(simulatedLife(pod("master", 0, []))).toEqual({ "sim.telltale.dev/exit-after": "87600h" });
  expect(simulatedLife(pod("worker", 0, args))).toEqual({ "sim.telltale.dev/exit-after": "87600h" });
  expect(simulatedLife({ metadata: { name: "web" } })).toBeUndefined();
});

test("a master tells of its workers and its load, and one that will fail of failed requests", async () => {
  const clock = new VirtualClock();
  const bad = { "sim.telltale.dev/exit-code": "1" };
  const all = [pod("master", 0, args, bad), pod("worker", 0, []), pod("worker", 1, [])];
  const pods = new Map(all.map((it) => [it.metadata?.uid ?? "", it]));
  const { api, stop } = pretendMasters({ pods, clock, random: seededRandom(1), maxBody: 1 << 20 });
  const master = { uid: "master-0", created: instant(0) };
  const target = { at: "address", url: "http://10.0.0.1:8089/stats/requests", master } as const;
  const read = async () => JSON.parse((await api.read(target, new AbortController().signal)).body) as Told;
  await read();
  await clock.settle(30_000);
  const told = await read();
  expect(told).toMatchObject({ state: "running", user_count: 10, worker_count: 2 });
  expect(told.stats.at(-1)?.num_failures).toBeGreaterThan(0);
  await stop();
  pods.delete("master-0");
  await turn();
  await expect(read()).rejects.toThrow();
});

interface Told {
  readonly stats: readonly { readonly num_failures: number }[];
}
