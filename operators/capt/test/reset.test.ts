// What ends a failure: a person who resets it, or edits the spec (11.3). It ends once, and what the edit says reaches the run.
import { afterEach, expect, test } from "vitest";
import { CAPTCluster, WorkspaceTemplate } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { type Demo, type DemoOptions, demo, minute, planeModule, reset, template, vpcModule } from "./demo.ts";

let on: Demo | undefined;
afterEach(() => on?.end());

async function fresh(options: DemoOptions = {}): Promise<Demo> {
  on = await demo(options);
  return on;
}

/** A network that is being made. */
async function making(): Promise<Demo> {
  const it = await fresh();
  await it.all();
  await it.pass(2_000);
  return it;
}

const failure = async (it: Demo) => (await it.the.network()).status?.failureReason;

test("AS-25 a token resets once, also over a restart", async () => {
  const it = await making();
  await it.pass(16 * minute);
  await it.annotate("network", reset("a"));
  await it.pass(2_000);
  expect(await failure(it)).toBeUndefined();
  await it.pass(16 * minute);
  expect(await failure(it)).toBeDefined();
  await it.annotate("network", reset("a"));
  await it.restart();
  await it.pass(2 * minute);
  expect(await failure(it)).toBeDefined();
  expect((await it.events(CAPTCluster)).filter((reason) => reason === "FailureReset")).toHaveLength(1);
});

test("AS-56 what the runner gives up on fails the network; a new template and a reset mend it", async () => {
  const it = await making();
  const name = (await it.the.workspace("demo-net-vpc"))?.metadata.name ?? "";
  const noted = { merge: { metadata: { annotations: { [annotations.errorClass]: "InvalidConfiguration" } } } };
  await it.client.patch(it.kinds.Workspace, { name }, noted);
  await it.vpcRuns({ synced: false, message: "InvalidConfiguration: no such block" });
  await it.pass(12_000);
  expect(await failure(it)).toBe("WorkspaceFailed");
  expect((await it.the.network()).status?.failureMessage).toBe(
    `workspace ${name}: InvalidConfiguration: no such block`,
  );
  await it.client.patch(it.kinds.Workspace, { name }, {
    merge: { metadata: { annotations: { [annotations.errorClass]: null } } },
  } as never);
  await it.vpcRuns();
  await it.annotate("network", reset("1"));
  await it.pass(2_000);
  expect((await it.the.network()).status).toMatchObject({ ready: true });
});

const shape = { metadata: {}, spec: { template: { spec: { forProvider: {} } } } };

/** Templates in which a variable decides something that may be wrong: for the renderer, or for the runner. */
const decided = {
  InvalidTemplate: { field: { initArgs: ["${it}"] }, right: "-upgrade", wrong: "-state=x", other: "-backup=x" },
  WorkspaceFailed: { field: { source: "${it}" }, right: "Inline", wrong: "Flux", other: "Remote" },
} as const;

/** A cluster one half of which has failed for good, by what its own spec says. */
async function failed(of: "network" | "plane", token: keyof typeof decided): Promise<Demo> {
  const it = await fresh({ runner: "simulated" });
  const { field, right, wrong } = decided[token];
  for (const [name, module] of [
    ["vpc", vpcModule],
    ["cp", planeModule],
  ] as const) {
    const { metadata, spec } = template(name, module) as typeof shape;
    const forProvider = { ...spec.template.spec.forProvider, ...field };
    await it.make(WorkspaceTemplate, { metadata, spec: { template: { spec: { forProvider } } } });
  }
  await it.cluster();
  await it.network({ variables: { it: of === "network" ? wrong : right } });
  await it.plane({ variables: { it: of === "plane" ? wrong : right } });
  await it.own();
  await it.pass(30_000);
  const { status } = await it.the[of]();
  expect([status?.failureReason, status?.failureMessage]).toEqual([token, expect.stringContaining(word(wrong))]);
  return it;
}
/** By which a message names what is wrong. */
const word = (value: string): string => value.split("=")[0] ?? "";

test.each([
  ["network", "WorkspaceFailed"],
  ["plane", "WorkspaceFailed"],
  ["network", "InvalidTemplate"],
  ["plane", "InvalidTemplate"],
] as const)("11.3 an edit of a %s that mends what it was given is enough: %s", async (of, token) => {
  const it = await failed(of, token);
  await it.edit(of, { variables: { it: decided[token].right } });
  const { status } = await it.the[of]();
  expect([status?.failureReason, status?.observedGeneration]).toEqual([undefined, 2]);
  await it.pass(30_000);
  expect((await it.the[of]()).status).toMatchObject({ ready: true });
});

test.each([
  ["network", "WorkspaceFailed"],
  ["plane", "InvalidTemplate"],
] as const)(
  "11.3 an edit of a %s that mends nothing fails again, and says what is wrong now: %s",
  async (of, token) => {
    const it = await failed(of, token);
    await it.edit(of, { variables: { it: decided[token].other } });
    await it.pass(30_000);
    const { status } = await it.the[of]();
    expect([status?.failureReason, status?.observedGeneration]).toEqual([token, 2]);
    expect(status?.failureMessage).toContain(word(decided[token].other));
  },
);
