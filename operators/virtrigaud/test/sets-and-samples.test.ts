// The samples of a fleet and of a migration, as the README has a person use them, beside each other and the machine that they build on.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { VirtualMachine, VMMigration, VMSet, virtrigaudKinds } from "../src/kinds/index.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { pathOf } from "./definitions.ts";
import { namespace } from "./stage.ts";
import { type Whole, whole } from "./whole.ts";

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
const minute = 60_000;

let it: Whole;
let box: SimulatedHost;
let next: SimulatedHost;
beforeAll(async () => {
  it = await whole();
  [box, next] = [it.host("box"), it.host("next-box")];
  for (const file of ["machine", "fleet", "migration"]) await it.create(read(`samples/${file}.yaml`));
});
afterAll(() => it.end());

/** As by `kubectl apply -f`. */
async function apply(file: string): Promise<void> {
  for (const document of read(file).split(/^---$/m)) {
    const kind = virtrigaudKinds.find((one) => document.includes(`\nkind: ${one.kind}\n`));
    const name = /^ {2}name: (\S+)$/m.exec(document)?.[1];
    const { status, body } = await it.server.client({
      method: "PATCH",
      path: `${kind && pathOf(kind, namespace)}/${name}?fieldManager=person&force=true&fieldValidation=Strict`,
      headers: { "content-type": "application/apply-patch+yaml", accept: "application/json" },
      body: document,
    });
    expect([200, 201], body).toContain(status);
  }
}

const machines = async () => {
  const { items } = await it.client.list(VirtualMachine, { namespace });
  return items.map(({ metadata, spec, status }) => `${metadata.name} ${spec.imageRef?.name} ${status?.phase}`).sort();
};

test("they settle, and take nothing away from the machine of the other sample", async () => {
  const isThrough = async () => (await it.get(VMMigration, "mover-to-next"))?.status?.storageInfo?.cleanedUp === true;
  await it.until(isThrough, 5 * minute);
  await it.ready(2 * minute);
  expect((await it.get(VMMigration, "mover-to-next"))?.status).toMatchObject({
    phase: "Ready",
    message: "Migration completed, cleanup finished",
    validationResults: { diskSizeMatch: true, checksumMatch: true },
  });
  const fleet = ["fleet-0 tiny Running", "fleet-1 tiny Running", "fleet-2 tiny Running"];
  // The one that went is off for good: it was made while the migration waited for it, and was to be on.
  expect(await machines()).toEqual([
    ...fleet,
    "mover tiny Stopped",
    "mover-next undefined Running",
    "web tiny Running",
  ]);
  expect(box.machines.map(({ name }) => name).sort()).toEqual(["fleet-0", "fleet-1", "fleet-2", "mover", "web"]);
  expect(next.machines.map(({ name }) => name)).toEqual(["mover-next"]);
  expect(it.lines).toEqual([]);
});

test("the fleet is rolled through an update, the highest first, and two machines are always there", async () => {
  await apply("docs/fleet-update.yaml");
  const steps: string[] = [];
  let fewest = 3;
  await it.until(async () => {
    const { updateStatus, readyReplicas = 0 } = (await it.get(VMSet, "fleet"))?.status ?? {};
    const step = updateStatus?.message ?? "";
    if (steps.at(-1) !== step) steps.push(step);
    if (updateStatus !== undefined) fewest = Math.min(fewest, readyReplicas);
    return updateStatus?.phase === "Completed";
  }, 10 * minute);
  expect(steps.filter((step) => step.includes("/"))).toEqual(
    ["0/3", "1/3", "2/3", "3/3"].map((it) => `${it} VMs updated`),
  );
  expect(fewest).toBe(2);
  const made = box.asked("create").map(({ request }) => request.name);
  expect(made.slice(-3)).toEqual(["fleet-2", "fleet-1", "fleet-0"]);
  expect((await machines()).filter((line) => line.startsWith("fleet"))).toEqual(
    [0, 1, 2].map((i) => `fleet-${i} tiny-2 Running`),
  );
});
