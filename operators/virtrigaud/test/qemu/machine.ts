// A machine for tests, as `vm.json` has it.
import type { Machine } from "../../src/qemu/machine.ts";

export function aMachine(more: Partial<Machine>): Machine {
  return {
    schema: 1,
    id: "q-aaaaaaaaaaaa",
    name: "one",
    uuid: "11111111-1111-4111-8111-111111111111",
    requestId: "",
    fingerprint: "",
    createdAt: "2026-01-01T00:00:00.000Z",
    state: "defined",
    task: "t-aaaaaaaaaaaaaaaa",
    cpu: 1,
    memoryMiB: 128,
    hotAdd: { cpu: false, memory: false },
    firmware: "bios",
    root: { isThick: false, from: { is: "image", target: "i" }, layer: 0 },
    disks: [],
    nics: [],
    userData: "cloud-init",
    tags: [],
    nextLayer: 1,
    basedOn: [],
    ...more,
  };
}
