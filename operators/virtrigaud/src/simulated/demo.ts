// Machines that are there from the start: those that the mock provider has, or others.
import { create } from "@bufbuild/protobuf";
import { service } from "../contract/contract.ts";
import { switchOn } from "./machine.ts";
import { made } from "./machines.ts";
import type { World } from "./world.ts";

export interface Furnished {
  readonly name: string;
  readonly cpu: number;
  readonly memoryMiB: number;
  readonly isOn: boolean;
}

export const standardMachines: readonly Furnished[] = [
  { name: "vm-1", cpu: 1, memoryMiB: 1_024, isOn: true },
  { name: "vm-2", cpu: 2, memoryMiB: 2_048, isOn: true },
  { name: "vm-3", cpu: 3, memoryMiB: 3_072, isOn: false },
];

export function furnish(world: World, machines: readonly Furnished[]): void {
  for (const { name, cpu, memoryMiB, isOn } of machines) {
    const request = create(service.method.create.input, {
      name,
      classJson: JSON.stringify({ CPU: cpu, MemoryMiB: memoryMiB }),
      imageJson: JSON.stringify({ TemplateName: "100" }),
    });
    const machine = made(world, request);
    if (isOn) switchOn(machine, world.clock.now());
    world.machines.set(machine.id, machine);
  }
}
