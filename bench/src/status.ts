// What a status costs: deriving and diffing one with ten conditions, and aggregating ten or ten thousand children.
import {
  conditions,
  defineKind,
  Enum,
  Fields,
  Int32,
  instant,
  type KindObject,
  no,
  phases,
  positive,
  Time,
  yes,
} from "@telltale/kinds";
import { Aggregate, draft, jsonPatch, text } from "@telltale/status";
import { percentile, type Result } from "./table.ts";

const types = [
  "Ready",
  "Built",
  "Scheduled",
  "Linked",
  "Stored",
  "Served",
  "Backed",
  "Watched",
  "Signed",
  "Paid",
] as const;

const Thing = defineKind({
  group: "bench.telltale.dev",
  version: "v1",
  kind: "Thing",
  spec: Fields({ size: Int32() }),
  status: Fields({ replicas: Int32(), startTime: Time(), mode: Enum(["Slow", "Fast"]) }),
  phases: phases({ Pending: ["Running"], Running: ["Done"], Done: [] }, { final: ["Done"] }),
  conditions: conditions(
    Object.fromEntries(
      types.map((type) => [
        type,
        positive({ means: "It is so", reasons: { Yes: yes("It is"), No: no("It is not", "wait") } }),
      ]),
    ) as Record<
      (typeof types)[number],
      ReturnType<typeof positive<{ Yes: ReturnType<typeof yes>; No: ReturnType<typeof no> }>>
    >,
  ),
  memory: ["phase"],
  once: ["startTime"],
});

type Status = NonNullable<(typeof Thing)["~object"]>["status"];

function thing(status: Status, generation: number) {
  const object: KindObject<{ size: number }, NonNullable<Status>> = {
    apiVersion: Thing.apiVersion,
    kind: Thing.kind,
    metadata: { name: "t", namespace: "n", uid: "u", generation, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { size: 1 },
    ...(status === undefined ? {} : { status }),
  };
  return object;
}

const now = instant(Date.parse("2026-01-01T00:00:00Z"));

function derive(status: Status, generation: number, ready: boolean, replicas: number) {
  const object = thing(status, generation);
  const d = draft(Thing, object, now).phase("Pending").set({ replicas, startTime: "2026-01-01T00:00:00Z" });
  for (const type of types) {
    if (ready) d.condition(type, true, "Yes", text`${replicas} of ${replicas} are there`);
    else d.condition(type, false, "No", text`0 of ${replicas} are there`);
  }
  const finished = d.finish();
  return { finished, patch: jsonPatch(Thing, object, finished) };
}

export async function measureStatus(): Promise<Result[]> {
  const settled = derive(undefined, 1, true, 3).finished.status;
  const cases = {
    "derive and diff, 10 conditions, all flip": () => derive(settled, 2, false, 3),
    "derive and diff, 10 conditions, one field changes": () => derive(settled, 1, true, 4),
    "derive and diff, 10 conditions, nothing changes": () => derive(settled, 1, true, 3),
  };
  const results: Result[] = [];
  for (const [name, run] of Object.entries(cases)) {
    results.push({ suite: "status", name: `${name}: median`, value: median(run), unit: "µs", aim: 25 });
    results.push({ suite: "status", name: `${name}: allocated`, value: allocated(run), unit: "KB" });
  }
  for (const children of [10, 10_000]) {
    results.push({
      suite: "status",
      name: `aggregate, one of ${children} children changes`,
      value: aggregate(children),
      unit: "µs",
    });
  }
  results.push({
    suite: "status",
    name: "100,000 objects, all derived: heap kept",
    value: held(100_000) / 1e6,
    unit: "MB",
  });
  return results;
}

/** Microseconds of one call: batches, so that the clock's grain does not matter. */
function median(run: () => unknown): number {
  const batch = 50;
  for (let i = 0; i < 20_000; i += 1) run();
  const samples: number[] = [];
  for (let i = 0; i < 400; i += 1) {
    const start = performance.now();
    for (let j = 0; j < batch; j += 1) run();
    samples.push(((performance.now() - start) * 1000) / batch);
  }
  return percentile(samples, 0.5);
}

function allocated(run: () => unknown): number {
  const rounds = 2_000;
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < rounds; i += 1) run();
  return Math.max(0, process.memoryUsage().heapUsed - before) / rounds / 1000;
}

function held(count: number): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: count }, (_, i) => derive(undefined, 1, i % 2 === 0, 3).finished.status);
  collect();
  const after = process.memoryUsage().heapUsed;
  return kept.length === count ? after - before : Number.NaN;
}

function collect(): void {
  (globalThis as { gc?: () => void }).gc?.();
}

function aggregate(children: number): number {
  const sum = new Aggregate({
    empty: { status: "False", reason: "None", message: text`none` },
    ok: { reason: "All", message: (n) => text`all ${n}` },
  });
  for (let i = 0; i < children; i += 1) sum.set(`child-${i}`, { status: "False", reason: "Bad", message: `m${i % 3}` });
  let n = 0;
  return median(() => {
    n = (n + 7919) % children;
    sum.set(`child-${n}`, { status: "True", reason: "Good", message: "" });
    sum.value();
    sum.set(`child-${n}`, { status: "False", reason: "Bad", message: `m${n % 3}` });
    return sum.value();
  });
}
