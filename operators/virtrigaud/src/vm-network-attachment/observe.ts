// Reads what a pass has to know of one network: who is on it, where it could be, and its pool; and works out who has which address.
import { formatTime } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import type { Look, MapLook } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import { addressIn, parseCidr } from "../ipv4.ts";
import { Provider, VirtualMachine, type VMNetworkAttachment } from "../kinds/index.ts";
import { type Crossing, isOpenTo, providerKey, resolve } from "../references.ts";
import { networkProblems, toldAll } from "../validate/index.ts";
import { allocate, type Card, type Supply } from "./allocate.ts";
import { readPool } from "./pool.ts";
import type { World } from "./world.ts";

/** Machines by the `namespace/name` of their networks and of their provider; networks by their pool and by their namespace. */
export const byNetwork = "networks of a machine";
export const byMachineProvider = "provider of a machine on networks";
export const byPool = "pool of a network";
export const byNamespace = "namespace of a network";

export async function observe(network: VMNetworkAttachment, look: Look, crossing: Crossing): Promise<World> {
  const isValid = networkProblems(network).length === 0;
  const { supply, trouble } = isValid ? await supplyOf(network, look) : { supply: kept, trouble: undefined };
  return seen(network, look, crossing, supply, trouble);
}

/** While somebody holds it: nobody gets anything new, and nobody is said to wait for it. */
export function observePaused(network: VMNetworkAttachment, look: Look, crossing: Crossing): World {
  const world = seen(network, look, crossing, kept, undefined);
  return { ...world, addresses: { ...world.addresses, waiting: [] } };
}

/** Nobody gets anything new, and everybody keeps what they have. */
const kept: Supply = { is: "missing" };

function seen(
  network: VMNetworkAttachment,
  look: Look,
  crossing: Crossing,
  supply: Supply,
  poolTrouble: SafeText | undefined,
): World {
  const machines = machinesOn(network, look, crossing);
  const cards = machines.flatMap((vm) => cardsOf(vm, network));
  return {
    network,
    problem: toldAll(networkProblems(network)),
    poolTrouble,
    providers: providersOf(network, machines, look),
    connected: machines.filter(({ status }) => (status?.id ?? "") !== "").length,
    addresses: allocate(cards, network.status?.ipAllocations ?? [], supply, formatTime(look.now)),
  };
}

/** A machine that may not use it from its namespace is not on it, and takes no address. */
export function machinesOn(
  network: VMNetworkAttachment,
  look: MapLook,
  { isFree }: Crossing,
): readonly VirtualMachine[] {
  const { namespace = "" } = network.metadata;
  const home = ({ metadata }: VirtualMachine) => metadata.namespace ?? "";
  return look
    .where(VirtualMachine, byNetwork, keyOf(network))
    .filter((vm) => isFree || home(vm) === namespace || isOpenTo(network, home(vm)));
}

const keyOf = ({ metadata: { namespace = "", name = "" } }: VMNetworkAttachment): string => `${namespace}/${name}`;

/** The networks that a machine refers to, each once. */
export function networksOf({ metadata, spec }: VirtualMachine): readonly string[] {
  const refs = (spec.networks ?? []).flatMap(({ networkRef }) => (networkRef === undefined ? [] : [networkRef]));
  const places = refs.map((ref) => resolve(ref, metadata.namespace ?? ""));
  return [...new Set(places.map(({ namespace, name }) => `${namespace}/${name}`))];
}

function cardsOf(vm: VirtualMachine, network: VMNetworkAttachment): readonly Card[] {
  const { namespace = "", name = "", creationTimestamp = "" } = vm.metadata;
  const here = (vm.spec.networks ?? []).filter(({ networkRef }) => {
    if (networkRef === undefined) return false;
    const place = resolve(networkRef, namespace);
    return `${place.namespace}/${place.name}` === keyOf(network);
  });
  return here.map(({ ipAddress = "", macAddress }) => {
    const ip = addressIn(ipAddress);
    return {
      vm: `${namespace}/${name}`,
      since: creationTimestamp,
      isMade: (vm.status?.id ?? "") !== "",
      ...(ip === undefined ? {} : { ip }),
      ...(macAddress === undefined ? {} : { mac: macAddress }),
      seen: vm.status?.ips ?? [],
    };
  });
}

/** Providers of its namespace, and those of the machines on it. */
function providersOf(
  network: VMNetworkAttachment,
  machines: readonly VirtualMachine[],
  look: Look,
): ReadonlyMap<string, Provider> {
  const { namespace = "" } = network.metadata;
  const used = new Set(machines.map(providerOf));
  const found = [
    ...look.list(Provider, { namespace }),
    ...[...used].flatMap((place) => {
      const [home = "", name = ""] = place.split("/");
      return (home === namespace ? undefined : look.get(Provider, { namespace: home, name })) ?? [];
    }),
  ];
  const keyed = found.map((provider) => [providerKey(namespace, nameOf(provider)), provider] as const);
  return new Map(keyed.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const nameOf = ({ metadata: { namespace = "", name = "" } }: Provider) => ({ namespace, name });

export function providerOf({ metadata, spec }: VirtualMachine): string {
  const { namespace, name } = resolve(spec.providerRef, metadata.namespace ?? "");
  return `${namespace}/${name}`;
}

export const poolOf = ({ spec }: VMNetworkAttachment): string | undefined =>
  spec.ipAllocation?.type === "Pool" ? spec.ipAllocation.poolConfig?.poolRef.name : undefined;

async function supplyOf(
  network: VMNetworkAttachment,
  look: Look,
): Promise<{ readonly supply: Supply; readonly trouble: SafeText | undefined }> {
  const { type = "DHCP", staticConfig, poolConfig } = network.spec.ipAllocation ?? {};
  const plainly = (supply: Supply) => ({ supply, trouble: undefined });
  if (type === "DHCP") return plainly({ is: "seen" });
  if (type === "Static") {
    const address = parseCidr(staticConfig?.address ?? "")?.address;
    return plainly(address === undefined ? { is: "none" } : { is: "static", ip: address });
  }
  const pool = poolOf(network);
  if (pool === undefined) return plainly({ is: "none" });
  const place = { namespace: network.metadata.namespace ?? "", name: pool };
  const missing = { supply: kept, trouble: text`ConfigMap ${pool} not found` };
  // Only that it exists is kept in memory: ConfigMaps are many and large.
  if (look.get(ConfigMap, place) === undefined) return missing;
  const live = await look.live(ConfigMap, place);
  if (live === undefined) return missing;
  const read = readPool(live);
  if (read.is === "unusable") return { supply: kept, trouble: read.why };
  const preferred = addressIn(poolConfig?.preferredIP ?? "");
  return plainly({ is: "pool", pool: read.pool, ...(preferred === undefined ? {} : { preferred }) });
}
