// Section 18.1: the rights of the table are enough for all that the operator does, and it needs each of them.
import { formatTime } from "@telltale/kinds";
import { Job } from "@telltale/kinds/builtin";
import type { PolicyRule } from "@telltale/runtime";
import { afterEach, expect, test } from "vitest";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { operatorRights } from "./allowed-rights.ts";
import { namespace, type Stage, stage } from "./stage.ts";

let on: Stage;
afterEach(() => on.end());

/** A test that begins anew, gets stuck on a volume, fails, is stopped, and is deleted. */
async function life(rights: readonly PolicyRule[]): Promise<void> {
  on = await stage({ rights, config: { onJobDeleted: "Recreate" } });
  await on.make();
  on.tell({ connectedWorkers: 0, isLoaded: false });
  await on.job("master", { active: 1, startTime: formatTime(on.clock.now()) });
  await on.client.delete(Job, { name: "demo-master", namespace }, { propagation: "Background" });
  await on.pass(5000);
  await on.job("master", { active: 1 });
  const state = { waiting: { reason: "ContainerCreating" } };
  const creating = { name: "demo-worker", image: "", imageID: "", ready: false, restartCount: 0, state };
  await on.pod("worker", "w1", { phase: "Pending", containerStatuses: [creating] });
  await on.pass(1_000_000);
}

test("the rights of the table are enough", async () => {
  await life(operatorRights());
  expect(on.complaints).toEqual([]);
  expect((await on.status()).phase).toBe("Failed");
  expect((await on.jobs()).map(({ spec }) => spec?.suspend)).toEqual([true, true]);
  expect(await on.events()).toEqual(expect.arrayContaining(["Created", "ResourceDeleted", "PodFailure", "TestFailed"]));
  await on.client.delete(LocustTest, { name: "demo", namespace }, { propagation: "Background" });
  await on.pass(1000);
  await expect(on.test()).rejects.toMatchObject({ code: 404 });
  expect(await on.events()).toContain("Deleting");
});

test.each([
  ["locusttests", "patch"],
  ["locusttests/status", "patch"],
  ["jobs", "create"],
  ["jobs", "delete"],
  ["jobs", "patch"],
  ["services", "create"],
])("without the right on %s to %s it cannot do its work", async (resource, verb) => {
  const less = operatorRights().map((rule) =>
    rule.resources?.includes(resource) === true ? { ...rule, verbs: rule.verbs.filter((it) => it !== verb) } : rule,
  );
  await life(less).catch(() => {}); // where a Job is missing, nobody can change it
  const complained = on.complaints.length > 0 || (await on.told("CreateFailed")).length > 0;
  expect(complained).toBe(true);
});
