// What the controllers of networks and of control planes have in common: what they own and read, whom they leave alone, and how they try
// again.
import type { Kind, KindRef } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { controller, type Gate } from "@telltale/runtime";
import type { SafeText } from "@telltale/status";
import { isOtherApply } from "../chain.ts";
import type { Config } from "../config.ts";
import { clusterOf, gateOf, passageOf } from "../gate.ts";
import { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { anyCluster, type ServerKinds } from "../server.ts";

export interface ProviderOptions<K extends KindRef> {
  readonly name: string;
  readonly config: Config;
  readonly kinds: ServerKinds;
  readonly manager: string;
  /** Whether somebody else may manage it, as infrastructure may be. */
  readonly isInfrastructure: boolean;
  /** What is said of one that is paused. */
  readonly paused: (why: SafeText) => Extract<Gate<K>, { only: unknown }>;
}

export function providerController<K extends Kind>(kind: K, options: ProviderOptions<K>) {
  const { name, config, kinds, manager, isInfrastructure, paused } = options;
  const { watchFilter } = config;
  const cluster = anyCluster(kinds);
  return controller(kind, name)
    .on("generation", "deletion", "labels", "annotations", "finalizers", "ownerReferences")
    .owns(WorkspaceTemplateApply, { changed: isOtherApply })
    .reads(WorkspaceTemplate, cluster)
    .gets(kinds.Workspace, Secret)
    .gate((it, look) => {
      const passage = passageOf(it, clusterOf(it, look, cluster), { watchFilter, isInfrastructure });
      return gateOf<K>(passage, paused);
    })
    .events("none")
    .status({ as: "apply", fieldManager: manager })
    .workers(config.concurrency)
    .backoff({ first: 1000, longest: 300_000, jitter: 0.2 })
    .resync(36_000_000);
}
