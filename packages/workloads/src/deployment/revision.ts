// The ReplicaSets of a Deployment as its history: which one is the template's, which number each has, which may go. Pure.
import { deepEqual } from "@telltale/kinds";
import type { Deployment, ReplicaSet } from "@telltale/kinds/builtin";
import { byAge, isTerminating, nameOf } from "../pods/facts.ts";
import { hashOf, type PodTemplate, templateHash } from "../pods/template.ts";
import type { Budget } from "./budget.ts";

const prefix = "deployment.kubernetes.io/";
export const revision = `${prefix}revision`;
const history = `${prefix}revision-history`;
export const desired = `${prefix}desired-replicas`;
export const most = `${prefix}max-replicas`;

/** Annotations of a Deployment that are not its ReplicaSets' as well. */
const notCopied: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revision,
  history,
  desired,
  most,
  "deprecated.deployment.rollback.to",
]);

/** So long the list of a ReplicaSet's former numbers may get. */
const longestHistory = 2000;

export interface History {
  /** The one with the Deployment's template. */
  readonly current: ReplicaSet | undefined;
  /** All others, the oldest first. */
  readonly others: readonly ReplicaSet[];
}

export function historyOf({ spec }: Deployment, sets: readonly ReplicaSet[]): History {
  const ordered = [...sets].sort(byAge);
  const current = ordered.find((it) => isSame(it.spec?.template, spec?.template));
  return { current, others: ordered.filter((it) => it !== current) };
}

export function isSame(a: PodTemplate | undefined, b: PodTemplate | undefined): boolean {
  return deepEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplate | undefined): unknown {
  const { creationTimestamp: _, labels = {}, ...metadata } = template?.metadata ?? {};
  const { [templateHash]: _hash, ...others } = labels;
  return { spec: template?.spec, metadata: { ...metadata, labels: others } };
}

export const revisionOf = ({ metadata }: ReplicaSet): number => Number(metadata?.annotations?.[revision] ?? 0) || 0;

/** The annotations that the current ReplicaSet should have: the Deployment's own, and the highest number. */
export function annotationsOf(deployment: Deployment, { current, others }: History): Record<string, string> {
  const own = Object.entries(deployment.metadata?.annotations ?? {}).filter(([name]) => !notCopied.has(name));
  const before = current?.metadata?.annotations?.[revision];
  const number = others.reduce((highest, it) => Math.max(highest, revisionOf(it)), 0) + 1;
  if (before !== undefined && Number(before) >= number) return Object.fromEntries(own);
  const former = current?.metadata?.annotations?.[history];
  return {
    ...Object.fromEntries(own),
    [revision]: String(number),
    ...(before === undefined ? {} : { [history]: shortened([...(former?.split(",") ?? []), before]) }),
  };
}

function shortened(numbers: readonly string[]): string {
  const text = numbers.join(",");
  return text.length <= longestHistory || numbers.length === 1 ? text : shortened(numbers.slice(1));
}

/** What each ReplicaSet knows of the whole: by it a change of size is told from a rollout. */
export function sizeAnnotations({ wanted, surge }: Budget): Record<string, string> {
  return { [desired]: String(wanted), [most]: String(wanted + surge) };
}

/** The ReplicaSet of the Deployment's template, to be made. */
export function newSet(deployment: Deployment, annotations: Record<string, string>, replicas: number): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec ?? {};
  const hash = hashOf(template, deployment.status?.collisionCount);
  const labels = { ...template?.metadata?.labels, [templateHash]: hash };
  return {
    metadata: { name: `${nameOf(deployment)}-${hash}`, labels, annotations },
    spec: {
      replicas,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [templateHash]: hash } },
      template: { ...template, metadata: { ...template?.metadata, labels } },
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
    },
  };
}

/** Old ReplicaSets beyond the limit that are empty, the lowest numbers first. */
export function superfluous({ spec }: Deployment, others: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const kept = others.filter((it) => !isTerminating(it));
  const excess = kept.length - (spec?.revisionHistoryLimit ?? 10);
  if (excess <= 0) return [];
  const lowest = [...kept].sort((a, b) => revisionOf(a) - revisionOf(b)).slice(0, excess);
  return lowest.filter(({ spec: its, status, metadata }) => {
    const isSettled = (metadata?.generation ?? 0) <= (status?.observedGeneration ?? 0);
    return isSettled && its?.replicas === 0 && (status?.replicas ?? 0) === 0;
  });
}
