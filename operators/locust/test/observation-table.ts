// What each condition that can be True rests on, how old that may be, and what ends it: the table of docs/observations.md, and of the
// test that takes each observation away.
import type { Ms } from "@telltale/kinds";
import type { LocustTest } from "../src/kinds/locust-test.ts";

/** Ways to take an observation away: see `observation-table.test.ts`. */
export type Away =
  | "the worker Job is deleted"
  | "its pods are deleted, and none comes in their place"
  | "nothing is heard of the node of a worker any more"
  | "the API server does not say whether a missing Job was deleted"
  | "Locust counts a worker less"
  | "the web API does not answer any more, and nothing is heard of the workers' node"
  | "the web API does not answer any more"
  | "the web API answers with something else"
  | "the master has ended"
  | "the test has ended"
  | "the test has failed"
  | "the spec is edited back";

/** What keeps a condition that is said at the end of a test from being True. */
export type Lack =
  | "the master pod ended well, and its Job does not say so"
  | "the web API did not answer in the second half of the load"
  | "Locust counted a worker less in the middle of the load"
  | "the load was stopped at half of its time";

export interface Row {
  readonly condition: keyof typeof LocustTest.conditions.types;
  readonly restsOn: string;
  readonly age: string;
  /** After that it is not True any more, whichever way its observation was taken. */
  readonly goneAfter: Ms;
  readonly ends: readonly Away[];
  /** For what is said at the end, and stays: without which it is never said. */
  readonly never?: readonly Lack[];
}

export const rows: readonly Row[] = [
  {
    condition: "Ready",
    restsOn:
      "the Service and both Jobs, and pods for each of them, from the watches. Before one is said to be deleted the API server is asked",
    age: "at once: from the watch",
    goneAfter: 0,
    ends: [
      "the worker Job is deleted",
      "its pods are deleted, and none comes in their place",
      "the API server does not say whether a missing Job was deleted",
    ],
  },
  {
    condition: "WorkersConnected",
    restsOn:
      "the number of workers that the master's web API counts (`workersSource: LocustAPI`). Where it cannot be read: ready worker pods, from the status of the worker Job (`JobStatus`), and then nobody knows whether they are connected",
    age: "11 seconds (`TELEMETRY_INTERVAL_SECONDS`); while the web API fails 60 seconds (`TELEMETRY_STALE_SECONDS`), and then as old as the Job's status",
    goneAfter: 71_000,
    ends: [
      "the worker Job is deleted",
      "Locust counts a worker less",
      "the web API does not answer any more, and nothing is heard of the workers' node",
      "the test has failed",
      "the API server does not say whether a missing Job was deleted",
    ],
  },
  {
    condition: "TestCompleted",
    restsOn: "the final condition of the master Job; or the operator has given up, and the message says why",
    age: "final: it tells of the past",
    goneAfter: 0,
    ends: [],
    never: ["the master pod ended well, and its Job does not say so"],
  },
  {
    condition: "PodsHealthy",
    restsOn: "the pods of both Jobs, from the watch: all are there, run and are ready",
    age: "at once: from the watch. A node that does not answer is noticed by Kubernetes after 50 seconds",
    goneAfter: 0,
    ends: [
      "its pods are deleted, and none comes in their place",
      "nothing is heard of the node of a worker any more",
      "the API server does not say whether a missing Job was deleted",
    ],
  },
  {
    condition: "LoadComplete",
    restsOn:
      "what the web API said during the load: that there was load until its run time was up (two intervals before it are enough where the master then ended well), and never fewer workers than before; and the pods of workers, of which none failed",
    age: "final: it tells of the past",
    goneAfter: 0,
    ends: [],
    never: [
      "the web API did not answer in the second half of the load",
      "Locust counted a worker less in the middle of the load",
      "the load was stopped at half of its time",
    ],
  },
  {
    condition: "SpecDrifted",
    restsOn: "the hash of the spec, compared with that which the resources were made from",
    age: "at once: it is the object itself that says so",
    goneAfter: 0,
    ends: ["the spec is edited back"],
  },
  {
    condition: "TelemetryAvailable",
    restsOn: "the last answer of the master's web API, with Locust's statistics",
    age: "45 seconds: it ends with the third failure in a row",
    goneAfter: 45_000,
    ends: [
      "the web API does not answer any more",
      "the web API answers with something else",
      "the master has ended",
      "the test has ended",
      "the API server does not say whether a missing Job was deleted",
    ],
  },
];

/** The page. */
export function page(): string {
  const lines = rows.map(({ condition, restsOn, age, ends, never = [] }) => {
    const lasts = never.length === 0 ? "" : `never said where: ${never.join("; ")}`;
    return `| \`${condition}\` | ${restsOn} | ${age} | ${lasts || ends.join("; ")} |`;
  });
  return `${head}${lines.join("\n")}\n`;
}

const head = `# What each condition rests on

For each condition that can be True: the observation that it rests on, how old that may be, and what ends it. What was not asked or not
answered is Unknown with the reason, or absent. A test takes each observation away and sees that the True goes.

- **The phase** is that of the master Job: \`Running\` says that the Job is active, also while its pod pulls an image or nothing is heard of
  its node. \`status.masterStartTime\` is there once its container has run, \`progress.loadStartTime\` once there was load.
- **A finished test** tells of the past: its conditions, numbers and \`connectedWorkers\` are as they were last seen, and only \`SpecDrifted\` changes.
  \`status.masterStartTime\` is filled in where the pods of the master are seen only after the end.
- **Numbers.** \`testResult\` and \`progress\` are those of the last answer, whose time is \`testResult.sampleTime\`. \`progress.currentUsers\` is
  absent once the web API was not read for 60 seconds, or the end of the load was not seen.
- **Watches.** Where a watch breaks, what it said last holds until it works again; \`/readyz\` of the operator names it meanwhile.
- **Events** tell a change of a condition, and are as old as they are.

| Condition | Rests on | How old that may be | Ends when |
|---|---|---|---|
`;
