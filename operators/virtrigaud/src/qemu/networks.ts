// What a NIC is connected to, chosen once when its machine is made.
import { createHash } from "node:crypto";
import { createServer } from "node:net";
import type { Random } from "@telltale/clock";
import { RpcError } from "../contract/rpc-error.ts";
import { newMac } from "./ids.ts";
import type { Machine, Net, Nic } from "./machine.ts";
import type { WantedNetwork } from "./wanted.ts";

/** Below the ports that the system gives to connections of its own. */
const sshPorts = { from: 20_000, count: 10_000 };
const isolatedPorts = { from: 10_000, count: 10_000 };

/** The port of a named network: the same for everybody who knows the name. */
export function isolatedPort(name: string): number {
  return isolatedPorts.from + (createHash("sha256").update(name).digest().readUInt32BE(0) % isolatedPorts.count);
}

export interface Choices {
  readonly random: Random;
  readonly machines: readonly Machine[];
  readonly hasBridges: boolean;
  isFree(port: number): Promise<boolean>;
}

/** NICs for what is wanted, with MACs and ports that no other machine has. */
export async function nicsFor(wanted: readonly WantedNetwork[], choices: Choices): Promise<readonly Nic[]> {
  const others = choices.machines.flatMap(({ nics }) => nics);
  const taken = new Set(others.flatMap(({ net }) => (net.is === "user" ? [net.sshPort] : [])));
  const macs = new Set(others.map(({ mac }) => mac));
  const nics: Nic[] = [];
  for (const { name, model, mac, bridge, network, address } of wanted) {
    if (mac !== undefined && macs.has(mac))
      throw new RpcError("ALREADY_EXISTS", "another machine has this MAC address");
    const own = mac ?? newMac(choices.random);
    macs.add(own);
    const net = await netFor({ bridge, network }, choices, taken);
    nics.push({ name, model, mac: own, net, ...(address && { address }) });
  }
  return nics;
}

async function netFor(
  { bridge, network }: { bridge: string | undefined; network: string | undefined },
  choices: Choices,
  taken: Set<number>,
): Promise<Net> {
  if (bridge !== undefined) {
    if (!choices.hasBridges)
      throw new RpcError("UNIMPLEMENTED", "this provider has no bridges: it was started without --bridge-helper");
    return { is: "bridge", bridge };
  }
  if (network !== undefined) return { is: "isolated", name: network, port: isolatedPort(network) };
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = sshPorts.from + Math.floor(choices.random.next() * sshPorts.count);
    if (taken.has(port) || !(await choices.isFree(port))) continue;
    taken.add(port);
    return { is: "user", sshPort: port };
  }
  throw new RpcError("RESOURCE_EXHAUSTED", "not enough free ports on the host's loopback");
}

/** Whether nobody listens on a port of the loopback. */
export function isFreePort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
