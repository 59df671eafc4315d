// Three machines that are there from the start, as the mock provider has them.
import { create } from "@bufbuild/protobuf";
import { service } from "../contract/contract.ts";
import { switchOn } from "./machine.ts";
import { made } from "./machines.ts";
import type { World } from "./world.ts";

export function furnish(world: World): void {
  for (const [i, isOn] of [true, true, false].entries()) {
    const request = create(service.method.create.input, {
      name: `vm-${i + 1}`,
      classJson: JSON.stringify({ CPU: i + 1, MemoryMiB: 1_024 * (i + 1) }),
      imageJson: JSON.stringify({ TemplateName: "100" }),
    });
    const machine = made(world, request);
    if (isOn) switchOn(machine, world.clock.now());
    world.machines.set(machine.id, machine);
  }
}
