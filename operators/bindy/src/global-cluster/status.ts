// What a Bind9GlobalCluster says of itself. Pure.
import type { Instant } from "@telltale/kinds";
import { type Draft, findCondition } from "@telltale/status";
import { calculateGlobalStatus } from "../aggregate/global-cluster.ts";
import type { Bind9GlobalCluster } from "../kinds/index.ts";
import { earliest, nextLook, nextTry } from "../moments.ts";
import type { World } from "./world.ts";

export function status(world: World, draft: Draft<typeof Bind9GlobalCluster>, now: Instant): void {
  const { it, checked, targets, views, blocked } = world;
  const said = calculateGlobalStatus({
    name: it.metadata.name ?? "",
    isLeaving: it.metadata.deletionTimestamp !== undefined,
    ...(checked.at === "invalid" ? { invalid: { path: checked.path, problem: checked.problem } } : {}),
    targets,
    clusters: views,
    blocked: blocked.map(({ namespace, why, said }) => ({ namespace, isRefused: why !== "unanswered", cause: said })),
  });
  const { status: is, reason, message } = said.ready;
  draft.state({ type: "Ready", status: is, reason, message });
  draft.set({
    instanceCount: said.instanceCount,
    readyInstances: said.readyInstances,
    instances: [...said.instances],
  });
  const ready = findCondition(it.status?.conditions, "Ready");
  const retry = blocked.length === 0 ? undefined : nextTry(ready?.lastTransitionTime, now);
  draft.wake(earliest(nextLook(is === "True", now), world.graceEnds, retry));
}
