// HorizontalPodAutoscalers: nothing measures pods here, so they never scale, and say so.
import type { KindRef, KubeObject } from "@telltale/kinds";
import { Deployment, HorizontalPodAutoscaler, ReplicaSet, StatefulSet } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look, type MapLook, type Name } from "@telltale/runtime";
import { type ReadScale, type ScaleResult, scaleReader } from "../objects/scale.ts";
import { nameOf } from "../pods/facts.ts";
import { nextLook, statusOf, type Target, warningOf } from "./status.ts";

interface Scaled extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

interface World {
  readonly scaler: HorizontalPodAutoscaler;
  readonly target: Target;
}

/** Autoscalers by what they scale. */
const targets = "target";
const kinds: readonly KindRef<Scaled>[] = [Deployment, ReplicaSet, StatefulSet];

export function autoscalers(): Controller {
  const readScale = scaleReader();
  const declared = controller(HorizontalPodAutoscaler, "horizontal-pod-autoscaler").index(
    HorizontalPodAutoscaler,
    targets,
    ({ metadata, spec }) => {
      const { kind = "", name = "" } = spec?.scaleTargetRef ?? {};
      return [`${metadata?.namespace} ${kind} ${name}`];
    },
  );
  const watching = kinds.reduce(
    (so, kind) => so.watches(kind, ({ old, new: next }, look) => scalersOf(kind, next ?? old ?? {}, look), { changed }),
    declared,
  );
  return watching.reconcile<World>({
    observe: async (scaler, look) => ({ scaler, target: await targetOf(scaler, look, readScale) }),
    act: tell,
    status({ scaler, target }, _object, now) {
      const wakeAt = nextLook(target, now);
      return { status: statusOf(scaler, target, now), ...(wakeAt === undefined ? {} : { wakeAt }) };
    },
  });
}

const changed = (old: Scaled, next: Scaled): boolean =>
  old.spec?.replicas !== next.spec?.replicas || old.status?.replicas !== next.status?.replicas;

function scalersOf(kind: KindRef, target: KubeObject, look: MapLook): readonly Name[] {
  const namespace = target.metadata?.namespace ?? "";
  const found = look.where(HorizontalPodAutoscaler, targets, `${namespace} ${kind.kind} ${nameOf(target)}`);
  return found.map((it) => ({ namespace, name: nameOf(it) }));
}

async function targetOf(
  { metadata, spec }: HorizontalPodAutoscaler,
  look: Look,
  readScale: ReadScale,
): Promise<Target> {
  const { apiVersion = "", kind: wanted = "", name = "" } = spec?.scaleTargetRef ?? {};
  const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [""];
  const place = { namespace: metadata?.namespace ?? "", name };
  const kind = kinds.find((it) => it.kind === wanted && it.group === group);
  if (kind === undefined) return { isRead: true, ...readTarget(await readScale({ group, kind: wanted }, place, look)) };
  const found = look.get(kind, place);
  if (found === undefined) return { is: "missing", why: `${kind.plural}.${kind.group} "${name}" not found` };
  return { is: "found", wanted: found.spec?.replicas ?? 1, there: found.status?.replicas ?? 0 };
}

function readTarget(scale: ScaleResult): Target {
  if (scale.is === "found") {
    return { is: "found", wanted: scale.desired, there: scale.current, selector: scale.selector };
  }
  if (scale.is === "not scalable") return { is: "missing", why: "the server could not find the requested resource" };
  return { is: "missing", why: scale.why };
}

async function tell(_plan: undefined, hands: Hands<typeof HorizontalPodAutoscaler>, world: World): Promise<World> {
  const warning = warningOf(world.scaler, world.target);
  if (warning !== undefined) hands.event("Warning", warning.reason, warning.message);
  return world;
}
