// Reads what a pass has to know of one Workspace, and what a run of it is fed with.
import type { Random } from "@telltale/clock";
import { ConfigMap, CustomResourceDefinition, Lease, Secret } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import type { Workspace } from "../kinds/workspace.ts";
import { annotations, finalizers } from "../names.ts";
import type { ServerKinds } from "../server.ts";
import { type Gathered, gather, type KeyRef } from "./inputs.ts";
import { definitionName, leaseSelector, type Presence } from "./presence.ts";
import { ProviderConfig } from "./provider-config.ts";
import type { Shelf } from "./record.ts";
import type { Runs } from "./runs.ts";
import { noQuirks, parseScript } from "./simulated/script.ts";
import { syncOf, uidOf, type World } from "./world.ts";

/** What a pass has at hand beside the server. */
export interface Surroundings {
  readonly kind: ServerKinds["Workspace"];
  readonly runs: Runs;
  readonly presence: Presence;
  readonly shelf: Shelf;
  readonly random: Random;
}

/** Workspaces by their finalizers. */
export const finalizerIndex = "finalizer";

export async function observe(workspace: Workspace, look: Look, around: Surroundings): Promise<World> {
  const { runs, presence, kind } = around;
  const rival = await presence.find({
    definition: () => look.live(CustomResourceDefinition, { name: definitionName }),
    leases: async () => (await look.server.list(Lease, { fieldSelector: leaseSelector })).items,
    workspaces: () => look.where(kind, finalizerIndex, finalizers.crossplane),
  });
  const standing = await runs.standing(uidOf(workspace));
  const script = workspace.metadata.annotations?.[annotations.simScript];
  return {
    workspace,
    engine: runs.engine.name,
    standing,
    ...(standing.at === "idle" && (await isCut(workspace, look)) ? { isCut: true } : {}),
    ...(rival === undefined ? {} : { rival }),
    isOpen: runs.isOpen,
    quirks: runs.engine.name === "simulated" ? parseScript(script).quirks : noQuirks,
  };
}

/** Secrets are never watched: whoever took ours away is found out by looking. */
async function isCut(workspace: Workspace, look: Look): Promise<boolean> {
  const ref = workspace.spec.writeConnectionSecretToRef;
  if (ref === undefined || syncOf(workspace) !== "good") return false;
  return (await look.live(Secret, ref)) === undefined;
}

export function inputsOf({ spec }: Workspace, look: Look): Promise<Gathered> {
  const nameOf = ({ namespace, name }: KeyRef) => ({ name, ...(namespace === undefined ? {} : { namespace }) });
  return gather(spec.forProvider as Parameters<typeof gather>[0], {
    async secret(ref) {
      const value = (await look.live(Secret, nameOf(ref)))?.data?.[ref.key];
      return value === undefined ? undefined : Buffer.from(value, "base64").toString();
    },
    configMap: async (ref) => (await look.live(ConfigMap, nameOf(ref)))?.data?.[ref.key],
    async provider() {
      const name = spec.providerConfigRef?.name ?? "default";
      return (await look.live(ProviderConfig, { name }))?.spec.configuration;
    },
  });
}
