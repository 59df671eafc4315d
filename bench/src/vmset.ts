// The budgets of a set of a thousand virtual machines on a simulated provider: how large its status is, how often it is written while
// all machines are changed and replaced, and how long a pass over it takes. Times of roll-outs are virtual, times of passes are not.
import type { Ms } from "@telltale/kinds";
import { VirtualMachine, VMSet } from "@telltale/virtrigaud";
import { percentile, type Result } from "./table.ts";
import { namespace, type Stage, vmSetStage, type Write } from "./vmset-stage.ts";

const machines = 1_000;
/** So many are replaced, which takes longest. */
const replaced = 250;
const name = "fleet";
const passes = 40;

const result = (what: string, value: number, unit: string, aim?: number): Result => ({
  suite: "vmset",
  name: what,
  value,
  unit,
  ...(aim === undefined ? {} : { aim }),
});

export async function measureVMSet(): Promise<Result[]> {
  const it = await vmSetStage();
  const cpu = process.cpuUsage();
  await it.make(VMSet, name, spec("one", "small"));
  const results = [
    ...(await rollOut(it, "making them", isReady(it))),
    ...(await changed(it, "changing all where they are", spec("one", "large"))),
    ...(await changed(it, `replacing ${replaced}`, spec("two", "large", machines - replaced))),
  ];
  const { user, system } = process.cpuUsage(cpu);
  const times = await timesOf(it);
  await it.end();
  return [...results, result("CPU of it, with the server and the provider", (user + system) / 1e6, "s"), ...times];
}

const spec = (image: string, size: string, partition = 0) => ({
  replicas: machines,
  selector: { matchLabels: { app: name } },
  template: {
    spec: { providerRef: { name: "box" }, classRef: { name: size }, imageRef: { name: image }, powerState: "On" },
  },
  updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "25%", partition, podManagementPolicy: "Parallel" } },
});

const statusOf = async ({ client }: Stage) => (await client.get(VMSet, name, { namespace })).status ?? {};
const isReady = (it: Stage) => async () => (await statusOf(it)).availableReplicas === machines;

async function changed(it: Stage, what: string, to: object): Promise<Result[]> {
  const { updateRevision } = await statusOf(it);
  await it.client.patch(VMSet, { name, namespace }, { merge: { spec: to } });
  return rollOut(it, what, async () => {
    const { updateStatus, updateRevision: next } = await statusOf(it);
    return next !== updateRevision && updateStatus?.phase === "Completed";
  });
}

async function rollOut(it: Stage, what: string, isOver: () => Promise<boolean>): Promise<Result[]> {
  it.writes();
  let largest = 0;
  const took = await it.until(async () => {
    largest = Math.max(largest, Buffer.byteLength(JSON.stringify(await statusOf(it))));
    return isOver();
  }, 4 * 3_600_000);
  const writes = it.writes();
  const sizes = writes.map(({ size }) => size);
  return [
    result(`${machines} machines, ${what}`, took / 1000, "s"),
    result("writes on the set, in the busiest second", busiest(writes), "writes", 1),
    result("writes on the set, in all", writes.length, "writes"),
    result("its largest status", largest / 1024, "KiB", 256),
    result("a write, median", percentile(sizes, 0.5) / 1024, "KiB"),
    result("the largest write", Math.max(...sizes) / 1024, "KiB"),
  ];
}

function busiest(writes: readonly Write[]): number {
  const second = 1_000;
  return Math.max(0, ...writes.map(({ at }) => writes.filter((it) => it.at >= at && it.at < at + second).length));
}

async function timesOf(it: Stage): Promise<Result[]> {
  const unchanged: Ms[] = [];
  const moved: Ms[] = [];
  const touch = (i: number) =>
    it.client.patch(VMSet, { name, namespace }, { merge: { metadata: { annotations: { touched: String(i) } } } });
  const flip = async (i: number) => {
    const at = { name: `${name}-${(i >> 1) * 7}`, namespace };
    const { status } = await it.client.get(VirtualMachine, at.name, { namespace });
    const conditions = status?.conditions?.map((one) =>
      one.type === "Ready" ? { ...one, status: i % 2 === 0 ? "False" : "True" } : one,
    );
    await it.client.status.patch(VirtualMachine, at, { merge: { status: { conditions } } });
  };
  await it.alone(async (next) => {
    for (let i = 0; i < 5; i += 1) await next(() => touch(-i - 1));
    for (let i = 0; i < passes; i += 1) unchanged.push(await next(() => touch(i)));
    for (let i = 0; i < passes; i += 1) moved.push(await next(() => flip(i)));
  });
  return [
    result("a pass over the set, nothing has changed, median", percentile(unchanged, 0.5), "ms", 50),
    result("a pass over the set, nothing has changed, slowest", Math.max(...unchanged), "ms", 50),
    result("a pass over the set, a machine has changed, with its write, median", percentile(moved, 0.5), "ms", 50),
    result("a pass over the set, a machine has changed, with its write, slowest", Math.max(...moved), "ms"),
  ];
}
