import { seededRandom, VirtualClock } from "@telltale/clock";
import { expect, test } from "vitest";
import { type Finding, notProbed } from "../aggregate/pod-view.ts";
import { bindcarClient } from "../bindcar/client.ts";
import { fixedToken } from "../bindcar/token.ts";
import { SimulatedBindcar } from "../bindcar-simulated/bindcar.ts";
import { simulatedWire } from "../bindcar-simulated/wire.ts";
import { maxAnswerAgeMs, Prober } from "./prober.ts";
import type { Target } from "./target.ts";

const instance = { namespace: "dns", name: "x" };
const zone = { namespace: "dns", name: "example-com", zoneName: "example.com" };
const target = (more: Partial<Target> = {}): Target => ({
  uid: "u",
  endpoint: "10.0.0.1:8080",
  run: "a 0",
  isReady: true,
  recorded: { probe: notProbed },
  ...more,
});

const fault = { trouble: { at: "answered", status: 503 } } as const;
const failed: Finding = { probe: { kind: "failed", fault } };
const answered: Finding = { probe: { kind: "succeeded" } };
const unknown: Finding = { probe: notProbed };

function world() {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const pods = new Map<string, SimulatedBindcar>();
  const find = (endpoint: string) => {
    const pod = pods.get(endpoint) ?? new SimulatedBindcar({ clock, random });
    pods.set(endpoint, pod);
    return pod;
  };
  const wire = simulatedWire({ find, clock });
  const prober = new Prober({ bindcar: bindcarClient({ wire, token: fixedToken("t"), clock, random }), clock, random });
  const woken: string[] = [];
  const stop = prober.source(({ name }) => woken.push(name));
  prober.zoneSource(({ name }) => woken.push(`zone ${name}`));
  return { clock, prober, woken, stop, pod: find("10.0.0.1:8080"), find };
}

test("8.7 a new pod is asked at once, then every thirty seconds, more or less", async () => {
  const { clock, prober, pod } = world();
  prober.keep(instance, [target()], []);
  await clock.settle(0);
  expect(pod.requests).toHaveLength(1);
  await clock.settle(600_000);
  expect(pod.requests.length).toBeGreaterThanOrEqual(17);
  expect(pod.requests.length).toBeLessThanOrEqual(26);
});

test("8.7 of its zones one is asked for each time, in turns", async () => {
  const { clock, prober, pod } = world();
  const other = { ...zone, name: "example-net", zoneName: "example.net" };
  prober.keep(instance, [target()], [zone, other]);
  await clock.settle(60_000);
  const asked = pod.requests.map(({ path }) => path).filter((path) => path.includes("/zones/"));
  expect(asked.slice(0, 2)).toEqual(["/api/v1/zones/example.com/status", "/api/v1/zones/example.net/status"]);
});

test("8.7 a zone that is missing is asked for again by who publishes it", async () => {
  const { clock, prober, woken } = world();
  prober.keep(instance, [target()], [zone]);
  await clock.settle(0);
  expect(woken).toEqual(["zone example-com"]);
});

test("8.7 when named begins anew, what is known of it is forgotten, and its zones are looked at", async () => {
  const { clock, prober, woken, pod } = world();
  prober.keep(instance, [target()], []);
  pod.faults.add("http-503");
  await clock.settle(80_000);
  expect(prober.finding("u").probe.kind).toBe("failed");
  woken.length = 0;
  pod.faults.clear();
  prober.keep(instance, [target()], [zone]);
  prober.keep(instance, [target({ run: "b 1" })], [zone]);
  expect(prober.finding("u")).toEqual(unknown);
  expect(woken).toEqual(["zone example-com"]);
});

