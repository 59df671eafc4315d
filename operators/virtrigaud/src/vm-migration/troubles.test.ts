// Machines that go to another provider while something goes wrong.
import { Deployment } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claim, ground, type Migrations, migrate, migrations, s3 } from "../../test/migrations.ts";
import { Provider, VirtualMachine, VMMigration, VMSnapshot } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { answer, hang, refuse, repeat } from "../simulated/faults.ts";

const minute = 60_000;
let all: Migrations;
beforeAll(async () => {
  all = await migrations();
});
afterAll(() => all.s.end());

type Ground = Awaited<ReturnType<typeof ground>>;
const status = async ({ h }: Ground, name = "a") => (await h.get(VMMigration, name))?.status;
const phase = async (g: Ground, name = "a") => (await status(g, name))?.phase;
const until = (g: Ground, wanted: string, limit = 5 * minute) =>
  all.s.until(async () => (await phase(g)) === wanted, limit);
async function tidy(g: Ground, limit = 5 * minute) {
  await all.s.pass(limit / 5); // at one go: looking every second costs more than all the rest
  await all.s.until(async () => (await status(g))?.storageInfo?.cleanedUp === true, limit);
}
const says = ({ h }: Ground, type = "Ready", name = "a") => h.says(VMMigration, name, type);
const exports = ({ old }: Ground) =>
  old.asked("exportDisk").map(({ request }) => request.destinationUrl.replace(/^.*\//, ""));
const imports = ({ next }: Ground) => next.asked("importDisk").map(({ request }) => request.targetName);
const staged = ({ h }: Ground) => all.s.staging.urls.filter((it) => it.includes(h.namespace));
const marks = async ({ h }: Ground, name = "web") => (await h.get(VirtualMachine, name))?.metadata.annotations ?? {};
const retryPolicy = { maxRetries: 3, retryDelay: "5m" };

describe("an attempt that fails", () => {
  it("S23 source provider down during export: it is exported again under another key, from the same snapshot", async () => {
    const g = await ground(all.s);
    g.old.script("exportDisk", refuse("UNAVAILABLE", "host is away"));
    await migrate(g.h, "a", { options: { retryPolicy } });
    await until(g, "Failed");
    expect(await says(g)).toBe("False ProviderError host is away");
    expect(await says(g, "Failed")).toBe("True ProviderError host is away");
    expect(await says(g, "Exporting")).toBe("False ProviderError host is away");
    expect((await status(g))?.progress?.currentPhase).toBe("Exporting");
    await all.s.pass(4 * minute);
    expect(await phase(g)).toBe("Failed");
    await all.s.pass(minute + 5_000);
    expect(await status(g)).toMatchObject({ phase: "Exporting", retryCount: 1 });
    expect(await says(g, "Failed")).toBe("False Retrying Retrying migration (attempt 1/3)");
    await tidy(g);
    expect(exports(g)).toEqual(["export-1.qcow2", "export-2.qcow2"]);
    expect(g.old.asked("snapshotCreate").length).toBe(1);
    expect(await says(g)).toMatch(/^True Completed/);
    expect(await says(g, "Failed")).toMatch(/^False Completed/);
    expect(staged(g)).toEqual([]);
  });

  it("a provider that is too busy to export or import is asked again, for the same", async () => {
    const g = await ground(all.s);
    g.old.script("exportDisk", refuse("ABORTED"), refuse("UNKNOWN", "the disk is locked"));
    g.next.script("importDisk", refuse("ABORTED"));
    await migrate(g.h, "a");
    await until(g, "Exporting");
    await all.s.pass(5_000);
    expect(await says(g)).toBe("False Exporting The provider is busy with this machine or disk");
    await tidy(g);
    expect([exports(g), imports(g)]).toEqual([Array(3).fill("export-1.qcow2"), Array(2).fill("web2-migrated")]);
  });

  it("S24 target provider down during import: it is imported under another name, and not exported again", async () => {
    const g = await ground(all.s);
    g.next.script("importDisk", refuse("UNAVAILABLE"));
    await migrate(g.h, "a", { options: { retryPolicy } });
    await until(g, "Failed");
    await all.s.pass(5 * minute);
    await tidy(g);
    expect(exports(g)).toEqual(["export-1.qcow2"]);
    expect(imports(g)).toEqual(["web2-migrated", "web2-migrated-r1"]);
    expect((await g.h.get(VirtualMachine, "web2"))?.spec.importedDisk?.diskID).toBe("web2-migrated-r1");
    expect(await g.h.events(VMMigration)).toContain(
      "Warning StagingObjectRetained Provider new may keep the disk web2-migrated",
    );
  });

  it("S26 checksum mismatch: it is exported again, and at the end the source is as it was", async () => {
    const g = await ground(all.s);
    g.next.script("importDisk", repeat(refuse("DATA_LOSS", "checksum mismatch")));
    await migrate(g.h, "a", {
      source: { powerOffBeforeMigration: true },
      options: { retryPolicy: { maxRetries: 1, retryDelay: "1m" } },
    });
    await until(g, "Failed");
    expect(await says(g)).toBe("False StorageError checksum mismatch");
    expect((await g.h.get(VirtualMachine, "web"))?.spec.powerState).toBe("Off");
    await until(g, "Exporting", 2 * minute);
    await tidy(g);
    expect(exports(g)).toEqual(["export-1.qcow2", "export-2.qcow2"]);
    expect(await says(g)).toBe("False StorageError Migration failed after 1 retries: checksum mismatch");
    expect((await g.h.get(VirtualMachine, "web"))?.spec.powerState).toBe("On");
    expect(Object.keys(await marks(g))).not.toContain(annotations.migrationLock);
    await all.s.pass(minute);
    expect((await g.h.get(VirtualMachine, "web"))?.status?.powerState).toBe("On");
    expect(await g.h.get(VMSnapshot, "a-src")).toBeUndefined();
    expect(staged(g).length).toBe(2);
    expect(await g.h.events(VMMigration)).toContain(
      "Warning MigrationFailed Migration failed after 1 retries: checksum mismatch",
    );
  });

  it("a disk that arrived with another checksum than it left with: the new machine is no copy", async () => {
    const g = await ground(all.s);
    const path = "/imports/web2-migrated.qcow2";
    g.next.script("importDisk", answer({ diskId: "web2-migrated", path, checksum: "0".repeat(64) }));
    await migrate(g.h, "a", {
      source: { deleteAfterMigration: true },
      options: { verifyChecksums: false, retryPolicy },
    });
    await tidy(g);
    expect(await says(g)).toMatch(
      /^False ValidationFailed Migration failed after 0 retries: the imported disk has the checksum 0{64}, and the exported [0-9a-f]{64}$/,
    );
    expect((await status(g))?.validationResults).toMatchObject({ diskSizeMatch: true, checksumMatch: false });
    expect((await g.h.get(VirtualMachine, "web"))?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("S27 timeout: it ends at its time whatever is under way, and is not tried again", async () => {
    const g = await ground(all.s);
    g.old.script("exportDisk", hang);
    const options = { timeout: "1h", retryPolicy, cleanupPolicy: "Always" };
    await migrate(g.h, "a", { options });
    await all.s.pass(59 * minute);
    expect(await phase(g)).toBe("Exporting");
    await all.s.pass(minute + 2_000);
    const why = "Migration failed after 0 retries: it took longer than 1h";
    expect(await says(g)).toBe(`False Timeout ${why}`);
    expect(await status(g)).toMatchObject({ phase: "Failed", message: why, storageInfo: { cleanedUp: true } });
    await all.s.pass(20 * minute);
    expect(await phase(g)).toBe("Failed");
    expect(Object.keys(await marks(g))).not.toContain(annotations.migrationLock);
    expect(await g.h.get(VMSnapshot, "a-src")).toBeUndefined();
  });

  it("a retry that would come too late does not come", async () => {
    const g = await ground(all.s);
    g.old.script("exportDisk", refuse("UNAVAILABLE"));
    await migrate(g.h, "a", { options: { timeout: "5m", retryPolicy: { maxRetries: 1, retryDelay: "30m" } } });
    await until(g, "Failed");
    expect(await says(g)).toMatch(/^False ProviderError/);
    await all.s.pass(5 * minute);
    expect(await says(g)).toBe("False Timeout Migration failed after 0 retries: it took longer than 5m");
    expect((await status(g))?.storageInfo?.cleanedUp).toBe(true);
  });

  it("a target that fails is made anew from the same disk", async () => {
    const g = await ground(all.s);
    g.next.script("create", refuse("INVALID_ARGUMENT", "no such class"));
    await migrate(g.h, "a", { options: { retryPolicy } });
    await until(g, "Failed");
    expect(await says(g)).toMatch(/^False ProviderError VirtualMachine web2 failed: .*no such class/);
    await all.s.pass(5 * minute);
    await tidy(g);
    expect(imports(g)).toEqual(["web2-migrated"]);
    expect(await says(g)).toMatch(/^True Completed/);
  });
});

describe("what cannot work", () => {
  it("S29 second migration of the same VM: it waits until the first has ended", async () => {
    const g = await ground(all.s);
    await migrate(g.h, "a");
    await all.s.pass(2_000);
    await migrate(g.h, "b", { target: { name: "web3" } });
    await all.s.pass(2_000);
    const why = `Source VM is locked by VMMigration ${g.h.namespace}/a`;
    expect(await says(g, "Validating", "b")).toBe(`True SourceLocked ${why}`);
    await tidy(g);
    await all.s.until(async () => (await phase(g, "b")) === "Ready", 5 * minute);
  });

  it("S30 target name taken by a foreign VM: nothing is begun, and it is not touched", async () => {
    const g = await ground(all.s);
    await g.h.machine(g.next, "web2", { provider: { name: "new" } });
    const before = (await g.h.get(VirtualMachine, "web2"))?.spec;
    await migrate(g.h, "a", { options: { retryPolicy } });
    await tidy(g, 10_000);
    expect(await says(g)).toMatch(/^False TargetExists .*VirtualMachine \S+\/web2 exists already$/);
    expect([exports(g), g.old.asked("snapshotCreate")]).toEqual([[], []]);
    expect((await g.h.get(VirtualMachine, "web2"))?.spec).toEqual(before);
    expect(Object.keys(await marks(g))).not.toContain(annotations.migrationLock);
  });

  it("S31 two disks: both are named; who accepts it moves the first", async () => {
    const g = await ground(all.s);
    await g.h.patch(VirtualMachine, "web", { spec: { disks: [{ name: "data", sizeGiB: 1 }] } });
    await migrate(g.h, "a");
    await tidy(g, 10_000);
    expect(await says(g)).toMatch(/^False ValidationFailed .*only the first can move: vm-1-root, data;/);
    await g.h.remove(VMMigration, "a");
    await all.s.pass(1_000);
    await migrate(g.h, "a", { metadata: { annotations: { [annotations.primaryDiskOnly]: "true" } } });
    await until(g, "Exporting");
    await g.h.remove(VMMigration, "a");
  });

  it.each([
    ["S32 SSRF", "ValidationFailed", { ...s3, s3: { ...s3.s3, endpoint: "http://169.254.169.254" } }, /link-local/],
    [
      "a Secret without keys",
      "ValidationFailed",
      { ...s3, s3: { ...s3.s3, credentialsSecretRef: { name: "no" } } },
      /Secret no not found/,
    ],
    ["direct transfers", "ValidationFailed", { ...s3, transferMode: "direct" }, /no provider transfers directly/],
    [
      "NFS with an odd path",
      "ValidationFailed",
      { type: "nfs", nfs: { server: "a", export: "srv" } },
      /is not absolute/,
    ],
  ])("%s: nothing is begun", async (_what, reason, storage, why) => {
    const g = await ground(all.s);
    await migrate(g.h, "a", { storage });
    await tidy(g, 10_000);
    expect(await says(g)).toMatch(new RegExp(`^False ${reason}`));
    expect((await status(g))?.message).toMatch(why);
    expect(g.old.calls.map(({ method }) => method)).not.toContain("exportDisk");
  });

  it("a claim that a provider never mounts: five minutes are waited for it", async () => {
    const g = await ground(all.s);
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "b" }] } };
    const name = `virtrigaud-provider-${g.h.namespace}-new`;
    await g.h.apply(Deployment, name, { selector: { matchLabels: { a: "b" } }, template });
    await migrate(g.h, "a", { storage: claim });
    await all.s.pass(2_000);
    const why = "Provider new does not mount claim a-storage yet";
    expect(await says(g, "Validating")).toBe(`True WaitingForStorageMount ${why}`);
    await tidy(g, 6 * minute);
    expect(await says(g)).toBe(`False StorageError Migration failed after 0 retries: after 5 minutes: ${why}`);
  });

  it("S34 backend not supported in one direction: what it can do is listed", async () => {
    const reportedCapabilities = { supportsDiskExport: true, supportedExportBackends: ["s3", "nfs"] };
    const g = await ground(all.s, {
      from: { like: "proxmox", spec: { type: "proxmox" }, status: { reportedCapabilities } },
    });
    await migrate(g.h, "a", { storage: claim });
    await tidy(g, 10_000);
    expect(await says(g)).toMatch(/^False UnsupportedByProvider .*cannot export disks over pvc; it can over s3, nfs$/);
  });
});

describe("a migration waits", () => {
  const starting = { runtime: { phase: "Starting", endpoint: "" } };
  it.each([
    ["old", "SourceProviderNotReady"],
    ["new", "TargetProviderNotReady"],
  ])("until provider %s is ready", async (name, reason) => {
    const g = await ground(all.s);
    const { endpoint = "" } = (await g.h.get(Provider, name))?.status?.runtime ?? {};
    await g.h.status(Provider, name, starting);
    await migrate(g.h, "a");
    await all.s.pass(10_000);
    expect(await says(g)).toBe(`False ${reason} ${away(g, name)}`);
    expect(await says(g, "Validating")).toBe(`True ${reason} ${away(g, name)}`);
    expect(await phase(g)).toBe("Validating");
    await g.h.status(Provider, name, { runtime: { phase: "Running", endpoint } });
    await tidy(g);
    expect(await says(g)).toMatch(/^True Completed/);
  });
  const away = ({ h }: Ground, name: string) =>
    `Provider ${h.namespace}/${name} cannot be reached: its conditions say why`;

  it("for its claim until a provider is through with the transfers of others", async () => {
    const g = await ground(all.s);
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "b" }] } };
    const name = `virtrigaud-provider-${g.h.namespace}-old`;
    await g.h.apply(Deployment, name, { selector: { matchLabels: { a: "b" } }, template });
    await g.h.machine(g.old, "db", { provider: { name: "old" }, spec: { powerState: "On" } });
    g.old.script("exportDisk", hang);
    await migrate(g.h, "b", { source: { vmRef: { name: "db" } }, target: { name: "db2" } });
    await all.s.until(async () => (await phase(g, "b")) === "Exporting", minute);
    await migrate(g.h, "a", { storage: claim });
    await all.s.pass(5_000);
    const why = "Provider old is at transfers of other migrations";
    expect(await says(g)).toBe(`False WaitingForProviderIdle ${why}`);
    expect(await says(g, "Validating")).toBe(`True WaitingForProviderIdle ${why}`);
    for (const one of ["a", "b"]) await g.h.remove(VMMigration, one);
    await all.s.pass(minute);
  });
});

