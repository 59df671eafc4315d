// Looks at whether the machines of a provider are to be adopted, and which objects there are already. Only reads.

import { type Instant, parseTime } from "@telltale/kinds";
import type { Look } from "@telltale/runtime";
import { findCondition, text } from "@telltale/status";
import { vmsByProvider } from "../indexes.ts";
import { type Provider, VirtualMachine, VMClone } from "../kinds/index.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import { annotations, labels } from "../names.ts";
import type { Known } from "./discovery.ts";
import { filterOf } from "./filter.ts";
import type { State, World } from "./world.ts";

const second = 1_000;
const minute = 60 * second;
/** A provider is not asked for its machines more often. */
export const shortest = 5 * minute;
export const usual = 60 * minute;

export async function observe(it: Provider, look: Look, tls: KnownSecrets): Promise<World> {
  const machines = machinesOf(it, look);
  const adopted = machines.filter(
    ({ metadata, status }) => metadata.labels?.[labels.adopted] === "true" && (status?.id ?? "") !== "",
  );
  return { it, state: await stateOf(it, machines, look, tls), adopted: adopted.length };
}

export const isAdopting = ({ metadata }: Provider): boolean => metadata.annotations?.[annotations.adoptVMs] === "true";

async function stateOf(
  it: Provider,
  machines: readonly VirtualMachine[],
  look: Look,
  secrets: KnownSecrets,
): Promise<State> {
  if (!isAdopting(it)) return { is: "unwanted" };
  if (findCondition(it.status?.conditions, "Ready")?.status !== "True") {
    return { is: "waiting", said: text`Provider not ready`, again: 30 * second };
  }
  const filter = filterOf(it.metadata.annotations?.[annotations.adoptFilter]);
  if ("problem" in filter) {
    return { is: "waiting", said: text`Invalid filter: ${filter.problem}`, again: 5 * minute };
  }
  if (isRecent(it, look.now)) return { is: "recent", again: shortest };
  const tls = await secrets.of(it, look);
  if (tls.is === "missing") return { is: "waiting", said: tls.why, again: 30 * second };
  const known = knownOf(it, machines, look);
  return { is: "due", filter, known, ...(tls.is === "secret" ? { tls: tls.secret } : {}) };
}

function isRecent({ status }: Provider, now: Instant): boolean {
  const last = parseTime(status?.adoption?.lastDiscoveryTime);
  return last !== undefined && last <= now && now - last < shortest;
}

function machinesOf({ metadata }: Provider, look: Look): readonly VirtualMachine[] {
  return look.where(VirtualMachine, vmsByProvider.name, `${metadata.namespace ?? ""}/${metadata.name ?? ""}`);
}

function knownOf({ metadata }: Provider, machines: readonly VirtualMachine[], look: Look): Known {
  const { name = "", namespace = "" } = metadata;
  const beside = look.list(VirtualMachine, { namespace });
  const clones = look.list(VMClone).filter(({ status }) => status?.phase !== "Ready" && status?.phase !== "Failed");
  return {
    machines,
    names: new Map(beside.map((machine) => [machine.metadata.name ?? "", machine])),
    inTheMaking: new Set(clones.map(({ spec }) => spec.target.name)),
    provider: { name, namespace },
  };
}
