// What a kubelet does for its node: registers it once, renews its Lease, tells its status, and has the runtime forget pods that
// the server does not know. One for all nodes of this process; it works on the namespace in which their Leases are.
import type { JsonPatchOperation } from "@telltale/client";
import { formatMicroTime, type Instant, instant, type KubeObject, type Ms, parseTime, plus } from "@telltale/kinds";
import { Lease, Namespace, Node, Pod } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look } from "@telltale/runtime";
import type { PodRuntime } from "../kubelet/pod-runtime.ts";
import { nameOf, uidOf } from "../pods/facts.ts";
import { addressOf, conditionOf, isOffline } from "./facts.ts";
import { freeAddress, labelsOf, type NodeOptions, type NodeStatus, nodeOf, retellAt, statusOf } from "./shape.ts";

export interface AgentOptions {
  readonly nodes: readonly NodeOptions[];
  readonly runtime?: Pick<PodRuntime, "kept" | "drop">;
}

export const leases = "kube-node-lease";
/** How often a Lease is renewed, and how long it is good for. */
const renewal: Ms = 10_000;
const leaseSeconds = 40;

interface World {
  readonly now: Instant;
  readonly nodes: readonly Kept[];
  readonly taken: ReadonlySet<string>;
}

interface Kept {
  readonly options: NodeOptions;
  readonly node: Node | undefined;
  readonly lease: Lease | undefined;
}

const byUid = "uid";

export function nodeAgent({ nodes, runtime }: AgentOptions): Controller {
  const names = new Set(nodes.map(({ name }) => name));
  // A node that somebody deletes comes back with the next process, as with any kubelet.
  const registered = new Set<string>();
  const home = { name: leases };
  return controller(Namespace, "node-agent")
    .select({ field: `metadata.name=${leases}` })
    .watches(Node, ({ old, new: next }) => (names.has(nameOf(next ?? old ?? {})) ? [home] : []), {
      changed: (a, b) =>
        isOffline(a) !== isOffline(b) || conditionOf(a, "Ready")?.status !== conditionOf(b, "Ready")?.status,
    })
    .watches(Lease, ({ new: next }) => (next === undefined ? [home] : []), { namespace: leases })
    .writes(Node, "create", "patch", "patch status")
    .writes(Lease, "create", "patch")
    .reads(Pod)
    .index(Pod, byUid, (pod) => [uidOf(pod)])
    .reconcile<World>({
      observe: (_home, look) => observe(nodes, look),
      async act(_none, hands, { nodes: all, taken }) {
        const used = new Set(taken);
        const failures: unknown[] = [];
        for (const it of all) {
          const register = !registered.has(it.options.name);
          if (it.node === undefined && !register) continue;
          try {
            await keep(it, used, register, hands);
            registered.add(it.options.name);
          } catch (error) {
            failures.push(error); // the other nodes are looked after all the same
          }
        }
        await sweep(runtime, hands);
        if (failures.length > 0) throw failures[0];
        return observe(nodes, hands);
      },
      status: (world) => ({ status: undefined, wakeAt: nextTime(world) }),
    });
}

function observe(nodes: readonly NodeOptions[], look: Look): World {
  return {
    now: look.now,
    nodes: nodes.map((options) => ({
      options,
      node: look.get(Node, { name: options.name }),
      lease: look.get(Lease, { namespace: leases, name: options.name }),
    })),
    taken: new Set(look.list(Node).flatMap((node) => addressOf(node) ?? [])),
  };
}

async function keep({ options, node, lease }: Kept, used: Set<string>, register: boolean, hands: Hands): Promise<void> {
  const { now } = hands;
  if (node !== undefined && isOffline(node)) return;
  const address = (node === undefined ? undefined : addressOf(node)) ?? freeAddress(used);
  used.add(address);
  const there = node ?? (await hands.create(Node, nodeOf(options, address, now), { owner: "none" }));
  await renew(there, lease, now, hands);
  const labelled = register ? await label(there, options, hands) : there;
  await tell(labelled, options, address, now, hands);
}

const renewedAt = (lease: Lease | undefined): Instant | undefined => parseTime(lease?.spec?.renewTime);

function nextTime({ nodes, now }: World): Instant {
  const times = nodes.flatMap(({ node, lease }) => {
    if (node === undefined || isOffline(node)) return [];
    return [plus(renewedAt(lease) ?? now, renewal), retellAt(node, now)];
  });
  return instant(Math.min(...times, plus(now, renewal)));
}

/** A Lease that a clock which was put back has renewed in the future is renewed all the same. */
async function renew(node: Node, lease: Lease | undefined, now: Instant, hands: Hands): Promise<void> {
  const before = renewedAt(lease);
  if (before !== undefined && before <= now && now - before < renewal) return;
  const renewTime = formatMicroTime(now);
  if (lease !== undefined) {
    const operations: JsonPatchOperation[] = [{ op: "add", path: "/spec/renewTime", value: renewTime }];
    await hands.patch(Lease, lease, operations);
    return;
  }
  const owner = { apiVersion: "v1", kind: "Node", name: nameOf(node), uid: uidOf(node) };
  await hands.create(
    Lease,
    {
      metadata: { name: nameOf(node), namespace: leases, ownerReferences: [owner] },
      spec: { holderIdentity: nameOf(node), leaseDurationSeconds: leaseSeconds, renewTime },
    },
    { owner: "none" },
  );
}

/** A node that was there before us has the labels that nodes have. */
async function label(node: Node, options: NodeOptions, hands: Hands): Promise<Node> {
  const before = node.metadata?.labels;
  const missing = Object.entries(labelsOf(options)).filter(([name, value]) => before?.[name] !== value);
  if (missing.length === 0) return node;
  const after = { ...before, ...Object.fromEntries(missing) };
  return hands.patch(Node, node, [
    { op: "test", path: "/metadata/labels", value: before ?? null },
    { op: "add", path: "/metadata/labels", value: after },
  ]);
}

/** Only what is new is sent: of the rest of a status others may be the authors. */
async function tell(node: Node, options: NodeOptions, address: string, now: Instant, hands: Hands): Promise<void> {
  const before = node.status;
  const after = statusOf(options, before, address, now);
  if (after === before) return;
  const told = Object.entries(after).filter(([name, value]) => before?.[name as keyof NodeStatus] !== value);
  await hands.patchStatus(Node, node, [
    { op: "test", path: "/status/conditions", value: before?.conditions ?? null },
    ...(before === undefined
      ? [{ op: "add", path: "/status", value: after } as const]
      : told.map(([name, value]) => ({ op: "add", path: `/status/${name}`, value }) as const)),
  ]);
}

async function sweep(runtime: AgentOptions["runtime"], hands: Hands): Promise<void> {
  for (const uid of [...(runtime?.kept?.() ?? [])]) {
    const known: readonly KubeObject[] = hands.where(Pod, byUid, uid);
    if (known.length === 0) await runtime?.drop(uid);
  }
}
