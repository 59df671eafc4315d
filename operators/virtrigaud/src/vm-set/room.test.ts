// However many machines a set has, however they are called and whatever they say: its status stays below 256 KiB.
import { formatTime, instant, plus } from "@telltale/kinds";
import { draft } from "@telltale/status";
import { expect, test } from "vitest";
import { type VirtualMachine, VMSet, type VMSetStatus } from "../kinds/index.ts";
import { memberOf } from "./members.ts";
import { machineOf, nameOf } from "./objects.ts";
import { plan } from "./plan.ts";
import { rulesOf } from "./rules.ts";
import { status } from "./status.ts";
import { nothingMade, type Revision, type World } from "./world.ts";

const limit = 256 * 1024;
const began = instant(Date.UTC(2026, 0, 1));
const now = plus(began, 3_600_000);

interface Shape {
  readonly machines: number;
  readonly name: string;
  /** What each machine that is not ready says. */
  readonly message: string;
  readonly isReady?: (ordinal: number) => boolean;
  /** So often each of them was tried again. */
  readonly tries?: number;
}

/** In the middle of an update that has been going on for an hour. */
function worldOf({ machines, name, message, isReady = () => false, tries }: Shape): World {
  const template = { spec: { providerRef: { name: "p" }, classRef: { name: "c" }, imageRef: { name: "i" } } };
  const set = {
    apiVersion: VMSet.apiVersion,
    kind: VMSet.kind,
    metadata: { name, namespace: "demo", uid: "set", generation: 1 },
    spec: { replicas: machines, selector: { matchLabels: { app: "x".repeat(63) } }, template },
  } satisfies VMSet;
  const update: Revision = { name: `${name}-bcdfghjklm`, hash: "bcdfghjklm", template };
  const all = Array.from({ length: machines }, (_, ordinal) => ordinal);
  const failedVMs = all
    .filter((ordinal) => tries !== undefined && !isReady(ordinal))
    .map((ordinal) => ({ name: nameOf(set, ordinal), lastAttempt: formatTime(began), retryCount: tries ?? 0 }));
  return {
    set,
    now,
    rules: rulesOf(set),
    problem: undefined,
    members: all.map((ordinal) => memberOf(machine(set, update, ordinal, isReady(ordinal) ? undefined : message))),
    orphans: [],
    strays: [],
    taken: new Set(),
    revisions: [],
    claims: [],
    told: {
      collisions: 0,
      currentRevision: `${name}-before`,
      updateRevision: update.name,
      update: { phase: "InProgress", startTime: formatTime(began), failedVMs },
    },
    update,
    current: undefined,
    made: nothingMade,
  };
}

function machine(set: VMSet, update: Revision, ordinal: number, message: string | undefined): VirtualMachine {
  const made = machineOf(set, { ordinal, hash: update.hash }, update.template) as VirtualMachine;
  const creationTimestamp = formatTime(began);
  const said = message === undefined ? { status: "True" as const, reason: "ReconcileSucceeded" } : failure;
  const ready = { type: "Ready", ...said, message: message ?? "", lastTransitionTime: creationTimestamp };
  return {
    ...made,
    metadata: { ...made.metadata, creationTimestamp, generation: 1 },
    status: { phase: "Reconfiguring", observedGeneration: 1, conditions: [ready] },
  };
}

const failure = { status: "False" as const, reason: "R".repeat(1024) };

function told(world: World): VMSetStatus {
  const it = draft(VMSet, world.set, now, { strict: true });
  status(world, it, now);
  return it.finish().status as VMSetStatus;
}

const size = (value: object): number => Buffer.byteLength(JSON.stringify(value));
const longestName = "x".repeat(59);

test.each([
  ["plain", "m"],
  ["in quotes", '"'],
  ["of three bytes each", "機"],
  ["that JSON writes in six", "\u0001"],
])(
  "a thousand machines with the longest names and messages, %s, all failed: below 256 KiB, and no try is forgotten",
  (_, letter) => {
    const world = worldOf({ machines: 1_000, name: longestName, message: letter.repeat(1024), tries: 2 });
    const { vmStatus = [], updateStatus = {}, ...rest } = told(world);
    expect(size({ vmStatus, updateStatus, ...rest })).toBeLessThan(limit);
    const failed = updateStatus.failedVMs ?? [];
    expect(failed).toHaveLength(1_000);
    expect(new Set(failed.map(({ retryCount }) => retryCount))).toEqual(new Set([2]));
    // The first say why, and the machines are shown from the first on.
    expect(failed[0]?.message).toHaveLength(128);
    expect(failed.at(-1)?.message).toBeUndefined();
    expect(vmStatus.length).toBeGreaterThan(300);
    expect(vmStatus.map(({ name }) => name)).toEqual(vmStatus.map((_row, i) => `${longestName}-${i}`));
  },
);

test("what a large set says is cut the same way each time", () => {
  const shape = { machines: 1_000, name: longestName, message: "m".repeat(1024), tries: 1 };
  expect(told(worldOf(shape))).toEqual(told(worldOf(shape)));
});

test("a thousand machines with the longest names, of which a few are not ready: all are shown, and those say why", () => {
  const isReady = (ordinal: number) => ordinal % 100 !== 7;
  const { vmStatus = [], updateStatus } = told(
    worldOf({ machines: 1_000, name: longestName, message: "why", isReady }),
  );
  expect(vmStatus).toHaveLength(1_000);
  expect(vmStatus.filter(({ message }) => message === "why")).toHaveLength(10);
  expect(updateStatus?.failedVMs?.map(({ message }) => message)).toEqual(Array.from({ length: 10 }, () => "why"));
  expect(updateStatus?.updatedVMs?.[0]).toBe(`${longestName}-0`);
});

test("of a set that is not that large nothing is cut but long messages", () => {
  const { vmStatus = [], updateStatus = {} } = told(
    worldOf({ machines: 200, name: "web", message: "m".repeat(1024), tries: 0 }),
  );
  expect(vmStatus.map(({ message = "" }) => message.length)).toEqual(Array.from({ length: 200 }, () => 256));
  expect(updateStatus.failedVMs?.map(({ message = "" }) => message.length)).toEqual(
    Array.from({ length: 200 }, () => 128),
  );
  expect(updateStatus.updatedVMs).toHaveLength(200);
});

test("a machine whose tries there is no room to count is not tried again", () => {
  const world = worldOf({ machines: 1_000, name: "web", message: "m", tries: 3 });
  const { failedVMs = [] } = world.told.update;
  const fresh = worldOf({ machines: 1_000, name: "web", message: "m", tries: 0 });
  const others = failedVMs.map((it) => ({ ...it, name: `gone-${it.name}` }));
  const full = { ...fresh, told: { ...fresh.told, update: { ...fresh.told.update, failedVMs: others } } };
  const tried = (it: World) => plan(it, it.update as Revision).filter(({ do: what }) => what === "remove");
  expect([tried(fresh).length, tried(full).length]).toEqual([10, 0]);
});
