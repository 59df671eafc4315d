// What makes the pods of nameservers run in long campaigns: one stand-in for the controllers of Deployments and ReplicaSets, for
// scheduler and kubelet. Pods begin at once, have names that do not change, and each has a Bindcar at an address of its own.
import { createHash } from "node:crypto";
import { deepEqual, formatTime, type Instant, instant, type KubeObject, parseTime, plus } from "@telltale/kinds";
import { Deployment, Pod, ReplicaSet } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look } from "@telltale/runtime";
import { parts } from "../src/names.ts";

/** Where pods live. */
export interface Machines {
  /** A pod begins, unless it has already: the address that it has. */
  begin(pod: string): string;
  /** Its containers have ended. */
  crash(pod: string): void;
  /** They begin anew. */
  restart(pod: string): void;
  /** It is gone. */
  end(pod: string): void;
  /** From now on something is wrong with its Bindcar, or nothing any more. */
  order(pod: string, fault: string | undefined): void;
}

/** As an annotation of a pod: how often its containers have ended so far. Whoever raises it crashes them. */
export const crashes = "example.com/crashes";

/** As an annotation of a pod: what is wrong with its Bindcar. */
export const faultOn = "example.com/bindcar";

/** From a crash to the next start. */
const back = 12_000;

interface World {
  readonly deployment: Deployment;
  readonly pods: readonly Pod[];
}

/** `tells.unavailable`: its Deployments count pods that are not available, as real ones do. */
export function quickCluster(machines: Machines, tells: { readonly unavailable?: true } = {}): readonly Controller[] {
  const standIn = controller(Deployment, "quick-deployments")
    .select(parts)
    .owns(ReplicaSet, parts)
    .watches(Pod, ({ old, new: next }) => deploymentOf(next ?? old), parts)
    .writes(Pod, "create", "delete", "patch status")
    .events("none")
    .reconcile<World>({
      observe: (deployment, look) => ({ deployment, pods: podsOf(deployment, look) }),
      act: (_none, hands, { deployment }) => act(deployment, hands, machines),
      status: ({ deployment, pods }, _it, now) => ({
        status: { ...statusOf(deployment, pods), ...(tells.unavailable ? unavailable(pods) : {}) },
        ...wakeOf(pods, now),
      }),
    });
  const ends = controller(Pod, "quick-pods")
    .select(parts)
    .gone(({ metadata }) => machines.end(metadata?.uid ?? ""))
    .untilGone()
    .writes(Pod, "delete")
    .events("none")
    .reconcile<Pod>({
      observe: (pod) => pod,
      // On no node: who is on its way out has nobody to wait for, as after a restore in the middle of its deletion.
      async act(_none, hands, pod) {
        if (pod.metadata?.deletionTimestamp === undefined) return;
        await hands.remove(Pod, pod, "Background");
        machines.end(pod.metadata.uid ?? "");
      },
      status: () => ({ status: undefined }),
    });
  return [standIn, ends];
}

function* deploymentOf(pod: Pod | undefined) {
  const set = pod && controllerOf(pod)?.name;
  if (set !== undefined) yield { namespace: pod?.metadata?.namespace ?? "", name: set.replace(/-1$/, "") };
}

const setName = ({ metadata }: Deployment): string => `${metadata?.name ?? ""}-1`;

function podsOf(deployment: Deployment, look: Look): readonly Pod[] {
  const { namespace = "" } = deployment.metadata ?? {};
  const set = look.get(ReplicaSet, { namespace, name: setName(deployment) });
  return look.list(Pod, { namespace }).filter((pod) => controllerOf(pod)?.uid === set?.metadata?.uid);
}

const controllerOf = ({ metadata }: KubeObject) =>
  metadata?.ownerReferences?.find(({ controller: isController }) => isController === true);

