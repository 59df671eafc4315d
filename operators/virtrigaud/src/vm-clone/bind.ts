// Gives a copy its object, and the object the id of the copy (3.9, "Bind"; L-07). The other controller may write there at the same
// time: what it wrote stays, and nothing goes on before the server itself says that the id is there.
import { isConflict } from "@telltale/client";
import { Failed, text } from "@telltale/status";
import { VirtualMachine } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { type CloneHands, hearing } from "./act.ts";
import { isOurs, placeOf } from "./target.ts";
import type { World } from "./world.ts";

const tries = 5;

export async function bind(world: World, hands: CloneHands): Promise<World> {
  const { clone, held } = world;
  const at = placeOf(clone);
  const found = (await hands.live(VirtualMachine, at)) ?? (await made(world, hands));
  const foreign = (why: ReturnType<typeof text>): World => hearing(world, { bound: { foreign: why } });
  if (!isOurs(found, clone)) return foreign(text`VirtualMachine ${at.namespace}/${at.name} is somebody else's`);
  const id = held.targetVMID ?? "";
  if (id === "")
    return hearing({ ...world, target: { ...world.target, object: found, isOurs: true } }, { bound: "yes" });
  let vm = found;
  for (let i = 0; i < tries; i += 1) {
    const known = vm.status?.id ?? "";
    if (known === id)
      return hearing({ ...world, target: { ...world.target, object: vm, isOurs: true } }, { bound: "yes" });
    if (known !== "") return foreign(text`VirtualMachine ${at.namespace}/${at.name} is machine ${known}`);
    await seeded(vm, id, hands);
    const read = await hands.live(VirtualMachine, at);
    if (read === undefined || read.metadata.uid !== vm.metadata.uid) break;
    vm = read;
  }
  throw new Failed({ class: "conflict", reason: "Outdated", message: text`the machine changes all the time` });
}

async function made({ target, placing, held, source }: World, hands: CloneHands): Promise<VirtualMachine> {
  const { wanted } = target;
  const noted = {
    // What is made from an image is placed by the controller of its own object.
    ...(placing?.is === "placed" && source.is !== "image" && { [annotations.placement]: placing.decision }),
    ...(held.targetVMID !== undefined && { [annotations.providerId]: held.targetVMID }),
  };
  const metadata = { ...wanted.metadata, annotations: { ...wanted.metadata.annotations, ...noted } };
  const { live } = await hands.ensure(VirtualMachine, { ...wanted, metadata }, { mode: "createOnly", owner: "none" });
  return live;
}

/** Once, from nothing to the id. Who was faster wrote something else, which is seen at the next look. */
async function seeded(vm: VirtualMachine, id: string, hands: CloneHands): Promise<void> {
  const operations =
    vm.status === undefined
      ? ([
          { op: "test", path: "/status", value: null },
          { op: "add", path: "/status", value: { id } },
        ] as const)
      : ([
          { op: "test", path: "/status/id", value: vm.status.id ?? null },
          { op: "add", path: "/status/id", value: id },
        ] as const);
  try {
    await hands.patchStatus(VirtualMachine, vm, operations);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}
