// Every family of the simulated provider does what it says that it can.
import { seededRandom, VirtualClock } from "@telltale/clock";
import { expect, it } from "vitest";
import type { Ask } from "../src/contract/contract.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import { SimulatedHost } from "../src/simulated/host.ts";
import { type ProfileName, profiles } from "../src/simulated/profile.ts";
import { conform } from "./conformance.ts";

function against(host: SimulatedHost, clock: VirtualClock) {
  const { ask } = simulatedDial({ clock, find: () => host })({ endpoint: "", serverName: "", connectTimeout: 1 });
  const patient: Ask = async (method, request, options) => {
    let isOver = false;
    const call = ask(method, request, options).finally(() => {
      isOver = true;
    });
    call.catch(() => {});
    while (!isOver) await clock.settle(1_000);
    return call;
  };
  return conform({
    ask: patient,
    pass: (by) => clock.settle(by),
    imageJson: JSON.stringify({ TemplateName: "100" }),
    stagingUrl: (backend) => `${backend}://staging`,
    prepareJson: JSON.stringify({ source: { http: { url: "https://images.example/tiny.qcow2" } } }),
    limit: 60_000,
  });
}

it.each(Object.keys(profiles) as ProfileName[])("L-27 %s does what it says that it can", async (like) => {
  const clock = new VirtualClock();
  expect(await against(new SimulatedHost({ clock, random: seededRandom(1), like }), clock)).toEqual([]);
});

it("L-27 what a provider only pretends to do is found", async () => {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, random: seededRandom(1) });
  const times = Number.POSITIVE_INFINITY;
  host.script("snapshotCreate", { is: "answer", reply: { snapshotId: "fake" }, times });
  host.script("power", { is: "answer", reply: {}, times });
  host.script("reconfigure", { is: "answer", reply: {}, times });
  host.script("clone", { is: "answer", reply: { targetVmId: "fake", task: { id: "fake" } }, times });
  const wrong = await against(host, clock);
  expect(wrong).toEqual([
    "after Power On it is On, not Off",
    "a machine that is off has two CPUs after it was given them",
    "GetDiskInfo has the snapshot by its name",
    "SnapshotRevert: NOT_FOUND snapshot fake not found",
    "Clone, linked: false: its task is forgotten",
    "ListVMs has the clone",
    "Clone, linked: true: its task is forgotten",
    "ListVMs has the clone",
  ]);
});
