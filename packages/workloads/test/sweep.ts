// What kubelets and a scheduler would do, for tests that are about something else.
import { isNotFound } from "@telltale/client";
import { formatTime } from "@telltale/kinds";
import { Node, Pod } from "@telltale/kinds/builtin";
import { nodeOf } from "../src/daemonset/pod.ts";
import type { Cluster } from "./cluster.ts";

/** A node that is ready: the server marks new ones as not. */
export async function join({ client }: Cluster, name: string, labels: Record<string, string> = {}): Promise<void> {
  await client.create(Node, { metadata: { name, labels } });
  await client.patch(Node, { name }, { merge: { spec: { taints: null } } });
}

/** What becomes of a pod in the end. Undefined: it becomes ready. */
export type Fate = (pod: Pod) => "unready" | "pending" | undefined;

/** Every pod gets a node and becomes ready, every pod that is to go goes; again and again, until nothing moves. */
export async function sweep(it: Cluster, fate?: Fate): Promise<void> {
  while (await sweepOnce(it, fate));
}

/** Each pod makes one move, if it has one. */
export async function sweepOnce(it: Cluster, fate: Fate = () => undefined): Promise<boolean> {
  await it.pass(1_000);
  const { items } = await it.client.list(Pod, {});
  let moved = false;
  for (const pod of items) {
    try {
      if (await move(it, pod, fate(pod))) moved = true;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  await it.pass(1_000);
  return moved;
}

async function move({ client, clock }: Cluster, pod: Pod, fate: ReturnType<Fate>): Promise<boolean> {
  const { name = "", namespace = "", deletionTimestamp } = pod.metadata ?? {};
  const ref = { name, namespace };
  if (deletionTimestamp !== undefined) {
    await client.delete(Pod, ref, { propagation: "Background", gracePeriodSeconds: 0 });
    return true;
  }
  if (fate === "pending" || pod.status?.phase === "Failed") return false;
  if ((pod.spec?.nodeName ?? "") === "") {
    const target = { apiVersion: "v1", kind: "Node", name: nodeOf(pod) ?? "node-1" };
    const body = { apiVersion: "v1", kind: "Binding", metadata: { name }, target };
    await client.subresource(Pod, ref, "binding", { method: "POST", body });
  }
  const status = fate === "unready" ? "False" : "True";
  const ready = pod.status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === status) return false;
  const lastTransitionTime = formatTime(clock.now());
  const conditions = [{ type: "Ready", status, lastTransitionTime }];
  await client.status.patch(Pod, ref, { merge: { status: { phase: "Running", conditions } } });
  return true;
}
