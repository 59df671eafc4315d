import { instant } from "@telltale/kinds";
import { expect, test } from "vitest";
import type { Provider, VirtualMachine, VMPlacementPolicy } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { Reservations } from "./reservations.ts";

const machine = (name: string, on: Record<string, string> = {}) =>
  ({
    metadata: { namespace: "demo", name, uid: name, annotations: on },
    spec: { providerRef: { name: "p" }, classRef: { name: "c" }, placementRef: { name: "apart" } },
  }) as VirtualMachine;

const policy = {
  metadata: { namespace: "demo", name: "apart", uid: "apart" },
  spec: { hard: { hosts: ["h1", "h2"] }, antiAffinity: { hostAntiAffinity: { enabled: true, scope: "strict" } } },
} as VMPlacementPolicy;

const around = (others: readonly VirtualMachine[]) => ({
  provider: { metadata: { name: "p" }, spec: { type: "vsphere" } } as Provider,
  vmClass: undefined,
  others,
  policies: [],
  namespaceLabels: () => undefined,
  now: instant(0),
});

const hostOf = (reservations: Reservations, vm: VirtualMachine, others: readonly VirtualMachine[]) => {
  const placing = reservations.place(vm, policy, around(others));
  return placing.is === "placed" ? placing.placement.Host : "none";
};

test("machines that are placed at once get different places, before any of them is on record", () => {
  const it = new Reservations();
  const [a, b, c] = [machine("a"), machine("b"), machine("c")];
  expect(hostOf(it, a, [b, c])).toBe("h1");
  expect(hostOf(it, b, [a, c])).toBe("h2");
  expect(hostOf(it, c, [a, b])).toBe("none");
  expect(hostOf(it, a, [b, c])).toBe("h1");
});

test("what is on record counts, and what is gone does not", () => {
  const it = new Reservations();
  const [a, b] = [machine("a"), machine("b")];
  expect(hostOf(it, a, [b])).toBe("h1");
  const moved = {
    ...machine("a", { [annotations.placement]: JSON.stringify({ host: "h2" }) }),
    status: { id: "vm-1" },
  } as VirtualMachine;
  expect(hostOf(it, b, [moved])).toBe("h1");
  it.forget(b);
  expect(hostOf(it, machine("c"), [b])).toBe("h1");
});

test("a machine that is placed again after a refusal counts at its new place, before that is on record", () => {
  const it = new Reservations();
  const [a, b] = [machine("a", { [annotations.placement]: JSON.stringify({ host: "h2" }) }), machine("b")];
  expect(hostOf(it, a, [])).toBe("h1");
  expect(hostOf(it, b, [a])).toBe("h2");
});

test("a copy that has no VirtualMachine yet is counted, on its provider, until it is forgotten", () => {
  const it = new Reservations();
  const copy = { metadata: { uid: "clone" } };
  expect(it.place(machine("copy"), policy, around([]), "clone")).toMatchObject({ placement: { Host: "h1" } });
  expect(it.place(machine("copy"), policy, around([]), "clone")).toMatchObject({ placement: { Host: "h1" } });
  expect(hostOf(it, machine("a"), [])).toBe("h2");
  const elsewhere = { ...around([]), provider: { metadata: { name: "q" }, spec: { type: "vsphere" } } as Provider };
  expect(it.place(machine("b"), policy, elsewhere)).toMatchObject({ placement: { Host: "h1" } });
  it.forget(copy);
  it.forget(machine("b"));
  expect(hostOf(it, machine("c"), [machine("a")])).toBe("h1");
});