test("8.7 a pod that cannot be reached any more is lost to its zones until it answers again, and they are looked at both times", async () => {
  const { clock, prober, pod, woken } = world();
  prober.keep(instance, [target()], []);
  await clock.settle(0);
  prober.keep(instance, [target()], [zone]);
  woken.length = 0;
  pod.stop();
  await clock.settle(75_000);
  expect(prober.lost("u")).toMatchObject({ at: "unreachable" });
  expect(woken).toEqual(["x", "zone example-com"]);
  pod.start();
  prober.keep(instance, [target()], []);
  prober.keep(instance, [target()], [zone]);
  woken.length = 0;
  await clock.settle(40_000);
  expect(prober.lost("u")).toBeUndefined();
  expect(woken).toContain("zone example-com");
});

test("8.7 a pod that refuses is not lost, nor is one that has never answered", async () => {
  const { clock, prober, pod } = world();
  pod.stop();
  prober.keep(instance, [target({ isReady: false })], []);
  await clock.settle(1_000);
  expect([prober.finding("u").probe.kind, prober.lost("u")]).toEqual(["failed", undefined]);
  pod.start();
  await clock.settle(10_000);
  pod.faults.add("http-403");
  await clock.settle(75_000);
  expect([prober.finding("u").probe.kind, prober.lost("u")]).toEqual(["failed", undefined]);
});

test("8.7 a pod that starts is asked every five seconds for a minute, and when its kubelet calls it ready", async () => {
  const { clock, prober, pod } = world();
  pod.stop();
  const asked = () => pod.requests.length;
  prober.keep(instance, [target({ isReady: false })], []);
  await clock.settle(4_000);
  pod.start();
  await clock.settle(2_000);
  expect(prober.finding("u")).toEqual(answered);
  pod.faults.add("http-503");
  await clock.settle(40_000);
  expect(prober.finding("u").probe.kind).toBe("failed");
  pod.faults.clear();
  const before = asked();
  prober.keep(instance, [target({ isReady: true })], []);
  await clock.settle(10);
  expect(asked()).toBe(before + 1);
  expect(prober.finding("u")).toEqual(answered);
});

test("8.7 a pod that is gone is not asked, and nothing is known of it", async () => {
  const { clock, prober, pod } = world();
  prober.keep(instance, [target()], []);
  await clock.settle(0);
  prober.keep(instance, [], []);
  await clock.settle(300_000);
  expect(pod.requests).toHaveLength(1);
  expect(prober.finding("u")).toEqual(unknown);
});

test("8.7 nobody is asked while another process works", async () => {
  const { clock, prober, pod, stop } = world();
  prober.keep(instance, [target()], []);
  stop();
  await clock.settle(300_000);
  expect(pod.requests).toHaveLength(0);
  prober.source(() => {});
  prober.keep(instance, [target()], []);
  await clock.settle(0);
  expect(pod.requests).toHaveLength(1);
});

test("8.7 at most twenty are asked at a time", async () => {
  const { clock, prober, find } = world();
  const many = Array.from({ length: 50 }, (_, n) => target({ uid: `u${n}`, endpoint: `10.0.1.${n}:8080` }));
  for (const { endpoint = "" } of many) find(endpoint).faults.add("hang");
  prober.keep(instance, many, []);
  await clock.settle(0);
  const asked = many.filter(({ endpoint = "" }) => find(endpoint).requests.length > 0);
  expect(asked).toHaveLength(20);
});

test("8.5 what the controller of zones meets counts as an answer", () => {
  const { prober, woken } = world();
  prober.keep(instance, [target()], []);
  const trouble = { at: "answered", status: 503 } as const;
  prober.report("u", trouble);
  prober.report("u", trouble, "example.com");
  expect(prober.finding("u").probe).toEqual({ kind: "failed", fault: { trouble, zone: "example.com" } });
  prober.lags("u", { is: "behind", zone: "example.com", have: 1, want: 2 });
  prober.lags("u", { is: "behind", zone: "example.com", have: 1, want: 2 });
  expect(woken).toEqual(["x", "x"]);
});

test("7.8 whoever begins anew stays with what was found before, until the pod answers", async () => {
  const { clock, prober, pod, woken } = world();
  const recorded = failed;
  pod.faults.add("http-503");
  prober.keep(instance, [target({ recorded })], []);
  await clock.settle(60_000);
  expect(prober.finding("u")).toEqual(failed);
  expect(woken).toEqual([]);
  pod.faults.clear();
  await clock.settle(40_000);
  expect(prober.finding("u")).toEqual(answered);
  expect(woken).toEqual(["x"]);
});

