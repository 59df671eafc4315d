// Which figures of a workload are shown, in which unit, and what is aimed at.

export interface Row {
  /** Its name among the figures of the workload. */
  readonly figure: string;
  readonly what: string;
  readonly unit: string;
  readonly scale?: number;
  readonly aim?: Aim;
}

export type Aim =
  | { readonly is: "ratio"; readonly value: number } // ours to controller-runtime's, at most
  | { readonly is: "at most"; readonly value: number }
  | { readonly is: "exactly"; readonly value: number };

const ratio = (value: number): Aim => ({ is: "ratio", value });
const atMost = (value: number): Aim => ({ is: "at most", value });
const exactly = (value: number): Aim => ({ is: "exactly", value });

const seconds = { unit: "s", scale: 0.001 };

const convergence: readonly Row[] = [
  { figure: "p50", what: "spec to status, p50", unit: "ms", aim: ratio(0.9) },
  { figure: "p99", what: "spec to status, p99", unit: "ms", aim: ratio(0.75) },
  { figure: "p999", what: "spec to status, p99.9", unit: "ms" },
  { figure: "own50", what: "the driver's own writes, p50", unit: "ms" },
  { figure: "own99", what: "the driver's own writes, p99", unit: "ms" },
  { figure: "status50", what: "its status writes, in the server, p50", unit: "ms" },
  { figure: "status99", what: "its status writes, in the server, p99", unit: "ms" },
  { figure: "rate", what: "convergences", unit: "/s" },
  { figure: "cpuEach", what: "operator's CPU, each", unit: "ms", aim: ratio(0.6) },
  { figure: "apiserverCpuPer1000", what: "API server's CPU for 1,000", unit: "s", aim: ratio(1) },
  { figure: "etcdCpuPer1000", what: "etcd's CPU for 1,000", unit: "s" },
  { figure: "writesEach", what: "status writes, each", unit: "writes", aim: exactly(1) },
  { figure: "reconcilesEach", what: "reconciles, each", unit: "runs" },
  { figure: "conflicts", what: "writes refused (409, 422)", unit: "answers" },
  { figure: "throttled", what: "requests refused (429)", unit: "answers" },
  { figure: "watches", what: "watches begun again", unit: "watches" },
  { figure: "peak", what: "resident at most", unit: "MB" },
];

const rows: readonly (readonly [RegExp, readonly Row[]])[] = [
  [
    /^W1$/,
    [
      { figure: "wall", what: "start to all reconciled once", ...seconds },
      { figure: "cpu", what: "operator's CPU to sync", ...seconds, aim: ratio(0.5) },
      { figure: "peak", what: "resident at most", unit: "MB" },
      { figure: "received", what: "received", unit: "MB" },
      { figure: "apiserverCpu", what: "API server's CPU", ...seconds },
      { figure: "etcdCpu", what: "etcd's CPU", ...seconds },
      { figure: "statusWrites", what: "status writes", unit: "writes", aim: exactly(0) },
    ],
  ],
  [
    /^W2$/,
    [
      { figure: "rss", what: "resident when steady", unit: "MB", aim: ratio(1) },
      { figure: "perObject", what: "resident for each object, above an empty operator", unit: "KB" },
    ],
  ],
  [
    /^W3 1 writer$/,
    convergence.filter(({ figure }) => ["p50", "p99", "own50", "status50", "cpuEach", "writesEach"].includes(figure)),
  ],
  [/^W3 /, convergence],
  [/^W4$/, [{ figure: "wall", what: "until all have converged", ...seconds }, ...convergence.slice(7)]],
  [
    /^W5$/,
    [
      { figure: "writesPerFlip", what: "parent writes for each child that changes", unit: "writes", aim: atMost(0.2) },
      { figure: "reconcilesPerFlip", what: "reconciles for each child that changes", unit: "runs" },
      { figure: "cpuPer10000", what: "operator's CPU for 10,000 changes", unit: "s", aim: atMost(15) },
      { figure: "apiserverCpuPer10000", what: "API server's CPU for 10,000 changes", unit: "s" },
      { figure: "lag50", what: "child to parent, p50", unit: "ms" },
      { figure: "lag99", what: "child to parent, p99", unit: "ms" },
      { figure: "conflicts", what: "writes refused (409, 422)", unit: "answers" },
    ],
  ],
  [
    /^W8$/,
    [
      { figure: "writes", what: "writes", unit: "writes", aim: exactly(0) },
      { figure: "cpuHour", what: "operator's CPU in an hour", unit: "s", aim: atMost(1) },
      { figure: "watchesHour", what: "watches begun in an hour", unit: "watches" },
      { figure: "listsHour", what: "lists in an hour", unit: "lists" },
      { figure: "rss", what: "resident", unit: "MB" },
    ],
  ],
  [
    /^W9 /,
    [
      { figure: "recovery", what: "connection back to all converged", unit: "ms" },
      { figure: "missed", what: "changes never followed", unit: "objects", aim: exactly(0) },
      { figure: "lists", what: "lists", unit: "lists" },
      { figure: "received", what: "received", unit: "MB" },
      { figure: "cpu", what: "operator's CPU", unit: "ms" },
      { figure: "statusWrites", what: "status writes", unit: "writes" },
    ],
  ],
  [
    /^W11$/,
    [
      { figure: "import", what: "load the library", unit: "ms", aim: atMost(150) },
      { figure: "importRss", what: "resident with the library loaded", unit: "MB", aim: atMost(60) },
      { figure: "firstList", what: "start to first list", unit: "ms", aim: atMost(300) },
      { figure: "rss", what: "resident, nothing to do", unit: "MB" },
      { figure: "cpu", what: "CPU of 2 s with nothing to do", unit: "ms" },
    ],
  ],
];

export function rowsOf(section: string): readonly Row[] {
  return rows.find(([pattern]) => pattern.test(section))?.[1] ?? [];
}
