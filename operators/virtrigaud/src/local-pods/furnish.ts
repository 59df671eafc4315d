// Machines that are to be there before anybody asks: made and switched on by the provider's own handlers, once.
import { create as message } from "@bufbuild/protobuf";
import { type Clock, sleep } from "@telltale/clock";
import { type Asked, type Handlers, PowerOp, service } from "../contract/contract.ts";

export interface Furniture {
  readonly names: readonly string[];
  /** The path of the image that they are made from. */
  readonly image: string;
  readonly clock: Clock;
}

export type Needed = Pick<Handlers, "listVMs" | "create" | "taskStatus" | "power">;

export async function furnish(handlers: Needed, { names, image, clock }: Furniture): Promise<void> {
  if (names.length === 0) return;
  const { listVMs, create, taskStatus, power } = service.method;
  const asked: Asked = { signal: new AbortController().signal };
  const ended = async (what: string, task: string | undefined): Promise<void> => {
    for (let isDone = !task; !isDone; ) {
      const reply = await handlers.taskStatus(message(taskStatus.input, { task: { id: task ?? "" } }), asked);
      if (reply.error) throw new Error(`machine ${what}: ${reply.error}`);
      isDone = reply.done === true;
      if (!isDone) await sleep(clock, 100);
    }
  };
  const { vms = [] } = await handlers.listVMs(message(listVMs.input), asked);
  for (const name of names.filter((it) => !vms.some((vm) => vm.name === it))) {
    const wanted = message(create.input, {
      name,
      classJson: JSON.stringify({ CPU: 1, MemoryMiB: 128 }),
      imageJson: JSON.stringify({ Path: image, Format: "raw" }),
    });
    const made = await handlers.create(wanted, asked);
    await ended(name, made.task?.id);
    const on = await handlers.power(message(power.input, { id: made.id ?? "", op: PowerOp.ON }), asked);
    await ended(name, on.task?.id);
  }
}
