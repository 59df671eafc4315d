// How large a machine is to be, how large it is, and what follows (3.1, "Reconfigure"). Pure.
import { parseQuantity, quantityToBytes } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { VirtualMachine, VMClass } from "../kinds/index.ts";
import { deed, rest, type Step } from "./step.ts";
import type { Held, World } from "./world.ts";

export interface Size {
  readonly cpu: number;
  readonly memoryMiB: number;
  /** In GiB, by name; the first disk is `root`. */
  readonly disks: Readonly<Record<string, number>>;
}

const mebi = 2 ** 20;
const gibi = 2 ** 30;

function bytesOf(quantity: string | number): number {
  const parsed = parseQuantity(quantity);
  return parsed === undefined ? 0 : quantityToBytes(parsed);
}

export function wantedSize({ spec }: Pick<VirtualMachine, "spec">, { spec: of }: Pick<VMClass, "spec">): Size {
  const root = of.diskDefaults?.size;
  return {
    cpu: spec.resources?.cpu ?? of.cpu,
    memoryMiB: spec.resources?.memoryMiB ?? Math.floor(bytesOf(of.memory) / mebi),
    disks: {
      ...(root === undefined ? {} : { root: Math.ceil(bytesOf(root) / gibi) }),
      ...Object.fromEntries((spec.disks ?? []).map(({ name, sizeGiB }) => [name, sizeGiB])),
    },
  };
}

/** Where it is kept which disks were asked for: a machine's own description need not have their sizes. */
export const disksKey = "requested_disks";

const mostKeys = 64;

/** What the provider says, with what is kept here. */
export function withDisks(said: Readonly<Record<string, string>>, { provider }: Held): Record<string, string> {
  const disks = provider?.[disksKey];
  if (disks === undefined) return { ...said };
  return Object.fromEntries([...Object.entries(said).slice(0, mostKeys - 1), [disksKey, disks]]);
}

const formatDisks = (disks: Size["disks"]): string =>
  Object.entries(disks)
    .map(([name, size]) => `${name}=${size}`)
    .join(",");

export function currentSize({ currentResources, provider }: Held): Size | undefined {
  const { cpu, memoryMiB } = currentResources ?? {};
  if (cpu === undefined || memoryMiB === undefined) return undefined;
  const pairs = (provider?.[disksKey] ?? "").split(",").map((it) => it.split("="));
  const disks = pairs.flatMap(([name = "", size]) => (size === undefined ? [] : [[name, Number(size)] as const]));
  return { cpu, memoryMiB, disks: Object.fromEntries(disks) };
}

/** It has what is wanted. */
export function settledSize(world: World): World {
  const { needs, vm, held } = world;
  if (needs.is !== "there" || needs.vmClass === undefined) return world;
  const { cpu, memoryMiB, disks } = wantedSize(vm, needs.vmClass);
  const provider = { ...held.provider, [disksKey]: formatDisks(disks) };
  return { ...world, held: { ...held, currentResources: { ...held.currentResources, cpu, memoryMiB }, provider } };
}

/** How often a change is asked for that the provider takes and does not apply. */
const resizeLimit = 5;

/** 22 */
export function sizing(world: World): Step | undefined {
  const { vm, needs, held, heard } = world;
  if (needs.is !== "there" || heard.seen?.is !== "there") return undefined;
  if (needs.vmClass === undefined) {
    return rest({ is: "settled", classless: text`VMClass ${vm.spec.classRef.name} not found` });
  }
  const wanted = wantedSize(vm, needs.vmClass);
  const current = currentSize(held);
  // Nobody knows what it has: it was not made here, or its status was lost.
  if (current === undefined || held.provider?.[disksKey] === undefined) return deed({ is: "settleSize" });
  const shrunk = Object.entries(wanted.disks).find(([name, size]) => size < (current.disks[name] ?? 0));
  if (shrunk !== undefined) {
    const [name, size] = shrunk;
    return rest({
      is: "shrinking",
      why: text`Disk ${name} has ${current.disks[name] ?? 0} GiB and cannot shrink to ${size}`,
    });
  }
  const change = changeOf(wanted, current);
  if (change === undefined) return undefined;
  if (heard.unapplied !== undefined) return rest({ is: "settled", restart: heard.unapplied });
  const restart = heard.seen.power === "Off" ? undefined : needsRestart(change, world);
  if (restart === undefined && world.resizes >= resizeLimit) {
    return rest({ is: "settled", restart: text`The provider took the change and did not apply it` });
  }
  return restart === undefined ? deed({ is: "resize" }) : rest({ is: "settled", restart });
}

interface Change {
  readonly isCompute: boolean;
  readonly disks: readonly string[];
}

export function changeOf(wanted: Size, current: Size): Change | undefined {
  const isCompute = wanted.cpu !== current.cpu || wanted.memoryMiB !== current.memoryMiB;
  const disks = Object.entries(wanted.disks).flatMap(([name, size]) => (size === current.disks[name] ? [] : [name]));
  return isCompute || disks.length > 0 ? { isCompute, disks } : undefined;
}

/** What cannot be done while it is on. */
function needsRestart({ isCompute, disks }: Change, { vm, needs }: World): SafeText | undefined {
  const can = needs.is === "there" ? needs.provider.status?.reportedCapabilities : undefined;
  if (isCompute && can?.supportsReconfigureOnline === false) return text`CPU/memory change needs the VM to be off`;
  const offline = disks.find((it) => vm.spec.disks?.find(({ name }) => name === it)?.expandPolicy === "Offline");
  if (offline !== undefined) return text`Disk ${offline} is expanded only while the VM is off`;
  const isRefused = disks.length > 0 && can?.supportsDiskExpansionOnline === false;
  return isRefused ? text`The provider expands disks only while the VM is off` : undefined;
}
