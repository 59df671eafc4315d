// HorizontalPodAutoscalers: nothing measures pods here, so they never scale, and say so.
import type { KindRef, KubeObject } from "@telltale/kinds";
import { Deployment, HorizontalPodAutoscaler, ReplicaSet, StatefulSet } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look, type MapLook, type Name } from "@telltale/runtime";
import { isOfCluster } from "../budget/expected.ts";
import { nameOf } from "../pods/facts.ts";
import { missing, statusOf, type Target } from "./status.ts";

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
    observe: (scaler, look) => ({ scaler, target: targetOf(scaler, look) }),
    act: tell,
    status: ({ scaler, target }, _object, now) => ({ status: statusOf(scaler, target, now) }),
  });
}

const changed = (old: Scaled, next: Scaled): boolean =>
  old.spec?.replicas !== next.spec?.replicas || old.status?.replicas !== next.status?.replicas;

function scalersOf(kind: KindRef, target: KubeObject, look: MapLook): readonly Name[] {
  const namespace = target.metadata?.namespace ?? "";
  const found = look.where(HorizontalPodAutoscaler, targets, `${namespace} ${kind.kind} ${nameOf(target)}`);
  return found.map((it) => ({ namespace, name: nameOf(it) }));
}

function targetOf({ metadata, spec }: HorizontalPodAutoscaler, look: Look): Target {
  const { apiVersion = "", kind: wanted = "", name = "" } = spec?.scaleTargetRef ?? {};
  const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [""];
  const kind = kinds.find((it) => it.kind === wanted && it.group === group);
  if (kind === undefined) {
    const why = isOfCluster(group)
      ? `no matches for kind "${wanted}" in group "${group}"`
      : `the scale of kind "${wanted}" in group "${group}" is not read here; only ${kinds.map((it) => it.kind).join(", ")} are`;
    return { is: "missing", why };
  }
  const found = look.get(kind, { namespace: metadata?.namespace ?? "", name });
  if (found === undefined) return { is: "missing", why: `${kind.plural}.${kind.group} "${name}" not found` };
  return { is: "found", wanted: found.spec?.replicas ?? 1, there: found.status?.replicas ?? 0 };
}

async function tell(_plan: undefined, hands: Hands<typeof HorizontalPodAutoscaler>, world: World): Promise<World> {
  const { scaler, target } = world;
  if (target.is === "missing") hands.event("Warning", "FailedGetScale", target.why);
  else if (target.wanted > 0) {
    const { reason, why } = missing(scaler.spec?.metrics?.[0]);
    hands.event("Warning", reason, why);
  }
  return world;
}
