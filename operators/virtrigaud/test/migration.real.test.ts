// A machine that moves from one real QEMU to another and back, over a claim, while the operator and both providers are ended by
// kill -9 in every phase.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@telltale/clock";
import { CoreEvent, Job, Namespace, Node, PersistentVolumeClaim, Pod } from "@telltale/kinds/builtin";
import { manager } from "@telltale/runtime";
import { processRuntime } from "@telltale/workloads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { Provider, VirtualMachine, VMMigration, VMSnapshot } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { convertJob, removeJob } from "../src/vm-migration/job.ts";
import { jobControllers, node, tools, untaint } from "./job-pods.ts";
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
    const made = await s.client.create(PersistentVolumeClaim, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "shared", namespace },
      spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } }, volumeName: "shared" },
    });
    await s.client.status.patch(
      PersistentVolumeClaim,
      { namespace, name: "shared" },
      { merge: { status: { phase: "Bound" } } },
    );
    await runJobs(made);
  }, 60_000);
  afterAll(async () => {
    stop.abort();
    await cluster;
    await s?.end();
    rmSync(root, { recursive: true, force: true });
  });

  const root = mkdtempSync(join(tmpdir(), "telltale-pods-"));
  const stop = new AbortController();
  let cluster: Promise<void> = Promise.resolve();
  /** What runs the Jobs: their commands are processes of this machine, which find the claim where the providers do. */
  async function runJobs({ metadata }: PersistentVolumeClaim): Promise<void> {
    mkdirSync(join(root, "claims"));
    symlinkSync(join(s.storage, "shared"), join(root, "claims", `${namespace}_shared_${metadata?.uid}`));
    const runtime = processRuntime({ root });
    const transport = s.transport();
    const around = { clock: systemClock, random: systemRandom, replicas: { as: "one" } } as const;
    cluster = manager({ name: "cluster", transport, controllers: jobControllers(runtime), ...around })
      .run(stop.signal)
      .finally(async () => {
        await runtime.stop();
        await transport.close();
      });
    const { status, ...there } = node;
    await s.client.create(Node, there);
    await s.client.status.patch(Node, { name: node.metadata?.name ?? "" }, { merge: { status } });
    await untaint(s.client);
  }

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

  it("its Jobs keep to the Pod Security level restricted", async () => {
    const level = "pod-security.kubernetes.io/enforce";
    const place = "restricted";
    await s.client.create(Namespace, { metadata: { name: place, labels: { [level]: place } } });
    const spec = {
      source: { vmRef: { name: "web" } },
      target: { name: "web-2", providerRef: { name: "right" } },
      storage: claim,
    };
    const { apiVersion, kind } = VMMigration;
    const it: VMMigration = { apiVersion, kind, metadata: { name: "there", namespace: place }, spec };
    const file = { file: "export-1.raw", format: "raw" };
    const of = { provider: undefined, checksum: "", deadline: 1_000 };
    const made = [
      convertJob(it, tools, { name: "a", from: file, to: file, ...of }),
      removeJob(it, tools, { urls: [], files: [], provider: undefined }),
    ];
    for (const job of made) {
      // As the controller of Jobs makes them: a Job itself is taken at any level.
      const pod = { metadata: { name: "a", namespace: place }, spec: job.spec?.template.spec };
      await s.client.create(Pod, pod as Pod);
      await s.client.delete(Pod, { namespace: place, name: "a" }, { propagation: "Background", gracePeriodSeconds: 0 });
      await s.client.create(Job, job);
    }
    const root = { metadata: { name: "b", namespace: place }, spec: { containers: [{ name: "a", image: "a" }] } };
    await expect(s.client.create(Pod, root)).rejects.toThrow(/violates PodSecurity/);
  });

  it(
    "moves a machine that runs, through raw that a Job converts, and leaves nothing behind",
    async () => {
      s.start();
      const refs = { providerRef: { name: "left" }, classRef: { name: "small" }, imageRef: { name: "boot" } };
      await s.create(VirtualMachine, "web", { ...refs, powerState: "On" });
      await s.comesTo("web", "Running");
      await s.boots("web", "left");
      const id = await s.idOf("web");
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
      expect(s.snapshotsOf("left", id).length).toBe(1);
      await s.crash({ when: "before", request: writes("vmmigrations", "there", "exportID") });
      await s.crash(enters("there", "Transferring"));
      await s.crash(enters("there", "Converting"));
      // The new provider does not read it: a Job converts it, which is begun once, whoever dies of it.
      await s.crash({ when: "after", request: "/jobs(\\?\\S*)? " });
      await s.crash({ when: "after", request: writes("vmmigrations", "there", "taskRef") });
      expect((await migration("there"))?.status).toMatchObject({ phase: "Importing" });
      expect((await s.client.list(Job, { namespace })).items.length).toBe(1);
      const file = staged("there").find((it) => it.endsWith("-converted.qcow2")) ?? "";
      const { path, checksum } = kept("there", file);
      const source = kept("there", file.replace("-converted.qcow2", ".raw"));
      expect(img("compare", "-f", "raw", "-F", "qcow2", source.path, path)).toContain("identical");
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
        diskInfo: { sourceFormat: "qcow2", sourceChecksum: source.checksum, checksum, targetChecksum: checksum },
        validationResults: { diskSizeMatch: true },
      });
      const target = await s.idOf("web-2");
      expect(status?.targetVMID).toBe(target);
      expect(s.machines("right")).toEqual([target]);
      expect(img("compare", "-f", "qcow2", "-F", "qcow2", path, s.diskOf("right", target))).toContain("identical");
      expect((await s.client.list(Job, { namespace })).items).toEqual([]);
      expect(staged("there")).toEqual([]);
      expect(readdirSync(join(s.kitOf("right").state, "imports"))).toEqual([]);
      expect((await s.get(PersistentVolumeClaim, "shared"))?.metadata?.labels).toBeUndefined();
      // The source runs on as if nothing had been.
      await s.until("the snapshot is gone", async () => (await s.get(VMSnapshot, "there-src")) === undefined);
      expect(s.snapshotsOf("left", id)).toEqual([]);
      expect(s.machines("left")).toEqual([id]);
      expect((await s.machine("web"))?.metadata.annotations).not.toHaveProperty(annotations.migrationLock);
      await s.comesTo("web", "Running");
      expect(await s.kitOf("left").processes(id)).toBe(1);
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
