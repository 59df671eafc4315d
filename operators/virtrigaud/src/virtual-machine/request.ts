// What is sent to make a machine or to change one: put together from what it refers to, with Secrets as they are at this moment.
import { ConfigMap, Secret } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import type { Request } from "../contract/contract.ts";
import type { VirtualMachine } from "../kinds/index.ts";
import { createPayload, desiredPayload, type Ingredients } from "../payload/machine.ts";
import type { PoolData } from "../payload/networks.ts";
import { renderMetaData, renderUserData } from "../payload/user-data.ts";
import { nameOn } from "./name.ts";
import { changeOf, currentSize, wantedSize } from "./sizing.ts";
import { secretsOf } from "./user-data.ts";
import type { Held, Parts, World } from "./world.ts";

export async function createRequest(
  { vm, placing }: Pick<World, "vm" | "placing">,
  parts: Parts,
  look: Pick<Look, "live">,
): Promise<Request<"create"> | { readonly lacking: SafeText }> {
  const { namespace = "" } = vm.metadata;
  const secrets = new Map<string, Readonly<Record<string, string>>>();
  for (const name of secretsOf(vm)) {
    const found = await look.live(Secret, { namespace, name });
    if (found !== undefined) secrets.set(name, found.data ?? {});
  }
  const read = (name: string) => secrets.get(name);
  const userData = renderUserData(vm.spec.userData, read);
  const metaData = renderMetaData(vm.spec.metaData, read);
  for (const it of [userData, metaData]) if (it.is === "lacking") return { lacking: it.what };
  const pools = await poolsOf(parts, look);
  const request = createPayload(
    { ...ingredients(vm, parts, placing), pools },
    {
      ...(userData.is === "rendered" && { userData: userData.content }),
      ...(metaData.is === "rendered" && { metaData: metaData.content }),
    },
  );
  return "problem" in request ? { lacking: request.problem } : request;
}

/** What the pools of its networks say of their subnets. */
const poolsOf = ({ networks }: Parts, look: Pick<Look, "live">): Promise<readonly (PoolData | undefined)[]> =>
  Promise.all(
    networks.map(async (network) => {
      const { type, poolConfig } = network?.spec.ipAllocation ?? {};
      if (type !== "Pool" || poolConfig === undefined) return undefined;
      const at = { namespace: network?.metadata.namespace ?? "", name: poolConfig.poolRef.name };
      return (await look.live(ConfigMap, at))?.data;
    }),
  );

/** `desired_json`: the disks only where one of them is to change. */
export function desiredJson(vm: VirtualMachine, parts: Parts, held: Held): string {
  const { vmClass } = parts;
  const current = currentSize(held);
  const change =
    vmClass === undefined || current === undefined ? undefined : changeOf(wantedSize(vm, vmClass), current);
  const isDisk = change?.disks.some((name) => name !== "root") ?? false;
  return desiredPayload(ingredients(vm, parts, undefined), isDisk);
}

function ingredients(vm: VirtualMachine, parts: Parts, placing: World["placing"]): Ingredients {
  const { provider, key, vmClass, image, networks } = parts;
  if (vmClass === undefined) throw new Error(text`VMClass ${vm.spec.classRef.name} is not there`);
  const decided = placing?.is === "placed" ? placing.at : undefined;
  return {
    vm,
    name: nameOn(vm),
    provider,
    providerKey: key,
    vmClass,
    image,
    networks,
    placement: [vm.spec.placement, decided, provider.spec.defaults],
  };
}
