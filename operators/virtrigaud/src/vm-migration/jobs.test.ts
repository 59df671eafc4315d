// Migrations whose disks are converted by a Job, and removed by one from the claim of a person.
import { Job, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimSpec, mover } from "../../test/job-pods.ts";
import { ground, type Migrations, migrate, migrations } from "../../test/migrations.ts";
import type { ProviderOptions } from "../../test/stage.ts";
import { VMMigration } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { fail } from "../simulated/faults.ts";

const minute = 60_000;
let all: Migrations;
beforeAll(async () => {
  all = await migrations({ pods: { jobRunTime: 30_000 } });
});
afterAll(() => all.end());

/** Neither can remove what is staged; one reads raw only. */
const plain: ProviderOptions = { profile: mover(["qcow2"], []) };
const raw: ProviderOptions = {
  profile: mover(["raw"], []),
  status: { reportedCapabilities: { supportedImportFormats: ["raw"] } },
};
const storage = { type: "pvc", pvc: { name: "shared" } };
const retryPolicy = { maxRetries: 3, retryDelay: "1m" };

type Ground = Awaited<ReturnType<typeof ground>>;
async function shared(more: Parameters<typeof ground>[1]): Promise<Ground> {
  const g = await ground(all.s, more);
  await g.h.apply(PersistentVolumeClaim, "shared", claimSpec);
  all.s.staging.put(`pvc://shared/vmmigrations/${g.h.namespace}/a/mine`, new Uint8Array(1));
  return g;
}
const status = async ({ h }: Ground) => (await h.get(VMMigration, "a"))?.status;
/** Ten seconds at a time: every phase that is looked for lasts longer, and looking costs more than all the rest. */
async function comes(what: () => Promise<boolean>, limit: number) {
  for (let i = 0; !(await what()); i += 1) {
    if (i * 10_000 >= limit) throw new Error(`it did not happen within ${limit / 1_000} s`);
    await all.s.pass(10_000);
  }
}
const until = (g: Ground, wanted: string, limit = 5 * minute) =>
  comes(async () => (await status(g))?.phase === wanted, limit);
const tidy = (g: Ground, limit = 10 * minute) =>
  comes(async () => (await status(g))?.storageInfo?.cleanedUp === true, limit);
const jobs = async ({ h }: Ground) =>
  (await all.s.client.list(Job, { namespace: h.namespace })).items.map(({ metadata }) => metadata?.name);
