// The modules that decide, and the test files that show what they decide. A test file that takes long stands last, or not at all.

export interface Decider {
  readonly module: string;
  readonly tests: readonly string[];
}

const folder = (at: string, modules: Readonly<Record<string, readonly string[]>>): readonly Decider[] =>
  Object.entries(modules).map(([name, others]) => ({
    module: `${at}/${name}.ts`,
    tests: [...new Set(others)].map((test) => (test.includes("/") ? test : `${at}/${test}.test.ts`)),
  }));

const job = ["plan", "status", "ledger", "counting", "ending", "failure-policy", "success-policy"];

export const modules: readonly Decider[] = [
  ...folder("packages/client/src", {
    retry: ["retry", "client"],
  }),
  ...folder("packages/runtime/src", {
    queue: ["queue"],
    transport: ["transport"],
  }),
  ...folder("packages/runtime/src/cache", {
    "follow-state": ["follow-state"],
    version: ["version"],
  }),
  ...folder("packages/runtime/src/lease", {
    active: ["active"],
    lease: ["lease"],
    trouble: ["trouble"],
  }),
  ...folder("packages/workloads/src/job", {
    backoff: ["backoff", ...job],
    counting: ["counting", ...job],
    ending: ["ending", ...job],
    indexes: ["indexes"],
    ledger: ["ledger", ...job],
    plan: ["plan", ...job],
  }),
  ...folder("operators/bindy/src/zone", {
    serial: ["serial"],
    targets: ["targets"],
  }),
  ...folder("operators/capt/src", {
    gate: ["gate"],
    failure: ["failure"],
  }),
  ...folder("operators/capt/src/runner", {
    choose: ["choose"],
    decide: ["decide"],
    pace: ["pace"],
  }),
];
