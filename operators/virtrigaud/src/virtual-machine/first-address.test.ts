import { formatTime, type Instant, plus } from "@telltale/kinds";
import { expect, test } from "vitest";
import { provider, vm } from "../../test/objects.ts";
import type { VirtualMachineStatus } from "../kinds/index.ts";
import { type AddressSample, FirstAddresses } from "./first-address.ts";

const made = 1_700_000_000_000 as Instant;

function setUp() {
  const told: AddressSample[] = [];
  const addresses = new FirstAddresses((sample) => told.push(sample));
  const { metadata, spec } = vm();
  const object = {
    apiVersion: "infra.virtrigaud.io/v1beta1",
    kind: "VirtualMachine",
    metadata: { ...metadata, uid: "u1", creationTimestamp: formatTime(made) },
    spec,
  } as const;
  const needs = { is: "there", provider: provider("qemu"), key: "", vmClass: undefined } as const;
  const rest = { image: undefined, networks: [], policy: undefined };
  const see = (after: number, before: VirtualMachineStatus | undefined, now: VirtualMachineStatus) =>
    addresses.see({ vm: object, needs: { ...needs, ...rest }, now: plus(made, after) }, before, now);
  return { told, addresses, see };
}

const without: VirtualMachineStatus = { id: "vm-1", conditions: [] };
const withOne: VirtualMachineStatus = { ...without, ips: ["192.0.2.7"] };

test("the first address of a machine is told once, with the time since the object was made", () => {
  const { told, see } = setUp();
  see(1_000, undefined, without);
  expect(told).toEqual([]);
  see(31_000, without, withOne);
  see(41_000, withOne, without);
  see(51_000, without, withOne);
  expect(told).toEqual([{ type: "qemu", took: 31_000 }]);
});

test("a machine that was there before this process may have had one: nothing is told of it", () => {
  const { told, see } = setUp();
  see(31_000, without, withOne);
  expect(told).toEqual([]);
});

test("one that is gone is forgotten", () => {
  const { told, addresses, see } = setUp();
  see(1_000, undefined, without);
  addresses.forget("u1");
  see(31_000, without, withOne);
  expect(told).toEqual([]);
});
