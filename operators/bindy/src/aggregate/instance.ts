// What a Bind9Instance says, given its Deployment and its pods: the rows I-1 to I-14. Pure.
import type { ConditionStatus } from "@telltale/kinds";
import { type ChildCondition, type SafeText, table, text, worst } from "@telltale/status";
import { beingDeleted, instanceSays, invalid } from "../messages.ts";
import {
  type BindcarReason,
  bindcarReasons,
  REASON_ALL_READY,
  REASON_CONFIGURATION_INVALID,
  REASON_FAILED_CREATE,
  REASON_NO_CHILDREN,
  REASON_NOT_PROBED,
  REASON_NOT_READY,
  REASON_PARTIALLY_READY,
  REASON_PODS_CRASHING,
  REASON_PODS_PENDING,
  REASON_PROGRESS_DEADLINE_EXCEEDED,
  REASON_PROGRESSING,
} from "../reasons.ts";
import type { Problem } from "../validate/index.ts";
import { shown } from "./limits.ts";
import { isReadyPod, isUnknownPod, type PodSaid, podCondition } from "./pod.ts";
import type { PodView } from "./pod-view.ts";
import { assignPodSlots } from "./slots.ts";

export interface InstanceView {
  readonly name: string;
  readonly isLeaving: boolean;
  /** Why the spec is refused. */
  readonly invalid?: Problem;
  /** Why objects could not be made. */
  readonly refused?: SafeText;
  /** What could not be read, and why. */
  readonly unread?: SafeText;
  readonly deployment: DeploymentView | "unreadable";
  /** Live pods. */
  readonly pods: readonly PodView[];
  /** The slots that pods had, by the pod's name. */
  readonly held: ReadonlyMap<string, number>;
}

export interface DeploymentView {
  readonly desired: number;
  readonly isOverdue: boolean;
  readonly isRolling: boolean;
}

export interface InstanceSaid {
  readonly status: ConditionStatus;
  readonly reason:
    | typeof REASON_ALL_READY
    | typeof REASON_PARTIALLY_READY
    | typeof REASON_NOT_READY
    | typeof REASON_NOT_PROBED
    | typeof REASON_FAILED_CREATE
    | typeof REASON_NO_CHILDREN
    | typeof REASON_PROGRESSING
    | typeof REASON_PODS_PENDING
    | typeof REASON_PODS_CRASHING
    | typeof REASON_PROGRESS_DEADLINE_EXCEEDED
    | typeof REASON_CONFIGURATION_INVALID
    | BindcarReason;
  readonly message: SafeText;
}

export interface InstanceStatus {
  readonly ready: InstanceSaid & { readonly row: string };
  readonly children: readonly ChildCondition[];
  /** By the pod's name. */
  readonly slots: ReadonlyMap<string, number>;
  readonly replicas: number;
  readonly readyReplicas: number;
}

export function calculateInstanceStatus(view: InstanceView): InstanceStatus {
  const pods = [...new Map(view.pods.map((pod) => [pod.uid, pod])).values()];
  const { desired, isRolling } = view.deployment === "unreadable" ? unread : view.deployment;
  const slots = assignPodSlots(view.held, pods, desired, isRolling);
  const said = pods
    .map((pod) => ({ ...podCondition(pod), slot: slots.get(pod.name) ?? 0, storedSlot: view.held.get(pod.name) }))
    .sort((a, b) => a.slot - b.slot);
  const ready = pods.filter(isReadyPod).length;
  const unknown = pods.filter(isUnknownPod).length;
  return {
    ready: shown(instanceReady({ view, desired, ready, unknown, said }), said.length),
    slots,
    children: said.map(({ slot, storedSlot, status, reason, message }) => ({
      slot,
      storedSlot,
      status,
      reason,
      message,
    })),
    replicas: desired,
    readyReplicas: Math.min(ready, desired),
  };
}

const unread: DeploymentView = { desired: 0, isOverdue: false, isRolling: true };

interface Facts {
  readonly view: InstanceView;
  readonly desired: number;
  readonly ready: number;
  /** Pods that may be ready. */
  readonly unknown: number;
  /** In the order of their slots. */
  readonly said: readonly PodSaid[];
}

