// A VirtualMachine on a real kube-apiserver and a real QEMU: made, booted, stopped politely, resized and deleted, while the operator and
// the provider are ended by kill -9 at each step.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { VirtualMachine } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { patience, type RealStage, realStage } from "./real-stage.ts";

const assets = assetsFor("virtual machines on a real server");
const qemu = qemuFor("virtual machines on a real server");

describe.skipIf(assets === undefined || qemu === undefined)("a VirtualMachine", () => {
  let s: RealStage;
  beforeAll(async () => {
    s = await realStage(assets ?? "", ["box"]);
  });
  afterAll(() => s?.end());

  const status = () => s.status("web");
  const patch = (spec: object) => s.patch(VirtualMachine, "web", { spec });

  it(
    "is made once, boots, stops, grows and goes, whoever is killed meanwhile",
    async () => {
      const kit = s.kitOf("box");
      s.start();
      const refs = { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "boot" } };
      await s.create(VirtualMachine, "web", { ...refs, powerState: "On" });

      const isAsked = async () => (await s.machine("web"))?.metadata.annotations?.[annotations.pendingOp] !== undefined;
      await s.until("it is asked for", isAsked);
      await s.killAndStart();
      await s.until("it has an id", async () => (await status())?.id !== undefined);
      await s.killAndStart();
      await s.comesTo("web", "Running");
      const { id = "" } = (await status()) ?? {};
      await s.boots("web", "box");
      expect(s.machines("box")).toEqual([id]);
      expect(await status()).toMatchObject({ powerState: "On", currentResources: { cpu: 1, memoryMiB: 128 } });

      await patch({ powerState: "OffGraceful" });
      const tasks = join(kit.state, "tasks");
      const begun = () => readdirSync(tasks).map((name) => readFileSync(join(tasks, name), "utf8"));
      // A request that died with its sender is not sent again: the guest would have its whole time before it is switched off.
      await s.until("it is asked to stop", async () => begun().some((task) => task.includes('"op": "shutdown"')));
      await s.killAndStart();
      await s.comesTo("web", "Stopped");
      expect(await kit.processes(id)).toBe(0);

      await patch({ resources: { cpu: 2 } });
      await s.until(
        "it has two CPUs",
        async () => (await s.isReady("web")) && (await status())?.currentResources?.cpu === 2,
      );
      await patch({ powerState: "On" });
      await s.comesTo("web", "Running");
      expect((await status())?.provider).toMatchObject({ cpu: "2" });
      await s.killAndStart();
      expect(await kit.processes(id)).toBe(1);

      await s.remove(VirtualMachine, "web");
      await s.until("it is on its way out", async () => [undefined, "Deleting"].includes((await status())?.phase));
      await s.killAndStart();
      await s.until("it is gone", async () => (await s.machine("web")) === undefined);
      expect(s.machines("box")).toEqual([]);
      expect(await kit.processes(id)).toBe(0);
      expect(existsSync(join(kit.state, "vms", id))).toBe(false);
    },
    patience,
  );
});
