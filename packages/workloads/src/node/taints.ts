// Which taints a node has by how it stands, and how long a pod stays in spite of them. Pure.
import { formatTime, type Instant, instant, parseTime } from "@telltale/kinds";
import type { Node, Pod } from "@telltale/kinds/builtin";
import { type Taint, type Toleration, tolerates } from "../scheduler/fit.ts";
import { conditionOf } from "./facts.ts";

const prefix = "node.kubernetes.io/";
const notReady = `${prefix}not-ready`;
const unreachable = `${prefix}unreachable`;
const unschedulable = `${prefix}unschedulable`;

/** By condition: what its statuses mean for pods that are to come. */
const meanings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReady, Unknown: unreachable },
  MemoryPressure: { True: `${prefix}memory-pressure` },
  DiskPressure: { True: `${prefix}disk-pressure` },
  PIDPressure: { True: `${prefix}pid-pressure` },
  NetworkUnavailable: { True: `${prefix}network-unavailable` },
};

const ours = new Set([unschedulable, ...Object.values(meanings).flatMap((it) => Object.values(it))]);

/** The very list that it has, where it is as it should be. Taints of others stay. */
export function taintsOf(node: Node, now: Instant): readonly Taint[] {
  const before = node.spec?.taints ?? [];
  const wanted = wantedTaints(node);
  const isWanted = (taint: Taint) => wanted.some((it) => isSame(it, taint));
  const kept = before.filter((taint) => !isOurs(taint) || isWanted(taint));
  const fresh = wanted.filter((taint) => !before.some((it) => isSame(it, taint)));
  if (kept.length === before.length && fresh.length === 0) return before;
  return [...kept, ...fresh.map((it) => ({ ...it, timeAdded: formatTime(now) }))];
}

function wantedTaints(node: Node): readonly Taint[] {
  const keys = Object.entries(meanings).flatMap(([type, byStatus]) => {
    const status = conditionOf(node, type)?.status ?? "";
    return Object.hasOwn(byStatus, status) ? [byStatus[status] ?? ""] : [];
  });
  if (node.spec?.unschedulable === true) keys.push(unschedulable);
  return [
    ...keys.map((key) => ({ key, effect: "NoSchedule" })),
    ...keys.filter((key) => key === notReady || key === unreachable).map((key) => ({ key, effect: "NoExecute" })),
  ];
}

const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

function isOurs({ key, effect }: Taint): boolean {
  return effect === "NoSchedule" ? ours.has(key) : effect === "NoExecute" && (key === notReady || key === unreachable);
}

export const evicting = ({ spec }: Node): readonly Taint[] =>
  (spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");

/** Until when a pod may stay on a node with such taints. Undefined: for ever. */
export function staysUntil(pod: Pod, taints: readonly Taint[], now: Instant): Instant | undefined {
  const tolerations = pod.spec?.tolerations ?? [];
  const ends = taints.map((taint) => toleratedUntil(taint, tolerations, now));
  return ends.reduce((a, b) => (b === undefined || (a !== undefined && a <= b) ? a : b), undefined);
}

/** Of the tolerations for a taint the one with the shortest time counts. */
function toleratedUntil(taint: Taint, tolerations: readonly Toleration[], now: Instant): Instant | undefined {
  const fitting = tolerations.filter((it) => tolerates([it], taint));
  if (fitting.length === 0) return instant(0);
  const seconds = fitting.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  if (seconds.length === 0) return undefined;
  const since = parseTime(taint.timeAdded) ?? now;
  return instant(since + 1000 * Math.max(0, Math.min(...seconds)));
}
