// Machines that were on a provider before: an object of the same name neither takes nor removes them.
import { afterEach, expect, test } from "vitest";
import { VirtualMachine, VMClass, VMImage } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import type { HostOptions } from "../src/simulated/host.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { type Stage, stage, type Tools } from "./stage.ts";

const minute = 60_000;
const machines = ({ links, random }: Tools) =>
  virtualMachines({
    workers: 5,
    senses: {
      links,
      random,
      streaks: new Streaks(),
      tls: new KnownSecrets(),
      places: new Reservations(),
      crossing: { isFree: false },
      httpGet: async () => 200,
    },
  });

let cluster: Stage;
afterEach(() => cluster.end());

async function startCluster(like: HostOptions["like"]) {
  cluster = await stage({ controllers: (tools) => [machines(tools)] });
  await cluster.apply(VMClass, "small", { cpu: 2, memory: "2Gi" });
  await cluster.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
  const host = await cluster.provider("box", { ...(like && { like }) });
  const { ask } = simulatedDial({ clock: cluster.clock, find: () => host })({
    endpoint: "",
    serverName: "",
    connectTimeout: 1_000,
  });
  const made = ask(
    "create",
    { name: "web", imageJson: JSON.stringify({ Path: "/x" }), classJson: JSON.stringify({ CPU: 1, MemoryMiB: 512 }) },
    { deadline: minute },
  );
  await cluster.pass(10_000);
  const { id } = await made;
  return { host, id };
}

test.each(["complete", "libvirt", "vsphere", "proxmox"] as const)(
  "like %s: an object named as a machine that somebody else made does not get it, and does not take it along",
  async (like) => {
    const { host, id } = await startCluster(like);
    const refs = { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "tiny" } };
    await cluster.apply(VirtualMachine, "web", { ...refs, powerState: "Off" });
    await cluster.pass(10 * minute);
    expect((await cluster.get(VirtualMachine, "web"))?.status?.id).toBeUndefined();
    expect(await cluster.says(VirtualMachine, "web")).toMatch(/^False NameConflict /);
    await cluster.remove(VirtualMachine, "web");
    await cluster.pass(10 * minute);
    expect(await cluster.get(VirtualMachine, "web")).toBeUndefined();
    expect(host.machines.map((it) => it.id)).toEqual([id]);
  },
);
