// Opens the gate of a pod: it is in service from when it has every zone that it should have, so that a name that is known is
// never said not to exist by a server that has just begun (8.5, D-22). It is never closed again while the pod lives.
import { formatTime } from "@telltale/kinds";
import { Deployment, Pod, ReplicaSet } from "@telltale/kinds/builtin";
import { type Controller, controller, type Look, type Name, type Source } from "@telltale/runtime";
import { isLive } from "../aggregate/pod-view.ts";
import { Bind9Cluster, Bind9GlobalCluster, Bind9Instance, DNSZone } from "../kinds/index.ts";
import { nextLook } from "../moments.ts";
import { fieldManager, labels, parts, zonesLoadedGate } from "../names.ts";
import { checkZone } from "../validate/index.ts";
import { ownerOf } from "./choice.ts";
import { zoneNameOf } from "./compile.ts";
import type { Ledger } from "./ledger.ts";
import { tenancyOf, zoneNameIndex, zoneNames } from "./observe.ts";
import { serversOf } from "./pods.ts";
import { claimOn } from "./targets.ts";
import { hasSpec, uidOf } from "./world.ts";

export function gates(ledger: Ledger): Controller {
  const waiting = new Map<string, Name>();
  const news: Source = (wake) => {
    ledger.onLoaded(() => {
      for (const name of waiting.values()) wake(name);
    });
    return () => ledger.onLoaded(undefined);
  };
  return (
    controller(Pod, "zones-loaded")
      .select(parts)
      .index(DNSZone, zoneNameIndex, zoneNames)
      .gate((pod) => (isClosed(pod) ? "go" : "ignore"))
      .reads(Bind9Instance, Bind9Cluster, Bind9GlobalCluster)
      .reads(Deployment, parts)
      .reads(ReplicaSet, parts)
      // A zone that is refused, or gone, keeps nobody waiting.
      .watches(DNSZone, () => waiting.values(), { changed: (a, b) => a.metadata.generation !== b.metadata.generation })
      .hears(news)
      .gone((pod) => waiting.delete(pod.metadata?.uid ?? ""))
      .status({ as: "patch", fieldManager })
      .events("none")
      .workers(4)
      .backoff({ first: 1_000, longest: 30_000, jitter: 0.1 })
      .reconcile<boolean>({
        observe(pod, look) {
          const { uid = "", namespace = "", name = "" } = pod.metadata ?? {};
          const isOpen = hasAll(pod, look, ledger);
          if (isOpen) waiting.delete(uid);
          else waiting.set(uid, { namespace, name });
          return isOpen;
        },
        status(isOpen, { status }, now) {
          if (!isOpen) return { status: undefined, wakeAt: nextLook(false, now) };
          const time = formatTime(now);
          const others = (status?.conditions ?? []).filter(({ type }) => type !== zonesLoadedGate);
          const opened = {
            type: zonesLoadedGate,
            status: "True",
            reason: "ZonesLoaded",
            lastProbeTime: time,
            lastTransitionTime: time,
          };
          return { status: { ...status, conditions: [...others, opened] } };
        },
      })
  );
}

function isClosed(pod: Pod): boolean {
  const hasGate = pod.spec?.readinessGates?.some(({ conditionType }) => conditionType === zonesLoadedGate) ?? false;
  const isOpen =
    pod.status?.conditions?.some(({ type, status }) => type === zonesLoadedGate && status === "True") ?? false;
  return hasGate && !isOpen && isLive(pod);
}

/** Whether the pod is one of an instance's, and every zone of that is on it. */
function hasAll(pod: Pod, look: Look, ledger: Ledger): boolean {
  const { uid = "", namespace = "", labels: named = {} } = pod.metadata ?? {};
  const instance = look.get(Bind9Instance, { namespace, name: named[labels.appInstance] ?? "" });
  if (
    instance === undefined ||
    !hasSpec(instance) ||
    !serversOf(instance, look).some((it) => it.uid === uid && it.http !== undefined)
  )
    return false;
  return zonesFor(instance, look).every((zone) => {
    const loaded = ledger.of(uidOf(zone))?.loaded;
    return loaded === "nobody waits" || loaded?.has(uid) === true;
  });
}

/** By what people wrote, not by what was done about it. */
function zonesFor(instance: Bind9Instance, look: Look): readonly DNSZone[] {
  const tenancy = tenancyOf(look);
  return look.list(DNSZone).filter((zone) => {
    const checked = checkZone(zone);
    if (checked.at === "invalid" || zone.metadata.deletionTimestamp !== undefined) return false;
    if (claimOn(zone, checked.spec, instance, tenancy) !== "granted") return false;
    const owner = ownerOf(look.where(DNSZone, zoneNameIndex, zoneNameOf(checked.spec)));
    return owner !== undefined && uidOf(owner) === uidOf(zone);
  });
}
