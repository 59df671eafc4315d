// The modules that decide, and the test files that show what they decide. A test file that takes long stands last, or not at all.

export interface Decider {
  readonly module: string;
  readonly tests: readonly string[];
}

const folder = (at: string, modules: Readonly<Record<string, readonly string[]>>): readonly Decider[] =>
  Object.entries(modules).map(([name, others]) => ({
    module: `${at}/${name}.ts`,
    tests: others.map((test) => (test.includes("/") ? test : `${at}/${test}.test.ts`)),
  }));

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
    ring: ["ring"],
    trouble: ["trouble"],
  }),
  ...folder("packages/workloads/src/job", {
    backoff: ["backoff"],
    counting: ["counting", "ledger", "status"],
    ending: ["ending", "plan", "status"],
    indexes: ["indexes"],
    ledger: ["ledger", "counting", "status"],
    plan: ["plan"],
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
