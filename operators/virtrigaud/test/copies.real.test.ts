// Snapshots and clones of a real machine, through the operator on a real kube-apiserver: taken, gone back to, copied and linked, while
// the operator and the provider are ended by kill -9 in the middle.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { VirtualMachine, VMClone, VMSnapshot } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { annotates, isTrue, patience, type RealStage, realStage, writes } from "./real-stage.ts";

const assets = assetsFor("snapshots and clones on a real server");
const qemu = qemuFor("snapshots and clones on a real server");

describe.skipIf(assets === undefined || qemu === undefined)("a machine on a real QEMU", () => {
  let s: RealStage;
  let web = "";
  beforeAll(async () => {
    s = await realStage(assets ?? "", ["box"]);
    s.start();
    const refs = { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "boot" } };
    await s.create(VirtualMachine, "web", { ...refs, powerState: "Off" });
    await s.comesTo("web", "Stopped");
    web = await s.idOf("web");
  });
  afterAll(() => s?.end());

  /** What the guest has written to the second sector of its disk. */
  const counted = (id: string): number => {
    const raw = join(s.kitOf("box").folder, "look.raw");
    execFileSync("qemu-img", ["convert", "-U", "-f", "qcow2", "-O", "raw", s.diskOf("box", id), raw]);
    return readFileSync(raw).readUInt16LE(512);
  };
  const power = (name: string, powerState: "On" | "Off") => s.patch(VirtualMachine, name, { spec: { powerState } });
  const snapshotIs = (name: string, phase: string | undefined) =>
    s.until(`VMSnapshot ${name} is ${phase}`, async () => (await s.get(VMSnapshot, name))?.status?.phase === phase);
  const goBackTo = (name: string) => s.patch(VirtualMachine, "web", { spec: { snapshot: { revertToRef: { name } } } });
  const isBackAt = async (name: string): Promise<void> => {
    const uid = (await s.get(VMSnapshot, name))?.metadata.uid;
    const mark = async () => (await s.machine("web"))?.metadata.annotations?.[annotations.lastRevertedSnapshot];
    await s.until(`it is back at ${name}`, async () => (await mark()) === uid);
  };
  const cloneIs = (name: string, phase: string) =>
    s.until(`VMClone ${name} is ${phase}`, async () => (await s.get(VMClone, name))?.status?.phase === phase);

  it(
    "goes back to a snapshot: what was written since then is gone, and the snapshot was taken once",
    async () => {
      const taken = annotates("virtualmachines", "web", annotations.currentSnapshot);
      await s.crash({ when: "before", request: taken }, () =>
        s.create(VMSnapshot, "clean", { vmRef: { name: "web" } }),
      );
      expect(s.snapshotsOf("box", web).length).toBe(1);
      s.start();
      await snapshotIs("clean", "Ready");
      expect(s.snapshotsOf("box", web).length).toBe(1);

      await power("web", "On");
      await s.boots("web", "box");
      await s.until("the guest has counted", async () => s.kitOf("box").serial(web).length > 3);
      await power("web", "Off");
      await s.comesTo("web", "Stopped");
      expect(counted(web)).toBeGreaterThan(0);

      const marked = annotates("virtualmachines", "web", annotations.lastRevertedSnapshot);
      await s.crash({ when: "before", request: marked }, () => goBackTo("clean"));
      s.start();
      await isBackAt("clean");
      await s.comesTo("web", "Stopped");
      expect(counted(web)).toBe(0);
      await power("web", "On");
      await s.comesTo("web", "Running");
    },
    patience,
  );

  it(
    "S62 goes back to its memory, runs on from then, and has not booted again",
    async () => {
      await s.crash({ when: "after", request: writes("vmsnapshots", "moment", "taskRef") }, () =>
        s.create(VMSnapshot, "moment", { vmRef: { name: "web" }, snapshotConfig: { includeMemory: true } }),
      );
      s.start();
      await snapshotIs("moment", "Ready");
      expect((await s.get(VMSnapshot, "moment"))?.status?.conditions).toContainEqual(
        expect.objectContaining({ type: "Ready", reason: "MemoryIncluded" }),
      );
      expect(s.snapshotsOf("box", web).length).toBe(2);
      const serial = () => s.kitOf("box").serial(web);
      const then = serial().length;
      await s.until("the guest counts on", async () => serial().length > then + 4);
      const late = serial();
      await s.crash({ when: "after", request: writes("virtualmachines", "web", "lastTaskRef") }, () =>
        goBackTo("moment"),
      );
      s.start();
      await isBackAt("moment");
      await s.comesTo("web", "Running");
      await s.until("it counts again what it had counted", async () => serial().length > late.length + 8);
      const again = serial().slice(then);
      expect([...again].some((letter, i) => i > 0 && letter < (again[i - 1] ?? ""))).toBe(true);
      expect(again).not.toContain("B@");
      expect(await s.kitOf("box").processes(web)).toBe(1);
      await s.remove(VMSnapshot, "moment");
      await snapshotIs("moment", undefined);
    },
    patience,
  );

  it(
    "is copied whole while it runs, once, and the copy boots and stands alone",
    async () => {
      await s.crash({ when: "before", request: writes("vmclones", "whole", "targetVMID") }, () =>
        s.create(VMClone, "whole", {
          source: { vmRef: { name: "web" } },
          target: { name: "web-whole" },
          options: { powerOn: true },
        }),
      );
      s.start();
      await cloneIs("whole", "Ready");
      const id = await s.idOf("web-whole");
      expect((await s.get(VMClone, "whole"))?.status).toMatchObject({ targetVMID: id, actualCloneType: "FullClone" });
      expect(new Set(s.machines("box"))).toEqual(new Set([web, id]));
      await s.boots("web-whole", "box");
      expect(await s.kitOf("box").processes(web)).toBe(1);
      await s.remove(VirtualMachine, "web-whole");
      await s.until("the copy is gone", async () => (await s.machine("web-whole")) === undefined);
      expect(s.machines("box")).toEqual([web]);
    },
    patience,
  );

  it(
    "is copied and held in a snapshot at the same time: whoever finds it busy waits",
    async () => {
      await Promise.all([
        s.create(VMClone, "beside", { source: { vmRef: { name: "web" } }, target: { name: "web-beside" } }),
        s.create(VMSnapshot, "beside", { vmRef: { name: "web" } }),
        s.create(VMClone, "beside-2", { source: { vmRef: { name: "web" } }, target: { name: "web-beside-2" } }),
      ]);
      await Promise.all([cloneIs("beside", "Ready"), snapshotIs("beside", "Ready"), cloneIs("beside-2", "Ready")]);
      const copies = ["web-beside", "web-beside-2"];
      expect(new Set(s.machines("box"))).toEqual(new Set([web, ...(await Promise.all(copies.map(s.idOf)))]));
      for (const name of copies) await s.remove(VirtualMachine, name);
      await s.remove(VMSnapshot, "beside");
      await snapshotIs("beside", undefined);
      for (const name of copies) {
        await s.until(`${name} is gone`, async () => (await s.machine(name)) === undefined);
      }
    },
    patience,
  );

  it(
    "S50 has a linked clone, once, and stays as long as that is there",
    async () => {
      await s.remove(VMSnapshot, "clean");
      await snapshotIs("clean", undefined);
      expect(s.snapshotsOf("box", web)).toEqual([]);
      await s.crash({ when: "after", request: writes("vmclones", "linked", "targetVMID") }, () =>
        s.create(VMClone, "linked", {
          source: { vmRef: { name: "web" } },
          target: { name: "web-linked" },
          options: { type: "LinkedClone", powerOn: true },
        }),
      );
      s.start();
      await cloneIs("linked", "Ready");
      const id = await s.idOf("web-linked");
      expect(new Set(s.machines("box"))).toEqual(new Set([web, id]));
      await s.boots("web-linked", "box");

      await s.remove(VirtualMachine, "web");
      await s.until("it waits for its clone", async () => {
        const { conditions } = (await s.status("web")) ?? {};
        return isTrue(conditions, "Deleting") && conditions?.find((it) => it.type === "Deleting")?.reason === "InUse";
      });
      expect(new Set(s.machines("box"))).toEqual(new Set([web, id]));
    },
    patience,
  );
});