const staged = ({ h }: Ground) =>
  all.s.staging.urls.filter((it) => it.includes(h.namespace)).map((it) => it.replace(/^.*\//, ""));
const events = async ({ h }: Ground, reason: string) =>
  (await h.events(VMMigration)).filter((it) => it.split(" ")[1] === reason);

const made = () => all.s.writes().filter(({ line }) => line.startsWith("POST") && line.endsWith("/jobs"));

describe("a disk that the target does not read", () => {
  it("is converted by one Job whoever dies meanwhile, verified on the way, and removed by another", async () => {
    const g = await shared({ from: plain, to: raw });
    await migrate(g.h, "a", { storage });
    await until(g, "Converting");
    const [job] = (await all.s.client.list(Job, { namespace: g.h.namespace })).items;
    expect(job?.spec?.template.spec?.containers).toMatchObject([
      { image: "example/qemu-img:dev", command: ["busybox", "sh", "-c", expect.any(String), "migration"] },
    ]);
    await all.s.restart();
    await all.s.pass(5_000);
    const said = "Job a-convert-1 converts qcow2 to raw";
    expect(await status(g)).toMatchObject({ message: said, progress: { currentPhase: "Converting", percentage: 60 } });
    expect(await g.h.says(VMMigration, "a")).toBe(`False Converting ${said}`);
    expect(await g.h.says(VMMigration, "a", "Transferring")).toBe("True Converting Converting the staged disk");
    await until(g, "Importing");
    expect(made().length).toBe(1);
    const { diskInfo, storageInfo } = (await status(g)) ?? {};
    expect(diskInfo?.checksum).toMatch(/^[0-9a-f]{64}$/);
    expect(diskInfo?.checksum).not.toBe(diskInfo?.sourceChecksum);
    expect(storageInfo?.url).toBe(`pvc://shared/vmmigrations/${g.h.namespace}/a/export-1-converted.raw`);
    await until(g, "Ready");
    expect(g.next.asked("importDisk").map(({ request }) => request)).toMatchObject([
      { format: "raw", sourceUrl: storageInfo?.url, verifyChecksum: true, expectedChecksum: diskInfo?.checksum },
    ]);
    expect((await status(g))?.validationResults).toEqual({ diskSizeMatch: true });
    await all.s.restart();
    await all.s.pass(5_000);
    expect((await status(g))?.message).toBe(
      "VM migration completed successfully; Job a-remove removes what was staged on claim shared",
    );
    expect((await g.h.get(PersistentVolumeClaim, "shared"))?.metadata?.labels).toBeDefined();
    await tidy(g);
    expect(made().length).toBe(1);
    expect(staged(g)).toEqual(["mine"]);
    expect(await jobs(g)).toEqual([]);
    expect((await g.h.get(PersistentVolumeClaim, "shared"))?.metadata?.labels ?? {}).toEqual({});
    expect(await events(g, "CleanupStarted")).toEqual([
      "Normal CleanupStarted Job a-remove removes export-1.qcow2, export-1-converted.raw from claim shared",
    ]);
    expect(await events(g, "ConversionStarted")).toEqual([
      "Normal ConversionStarted Job a-convert-1 converts qcow2 to raw",
    ]);
    expect((await g.h.get(VMMigration, "a"))?.metadata.annotations ?? {}).toEqual({});
    expect(g.h.complaints().filter((it) => !it.includes("the process is gone"))).toEqual([]);
  });

  it("is converted again by the Job of another name after a failure, and exported again where it is no good", async () => {
    const g = await shared({ from: plain, to: raw });
    const heal = all.rules?.add({ match: { namespace: g.h.namespace }, exitCode: 1, exitAfter: 1_000 });
    await migrate(g.h, "a", { storage, options: { retryPolicy } });
    await until(g, "Failed");
    expect(await g.h.says(VMMigration, "a", "Failed")).toBe(
      "True StorageError Job a-convert-1 could not convert qcow2 to raw: exit code 1",
    );
    expect((await status(g))?.progress?.currentPhase).toBe("Converting");
    heal?.();
    all.s.staging.put(`pvc://shared/vmmigrations/${g.h.namespace}/a/export-1.qcow2`, new Uint8Array(3));
    await until(g, "Converting");
    expect(await jobs(g)).toEqual(["a-convert-1", "a-convert-1-r1"]);
    await until(g, "Failed");
    expect((await status(g))?.message).toMatch(/^Job a-convert-1-r1 could not convert qcow2 to raw: the staged disk/);
    await until(g, "Ready", 8 * minute);
    expect(g.old.asked("exportDisk").length).toBe(2);
    await tidy(g);
    expect([staged(g), await jobs(g)]).toEqual([["mine"], []]);
  });

  it("S27 is not converted for ever: the Job has its time, and ends with the migration", async () => {
    const g = await shared({ from: plain, to: raw });
    const heal = all.rules?.add({ match: { namespace: g.h.namespace }, pullError: { message: "no such image" } });
    await migrate(g.h, "a", { storage, options: { timeout: "5m", retryPolicy } });
    await until(g, "Converting");
    const [job] = (await all.s.client.list(Job, { namespace: g.h.namespace })).items;
    expect(job?.spec?.activeDeadlineSeconds).toBeLessThanOrEqual(300);
    await all.s.pass(5_000);
    expect((await status(g))?.message).toMatch(/^Job a-convert-1 is to convert qcow2 to raw: \w+: .*no such image/);
    await tidy(g, 6 * minute);
    const why = "Migration failed after 0 retries: it took longer than 5m";
    expect(await g.h.says(VMMigration, "a")).toBe(`False Timeout ${why}`);
    expect((await status(g))?.message).toBe(why);
    expect([staged(g), await jobs(g)]).toEqual([["export-1.qcow2", "mine"], []]);
    heal?.();
  });
});

describe("what was staged on the claim of a person", () => {
  it("S28 is removed after a failure, where the policy says so: whatever somebody lists, only the migration's own", async () => {
    const g = await shared({ from: plain, to: plain });
    const folder = `pvc://shared/vmmigrations/${g.h.namespace}`;
    const hostile = [
      `${folder}/a/../b/export-1.qcow2`,
      `${folder}/b/export-1.qcow2`,
      `${folder}/a/-rf`,
      `${folder}/a/export-1.qcow2 /`,
      `${folder}/a/export-1.qcow2\n-rf`,
      `${folder}/a/export-1.'$(reboot)'`,
      `pvc://other/vmmigrations/${g.h.namespace}/a/export-1.qcow2`,
      `${folder}/a/mine`,
    ];
    for (const url of hostile) all.s.staging.put(url, new Uint8Array(1));
    g.next.script("importDisk", fail("no room"));
    await migrate(g.h, "a", { storage, options: { cleanupPolicy: "Always" } });
    await until(g, "Importing");
    const known = (await g.h.get(VMMigration, "a"))?.metadata.annotations?.[annotations.stagedObjects] ?? "[]";
    const list = JSON.stringify([...hostile, ...(JSON.parse(known) as readonly string[])]);
    await g.h.patch(VMMigration, "a", { metadata: { annotations: { [annotations.stagedObjects]: list } } });
    await until(g, "Failed");
    await all.s.pass(2_000);
    const why = "Migration failed after 0 retries: no room";
    expect((await status(g))?.message).toBe(`${why}; Job a-remove removes what was staged on claim shared`);
    const [job] = (await all.s.client.list(Job, { namespace: g.h.namespace })).items;
    expect(job?.spec?.template.spec?.containers[0]?.args).toEqual([
      "/staging",
      `vmmigrations/${g.h.namespace}/a`,
      "export-1.qcow2",
    ]);
    await tidy(g);
    expect((await status(g))?.message).toBe(why);
    expect(all.s.staging.get(`${folder}/a/export-1.qcow2`)).toBeUndefined();
    for (const url of hostile) expect(all.s.staging.get(url), url).toBeDefined();
    // Two of them are one file.
    const told = (await events(g, "StagingObjectRetained")).filter((it) => it.includes("was not touched"));
    expect(told.length).toBe(hostile.length - 1);
  });

  it("is removed by another Job five minutes after one that failed, and the message says why", async () => {
    const g = await shared({ from: plain, to: plain });
    const heal = all.rules?.add({ match: { namespace: g.h.namespace }, exitCode: 1, exitAfter: 1_000 });
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b" }] } };
    await g.h.apply(Job, "a-remove", { suspend: true, template });
    await migrate(g.h, "a", { storage });
    await until(g, "Ready");
    await all.s.pass(2_000);
    const url = `pvc://shared/vmmigrations/${g.h.namespace}/a/export-1.qcow2`;
    expect((await status(g))?.message).toBe(`Could not remove ${url}: Job a-remove is somebody else's`);
    await g.h.remove(Job, "a-remove");
    await all.s.pass(5 * minute + 10_000);
    expect((await status(g))?.message).toBe("Could not remove a-remove: exit code 1");
    expect((await events(g, "CleanupErrors")).length).toBe(2);
    heal?.();
    await tidy(g, 7 * minute);
    expect(staged(g)).toEqual(["mine"]);
  });
});

describe("a migration that is deleted", () => {
  it("waits for no Job where the claim of the person is gone", async () => {
    const g = await shared({ from: plain, to: plain });
    await migrate(g.h, "a", { storage, options: { cleanupPolicy: "Always" } });
    await until(g, "Importing");
    await g.h.remove(PersistentVolumeClaim, "shared");
    await g.h.remove(VMMigration, "a");
    await comes(async () => (await g.h.get(VMMigration, "a")) === undefined, 3 * minute);
    expect(made()).toEqual([]);
  });

  it("S33 while its disk is converted: the Job ends before the files are removed, and all is gone", async () => {
    const g = await shared({ from: plain, to: raw });
    await migrate(g.h, "a", { storage, options: { cleanupPolicy: "Always" } });
    await until(g, "Converting");
    await all.s.pass(5_000);
    await g.h.remove(VMMigration, "a");
    await comes(async () => (await g.h.get(VMMigration, "a")) === undefined, 5 * minute);
    expect(staged(g)).toEqual(["mine"]);
    await all.s.pass(minute);
    expect(await jobs(g)).toEqual([]);
    expect((await g.h.get(PersistentVolumeClaim, "shared"))?.metadata?.labels ?? {}).toEqual({});
  });

  it("is let go after ten minutes, where the Job that removes its files cannot run, and says what it leaves", async () => {
    const g = await shared({ from: plain, to: plain });
    const heal = all.rules?.add({ match: { namespace: g.h.namespace }, pullError: {} });
    await migrate(g.h, "a", { storage, options: { cleanupPolicy: "Always" } });
    await until(g, "Importing");
    await g.h.remove(VMMigration, "a");
    await all.s.pass(9 * minute);
    expect((await status(g))?.message).toMatch(/^Job a-remove removes what was staged on claim shared: /);
    await comes(async () => (await g.h.get(VMMigration, "a")) === undefined, 2 * minute);
    const [gaveUp = ""] = await events(g, "CleanupGaveUp");
    expect(gaveUp).toContain(`pvc://shared/vmmigrations/${g.h.namespace}/a/export-1.qcow2`);
    heal?.();
  });
});
