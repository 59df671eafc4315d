// The controller of CAPTControlPlanes: what it owns and reads beside what all providers do, and its steps in a row.
import { Secret } from "@telltale/kinds/builtin";
import type { Controller, Source } from "@telltale/runtime";
import { pauseEnds } from "../gate.ts";
import { CAPTCluster } from "../kinds/capt-cluster.ts";
import { CAPTControlPlane, type CAPTControlPlaneStatus } from "../kinds/capt-control-plane.ts";
import { managers } from "../names.ts";
import { providerController } from "../provider/controller.ts";
import { announce, blinded, tellTrouble } from "../provider/events.ts";
import { Streaks } from "../streaks.ts";
import { quietly } from "../trouble.ts";
import { act } from "./act.ts";
import { finalize } from "./deletion.ts";
import { eventsOf, troubleReason } from "./events.ts";
import { observe, type Senses } from "./observe.ts";
import { type Plan, plan } from "./plan.ts";
import { status } from "./status.ts";
import type { World } from "./world.ts";

/** `edges`: who tells that more than the status of a Cluster changed. Clusters themselves are not watched. */
export function captControlPlanes(senses: Senses, edges?: Source): Controller {
  const streaks = new Streaks();
  const declared = providerController(CAPTControlPlane, {
    ...senses,
    name: "captcontrolplane",
    manager: managers.controlPlane,
    isInfrastructure: false,
    paused: (why) => ({
      only({ status: stored }, draft, now) {
        draft.aside().condition("Paused", true, "Paused", why).wake(pauseEnds(now));
        if (stored?.ready === undefined) draft.set({ ready: false, initialized: false });
      },
    }),
  })
    .reads(CAPTCluster)
    .writes(Secret, "create", "patch", "delete")
    .finalize((it, hands, draft) =>
      quietly(
        hands.log,
        () => finalize(it, hands, draft, senses),
        (trouble) => tellTrouble(it, trouble, hands, streaks, troubleReason),
      ),
    )
    .gone((it) => streaks.end(it.metadata.uid ?? ""));
  return (edges === undefined ? declared : declared.hears(edges)).reconcile<World, Plan>({
    observe: async (it, look) => blinded(await observe(it, look, senses), streaks),
    plan,
    act: async (planned, hands, world) => blinded(await act(planned, hands, world, senses), streaks),
    status,
    after({ world, before, status: after }, hands) {
      // What the kind's own draft has read and made.
      const [was, is] = [(before ?? {}) as CAPTControlPlaneStatus, after as CAPTControlPlaneStatus];
      announce(world, hands, streaks, troubleReason, (it) => eventsOf(it, was, is));
    },
  });
}
