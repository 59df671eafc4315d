// What a Bind9Instance says of itself. Pure.
import type { Instant } from "@telltale/kinds";
import { plus } from "@telltale/kinds";
import type { Service } from "@telltale/kinds/builtin";
import { type Draft, findCondition } from "@telltale/status";
import { calculateInstanceStatus, type DeploymentView } from "../aggregate/instance.ts";
import { shownChildren } from "../aggregate/limits.ts";
import { heldSlotsOf, podRecords, storedPod } from "../aggregate/pod-records.ts";
import { unsupportedIn } from "../build/index.ts";
import type { Bind9Instance } from "../kinds/index.ts";
import { earliest, nextLook, nextTry } from "../moments.ts";
import { annotations, apiVersion } from "../names.ts";
import { ageOf, nextRotation } from "./key.ts";
import { isOverdue, isRolling } from "./turns.ts";
import type { Parent, World } from "./world.ts";

type InstanceDraft = Draft<typeof Bind9Instance>;

export function status(world: World, draft: InstanceDraft, now: Instant): void {
  const { it, wanted, made, parent } = world;
  const invalid = wanted.is === "invalid" ? { invalid: wanted.problem } : {};
  const said = calculateInstanceStatus({
    name: it.metadata.name ?? "",
    isLeaving: it.metadata.deletionTimestamp !== undefined,
    ...invalid,
    ...(made.refused === undefined ? {} : { refused: made.refused }),
    ...(wanted.is === "unread" ? { unread: wanted.why } : {}),
    ...(made.unanswered === undefined ? {} : { unread: made.unanswered }),
    deployment: made.isUnreadable === true ? "unreadable" : deploymentOf(world),
    pods: world.views,
    held: heldSlotsOf(podRecords(it.status)),
  });
  const { status: is, reason, message } = said.ready;
  draft.state({ type: "Ready", status: is, reason, message }).children("Pod", said.children);
  const pods = world.views
    .map((view) => storedPod(view, said.slots.get(view.name) ?? 0))
    .sort((a, b) => a.slot - b.slot)
    .slice(0, shownChildren);
  const zonesCount = world.pods.length === 0 ? 0 : (it.status?.zones?.length ?? 0);
  draft.set({ replicas: said.replicas, readyReplicas: said.readyReplicas, pods, zonesCount });
  const address = addressOf(world.service);
  if (address === undefined) draft.unset("serviceAddress");
  else draft.set({ serviceAddress: address });
  if (wanted.is === "sound") {
    const unsupported = unsupportedIn({ ...wanted.server, primaryServers: it.spec.primaryServers ?? [] });
    if (unsupported.length === 0) draft.unset("unsupported");
    else draft.set({ unsupported: [...unsupported] });
  }
  sayParent(parent, draft, isApplied(world));
  sayRotation(world, draft);
  draft.wake(wakeOf(world, is === "True", now));
}

const isApplied = ({ wanted, made }: World): boolean =>
  wanted.is === "sound" &&
  made.refused === undefined &&
  made.unanswered === undefined &&
  made.isUnreadable !== true &&
  made.isWaiting !== true;

function deploymentOf({ it, deployment, wanted }: World): DeploymentView {
  const asked = wanted.is === "sound" ? wanted.server.replicas : (it.spec.replicas ?? 1);
  if (deployment === undefined) return { desired: asked, isOverdue: false, isRolling: true };
  const { replicas = 1 } = deployment.spec ?? {};
  return { desired: replicas, isOverdue: isOverdue(deployment), isRolling: isRolling(deployment) };
}

/** The first that is there; a headless Service has none. */
export function addressOf(service: Service | undefined): string | undefined {
  const [ingress] = service?.status?.loadBalancer?.ingress ?? [];
  const { clusterIP = "" } = service?.spec ?? {};
  const found = ingress?.ip ?? ingress?.hostname ?? clusterIP;
  return found === "" || found === "None" ? undefined : found;
}

/** Which generation of it was applied is said only where it was. */
function sayParent(parent: Parent, draft: InstanceDraft, isApplied: boolean): void {
  if (parent.is === "none" || parent.is === "missing") {
    draft.unset("clusterRef", "observedParentGeneration");
    return;
  }
  const { name = "", namespace, generation } = parent.object.metadata;
  const kind = parent.is === "cluster" ? "Bind9Cluster" : "Bind9GlobalCluster";
  draft.set({ clusterRef: { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) } });
  if (isApplied && generation !== undefined) draft.set({ observedParentGeneration: generation });
}

function sayRotation({ wanted }: World, draft: InstanceDraft): void {
  const secret = wanted.is === "sound" ? wanted.keys.secret : undefined;
  const isRotating =
    wanted.is === "sound" && wanted.server.key.is === "generated" && wanted.server.key.rotateAfter !== undefined;
  const { createdAt, rotateAt } = secret === undefined ? { createdAt: undefined, rotateAt: undefined } : ageOf(secret);
  if (!isRotating || createdAt === undefined) {
    if (wanted.is === "sound") draft.unset("rndcKeyRotation");
    return;
  }
  const rotationCount = Number(secret?.metadata?.annotations?.[annotations.rndcRotationCount] ?? "0") || 0;
  draft.set({
    rndcKeyRotation: {
      createdAt,
      rotationCount,
      ...(rotateAt === undefined ? {} : { rotateAt }),
      ...(rotationCount === 0 ? {} : { lastRotatedAt: createdAt }),
    },
  });
}

function wakeOf({ it, wanted, made }: World, isReady: boolean, now: Instant): Instant | undefined {
  const rotation = wanted.is === "sound" ? nextRotation(wanted.server.key, wanted.keys.secret) : undefined;
  const ready = findCondition(it.status?.conditions, "Ready");
  const isTroubled =
    made.refused !== undefined || made.unanswered !== undefined || made.isUnreadable === true || wanted.is === "unread";
  const retry = isTroubled ? nextTry(ready?.status === "True" ? undefined : ready?.lastTransitionTime, now) : undefined;
  const turn = made.isWaiting === true ? plus(now, 2_500) : undefined;
  return earliest(nextLook(isReady, now), rotation, retry, turn);
}
