// Machines that go to another provider: the ways when nothing goes wrong.
import { PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canary, claim, ground, type Migrations, migrate, migrations, phasesIn } from "../../test/migrations.ts";
import {
  VirtualMachine,
  VMClass,
  VMImage,
  VMMigration,
  VMNetworkAttachment,
  VMPlacementPolicy,
  VMSnapshot,
} from "../kinds/index.ts";
import { annotations } from "../names.ts";

let all: Migrations;
beforeAll(async () => {
  all = await migrations();
});
afterAll(() => all.s.end());

const minute = 60_000;
type Ground = Awaited<ReturnType<typeof ground>>;
const status = async ({ h }: Ground) => (await h.get(VMMigration, "a"))?.status;
const isTidy = async (g: Ground) => (await status(g))?.storageInfo?.cleanedUp === true;
const staged = ({ h }: Ground) => all.s.staging.urls.filter((it) => it.includes(h.namespace));
async function through(g: Ground) {
  await all.s.pass(30_000); // at one go: looking every second costs more than all the rest
  await all.s.until(() => isTidy(g), 5 * minute);
}

describe("a migration", () => {
  it("makes the machine with what its target says", async () => {
    const { s } = all;
    const g = await ground(s);
    const { h } = g;
    await h.apply(VMClass, "large", { cpu: 8, memory: "16Gi" });
    await h.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
    await h.apply(VMNetworkAttachment, "lan", { network: { type: "nat" } });
    await h.apply(VMPlacementPolicy, "rules", { soft: { folders: ["moved"] } });
    const target = {
      classRef: { name: "large" },
      imageRef: { name: "tiny" },
      placementRef: { name: "rules" },
      disks: [{ name: "data", sizeGiB: 5, type: "thick" }],
      networks: [{ name: "eth0", networkRef: { name: "lan" }, macAddress: "52:54:00:00:00:09" }],
    };
    await migrate(h, "a", { target, metadata: {} });
    await through(g);
    const { imageRef: _known, ...written } = target;
    expect((await h.get(VirtualMachine, "web2"))?.spec).toMatchObject(written);
    const [made] = g.next.asked("create").map(({ request }) => request);
    expect(JSON.parse(made?.classJson ?? "")).toMatchObject({ CPU: 8, MemoryMiB: 16_384 });
    expect(JSON.parse(made?.placementJson ?? "")).toMatchObject({ Folder: "moved" });
  });

  it.each([
    ["classRef", "VMClass"],
    ["imageRef", "VMImage"],
    ["placementRef", "VMPlacementPolicy"],
  ])("fails where the target's %s is not there", async (ref, kind) => {
    const g = await ground(all.s);
    await migrate(g.h, "a", { target: { [ref]: { name: "absent" } } });
    await all.s.pass(10_000);
    expect(await g.h.says(VMMigration, "a")).toBe(
      `False ValidationFailed Migration failed after 0 retries: ${kind} ${g.h.namespace}/absent not found`,
    );
  });

  it("S22 happy path over S3: every phase in its order, and nothing is left behind", async () => {
    const { s } = all;
    const g = await ground(s, {
      from: { like: "libvirt", spec: { type: "libvirt" } },
      to: { like: "vsphere", spec: { type: "vsphere" } },
    });
    const { h, old, next } = g;
    await migrate(h, "a", { target: { labels: { app: "web" }, annotations: { note: "moved" } } });
    await s.pass(2_000);
    expect((await h.get(VirtualMachine, "web"))?.metadata.annotations?.[annotations.migrationLock]).toMatch(
      new RegExp(`^${h.namespace}/a/[0-9a-f-]{36}$`),
    );
    await s.pass(8_000);
    expect(await status(g)).toMatchObject({ phase: "Exporting", progress: { percentage: 30 }, snapshotRef: "a-src" });
    expect(await h.says(VMMigration, "a", "Exporting")).toBe("True Exporting Exporting disk from source provider");
    expect(await h.says(VMMigration, "a", "Snapshotting")).toBe("False Completed Source VM snapshot created");
    expect(await h.says(VMMigration, "a")).toBe("False Exporting Exporting disk from source provider");
    await through(g);
    expect(phasesIn(s.writes(), "a")).toEqual([
      "Pending 0",
      "Validating 2",
      "Snapshotting 10",
      "Exporting 30",
      "Transferring 50",
      "Importing 70",
      "Creating 85",
      "Validating-Target 95",
      "Ready 100",
    ]);
    const sum = (await status(g))?.diskInfo?.sourceChecksum;
    expect(old.asked("exportDisk").map(({ request }) => request)).toMatchObject([
      { vmId: "web", snapshotId: "a-src", format: "qcow2", backendType: "s3", transferMode: "relay" },
    ]);
    expect(next.asked("importDisk").map(({ request }) => request)).toMatchObject([
      { format: "qcow2", targetName: "web2-migrated", verifyChecksum: true, expectedChecksum: sum },
    ]);
    expect(await h.get(VirtualMachine, "web2")).toMatchObject({
      metadata: {
        labels: { app: "web" },
        annotations: {
          note: "moved",
          [annotations.migratedFrom]: `${h.namespace}/web`,
          [annotations.migrationCompleted]: "true",
        },
      },
      spec: {
        powerState: "Off",
        providerRef: { name: "new", namespace: h.namespace },
        importedDisk: { diskID: "web2-migrated", path: "/imports/web2-migrated.qcow2", source: "migration" },
      },
    });
    expect(await status(g)).toMatchObject({
      phase: "Ready",
      message: "Migration completed, cleanup finished",
      targetVMRef: { name: "web2" },
      targetVMID: "vm-1",
      validationResults: { diskSizeMatch: true, checksumMatch: true },
      storageInfo: { url: `s3://disks/vmmigrations/${h.namespace}/a/export-1.qcow2`, size: "11", cleanedUp: true },
      diskInfo: { sourceDiskID: "web-root", sourceSize: "20Gi", targetFormat: "vmdk" },
    });
    expect(await h.says(VMMigration, "a")).toBe("True Completed VM migration completed successfully");
    for (const type of ["Validating", "Snapshotting", "Exporting", "Transferring", "Importing"]) {
      expect(await h.says(VMMigration, "a", type)).toMatch(/^False Completed/);
    }
    await s.pass(minute);
    expect(await h.get(VMSnapshot, "a-src")).toBeUndefined();
    expect(staged(g)).toEqual([]);
    const source = await h.get(VirtualMachine, "web");
    expect(Object.keys(source?.metadata.annotations ?? {})).not.toContain(annotations.migrationLock);
    expect(source?.status?.powerState).toBe("On");
    expect((await h.get(VMMigration, "a"))?.metadata.annotations ?? {}).toEqual({});
    expect(h.complaints()).toEqual([]);
    const seen = JSON.stringify([await h.get(VMMigration, "a"), await h.events(VMMigration), s.complaints]);
    expect(seen).not.toContain(canary);
    expect((await h.events(VMMigration)).map((it) => it.split(" ").slice(0, 2).join(" "))).toEqual([
      "Normal CleanupComplete",
      "Normal ExportComplete",
      "Normal ImportComplete",
      "Normal MigrationComplete",
      "Normal SnapshotComplete",
      "Normal TargetVMCreated",
      "Normal TransferComplete",
      "Normal ValidationComplete",
      "Normal ValidationStarted",
    ]);
  });

  it("over a claim of its own, with tasks that tell how far they are; a source that nobody wants goes", async () => {
    const { s } = all;
    const g = await ground(s, { from: { spec: { type: "proxmox" }, durations: { export: 100_000 } } });
    const { h } = g;
    await migrate(h, "a", {
      storage: claim,
      source: { powerOffBeforeMigration: true, deleteAfterMigration: true, createSnapshot: false },
      target: { powerOn: true },
    });
    await s.until(async () => (await status(g))?.message === "Switching the source VM off", 10_000);
    expect(await h.get(PersistentVolumeClaim, "a-storage")).toMatchObject({
      metadata: {
        labels: { "virtrigaud.io/component": "migration-storage", "virtrigaud.io/migration": "a" },
        annotations: { "virtrigaud.io/created-by": "vmmigration-controller" },
      },
      spec: { accessModes: ["ReadWriteMany"], storageClassName: "fast", resources: { requests: { storage: "20Gi" } } },
    });
    expect(await h.says(VMMigration, "a", "Validating")).toBe("True PoweringOffSource Switching the source VM off");
    await s.until(async () => (await status(g))?.phase === "Exporting", minute);
    await s.pass(60_000);
    const { progress, taskRef } = (await status(g)) ?? {};
    expect(progress).toMatchObject({ currentPhase: "Exporting", totalBytes: 20 * 2 ** 30 });
    expect(progress?.percentage).toBeGreaterThan(35);
    expect(progress?.transferRate).toBeGreaterThan(0);
    expect(progress?.eta).toMatch(/^\d+(m\d+)?s$/);
    expect(taskRef).toMatch(/^task-/);
    await through(g);
    expect((await status(g))?.storageInfo?.url).toBe(`pvc://a-storage/vmmigrations/${h.namespace}/a/export-1.qcow2`);
    expect((await h.get(VirtualMachine, "web2"))?.status?.powerState).toBe("On");
    await s.pass(minute);
    expect(await h.get(VirtualMachine, "web")).toBeUndefined();
    expect(await h.get(PersistentVolumeClaim, "a-storage")).toBeUndefined();
    expect(h.complaints()).toEqual([]);
  });

  it("S28 user PVC: it is labelled while it is needed, only the staged path goes, and a kept source stays off", async () => {
    const { s } = all;
    const g = await ground(s);
    const { h } = g;
    await h.apply(PersistentVolumeClaim, "shared", {
      accessModes: ["ReadWriteMany"],
      resources: { requests: { storage: "1Gi" } },
    });
    s.staging.put("pvc://shared/mine", new Uint8Array(1));
    const storage = { type: "pvc", pvc: { name: "shared" } };
    await migrate(h, "a", { storage, source: { powerOffBeforeMigration: true } });
    await s.pass(10_000);
    const labels = async () => (await h.get(PersistentVolumeClaim, "shared"))?.metadata?.labels ?? {};
    expect(await labels()).toEqual({ "virtrigaud.io/component": "migration-storage", "virtrigaud.io/migration": "a" });
    await through(g);
    expect(await labels()).toEqual({});
    expect(staged(g)).toEqual([]);
    expect(s.staging.get("pvc://shared/mine")).toBeDefined();
    expect((await h.get(VirtualMachine, "web"))?.spec.powerState).toBe("Off");
    await h.remove(VMMigration, "a");
    await s.pass(1_000);
    expect(await h.get(VMMigration, "a")).toBeUndefined();
    expect(await h.get(PersistentVolumeClaim, "shared")).toBeDefined();
    expect(await h.get(VirtualMachine, "web2")).toBeDefined();
  });

  it("over NFS, into one flat file; a guest that answers late is asked again, and switched off in the end", async () => {
    const { s, answering } = all;
    const g = await ground(s);
    const { h, next, old } = g;
    const storage = { type: "nfs", nfs: { server: "192.0.2.7", export: "/srv", path: "moves/", uid: 7, gid: 8 } };
    await migrate(h, "a", {
      storage,
      options: {
        verifyChecksums: false,
        validationChecks: { checkBoot: true, checkConnectivity: true },
        retryPolicy: { maxRetries: 1, retryDelay: "1m" },
      },
    });
    await s.until(async () => (await status(g))?.message === "Waiting until the new VM answers", 3 * minute);
    const [sent] = old.asked("exportDisk").map(({ request }) => request.destinationUrl);
    expect(sent).toBe(`nfs://192.0.2.7/srv/moves/vmmigrations-${h.namespace}-a-export-1.qcow2?uid=7&gid=8`);
    expect(next.asked("importDisk").map(({ request }) => request.verifyChecksum)).toEqual([false]);
    const web2 = await h.get(VirtualMachine, "web2");
    expect(web2?.spec.powerState).toBe("On");
    await s.until(async () => (await status(g))?.phase === "Failed", 6 * minute);
    expect(await h.says(VMMigration, "a", "Failed")).toBe(
      "True ValidationFailed the new VM answers on none of the ports 22, 3389 and 443",
    );
    expect((await status(g))?.validationResults?.validationErrors).toEqual(["it does not answer"]);
    answering.add(web2?.status?.ips?.[0] ?? "");
    await through(g);
    expect((await status(g))?.validationResults).toMatchObject({ bootSuccess: true, connectivitySuccess: true });
    expect((await h.get(VirtualMachine, "web2"))?.spec.powerState).toBe("Off");
    expect(staged(g)).toEqual([]);
  });
});
