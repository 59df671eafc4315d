// The kubelet: for each pod on our nodes it asks the runtime how the containers stand, says so in the pod's status, and lets a
// pod go that was deleted and has ended. What a status says is in `pod-status.ts`.
import type { Instant, KubeObject } from "@telltale/kinds";
import { ConfigMap, Node, PersistentVolumeClaim, Pod, Secret, Service, ServiceAccount } from "@telltale/kinds/builtin";
import {
  type Controller,
  controller,
  type Hands,
  type Look,
  type MapLook,
  type Name,
  type StatusValue,
} from "@telltale/runtime";
import { addressOf, isOffline } from "../node/facts.ts";
import { onNode, podsByNode } from "../node/pods.ts";
import { isFinished, isTerminating, nameOf, uidOf } from "../pods/facts.ts";
import type { ContainerReport, PodReport, PodRuntime } from "./pod-runtime.ts";
import { hasEnded, statusOf } from "./pod-status.ts";
import { holders, type Referred, referenceKey, referenceKeys, referrers, refersOf } from "./refers.ts";
import { storedContainers } from "./stored.ts";

export interface KubeletOptions {
  /** Whoever made it also stops it, after the manager has ended. */
  readonly runtime: PodRuntime;
  /** The names of the nodes whose pods are ours. Pods on other nodes are left alone. */
  readonly nodes: readonly string[];
  /** How many pods are looked after at a time. */
  readonly workers?: number;
}

interface World {
  readonly pod: Pod;
  readonly hostIP?: string;
  /** Undefined: there is nothing to say. */
  readonly report?: PodReport;
  /** The runtime failed. */
  readonly isTroubled?: boolean;
}

export function kubelet({ runtime, nodes, workers = 32 }: KubeletOptions): Controller {
  const ours = new Set(nodes);
  const news = wakeUps(runtime);
  return (
    controller(Pod, "kubelet")
      .index(Pod, onNode, podsByNode)
      .index(Pod, holders, ({ status }) => (status?.podIP === undefined ? [] : [status.podIP]))
      .index(Pod, referrers, (pod) => (ours.has(pod.spec?.nodeName ?? "") ? referenceKeys(pod) : []))
      .watches(ConfigMap, ({ old, new: next }, look) => podsReferring("ConfigMap", next ?? old, look))
      .watches(Secret, ({ old, new: next }, look) => podsReferring("Secret", next ?? old, look))
      .watches(PersistentVolumeClaim, ({ old, new: next }, look) =>
        podsReferring("PersistentVolumeClaim", next ?? old, look),
      )
      .watches(Node, ({ old, new: next }, look) => podsOn(next ?? old, look), {
        changed: (a, b) => addressOf(a) !== addressOf(b) || isOffline(a) !== isOffline(b),
      })
      .reads(Service)
      .writes(ServiceAccount, "create token")
      .writes(Pod, "delete")
      .untilGone()
      .hears(news.source)
      // What cannot be ended now is found again among what the runtime keeps.
      .gone((pod) => void runtime.drop(uidOf(pod)).catch(() => {}))
      .gate(({ spec }, look) => (isCaredFor(spec?.nodeName, ours, look) ? "go" : "ignore"))
      .workers(workers)
      .reconcile<World>({
        observe,
        async act(_none, hands, world) {
          if (isFinished(world.pod)) return afterEnd(world, runtime, hands.now);
          const sync = async () => {
            await news.started();
            return runtime.sync(world.pod, hands.now, refersOf(world.pod, hands));
          };
          return synced(world, sync, hands);
        },
        status: (world, _pod, now) => said(world, now),
        after: ({ world, object }, hands) => release(world, object, hands),
      })
  );
}

function isCaredFor(nodeName: string | undefined, ours: ReadonlySet<string>, look: Look): boolean {
  if (nodeName === undefined || !ours.has(nodeName)) return false;
  const node = look.get(Node, { name: nodeName });
  return node === undefined || !isOffline(node);
}

function observe(pod: Pod, look: Look): World {
  const node = look.get(Node, { name: pod.spec?.nodeName ?? "" });
  const hostIP = node === undefined ? undefined : addressOf(node);
  return { pod, ...(hostIP === undefined ? {} : { hostIP }) };
}