test("7.8 whoever was shown the past takes over what was found since, unless the pod has answered or begun anew", async () => {
  const recorded = failed;
  const silent = world();
  silent.pod.faults.add("http-503");
  silent.prober.keep(instance, [target()], []);
  await silent.clock.settle(0);
  expect(silent.prober.finding("u")).toEqual(unknown);
  silent.prober.keep(instance, [target({ recorded })], []);
  expect(silent.prober.finding("u")).toEqual(failed);
  silent.prober.keep(instance, [target({ recorded, run: "b 0" })], []);
  silent.prober.keep(instance, [target({ recorded, run: "b 0" })], []);
  expect(silent.prober.finding("u")).toEqual(unknown);
  const well = world();
  well.prober.keep(instance, [target()], []);
  await well.clock.settle(0);
  well.prober.keep(instance, [target({ recorded })], []);
  expect(well.prober.finding("u")).toEqual(answered);
});

test("7.8 whoever takes over again goes by what was found meanwhile", async () => {
  const recorded = failed;
  const { clock, prober, pod, stop } = world();
  prober.keep(instance, [target()], []);
  await clock.settle(0);
  stop();
  pod.faults.add("http-503");
  prober.source(() => {});
  await clock.settle(0);
  prober.keep(instance, [target({ recorded })], []);
  expect(prober.finding("u")).toEqual(failed);
});

test("7.8 whoever was shown the past gives up what was found before when the pod is said to be well, and only then", async () => {
  const recorded = failed;
  const { clock, prober, pod } = world();
  pod.faults.add("http-503");
  prober.keep(instance, [target({ recorded })], []);
  await clock.settle(0);
  prober.keep(instance, [target()], []);
  expect(prober.finding("u")).toEqual(failed);
  prober.keep(instance, [target({ recorded: answered })], []);
  expect(prober.finding("u")).toEqual(answered);
  await clock.settle(40_000);
  prober.keep(instance, [target({ recorded: answered })], []);
  expect(prober.finding("u")).toEqual(failed);
});

test("a pod is unknown until it answers, and a new process starts from what was stored", async () => {
  const { clock, prober, pod, woken } = world();
  pod.faults.add("http-503");
  prober.keep(instance, [target()], []);
  await clock.settle(0);
  expect(prober.finding("u")).toEqual(unknown);
  pod.faults.clear();
  await clock.settle(5_000);
  expect(prober.finding("u")).toEqual(answered);
  expect(woken).toEqual(["x"]);
  const next = world();
  next.prober.keep(instance, [target({ recorded: answered })], []);
  expect(next.prober.finding("u")).toEqual(answered);
  await next.clock.settle(0);
  expect(next.woken).toEqual([]);
});

test("a pod that is not asked any more is unknown when its last answer is too old", async () => {
  const { clock, prober } = world();
  prober.keep(instance, [target()], []);
  await clock.settle(0);
  const { endpoint: _none, ...silent } = target();
  prober.keep(instance, [silent], []);
  prober.keep(instance, [{ ...silent, run: "a 0" }], []);
  await clock.settle(maxAnswerAgeMs - 40_000);
  expect(prober.finding("u")).toEqual(answered);
  await clock.settle(80_000);
  expect(prober.finding("u")).toEqual({ probe: { kind: "unknown", wasAnswered: true } });
});

test("a server that asks for a day of backoff is probed again when the next probe would be due", async () => {
  const { clock, prober, pod } = world();
  pod.faults.add({ action: { type: "status", code: 429, headers: { "retry-after": "86400" } } });
  prober.keep(instance, [target({ recorded: answered })], []);
  await clock.settle(0);
  const asked = pod.requests.length;
  expect(asked).toBe(1);
  await clock.settle(37_000);
  expect(pod.requests.length).toBeGreaterThan(asked);
});
