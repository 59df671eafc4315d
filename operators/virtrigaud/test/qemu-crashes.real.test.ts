// The QEMU provider dies before every act of making, starting, changing and taking away a machine. Whoever asks its successor for the
// same again gets it: one machine, one process, and nothing left over.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock, systemRandom } from "@telltale/clock";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { PowerOp } from "../src/contract/contract.ts";
import { systemHost } from "../src/qemu/host.ts";
import { createRequest, Kit, until } from "./qemu/kit.ts";
import { mortal } from "./qemu/mortal.ts";

const path = qemuFor("the QEMU provider's crashes");

describe.skipIf(path === undefined)("a provider that dies before its n-th act", () => {
  let kit: Kit;
  beforeAll(() => {
    kit = new Kit();
  });
  afterAll(() => kit?.close());
  let id = "";
  beforeEach(() => {
    id = "";
  });
  afterEach(async () => {
    if (id !== "") await kit.ask("delete", { id });
  });

  /** Has a provider die in the middle of something for every n until it survives; each time a new one goes on. */
  const everywhere = async (during: () => Promise<unknown>, after: (n: number) => Promise<void>, step = 1) => {
    for (let n = 0; ; n += step) {
      const one = mortal(systemHost(systemClock, systemRandom));
      await kit.open({}, one.host);
      one.dieBefore(n);
      await Promise.race([during().catch(() => undefined), until("it is dead", () => one.isDead)]);
      await kit.open();
      try {
        await after(n);
      } catch (cause) {
        throw new Error(`after a death before act ${n}, behind ${one.acts.slice(-4).join(", ")}`, { cause });
      }
      if (!one.isDead) return n;
    }
  };
  const tidy = async () => {
    expect(readdirSync(join(kit.state, "trash"))).toEqual([]);
    const names = readdirSync(join(kit.state, "tasks")).filter((name) => name.endsWith(".json"));
    const states = () => names.map((name) => JSON.parse(readFileSync(join(kit.state, "tasks", name), "utf8")).state);
    await until("no task is left open", () => states().every((state) => state === "done" || state === "failed"));
  };

  it("while it makes a machine: the same request makes one machine", async () => {
    const request = createRequest("crashed", {
      image: join(kit.images, "boot.raw"),
      requestId: "once",
      thick: true,
      rootGiB: 1,
      disks: [{ Name: "data", SizeGiB: 1 }],
    });
    const acts = await everywhere(
      async () => {
        const answer = await kit.ask("create", request);
        await kit.done(answer.task?.id);
      },
      async () => {
        const answer = await kit.ask("create", request);
        id = answer.id;
        expect(await kit.done(answer.task?.id)).toBe("");
        expect((await kit.ask("listVMs", {})).vms.map(({ name }) => name)).toEqual(["crashed"]);
        expect(readdirSync(join(kit.state, "vms"))).toEqual([id]);
        expect(readdirSync(join(kit.state, "vms", id, "disks")).sort()).toEqual(["data.qcow2", "root.qcow2"]);
        await tidy();
        await kit.ask("delete", { id });
        id = "";
      },
    );
    expect(acts).toBeGreaterThan(15);
  });

  it("while it starts a machine: there is one process", async () => {
    await kit.open();
    id = await kit.make("starts");
    const acts = await everywhere(
      () => kit.ask("power", { id, op: PowerOp.ON }),
      async () => {
        await kit.ask("power", { id, op: PowerOp.ON });
        expect(await kit.processes(id)).toBe(1);
        expect(await kit.ask("describe", { id })).toMatchObject({ powerState: "On" });
        await kit.ask("power", { id, op: PowerOp.OFF });
        expect(await kit.processes(id)).toBe(0);
      },
    );
    expect(acts).toBeGreaterThan(5);
  });

  it("while it changes a machine that runs: the change is whole", async () => {
    await kit.open();
    const change = {
      Class: { CPU: 2, MemoryMiB: 256 },
      Disks: [
        { Name: "data", SizeGiB: 2 },
        { Name: "more", SizeGiB: 1 },
      ],
    };
    const begin = async () => {
      id = await kit.make("changes", { hotAdd: true, memoryMiB: 128, disks: [{ Name: "data", SizeGiB: 1 }] });
      await kit.ask("power", { id, op: PowerOp.ON });
    };
    await begin();
    const ask = () => kit.ask("reconfigure", { id, desiredJson: JSON.stringify(change) });
    const acts = await everywhere(ask, async () => {
      await ask();
      const { providerRawJson } = await kit.ask("describe", { id });
      expect(JSON.parse(providerRawJson)).toMatchObject({ cpu: 2, memory_mib: 256 });
      for (const [diskId, size] of [
        ["data", 2n],
        ["more", 1n],
      ] as const)
        expect((await kit.ask("getDiskInfo", { vmId: id, diskId })).virtualSizeBytes).toBe(size << 30n);
      await kit.ask("delete", { id });
      await begin();
    });
    expect(acts).toBeGreaterThan(8);
  });

  it("while it takes a machine away: nothing is left", async () => {
    await kit.open();
    const begin = async () => {
      id = await kit.make("goes");
      await kit.ask("power", { id, op: PowerOp.ON });
    };
    await begin();
    const acts = await everywhere(
      () => kit.ask("delete", { id }),
      async () => {
        await kit.ask("delete", { id });
        expect(await kit.processes(id)).toBe(0);
        expect(await kit.ask("describe", { id })).toMatchObject({ exists: false });
        expect(readdirSync(join(kit.state, "vms"))).toEqual([]);
        await tidy();
        await begin();
      },
    );
    expect(acts).toBeGreaterThan(3);
  });

  it("while it shuts a machine down: it is off at the end", async () => {
    await kit.open();
    id = await kit.make("sleeps", { image: join(kit.images, "stubborn.raw") });
    await kit.ask("power", { id, op: PowerOp.ON });
    const shut = () => kit.ask("power", { id, op: PowerOp.SHUTDOWN_GRACEFUL, gracefulTimeoutSeconds: 1 });
    await everywhere(
      async () => {
        const { task } = await shut();
        await kit.done(task?.id);
      },
      async () => {
        const { task } = await shut();
        await kit.done(task?.id);
        expect(await kit.processes(id)).toBe(0);
        await kit.ask("power", { id, op: PowerOp.ON });
      },
      6, // each takes the seconds that a guest has to answer
    );
  });

  it("while it freezes a layer under a machine that runs: the guest's disk is whole", async () => {
    await kit.open();
    id = await kit.make("freezes", { disks: [{ Name: "data", SizeGiB: 1 }] });
    await kit.ask("power", { id, op: PowerOp.ON });
    const acts = await everywhere(
      () => kit.ask("snapshotCreate", { vmId: id, nameHint: "n" }),
      async () => {
        // It is there, or it never was: no layer is left that belongs to nobody.
        const { snapshots, metadata } = await kit.ask("getDiskInfo", { vmId: id });
        expect(Number(metadata["layers"])).toBe(2 + snapshots.length);
        for (const snapshotId of snapshots) {
          const { task } = await kit.ask("snapshotDelete", { vmId: id, snapshotId });
          expect(await kit.done(task?.id)).toBe("");
        }
        const before = kit.serial(id).length;
        await until("the guest counts on", () => kit.serial(id).length > before + 1);
        await kit.ask("power", { id, op: PowerOp.OFF });
        expect(counted(await kit.ask("getDiskInfo", { vmId: id }))).toBe(
          kit.serial(id).charCodeAt(kit.serial(id).length - 1) - 64,
        );
        await kit.ask("power", { id, op: PowerOp.ON });
      },
      2,
    );
    expect(acts).toBeGreaterThan(5);
  });

  it("while it takes a snapshot of a machine that is off: it is in all of its disks, or in none", async () => {
    await kit.open();
    id = await kit.make("off", { disks: [{ Name: "data", SizeGiB: 1 }] });
    const tags = () =>
      ["root", "data"].map((name) => {
        const disk = join(kit.state, "vms", id, "disks", `${name}.qcow2`);
        return (
          JSON.parse(execFileSync("qemu-img", ["info", "--output=json", disk], { encoding: "utf8" })).snapshots ?? []
        );
      });
    const acts = await everywhere(
      () => kit.ask("snapshotCreate", { vmId: id, nameHint: "n" }),
      async () => {
        const { snapshots } = await kit.ask("getDiskInfo", { vmId: id });
        expect(tags().map(({ length }) => length)).toEqual([snapshots.length, snapshots.length]);
        for (const snapshotId of snapshots) await kit.ask("snapshotDelete", { vmId: id, snapshotId });
        expect(tags()).toEqual([[], []]);
      },
    );
    expect(acts).toBeGreaterThan(3);
  });

  it("while it exports the disk of a machine that runs: the same request gives the disk, and the guest's is whole", async () => {
    mkdirSync(join(kit.storage, "claim"));
    await kit.open();
    id = await kit.make("exports");
    await kit.ask("power", { id, op: PowerOp.ON });
    let n = 0;
    const send = async () => {
      const { task } = await kit.ask("exportDisk", { vmId: id, destinationUrl: `pvc://claim/${n}.qcow2` });
      return kit.done(task?.id);
    };
    const acts = await everywhere(
      send,
      async () => {
        expect(await send()).toBe("");
        execFileSync("qemu-img", ["check", "-q", join(kit.storage, "claim", `${n}.qcow2`)]);
        const before = kit.serial(id).length;
        await until("the guest counts on", () => kit.serial(id).length > before);
        n += 1;
      },
      3,
    );
    await kit.ask("power", { id, op: PowerOp.OFF });
    expect(counted(await kit.ask("getDiskInfo", { vmId: id }))).toBe(
      (kit.serial(id).charCodeAt(kit.serial(id).length - 1) - 64) & 63,
    );
    expect(acts).toBeGreaterThan(10);
  });

  /** What the guest has written to its second sector. */
  const counted = ({ path: disk }: { path: string }): number => {
    const raw = join(kit.folder, "look.raw");
    execFileSync("qemu-img", ["convert", "-f", "qcow2", "-O", "raw", disk, raw]);
    return execFileSync("head", ["-c", "514", raw]).readUInt16LE(512) & 63;
  };
});
