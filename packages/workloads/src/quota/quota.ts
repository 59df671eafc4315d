// ResourceQuota: how much there is of what it counts. The API server adds what is created; this counts what is there, and so
// gives back what is gone. `counting.ts` does the counting.
import { type Amounts, amountsIn, deepEqual, type Instant, type KubeObject, written } from "@telltale/kinds";
import { PersistentVolumeClaim, Pod, ResourceQuota, Service } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look, type MapLook } from "@telltale/runtime";
import { counted, onlyCounted } from "./counting.ts";

/** What a pass found: the quota as it was read, and what there is. */
export interface World {
  readonly quota: ResourceQuota;
  readonly used: Amounts;
  /** When something stops to count by itself. */
  readonly wakeAt?: Instant;
}

type Status = Readonly<Record<"hard" | "used", Readonly<Record<string, string>>>>;

const namespaces = "namespace";
/** Of kinds that are not watched here, custom ones among them, what is gone is noticed when everything is counted again. */
const recount = 300_000;
/** A thousand pods that go are counted some times, not a thousand times. */
const spacing = 200;

export function resourceQuotas(): Controller {
  const watching = controller(ResourceQuota, "resourcequota-controller")
    .index(ResourceQuota, namespaces, ({ metadata }) => [metadata?.namespace ?? ""])
    .watches(Pod, quotasAround, { changed: podChanged })
    .watches(Service, quotasAround, { changed: (old, next) => !deepEqual(old.spec, next.spec) })
    .watches(PersistentVolumeClaim, quotasAround, { changed: claimChanged })
    .events("none")
    .resync(recount)
    .spacing(spacing);
  return onlyCounted
    .reduce((it, kind) => it.watches(kind, quotasAround, { changed: () => false }), watching)
    .reconcile<World, Status | undefined>({ observe, plan, act, status: ({ wakeAt }) => said(wakeAt) });
}

function quotasAround(change: { old?: KubeObject; new?: KubeObject }, look: MapLook) {
  const namespace = (change.new ?? change.old)?.metadata?.namespace ?? "";
  return look.where(ResourceQuota, namespaces, namespace).map((quota) => ({
    namespace,
    name: quota.metadata?.name ?? "",
  }));
}

/** A new generation is a new spec, or the wish that it goes. */
const podChanged = (old: Pod, next: Pod): boolean =>
  old.status?.phase !== next.status?.phase || old.metadata?.generation !== next.metadata?.generation;

const claimChanged = (old: PersistentVolumeClaim, next: PersistentVolumeClaim): boolean =>
  !deepEqual(old.spec, next.spec) || !deepEqual(old.status?.allocatedResources, next.status?.allocatedResources);

async function observe(quota: ResourceQuota, look: Look): Promise<World> {
  return { quota, ...(await counted(quota, look)) };
}

/** The status as it has to be, or undefined where it is that already. */
export function plan({ quota, used }: Pick<World, "quota" | "used">): Status | undefined {
  const due = { hard: written(amountsIn(quota.spec?.hard)), used: written(used) };
  const { hard, used: before } = quota.status ?? {};
  const now = { hard: written(amountsIn(hard)), used: written(amountsIn(before)) };
  return deepEqual(due, now) ? undefined : due;
}

/**
 * Written only where nothing was charged since the quota was read: objects were counted after that, so that a count that
 * misses one which the server has charged is never the last word.
 */
async function act(due: Status | undefined, hands: Hands<typeof ResourceQuota>, world: World): Promise<World> {
  if (due === undefined) return world;
  await hands.patchStatus(ResourceQuota, world.quota, [
    { op: "test", path: "/metadata/resourceVersion", value: world.quota.metadata?.resourceVersion },
    { op: "add", path: "/status", value: due },
  ]);
  return world;
}

const said = (wakeAt: Instant | undefined) => ({
  status: undefined,
  ...(wakeAt === undefined ? {} : { wakeAt }),
});