describe("a migration that is deleted", () => {
  it("S33 mid-import: the source is as it was, and nothing is left", async () => {
    const g = await ground(all.s);
    await migrate(g.h, "a", { source: { powerOffBeforeMigration: true }, options: { cleanupPolicy: "Always" } });
    await until(g, "Importing");
    await all.s.pass(2_000);
    await g.h.remove(VMMigration, "a");
    expect(await says(g)).toBe("False Cancelled Waiting until the provider is through");
    await all.s.until(async () => (await g.h.get(VMMigration, "a")) === undefined, 2 * minute);
    expect(await g.h.get(VirtualMachine, "web2")).toBeUndefined();
    expect((await g.h.get(VirtualMachine, "web"))?.spec.powerState).toBe("On");
    expect(Object.keys(await marks(g))).not.toContain(annotations.migrationLock);
    expect(staged(g)).toEqual([]);
  });

  it("S33 while the target is made: the target goes; one that is whole stays", async () => {
    const g = await ground(all.s, { to: { durations: { create: 60_000 } } });
    await migrate(g.h, "a");
    await until(g, "Creating");
    await all.s.pass(2_000);
    await g.h.remove(VMMigration, "a");
    await all.s.until(async () => (await g.h.get(VirtualMachine, "web2")) === undefined, 5 * minute);
    expect(await g.h.get(VMMigration, "a")).toBeUndefined();
    await migrate(g.h, "a");
    await tidy(g);
    await g.h.remove(VMMigration, "a");
    await all.s.pass(minute);
    expect(await g.h.get(VMMigration, "a")).toBeUndefined();
    expect(await g.h.get(VirtualMachine, "web2")).toBeDefined();
  });
});

