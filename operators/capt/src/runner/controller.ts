// The controller of Workspaces where nobody else runs them: what it watches, and its steps in a row.
import type { Clock, Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { ConfigMap, CustomResourceDefinition, Secret } from "@telltale/kinds/builtin";
import { type Controller, controller, type Selection } from "@telltale/runtime";
import type { Workspace } from "../kinds/workspace.ts";
import { managers } from "../names.ts";
import { type ServerKinds, standardKinds } from "../server.ts";
import { act } from "./act.ts";
import { decide, type Move, secretIn } from "./decide.ts";
import type { Engine } from "./engine.ts";
import { tell } from "./events.ts";
import { finalize } from "./finalize.ts";
import { finalizerIndex, observe, type Surroundings } from "./observe.ts";
import { poll } from "./pace.ts";
import { definitionName, isHeld, Presence } from "./presence.ts";
import { ProviderConfig } from "./provider-config.ts";
import { standardMost } from "./record.ts";
import { type RunSample, Runs } from "./runs.ts";
import { pausedStatus, status } from "./status.ts";
import { isPaused, uidOf, type World } from "./world.ts";

export interface WorkspaceRunnerOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly random: Random;
  /** The operator's own namespace: where states are kept. */
  readonly namespace: string;
  readonly kinds?: Pick<ServerKinds, "Workspace">;
  /** Runs at a time. */
  readonly concurrency?: number;
  /** For one run. */
  readonly timeout?: Ms;
  readonly select?: Selection;
  /** Bytes of state in one Secret. */
  readonly most?: number;
  /** Told of each run that has ended. */
  readonly onRun?: (sample: RunSample) => void;
}

export interface WorkspaceRunner {
  readonly controller: Controller;
  /** Stops all runs in good order and has their states saved. To be awaited before the manager is stopped. */
  drain(): Promise<void>;
}

/** Passes at a time: they are short, and runs are counted elsewhere. */
const workers = 4;

export function workspaceRunner(options: WorkspaceRunnerOptions): WorkspaceRunner {
  const { engine, clock, random, namespace, onRun } = options;
  const kind = (options.kinds ?? standardKinds).Workspace;
  const { concurrency = 2, timeout = 1_200_000 } = options;
  const runs = new Runs({ engine, clock, random, concurrency, timeout, ...(onRun === undefined ? {} : { onRun }) });
  const shelf = { namespace, most: options.most ?? standardMost };
  const around: Surroundings = { kind, runs, presence: new Presence(clock), shelf, random };

  const declared = controller(kind, "workspace-runner")
    .on("generation", "deletion", "annotations")
    .select(options.select ?? {})
    .index(kind, finalizerIndex, ({ metadata }) => metadata.finalizers ?? [])
    .gate((workspace) => gateOf(workspace, around))
    .gets(Secret, ConfigMap, ProviderConfig)
    .gets(CustomResourceDefinition, { field: `metadata.name=${definitionName}` })
    .writes(Secret, "create", "patch", "delete")
    .writes(kind, "patch")
    .hears(runs.source)
    .gone((workspace) => runs.forget(uidOf(workspace)))
    .finalize((workspace, hands, draft) => finalize(workspace, hands, draft, around), { add: false })
    .status({ as: "apply", fieldManager: managers.runner })
    .events("none")
    .workers(workers)
    .resync(poll)
    .reconcile<World, Move>({
      observe: (workspace, look) => observe(workspace, look, around),
      plan: decide,
      async act(move, hands, world) {
        if (world.rival !== undefined && world.engine !== "none") {
          const message = `${world.rival}; the builtin runner has stopped. Set --workspace-runner=none, or remove the provider`;
          hands.event("Warning", "RunnerConflict", message);
          hands.log.error("RunnerConflict", { why: world.rival });
        }
        return act(move, hands, world, around);
      },
      status,
      after({ world }, hands) {
        if (world.told === undefined) return;
        const { order, outcome } = world.told;
        tell(order, outcome, hands);
        const delay = secretIn(world, hands.now);
        runs.settle(order, outcome, ...(delay > 0 ? [delay] : []));
      },
    });
  return { controller: declared, drain: () => runs.drain() };
}

/** What Crossplane holds is never touched. A paused Workspace lets a run that has begun come to its end. */
function gateOf(workspace: Workspace, { runs, presence }: Surroundings) {
  // One that was stored under another definition: there is nothing to run.
  const { forProvider } = (workspace.spec ?? {}) as Partial<Workspace["spec"]>;
  if (isHeld(workspace) || forProvider === undefined) return "ignore" as const;
  if (runs.isBusy(uidOf(workspace))) return "go" as const;
  const again = presence.isThereFor;
  if (again !== undefined) return { again };
  return isPaused(workspace) ? { only: pausedStatus } : ("go" as const);
}
