// The controller of CAPTControlPlanes: what it owns and reads, and its steps in a row.
import type { Ms } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Source } from "@telltale/runtime";
import { isOtherApply } from "../chain.ts";
import { clusterOf, gateOf, passageOf, pauseEnds } from "../gate.ts";
import { CAPTCluster } from "../kinds/capt-cluster.ts";
import { CAPTControlPlane, type CAPTControlPlaneStatus } from "../kinds/capt-control-plane.ts";
import { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { managers } from "../names.ts";
import { anyCluster } from "../server.ts";
import { Streaks } from "../streaks.ts";
import { act } from "./act.ts";
import { finalize } from "./deletion.ts";
import { eventsOf, troubleReason } from "./events.ts";
import { observe, type Senses } from "./observe.ts";
import { type Plan, plan } from "./plan.ts";
import { status } from "./status.ts";
import type { World } from "./world.ts";

const resync: Ms = 36_000_000;

/** `edges`: who tells that more than the status of a Cluster changed. Clusters themselves are not watched. */
export function captControlPlanes(senses: Senses, edges?: Source): Controller {
  const { config, kinds } = senses;
  const cluster = anyCluster(kinds);
  const streaks = new Streaks();
  const declared = controller(CAPTControlPlane, "captcontrolplane")
    .on("generation", "deletion", "labels", "annotations", "finalizers", "ownerReferences")
    .owns(WorkspaceTemplateApply, { changed: isOtherApply })
    .reads(WorkspaceTemplate, CAPTCluster, cluster)
    .gets(kinds.Workspace, Secret)
    .writes(Secret, "create", "patch", "delete")
    .gate((it, look) => {
      const { watchFilter } = config;
      const passage = passageOf(it, clusterOf(it, look, cluster), { watchFilter, isInfrastructure: false });
      return gateOf<typeof CAPTControlPlane>(passage, (why) => ({
        only({ status: stored }, draft, now) {
          draft.aside().condition("Paused", true, "Paused", why).wake(pauseEnds(now));
          if (stored?.ready === undefined) draft.set({ ready: false, initialized: false });
        },
      }));
    })
    .finalize((it, hands, draft) => finalize(it, hands, draft, senses))
    .gone((it) => streaks.end(it.metadata.uid ?? ""))
    .events("none")
    .status({ as: "apply", fieldManager: managers.controlPlane })
    .workers(config.concurrency)
    .backoff({ first: 1000, longest: 300_000, jitter: 0.2 })
    .resync(resync);
  return (edges === undefined ? declared : declared.hears(edges)).reconcile<World, Plan>({
    observe: (it, look) => observe(it, look, senses),
    plan,
    act: (planned, hands, world) => act(planned, hands, world, senses),
    status,
    after({ world, before, status: after }, hands) {
      const { uid = "" } = world.it.metadata;
      const { trouble } = world;
      if (trouble === undefined) streaks.end(uid);
      else if (streaks.isDue(uid, trouble)) hands.event("Warning", troubleReason(trouble), trouble.message);
      if (trouble === undefined) announce(world, before, after, hands);
    },
  });
}

function announce(world: World, before: unknown, after: unknown, hands: Hands<typeof CAPTControlPlane>): void {
  // What the kind's own draft has read and made.
  const told = eventsOf(world, (before ?? {}) as CAPTControlPlaneStatus, after as CAPTControlPlaneStatus);
  for (const { type, reason, message } of told) hands.event(type, reason, message);
}
