// Machines for the controllers that only need one to be there: the object with its status written by hand, and the machine itself on a
// simulated host.
import { VirtualMachine } from "../src/kinds/index.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { namespace, type Stage } from "./stage.ts";

export interface MachineOptions {
  readonly namespace?: string;
  readonly provider?: { readonly name: string; readonly namespace?: string };
  readonly spec?: object;
  readonly metadata?: object;
  readonly status?: object;
}

/** Resolves with the id on the host. */
export async function machine(s: Stage, host: SimulatedHost, name: string, more: MachineOptions = {}): Promise<string> {
  const { namespace: home = namespace, provider = { name: "box" }, spec, metadata, status } = more;
  const refs = { providerRef: provider, classRef: { name: "small" }, imageRef: { name: "tiny" } };
  await s.apply(VirtualMachine, name, { ...refs, ...spec }, metadata, home);
  const { ask } = simulatedDial({ clock: s.clock, find: () => host })({
    endpoint: "",
    serverName: "",
    connectTimeout: 1_000,
  });
  const request = {
    name,
    imageJson: JSON.stringify({ Path: "/tiny" }),
    classJson: JSON.stringify({ CPU: 2, MemoryMiB: 2048 }),
  };
  const made = ask("create", request, { deadline: 60_000 });
  await s.pass(3_000);
  const { id } = await made;
  host.forgetCalls();
  await s.status(VirtualMachine, name, { id, phase: "Running", powerState: "On", ...status }, home);
  return id;
}
