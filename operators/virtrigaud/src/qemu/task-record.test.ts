import { expect, it } from "vitest";
import { type Found, onRestart, outdated, type StepKind, type TaskRecord } from "./task-record.ts";

const record = (more: Partial<TaskRecord>): TaskRecord => ({
  ...{
    id: "t-a",
    op: "x",
    vmId: "",
    holds: [],
    key: "",
    state: "running",
    stage: "",
    percent: -1,
    bytesDone: 0,
    bytesTotal: 0,
  },
  ...{ result: {}, startedAt: "", attempt: 1, kind: "proc", steps: [], current: 0, params: {} },
  ...more,
});

const rows: readonly [string, StepKind, Found, number, object][] = [
  ["an exit code", "proc", { rc: 0 }, 1, { do: "collect", rc: 0 }],
  [
    "an exit code wins over a process that is just ending",
    "proc",
    { rc: 1, isAlive: true },
    1,
    { do: "collect", rc: 1 },
  ],
  ["the process, with its start time", "proc", { isAlive: true }, 1, { do: "watch" }],
  ["no process and no exit code", "proc", { isAlive: false }, 1, { do: "repeat" }],
  [
    "the same for the third time",
    "proc",
    { isAlive: false },
    3,
    { do: "fail", message: "interrupted by provider restart" },
  ],
  ["a step of our own", "steps", {}, 2, { do: "repeat" }],
  ["a job in QEMU", "qmp", { job: "present" }, 1, { do: "watch" }],
  ["QEMU without the job", "qmp", { job: "missing" }, 1, { do: "look" }],
  ["no QEMU", "qmp", { job: "dead" }, 1, { do: "fail", message: "VM process ended" }],
];

it.each(rows)("after a restart it finds %s", (_, kind, found, attempt, next) => {
  expect(onRestart(record({ kind, attempt }), found)).toEqual(next);
});

it("what was queued begins", () => {
  expect(onRestart(record({ state: "queued", attempt: 9 }), {})).toEqual({ do: "repeat" });
});

it("keeps a day, and at least a thousand", () => {
  const day = 24 * 3_600_000;
  const at = (n: number) => record({ id: `t-${n}`, state: "done", finishedAt: new Date(n * 1000).toISOString() });
  const many = Array.from({ length: 1003 }, (_, n) => at(n));
  expect(outdated(many, 2000 * 1000)).toEqual([]);
  expect(outdated(many, 10 * day)).toEqual(["t-2", "t-1", "t-0"]);
  expect(outdated([at(1), record({ id: "t-open" })], 10 * day)).toEqual([]);
});