async function act(deployment: Deployment, hands: Hands<typeof Deployment>, machines: Machines): Promise<World> {
  const set = await setOf(deployment, hands);
  if (set === undefined) return { deployment, pods: [] };
  const { replicas = 1 } = deployment.spec ?? {};
  for (const [i, pod] of podsOf(deployment, hands).entries())
    if (i >= replicas || !isOf(pod, deployment)) await hands.remove(Pod, pod, "Background");
  const held = new Set(podsOf(deployment, hands).map((pod) => pod.metadata?.name));
  for (let i = 0; i < replicas; i += 1) {
    const name = `${setName(deployment)}-${i}`;
    if (!held.has(name)) await begin(name, set, deployment, hands);
  }
  for (const pod of podsOf(deployment, hands))
    if (pod.metadata?.deletionTimestamp === undefined) await run(pod, hands, machines);
  return { deployment, pods: podsOf(deployment, hands) };
}

/** It makes no pods itself: there it is for whoever asks whose a pod is. */
async function setOf(deployment: Deployment, hands: Hands<typeof Deployment>): Promise<ReplicaSet | undefined> {
  const { namespace = "" } = deployment.metadata ?? {};
  const { selector = {}, template } = deployment.spec ?? {};
  const name = setName(deployment);
  const known = hands.get(ReplicaSet, { namespace, name });
  if (known !== undefined && controllerOf(known)?.uid === deployment.metadata?.uid) return known;
  const its = { ...template?.metadata?.labels };
  const { as, live } = await hands.ensure(
    ReplicaSet,
    {
      metadata: { name, namespace, labels: its },
      spec: {
        selector,
        template: { metadata: { labels: its }, spec: { containers: [{ name: "pod", image: "pod" }] } },
      },
    },
    { mode: "createOnly" },
  );
  return as === "created" || as === "unchanged" ? live : undefined;
}

type Template = NonNullable<Deployment["spec"]>["template"];

/** On each pod: what it was made of. */
export const madeOf = "example.com/made-of";

const shortOf = (template: Template | undefined): string =>
  createHash("sha1").update(JSON.stringify(template)).digest("hex");

const isOf = ({ metadata }: Pod, { spec }: Deployment): boolean =>
  metadata?.annotations?.[madeOf] === shortOf(spec?.template);

/** Where the key for updates is. */
const lookedAt = ["NSUPDATE_KEY_NAME", "RNDC_SECRET", "RNDC_ALGORITHM"];

/** With what the operator looks at, and no more. */
async function begin(name: string, set: ReplicaSet, { spec }: Deployment, hands: Hands<typeof Deployment>) {
  const { namespace = "", name: owner = "", uid = "" } = set.metadata ?? {};
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid, controller: true }];
  const { metadata, spec: wanted } = spec?.template ?? {};
  const { containers = [], readinessGates = [] } = wanted ?? {};
  // On no node: the server lets go of it without a kubelet.
  await hands.create(
    Pod,
    {
      metadata: {
        name,
        namespace,
        labels: { ...metadata?.labels },
        annotations: { [madeOf]: shortOf(spec?.template) },
        ownerReferences,
      },
      spec: {
        readinessGates,
        containers: containers.map((it) => ({
          name: it.name,
          image: it.image ?? "",
          env: (it.env ?? []).filter((one) => lookedAt.includes(one.name)),
        })),
      },
    },
    { owner: "none" },
  );
}

/** Brings the status of a pod to what it is by now. */
async function run(pod: Pod, hands: Hands<typeof Deployment>, machines: Machines): Promise<void> {
  const next = runStatus(pod, hands.now, machines);
  if (next !== undefined && !deepEqual(next, pod.status))
    await hands.patchStatus(Pod, pod, [
      { op: "test", path: "/metadata/resourceVersion", value: pod.metadata?.resourceVersion },
      { op: "add", path: "/status", value: next },
    ]);
}