describe("S25 manager restart in every phase", () => {
  it.each([
    ["with tasks", {}],
    ["without tasks", { like: "libvirt", spec: { type: "libvirt" } } as const],
  ])("%s: one machine in the end, and nothing twice under one name", async (_what, provider) => {
    const { s } = all;
    const { h, old, next } = await ground(s, { from: provider, to: provider });
    await migrate(h, "a");
    const seen: string[] = [];
    const read = async () => (await h.get(VMMigration, "a"))?.status;
    for (let i = 0; i < 600 && (await read())?.storageInfo?.cleanedUp !== true; i += 1) {
      const { phase = "" } = (await read()) ?? {};
      if (seen.includes(phase)) {
        await s.pass(500);
        continue;
      }
      seen.push(phase);
      await s.pass(150);
      await s.restart();
    }
    expect(seen).toEqual(expect.arrayContaining(["Snapshotting", "Exporting", "Importing", "Creating", "Ready"]));
    expect((await read())?.storageInfo?.cleanedUp).toBe(true);
    const machines = (await s.client.list(VirtualMachine, { namespace: h.namespace })).items;
    expect(machines.map(({ metadata }) => metadata.name)).toEqual(["web", "web2"]);
    expect(next.machines.length).toBe(1);
    const exports = old.asked("exportDisk").map(({ request }) => request.destinationUrl);
    const imports = next.asked("importDisk").map(({ request }) => request.targetName);
    expect(new Set(exports).size).toBe(exports.length);
    expect(new Set(imports).size).toBe(imports.length);
    expect(exports.length).toBeLessThanOrEqual(2);
    expect(imports.length).toBeLessThanOrEqual(2);
    expect(old.asked("snapshotCreate").length).toBe(1);
    expect(s.staging.urls.filter((it) => it.includes(h.namespace))).toEqual([]);
  });
});
