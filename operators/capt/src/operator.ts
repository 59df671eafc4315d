// The operator put together: which controllers run in this process, and how they hear of each other.
import { usage } from "@telltale/kinds/usage";
import type { Controller } from "@telltale/runtime";
import { captClusters } from "./capt-cluster/controller.ts";
import { captControlPlanes } from "./capt-control-plane/controller.ts";
import { clusterBridge } from "./cluster-bridge/controller.ts";
import { Edges } from "./cluster-bridge/edges.ts";
import { type Mode, ModeFinder } from "./cluster-bridge/mode.ts";
import type { Config, Part } from "./config.ts";
import { ShapeFinder } from "./domain-shape.ts";
import { captMachineDeployments } from "./machines/deployment/controller.ts";
import { captMachines } from "./machines/machine/controller.ts";
import { captMachineSets } from "./machines/set/controller.ts";
import type { WorkspaceRunner } from "./runner/controller.ts";
import { type ServerKinds, standardKinds } from "./server.ts";
import { workspaceTemplates } from "./workspace-template/controller.ts";
import { workspaceTemplateApplies } from "./workspace-template-apply/controller.ts";

export interface OperatorOptions {
  readonly config: Config;
  /** What the server has of the kinds that are not ours: see `serverKinds`. */
  readonly kinds?: ServerKinds;
  /** Who runs Workspaces. Default: nobody here, as where Crossplane's provider does. */
  readonly runner?: WorkspaceRunner;
  /** Told who looks after Clusters, when that is found out and when it changes. */
  readonly onMode?: (mode: Mode) => void;
}

export function captOperator({
  config: given,
  kinds = standardKinds,
  runner,
  onMode,
}: OperatorOptions): readonly Controller[] {
  const config = usage().settings("capt", given);
  const edges = new Edges();
  const shapes = new ShapeFinder(config.failureDomainsShape, kinds);
  const modes = new ModeFinder(config.clusterApiMode, onMode);
  const runs = (part: Part) => config.controllers.includes(part);
  const work = runs("cluster-bridge") ? "bridge" : "forward";
  const providers: Controller[] = [];
  if (runs("infrastructure")) {
    const senses = { config, kinds, shape: () => shapes.shape };
    providers.push(captClusters(senses, edges.source("captCluster")));
    providers.push(workspaceTemplateApplies({ config, kinds, source: edges.source("workspaceTemplateApply") }));
    providers.push(workspaceTemplates(config));
  }
  if (runs("control-plane")) providers.push(captControlPlanes({ config, kinds }, edges.source("captControlPlane")));
  if (runs("machines")) {
    const senses = { config, kinds };
    providers.push(captMachines(senses), captMachineSets(senses), captMachineDeployments(senses));
  }
  const isTold = work === "bridge" || providers.length > 0;
  return [
    ...(isTold ? [clusterBridge({ config, kinds, edges, shapes, modes, work })] : []),
    ...providers,
    ...(runs("workspace-runner") && runner !== undefined ? [runner.controller] : []),
  ];
}