/** One pod that fails, or that takes for ever, is nobody else's trouble. */
async function synced(world: World, sync: () => Promise<PodReport>, hands: Hands<typeof Pod>): Promise<World> {
  const { pod } = world;
  try {
    const report = await Promise.race([sync(), raised(hands.signal)]);
    for (const { type, reason, message } of report.events ?? []) hands.event(type, reason, message);
    return { ...world, report };
  } catch (error) {
    if (hands.signal.aborted) throw error;
    const why = error instanceof Error ? error.message : String(error);
    hands.log.warn("the runtime could not bring a pod further", { err: error });
    hands.event("Warning", "FailedSync", `error syncing pod, it is tried again: ${why}`);
    return { ...world, report: troubled(pod, why), isTroubled: true };
  }
}

function raised(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** What ran is taken to run on; what never did waits, and says why. */
function troubled(pod: Pod, message: string): PodReport {
  const stored = storedContainers(pod);
  const state = { is: "waiting", reason: "CreateContainerError", message } as const;
  const reports = (containers: readonly { readonly name: string }[] | undefined) =>
    (containers ?? []).map(({ name }) => {
      const before = stored.get(name);
      const isFresh = before === undefined || (before.state.is === "waiting" && before.last === undefined);
      return isFresh ? { name, state, restartCount: 0, isReady: false, isStarted: false } : before;
    });
  return { initContainers: reports(pod.spec?.initContainers), containers: reports(pod.spec?.containers) };
}

/** Somebody else may have ended a pod whose containers still run here. */
async function afterEnd(world: World, runtime: PodRuntime, now: Instant): Promise<World> {
  const { pod } = world;
  const stored = storedContainers(pod);
  if (![...stored.values()].some(({ state }) => state.is === "running")) return world;
  await runtime.drop(uidOf(pod));
  const reports = (containers: readonly { readonly name: string }[] | undefined) =>
    (containers ?? []).flatMap(({ name }) => endedWith(stored.get(name), now));
  return {
    ...world,
    report: { initContainers: reports(pod.spec?.initContainers), containers: reports(pod.spec?.containers) },
  };
}

function endedWith(report: ContainerReport | undefined, finishedAt: Instant): ContainerReport[] {
  if (report === undefined) return [];
  if (report.state.is !== "running") return [report];
  const { startedAt } = report.state;
  const state = { is: "terminated", exitCode: 137, reason: "Error", startedAt, finishedAt } as const;
  return [{ ...report, state, isReady: false, isStarted: false }];
}

function said({ pod, report, hostIP, isTroubled = false }: World, now: Instant): StatusValue<typeof Pod> {
  if (report === undefined) return { status: undefined };
  return {
    status: statusOf({ pod, report, ...(hostIP === undefined ? {} : { hostIP }) }, now),
    ...(report.annotations === undefined ? {} : { annotations: report.annotations }),
    ...(report.wakeAt === undefined ? {} : { wakeAt: report.wakeAt }),
    retry: isTroubled,
  };
}

/** The last word of a deleted pod is written: it may go. What finalizers hold is let go by whoever put them there. */
async function release({ report }: World, pod: Pod, hands: Hands<typeof Pod>): Promise<void> {
  if (!isTerminating(pod) || (pod.metadata?.deletionGracePeriodSeconds ?? 0) === 0) return;
  const isOver = isFinished(pod) || (report !== undefined && hasEnded(pod, report));
  if (isOver) await hands.remove(Pod, pod, "Background", { gracePeriodSeconds: 0 });
}

function* podsReferring(kind: Referred, object: KubeObject | undefined, look: MapLook): Iterable<Name> {
  if (object === undefined) return;
  for (const pod of look.where(Pod, referrers, referenceKey(kind, object.metadata ?? {}))) yield at(pod);
}

function* podsOn(node: Node | undefined, look: MapLook): Iterable<Name> {
  if (node === undefined) return;
  for (const pod of look.where(Pod, onNode, nameOf(node))) yield at(pod);
}

const at = (object: KubeObject): Name => ({ namespace: object.metadata?.namespace ?? "", name: nameOf(object) });

interface WakeUps {
  readonly source: (wake: (name: Name) => void) => () => void;
  /** Resolves when the runtime is there. */
  started(): Promise<void>;
}

/** A runtime lives longer than the lease of a manager: it is started once, and heard by whoever works at the moment. */
function wakeUps(runtime: PodRuntime): WakeUps {
  let listening: ((name: Name) => void) | undefined;
  let starting: Promise<void> | undefined;
  const started = () => {
    starting ??= runtime.start({ wake: (pod) => listening?.(pod) }).catch((error: unknown) => {
      starting = undefined;
      throw error;
    });
    return starting;
  };
  return {
    source(wake) {
      listening = wake;
      return () => {
        listening = undefined;
      };
    },
    started,
  };
}
