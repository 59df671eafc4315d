// What a node of ours is and says of itself. Pure.
import {
  deepEqual,
  formatQuantity,
  formatTime,
  type Instant,
  type Ms,
  parseQuantity,
  parseTime,
} from "@telltale/kinds";
import type { Node } from "@telltale/kinds/builtin";
import type { NodeCondition } from "./facts.ts";

export interface NodeOptions {
  readonly name: string;
  /** What there is for pods. Default: 8 processors, 16 GiB of memory, 1000 pods; what is given replaces or adds to it. */
  readonly capacity?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NonNullable<NonNullable<Node["spec"]>["taints"]>;
}

export const standardNodes: readonly NodeOptions[] = [{ name: "embedded-node" }];

export type NodeStatus = NonNullable<Node["status"]>;

const capacity = { cpu: "8", memory: "16Gi", "ephemeral-storage": "100Gi", pods: "1000" };

/** The status is written when it changes, and else as often as this. */
const retold: Ms = 300_000;

/** What is known of the machine: nothing that differs from one to the next. */
const machine = {
  machineID: "",
  systemUUID: "",
  bootID: "",
  kernelVersion: "",
  osImage: "telltale",
  containerRuntimeVersion: "telltale://1",
  kubeletVersion: "v1.36.0+embedded",
  kubeProxyVersion: "",
  operatingSystem: "linux",
  architecture: "amd64",
};

export function nodeOf(options: NodeOptions, address: string, now: Instant): Node {
  const { taints } = options;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: options.name, labels: labelsOf(options) },
    spec: taints === undefined ? {} : { taints: [...taints] },
    status: statusOf(options, undefined, address, now),
  };
}

export function labelsOf({ name, labels }: NodeOptions): Record<string, string> {
  const { architecture, operatingSystem } = machine;
  return {
    "beta.kubernetes.io/arch": architecture,
    "beta.kubernetes.io/os": operatingSystem,
    "kubernetes.io/arch": architecture,
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": operatingSystem,
    ...labels,
  };
}

/** The very same as before where nothing is new. What others say of the node stays. */
export function statusOf(
  options: NodeOptions,
  before: NodeStatus | undefined,
  address: string,
  now: Instant,
): NodeStatus {
  const amounts = amountsOf(options);
  const next: NodeStatus = {
    ...before,
    capacity: { ...before?.capacity, ...amounts },
    allocatable: { ...before?.allocatable, ...amounts },
    conditions: conditionsOf(before?.conditions ?? [], now),
    addresses: before?.addresses ?? [
      { type: "InternalIP", address },
      { type: "Hostname", address: options.name },
    ],
    nodeInfo: machine,
  };
  return before !== undefined && deepEqual(before, next) ? before : next;
}

/** As the server writes them: `1000` is `1k`. */
function amountsOf({ name, capacity: own }: NodeOptions): Readonly<Record<string, string>> {
  const entries = Object.entries({ ...capacity, ...own }).map(([resource, text]) => {
    const amount = parseQuantity(text);
    if (amount !== undefined && amount.nano >= 0n) return [resource, formatQuantity(amount)];
    throw new TypeError(`node ${name}: capacity.${resource} is "${text}"; write an amount such as 8, 500m or 16Gi`);
  });
  return Object.fromEntries(entries);
}

const wellness: readonly NodeCondition[] = [
  {
    type: "MemoryPressure",
    status: "False",
    reason: "KubeletHasSufficientMemory",
    message: "kubelet has sufficient memory available",
  },
  {
    type: "DiskPressure",
    status: "False",
    reason: "KubeletHasNoDiskPressure",
    message: "kubelet has no disk pressure",
  },
  {
    type: "PIDPressure",
    status: "False",
    reason: "KubeletHasSufficientPID",
    message: "kubelet has sufficient PID available",
  },
  { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
];

function conditionsOf(before: readonly NodeCondition[], now: Instant): NodeCondition[] {
  const found = (type: string) => before.find((it) => it.type === type);
  const isSaid = wellness.every(({ type, status, reason, message }) => {
    const old = found(type);
    const heard = parseTime(old?.lastHeartbeatTime);
    const isFresh = heard !== undefined && now - heard < retold;
    return isFresh && old?.status === status && old.reason === reason && old.message === message;
  });
  if (isSaid) return [...before];
  const others = before.filter(({ type }) => !wellness.some((it) => it.type === type));
  const at = formatTime(now);
  return [
    ...others,
    ...wellness.map((it) => {
      const old = found(it.type);
      const since = old?.status === it.status ? old.lastTransitionTime : undefined;
      return { ...it, lastHeartbeatTime: at, lastTransitionTime: since ?? at };
    }),
  ];
}

/** When its status has to be told again, though nothing is new. */
export function retellAt({ status }: Node, now: Instant): Instant {
  const heard = parseTime(status?.conditions?.find(({ type }) => type === "Ready")?.lastHeartbeatTime) ?? now;
  return (heard + retold) as Instant;
}

/** The first address of 10.0.0.0/16 that no node has, behind 10.0.0.0/24: those are the Services'. */
export function freeAddress(taken: ReadonlySet<string>): string {
  for (let at = 257; at < 1 << 16; at += 1) {
    const address = `10.0.${at >> 8}.${at % 256}`;
    if (at % 256 !== 0 && at % 256 !== 255 && !taken.has(address)) return address;
  }
  throw new Error("no node address is left from 10.0.1.0 to 10.0.255.255; use fewer nodes");
}
