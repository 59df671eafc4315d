// What a Bind9Cluster says of itself. Pure.
import type { Instant } from "@telltale/kinds";
import { type Draft, findCondition, type SafeText, text } from "@telltale/status";
import { type ClusterStatus, calculateClusterStatus } from "../aggregate/cluster.ts";
import { slotIn } from "../aggregate/slots.ts";
import type { Bind9Cluster } from "../kinds/index.ts";
import { earliest, nextLook, nextTry } from "../moments.ts";
import { annotations } from "../names.ts";
import { REASON_FAILED_CREATE, REASON_NOT_READY } from "../reasons.ts";
import { slotsOf, surplusOf, wantedOf } from "./plan.ts";
import type { World } from "./world.ts";

export function status(world: World, draft: Draft<typeof Bind9Cluster>, now: Instant): void {
  const said = statusOf(world, now);
  const { status: is, reason, message } = said.ready;
  draft.state({ type: "Ready", status: is, reason, message }).children("Bind9Instance", said.children);
  draft.set({
    instanceCount: said.instanceCount,
    readyInstances: said.readyInstances,
    instances: [...said.instances],
  });
  const ready = findCondition(world.it.status?.conditions, "Ready");
  const retry = world.made.refused === undefined ? undefined : nextTry(ready?.lastTransitionTime, now);
  draft.wake(earliest(nextLook(is === "True", now), said.wakeAt, world.graceEnds, retry));
}

export function statusOf(world: World, now: Instant): ClusterStatus {
  const { it, checked, children, made } = world;
  const { name = "", deletionTimestamp } = it.metadata;
  const { slots } = slotsOf(world, now);
  const previous = findCondition(it.status?.conditions, "Ready")?.reason;
  return calculateClusterStatus(
    {
      name,
      isLeaving: deletionTimestamp !== undefined,
      ...(checked.at === "invalid" ? { invalid: { path: checked.path, problem: checked.problem } } : {}),
      wanted: checked.at === "valid" ? wantedOf(name, checked.spec).map((one) => one.name) : [],
      children: children.map(({ view, instance, isManaged }) => ({
        ...view,
        isManaged,
        slot: slots.get(view.name) ?? 0,
        storedSlot: slotIn(instance.metadata.annotations?.[annotations.instanceIndex]),
      })),
      hasActed: made.hasActed,
      kept: surplusOf(world).keep.map(({ metadata }) => metadata.name ?? ""),
      ...causeOf(world),
      previous,
    },
    now,
  );
}

/** An instance whose state could not be read, or that has pods on a node that is lost. */
const isUnread = ({ view: { freshness, ready, livePods } }: World["children"][number]): boolean =>
  freshness !== "stale" && ready?.reason === REASON_NOT_READY && (ready.status === "Unknown" || livePods === 0);

/**
 * What the API server refuses to this cluster, else to the first of its instances that it refuses something to, else what
 * keeps the first that is unknown from being known.
 */
function causeOf({ made, children }: World): { readonly cause?: SafeText } {
  if (made.refused !== undefined) return { cause: text`Bind9Instance ${made.refused.name}: ${made.refused.said}` };
  const refused = (children.find(({ view }) => view.ready?.reason === REASON_FAILED_CREATE) ?? children.find(isUnread))
    ?.view;
  return refused === undefined ? {} : { cause: text`Bind9Instance ${refused.name}: ${refused.message ?? text``}` };
}