export const instanceReady = table<Facts, InstanceSaid>([
  {
    id: "I-1",
    when: ({ view }) => view.isLeaving,
    result: ({ view }) => no(REASON_PROGRESSING, beingDeleted("Bind9Instance", view.name)),
  },
  {
    id: "I-2",
    when: ({ view }) => view.invalid !== undefined,
    result: ({ view: { invalid: { path, problem } = { path: "spec", problem: text`` } } }) =>
      no(REASON_CONFIGURATION_INVALID, invalid(path, problem)),
  },
  {
    id: "I-3",
    when: ({ view }) => view.refused !== undefined,
    result: ({ view }) => no(REASON_FAILED_CREATE, instanceSays.createFailed(view.refused ?? text``)),
  },
  {
    id: "I-4",
    when: ({ view }) => view.deployment === "unreadable" || view.unread !== undefined,
    // Without a pod it is not ready, whatever could not be read.
    result: ({ view, said }) => ({
      status: view.deployment !== "unreadable" && said.length === 0 ? "False" : "Unknown",
      reason: REASON_NOT_READY,
      message: view.unread === undefined ? instanceSays.unreadable() : instanceSays.unread(view.unread),
    }),
  },
  {
    id: "I-5",
    // Pods that are still there and ready while none is wanted are on their way out: the table has no row for them.
    when: ({ desired, ready, unknown, said }) => desired === 0 && (said.length === 0 || ready + unknown > 0),
    result: () => no(REASON_NO_CHILDREN, instanceSays.noChildren()),
  },
  {
    id: "I-6",
    when: ({ said, view }) => said.length === 0 && !isOverdue(view),
    result: () => no(REASON_PROGRESSING, instanceSays.waiting()),
  },
  {
    id: "I-7",
    when: ({ desired, ready }) => ready >= desired && desired > 0,
    result: ({ desired }) => ({ status: "True", reason: REASON_ALL_READY, message: instanceSays.allReady(desired) }),
  },
  {
    id: "I-14",
    when: ({ desired, ready, unknown }) => unknown > 0 && ready + unknown >= desired,
    result: ({ desired, ready, unknown, said }) => ({
      status: "Unknown",
      reason: said.some(({ reason }) => reason === REASON_NOT_PROBED) ? REASON_NOT_PROBED : REASON_NOT_READY,
      message: instanceSays.unknown(ready, desired, unknown),
    }),
  },
  {
    id: "I-8",
    // Also where the others are unknown: there are too few of them.
    when: ({ ready, unknown }) => ready + unknown > 0,
    result: ({ desired, ready }) => no(REASON_PARTIALLY_READY, instanceSays.someReady(ready, desired)),
  },
  {
    id: "I-9",
    when: ({ said }) => said.length > 0 && said.every(({ cause }) => cause !== undefined),
    result({ said }) {
      const reason = worst(said.map((it) => it.reason).filter(isBindcar), bindcarReasons);
      const first = said.find((it) => it.reason === reason);
      return no(reason ?? REASON_NOT_READY, instanceSays.noneReadyBecause(first?.cause ?? text``));
    },
  },
  {
    id: "I-10",
    when: ({ said }) => allSay(said, REASON_PODS_PENDING),
    result: () => no(REASON_PODS_PENDING, instanceSays.pending()),
  },
  {
    id: "I-11",
    when: ({ said }) => allSay(said, REASON_PODS_CRASHING),
    result: () => no(REASON_PODS_CRASHING, instanceSays.crashing()),
  },
  {
    id: "I-12",
    when: ({ view }) => isOverdue(view),
    result: () => no(REASON_PROGRESS_DEADLINE_EXCEEDED, instanceSays.deadlineExceeded()),
  },
  { id: "I-13", when: () => true, result: () => no(REASON_NOT_READY, instanceSays.noneReady()) },
]);

const no = (reason: InstanceSaid["reason"], message: SafeText): InstanceSaid => ({ status: "False", reason, message });

const isOverdue = ({ deployment }: InstanceView): boolean => deployment !== "unreadable" && deployment.isOverdue;

const allSay = (said: readonly PodSaid[], reason: string): boolean =>
  said.length > 0 && said.every((it) => it.reason === reason);

const isBindcar = (reason: string): reason is BindcarReason => bindcarReasons.some((it) => it === reason);
