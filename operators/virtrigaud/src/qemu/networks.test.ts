import { seededRandom } from "@telltale/clock";
import { expect, it } from "vitest";
import { aMachine } from "../../test/qemu/machine.ts";
import { prefixOf } from "./clone.ts";
import { isolatedPort, nicsFor } from "./networks.ts";

const choices = (more: object = {}) => ({
  random: seededRandom(1),
  machines: [],
  hasBridges: false,
  isFree: () => Promise.resolve(true),
  ...more,
});
const wanted = (more: object = {}) => ({ name: "a", model: "virtio", ...more }) as const;

it("a NIC goes out through the host unless it is told where to", async () => {
  const [nat, named, again] = await nicsFor([wanted(), wanted({ network: "x" }), wanted({ network: "x" })], choices());
  expect(nat).toMatchObject({ mac: expect.stringMatching(/^52:54:00(:[0-9a-f]{2}){3}$/), net: { is: "user" } });
  expect(named?.net).toEqual({ is: "isolated", name: "x", port: isolatedPort("x") });
  expect(again?.net).toEqual(named?.net);
});

it("no two machines have one port or one MAC address", async () => {
  const first = aMachine({ nics: await nicsFor([wanted()], choices()) });
  const [nic] = first.nics;
  const [second] = await nicsFor([wanted()], choices({ machines: [first] }));
  expect(second?.net).not.toEqual(nic?.net);
  await expect(nicsFor([wanted({ mac: nic?.mac })], choices({ machines: [first] }))).rejects.toMatchObject({
    code: "ALREADY_EXISTS",
  });
  await expect(nicsFor([wanted()], choices({ isFree: () => Promise.resolve(false) }))).rejects.toMatchObject({
    code: "RESOURCE_EXHAUSTED",
  });
});

it("a bridge needs a helper", async () => {
  await expect(nicsFor([wanted({ bridge: "br0" })], choices())).rejects.toMatchObject({ code: "UNIMPLEMENTED" });
  const [nic] = await nicsFor([wanted({ bridge: "br0" })], choices({ hasBridges: true }));
  expect(nic?.net).toEqual({ is: "bridge", bridge: "br0" });
});

it("a mask is a prefix, or none", () => {
  expect(["255.255.255.0", "255.255.0.0", "255.255.255.255", "255.0.255.0", "0.0.0.0", "x"].map(prefixOf)).toEqual([
    24,
    16,
    32,
    undefined,
    undefined,
    undefined,
  ]);
});
