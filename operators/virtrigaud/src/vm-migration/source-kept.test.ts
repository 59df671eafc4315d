// The source of a migration is the last copy until the new machine is proven: it is deleted only then, whatever was lost meanwhile.
import { afterAll, beforeAll, expect, test } from "vitest";
import { machine } from "../../test/machines.ts";
import { ground, type Migrations, migrate, migrations } from "../../test/migrations.ts";
import { VirtualMachine, VMMigration } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { refuse, repeat } from "../simulated/faults.ts";

let all: Migrations;
beforeAll(async () => {
  all = await migrations();
});
afterAll(() => all.s.end());

const minute = 60_000;
const proven = { diskSizeMatch: true, checksumMatch: true };

/** A migration that is through when a manager starts, with its source still there. */
async function through(results: object = proven) {
  const { s } = all;
  const g = await ground(s);
  const { h, next } = g;
  const held = { annotations: { [annotations.paused]: "true" } };
  await migrate(h, "a", { source: { deleteAfterMigration: true }, metadata: held });
  const { uid } = (await h.get(VMMigration, "a"))?.metadata ?? {};
  await h.patch(VirtualMachine, "web", {
    metadata: {
      annotations: {
        [annotations.migrationLock]: `${h.namespace}/a/${uid}`,
        [annotations.preMigrationPowerState]: "On",
      },
    },
    spec: { powerState: "Off" },
  });
  const id = await machine(s, next, "web2", {
    namespace: h.namespace,
    provider: { name: "new" },
    metadata: { annotations: { [annotations.migration]: `${h.namespace}/a` } },
  });
  await s.pass(10_000);
  await h.status(VMMigration, "a", {
    phase: "Ready",
    targetVMID: id,
    targetVMRef: { name: "web2" },
    validationResults: results,
    startTime: h.at(0),
    completionTime: h.at(1_000),
  });
  return {
    ...g,
    goOn: () => h.patch(VMMigration, "a", { metadata: { annotations: { [annotations.paused]: null } } }),
    source: () => h.get(VirtualMachine, "web"),
    isTidy: async () => (await h.get(VMMigration, "a"))?.status?.storageInfo?.cleanedUp === true,
    message: async () => (await h.get(VMMigration, "a"))?.status?.message,
    retained: async () => (await h.events(VMMigration)).filter((it) => it.includes("SourceRetained")),
  };
}

test("a new machine that is proven and there: the old one goes", async () => {
  const g = await through();
  await g.goOn();
  await all.s.until(g.isTidy, 3 * minute);
  await all.s.pass(minute);
  expect(await g.source()).toBeUndefined();
  expect(await g.retained()).toEqual([]);
});

test("a new machine that somebody has deleted meanwhile: the old one stays, and is switched on again", async () => {
  const g = await through();
  await g.h.remove(VirtualMachine, "web2");
  await all.s.until(async () => (await g.h.get(VirtualMachine, "web2")) === undefined, 3 * minute);
  await g.goOn();
  await all.s.until(g.isTidy, 3 * minute);
  expect(await g.source()).toMatchObject({ spec: { powerState: "On" } });
  expect((await g.source())?.metadata.deletionTimestamp).toBeUndefined();
  expect((await g.source())?.metadata.annotations ?? {}).not.toHaveProperty(annotations.migrationLock);
  expect(await g.retained()).toEqual([
    `Warning SourceRetained Source VM web is not deleted: VirtualMachine ${g.h.namespace}/web2 is gone`,
  ]);
});

test("another machine under the name of the new one: the old one stays as it is", async () => {
  const g = await through();
  await g.h.status(VMMigration, "a", { targetVMID: "vm-of-another-life" });
  await g.goOn();
  await all.s.until(g.isTidy, 3 * minute);
  expect(await g.source()).toMatchObject({ spec: { powerState: "Off" } });
  expect(await g.retained()).toEqual([
    `Warning SourceRetained Source VM web is not deleted: VirtualMachine ${g.h.namespace}/web2 is not the one that was checked`,
  ]);
});

test.each([
  [{ checksumMatch: true }, "the size of the new disk could not be checked"],
  [{ diskSizeMatch: true }, "the new disk could not be checked by a checksum"],
])("a check that is asked for and could not be made (%o): the old one stays", async (results, why) => {
  const g = await through(results);
  await g.goOn();
  await all.s.until(g.isTidy, 3 * minute);
  expect(await g.source()).toBeDefined();
  expect((await g.retained())[0]).toContain(`Source VM web is not deleted: ${why}`);
});

test("a provider of the new machine that is away: the old one waits until it is back", async () => {
  const g = await through();
  g.next.everywhere(repeat(refuse("UNAVAILABLE", "host is away")));
  await g.goOn();
  await all.s.pass(10 * minute);
  expect((await g.source())?.metadata.deletionTimestamp).toBeUndefined();
  expect(await g.message()).toMatch(
    /web is kept meanwhile: .* is not Ready|web: kept, as provider new does not confirm/,
  );
  g.next.heal();
  await all.s.until(g.isTidy, 15 * minute);
  await all.s.pass(minute);
  expect(await g.source()).toBeUndefined();
});

test("a new machine that is lost on its provider, which the cache does not know: the old one stays", async () => {
  const g = await through();
  g.next.script("describe", repeat(refuse("NOT_FOUND", "no such machine")));
  await g.goOn();
  const said = "web: kept, as provider new does not confirm the new VM web2: no such machine";
  await all.s.until(async () => (await g.message())?.includes(said) === true, 10_000);
  await all.s.pass(30 * minute);
  expect((await g.source())?.metadata.deletionTimestamp).toBeUndefined();
});