function runStatus(pod: Pod, now: Instant, machines: Machines): Pod["status"] | undefined {
  const uid = pod.metadata?.uid ?? "";
  const [first] = pod.status?.containerStatuses ?? [];
  const count = crashesOf(pod);
  const podIP = machines.begin(uid);
  // One that somebody has brought with the status of another one has that one's address.
  if (first === undefined || pod.status?.podIP !== podIP) return { ...running(pod, now, count), podIP };
  if (isDown(pod)) {
    if (now < endOf(pod, now)) return undefined;
    machines.restart(uid);
    return running(pod, now, count);
  }
  machines.order(uid, pod.metadata?.annotations?.[faultOn]);
  if (first.restartCount >= count) return running(pod, now, count);
  machines.crash(uid);
  return crashed(pod, now);
}

const crashesOf = ({ metadata }: Pod): number => Number(metadata?.annotations?.[crashes] ?? 0);
function unavailable(pods: readonly Pod[]): Deployment["status"] {
  const isReady = ({ status }: Pod) => status?.conditions?.some((it) => it.type === "Ready" && it.status === "True");
  const count = pods.filter((pod) => !isReady(pod)).length;
  return count === 0 ? {} : { unavailableReplicas: count };
}

const isDown = ({ status }: Pod): boolean => status?.containerStatuses?.[0]?.state?.waiting !== undefined;
const endOf = ({ status }: Pod, now: Instant): Instant =>
  plus(parseTime(status?.containerStatuses?.[0]?.lastState?.terminated?.finishedAt) ?? now, back);

/** Ready is whoever runs, and whose gates are open. */
function running(pod: Pod, now: Instant, restartCount: number): NonNullable<Pod["status"]> {
  const { spec, status } = pod;
  const isOpen = (gate: string) => status?.conditions?.some(({ type, status: is }) => type === gate && is === "True");
  const isReadyNow = spec?.readinessGates?.every(({ conditionType }) => isOpen(conditionType) === true) ?? true;
  return {
    ...status,
    phase: "Running",
    conditions: withReady(
      pod,
      isReadyNow ? { status: "True" } : { status: "False", reason: "ReadinessGatesNotReady" },
      now,
    ),
    containerStatuses: containersOf(pod).map(({ name, image = "" }, i) => ({
      name,
      image,
      imageID: image,
      ready: true,
      restartCount,
      containerID: `${name}-${restartCount}`,
      state:
        status?.containerStatuses?.[i]?.state?.running === undefined
          ? { running: { startedAt: formatTime(now) } }
          : { ...status.containerStatuses[i].state },
    })),
  };
}

const crashed = (pod: Pod, now: Instant): NonNullable<Pod["status"]> => ({
  ...pod.status,
  conditions: withReady(pod, { status: "False", reason: "ContainersNotReady" }, now),
  containerStatuses: (pod.status?.containerStatuses ?? []).map((it) => ({
    ...it,
    ready: false,
    state: { waiting: { reason: "CrashLoopBackOff" } },
    lastState: { terminated: { exitCode: 1, reason: "Error", finishedAt: formatTime(now) } },
  })),
});

type Ready = { readonly status: "True" | "False"; readonly reason?: string };

function withReady({ status }: Pod, ready: Ready, now: Instant) {
  const all = status?.conditions ?? [];
  const old = all.find(({ type }) => type === "Ready");
  const isSame = old?.status === ready.status && old.reason === ready.reason;
  const next = isSame ? old : { type: "Ready", ...ready, lastTransitionTime: formatTime(now) };
  return [...all.filter(({ type }) => type !== "Ready"), next];
}

const containersOf = ({ spec }: Pod) => spec?.containers ?? [];

function statusOf(deployment: Deployment, pods: readonly Pod[]): Deployment["status"] {
  const current = pods.filter((pod) => isOf(pod, deployment));
  const { generation } = deployment.metadata ?? {};
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    replicas: pods.length,
    updatedReplicas: current.length,
  };
}

function wakeOf(pods: readonly Pod[], now: Instant): { readonly wakeAt?: Instant } {
  const moments = pods.filter(isDown).map((pod) => endOf(pod, now));
  return moments.length === 0 ? {} : { wakeAt: instant(Math.min(...moments)) };
}
