import { describe, expect, test } from "vitest";
import { CaptMachine } from "../../kinds/capt-machine.ts";
import { CaptMachineSet } from "../../kinds/capt-machine-set.ts";
import { awaited, plan, stateOf, type World } from "./plan.ts";

const spec = {
  nodeGroupRef: { name: "workers", namespace: "t1" },
  workspaceTemplateRef: { name: "m" },
  instanceType: "small",
};

const set = (more: Partial<CaptMachineSet["spec"]> = {}): CaptMachineSet => ({
  apiVersion: CaptMachineSet.apiVersion,
  kind: CaptMachineSet.kind,
  metadata: { name: "workers", namespace: "t1", uid: "u" },
  spec: { template: { spec }, ...more },
});

const machine = (name: string, ready: boolean, born: string, deletionTimestamp?: string): CaptMachine => ({
  apiVersion: CaptMachine.apiVersion,
  kind: CaptMachine.kind,
  metadata: { name, creationTimestamp: born, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  spec,
  status: { ready },
});

const world = (it: CaptMachineSet, machines: readonly CaptMachine[] = []): World => ({
  it,
  machines,
  taken: new Set(machines.map(({ metadata }) => metadata.name ?? "")),
});

const removed = (it: CaptMachineSet, machines: readonly CaptMachine[]) =>
  plan(world(it, machines)).remove.map(({ metadata }) => metadata.name);

test("14.2 without a number there is one machine", () => {
  expect(plan(world(set())).make).toHaveLength(1);
});

test("14.2 whoever does not know of a machine asks for that very one again", () => {
  const first = plan(world(set({ replicas: 3 }))).make;
  expect(new Set(first).size).toBe(3);
  expect(plan(world(set({ replicas: 3 }))).make).toEqual(first);
  const [known = ""] = first;
  expect(plan(world(set({ replicas: 3 }), [machine(known, true, "1")])).make).toEqual(first.slice(1));
  for (const name of first) expect(name).toMatch(/^workers-[0-9a-f]{5}$/);
});

test("14.2 a name that somebody has is not asked for", () => {
  const [first = ""] = plan(world(set())).make;
  expect(plan({ ...world(set()), taken: new Set([first]) }).make).not.toContain(first);
});

test("14.2 first go those that go already, then those that are not ready, then the newest, then by name", () => {
  const machines = [
    machine("a", true, "2026-01-01T00:00:00Z"),
    machine("b", true, "2026-01-02T00:00:00Z"),
    machine("c", false, "2026-01-01T00:00:00Z"),
    machine("d", true, "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"),
  ];
  expect(removed(set({ replicas: 3 }), machines)).toEqual([]);
  expect(removed(set({ replicas: 2 }), machines)).toEqual(["c"]);
  expect(removed(set({ replicas: 1 }), machines)).toEqual(["c", "b"]);
  expect(removed(set({ replicas: 0 }), machines)).toEqual(["c", "b", "a"]);
});

test("14.2 a selector that does not fit the template makes nothing and takes nothing away", () => {
  const selector = { matchLabels: { a: "b" } };
  expect(plan(world(set({ selector, replicas: 2 })))).toEqual({ make: [], remove: [] });
  const fitting = set({ selector, replicas: 2, template: { metadata: { labels: { a: "b" } }, spec } });
  expect(plan(world(fitting)).make).toHaveLength(2);
});

describe("where it is not known of a machine whether it runs", () => {
  const unknown = (name: string): CaptMachine => {
    const it = machine(name, false, "2026-01-05T00:00:00Z");
    const condition = {
      type: "Ready",
      status: "Unknown",
      reason: "NotSeen",
      message: "",
      lastTransitionTime: "",
    } as const;
    return { ...it, status: { initialization: { provisioned: true }, conditions: [condition] } };
  };
  const down = machine("down", false, "2026-01-01T00:00:00Z");
  const ready = ["a", "b"].map((name) => machine(name, true, "2026-01-01T00:00:00Z"));
  const names = (machines: readonly CaptMachine[]) => machines.map(({ metadata }) => metadata.name);
  const awaitedOf = (replicas: number, machines: readonly CaptMachine[]) =>
    names(awaited(world(set({ replicas }), machines)));

  test("only those that are known to be down go, and the others wait for it", () => {
    const all = [...ready, unknown("x"), unknown("y"), down];
    expect(removed(set({ replicas: 4 }), all)).toEqual(["down"]);
    expect(removed(set({ replicas: 1 }), all)).toEqual(["down"]);
    expect(awaitedOf(1, all)).toEqual([]);
    const left = all.filter((one) => one !== down);
    expect(removed(set({ replicas: 1 }), left)).toEqual([]);
    expect(awaitedOf(1, left)).toEqual(["x", "y"]);
    expect(awaitedOf(4, left)).toEqual([]);
  });

  test("all go where none is to stay", () => {
    expect(removed(set({ replicas: 0 }), [...ready, unknown("x")])).toHaveLength(3);
  });

  test("one that ran and lost its status is unknown, one that never ran is not", () => {
    const { status: _lost, ...bare } = machine("m", true, "2026-01-01T00:00:00Z");
    expect(stateOf(bare)).toBe("down");
    expect(stateOf({ ...bare, spec: { ...spec, providerID: "demo:///i-1" } })).toBe("unknown");
  });
});
