// A machine that moves from one real QEMU to another and back, over a claim, while the operator and both providers are ended by
// kill -9 in every phase.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CoreEvent, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { Provider, VirtualMachine, VMMigration, VMSnapshot } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { annotates, type Fate, namespace, patience, type RealStage, realStage, writes } from "./real-stage.ts";

const assets = assetsFor("migrations on a real server");
const qemu = qemuFor("migrations on a real server");
const img = (...args: string[]) => execFileSync("qemu-img", args, { encoding: "utf8" });
const claim = { type: "pvc", pvc: { name: "shared" } } as const;

describe.skipIf(assets === undefined || qemu === undefined)("S63 end-to-end move between two qemu providers", () => {
  let s: RealStage;
  beforeAll(async () => {
    s = await realStage(assets ?? "", ["left", "right"]);
    mkdirSync(join(s.storage, "shared"));
    await s.client.create(PersistentVolumeClaim, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "shared", namespace },
      spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
    });
  });
  afterAll(() => s?.end());

  const migration = (name: string) => s.get(VMMigration, name);
  const enters = (name: string, phase: string): Fate => ({
    when: "after",
    request: writes("vmmigrations", name, "phase", phase),
  });
  const isTidy = (name: string) =>
    s.until(
      `VMMigration ${name} has put all in order`,
      async () => (await migration(name))?.status?.storageInfo?.cleanedUp === true,
    );
  /** What lies on the claim, as it does now. */
  const staged = (name: string): readonly string[] =>
    readdirSync(join(s.storage, "shared/vmmigrations", namespace, name)).filter((it) => !it.startsWith("."));
  /** Keeps what is staged, and says what its checksum is. */
  const kept = (name: string, file: string) => {
    const path = join(s.kitOf("left").folder, file);
    cpSync(join(s.storage, "shared/vmmigrations", namespace, name, file), path);
    return { path, checksum: createHash("sha256").update(readFileSync(path)).digest("hex") };
  };

  it(
    "moves a machine that runs, through raw, and leaves nothing behind",
    async () => {
      s.start();
      const refs = { providerRef: { name: "left" }, classRef: { name: "small" }, imageRef: { name: "boot" } };
      await s.create(VirtualMachine, "web", { ...refs, powerState: "On" });
      await s.comesTo("web", "Running");
      await s.boots("web", "left");
      const source = await s.idOf("web");
      await s.client.status.patch(
        Provider,
        { namespace, name: "right" },
        {
          merge: { status: { reportedCapabilities: { supportedImportFormats: ["qcow2"] } } },
        },
      );

      await s.crash(enters("there", "Validating"), () =>
        s.create(VMMigration, "there", {
          source: { vmRef: { name: "web" } },
          target: { name: "web-2", providerRef: { name: "right" } },
          storage: claim,
          options: { diskFormat: "raw", retryPolicy: { maxRetries: 3, retryDelay: "1s" } },
        }),
      );
      // The snapshot is taken, and whoever asked for it does not live to hear so.
      await s.crash({ when: "before", request: annotates("virtualmachines", "web", annotations.currentSnapshot) });
      expect(s.snapshotsOf("left", source).length).toBe(1);
      await s.crash({ when: "before", request: writes("vmmigrations", "there", "exportID") });
      await s.crash(enters("there", "Transferring"));
      await s.crash(enters("there", "Converting"));
      // The new provider cannot read it, until a better one takes its place.
      await s.client.status.patch(
        Provider,
        { namespace, name: "right" },
        {
          merge: { status: { reportedCapabilities: { supportedImportFormats: ["qcow2", "raw"] } } },
        },
      );
      await s.crash({ when: "after", request: writes("vmmigrations", "there", "taskRef") });
      expect((await migration("there"))?.status).toMatchObject({ phase: "Importing" });
      const files = staged("there");
      const { path, checksum } = kept("there", files.at(-1) ?? "");
      await s.crash({ when: "before", request: writes("virtualmachines", "web-2", "id") });
      await s.crash(enters("there", "Validating-Target"));
      await s.crash(enters("there", "Ready"));
      // The layer of the snapshot is merged, and nobody has said so yet.
      await s.crash({ when: "before", request: "/vmsnapshots/there-src\\S* .*finalizers" });
      s.start();
      await isTidy("there");

      const { status } = (await migration("there")) ?? {};
      expect(status).toMatchObject({
        phase: "Ready",
        targetVMRef: { name: "web-2" },
        diskInfo: { sourceFormat: "qcow2", sourceChecksum: checksum, targetChecksum: checksum, targetFormat: "qcow2" },
        validationResults: { checksumMatch: true, diskSizeMatch: true },
      });
      const target = await s.idOf("web-2");
      expect(status?.targetVMID).toBe(target);
      expect(s.machines("right")).toEqual([target]);
      expect(img("compare", "-f", "raw", "-F", "qcow2", path, s.diskOf("right", target))).toContain("identical");
      expect(staged("there")).toEqual([]);
      expect(readdirSync(join(s.kitOf("right").state, "imports"))).toEqual([]);
      expect((await s.get(PersistentVolumeClaim, "shared"))?.metadata?.labels).toBeUndefined();
      // The source runs on as if nothing had been.
      await s.until("the snapshot is gone", async () => (await s.get(VMSnapshot, "there-src")) === undefined);
      expect(s.snapshotsOf("left", source)).toEqual([]);
      expect(s.machines("left")).toEqual([source]);
      expect((await s.machine("web"))?.metadata.annotations).not.toHaveProperty(annotations.migrationLock);
      await s.comesTo("web", "Running");
      expect(await s.kitOf("left").processes(source)).toBe(1);
      await s.patch(VirtualMachine, "web-2", { spec: { powerState: "On" } });
      await s.boots("web-2", "right");
    },
    patience,
  );

  it(
    "moves it back through qcow2, switched off for it, and removes it where it was",
    async () => {
      const source = await s.idOf("web-2");
      await s.crash({ when: "after", request: writes("vmmigrations", "back", "taskRef") }, () =>
        s.create(VMMigration, "back", {
          source: { vmRef: { name: "web-2" }, powerOffBeforeMigration: true, deleteAfterMigration: true },
          target: { name: "web-3", providerRef: { name: "left" }, powerOn: true },
          storage: claim,
          options: { diskFormat: "qcow2" },
        }),
      );
      expect((await migration("back"))?.status).toMatchObject({ phase: "Exporting" });
      // The import is begun, and nobody hears of it: it is begun once more, under another name.
      await s.crash({ when: "before", request: writes("vmmigrations", "back", "taskRef") });
      const { path, checksum } = kept("back", staged("back").at(-1) ?? "");
      expect(img("compare", "-f", "qcow2", "-F", "qcow2", path, s.diskOf("right", source))).toContain("identical");
      await s.crash(enters("back", "Ready"));
      expect(s.machines("right")).toEqual([source]);
      s.start();
      await s.boots("web-3", "left");
      await isTidy("back");
      await s.until("the source is gone", async () => (await s.machine("web-2")) === undefined);
      expect((await migration("back"))?.status).toMatchObject({
        diskInfo: { sourceChecksum: checksum, targetChecksum: checksum },
        validationResults: { checksumMatch: true, diskSizeMatch: true },
      });
      expect(s.machines("right")).toEqual([]);
      expect(new Set(s.machines("left"))).toEqual(new Set([await s.idOf("web"), await s.idOf("web-3")]));
      expect(staged("back")).toEqual([]);
      expect((await migration("back"))?.status?.diskInfo?.targetDiskID).toBe("web-3-migrated-r1");
      const told = (await s.client.list(CoreEvent, { namespace })).items.map(({ message }) => message);
      expect(told).toContain("Provider left may keep the disk web-3-migrated");
      expect(readdirSync(join(s.kitOf("left").state, "imports"))).toEqual(["web-3-migrated.qcow2"]);
      await s.until("the snapshot is gone", async () => (await s.get(VMSnapshot, "back-src")) === undefined);
    },
    patience,
  );
});
