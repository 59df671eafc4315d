// What a Deployment does next: one step at a time, as its strategy says. Pure.
import type { Deployment, Pod, ReplicaSet } from "@telltale/kinds/builtin";
import { isFinished, isTerminating } from "../pods/facts.ts";
import { type Budget, budgetOf } from "./budget.ts";
import { annotationsOf, type History, historyOf, newSet, sizeAnnotations, superfluous } from "./revision.ts";
import { growth, isResized, type Resize, resized, shrinkage, sizeOf } from "./scale.ts";
import { isComplete } from "./status.ts";

export type Action =
  | { readonly do: "create"; readonly set: ReplicaSet }
  | { readonly do: "mark"; readonly set: ReplicaSet; readonly annotations: Readonly<Record<string, string>> }
  | ({ readonly do: "resize"; readonly annotations: Readonly<Record<string, string>> } & Resize)
  | { readonly do: "remove"; readonly set: ReplicaSet };

export interface Seen {
  readonly deployment: Deployment;
  readonly sets: readonly ReplicaSet[];
  /** Asked only where old pods must be gone before new ones come. */
  readonly podsOf: (set: ReplicaSet) => readonly Pod[];
}

export function plan(seen: Seen): readonly Action[] {
  const { deployment } = seen;
  if (isTerminating(deployment)) return [];
  const history = historyOf(deployment, seen.sets);
  const budget = budgetOf(deployment);
  const marks = history.current === undefined ? [] : marking(deployment, history, history.current);
  return [...marks, ...steps(seen, history, budget)];
}

function steps(seen: Seen, history: History, budget: Budget): readonly Action[] {
  const { deployment } = seen;
  const { paused = false, strategy } = deployment.spec ?? {};
  const isRolling = strategy?.type !== "Recreate";
  if (paused || isResized(budget, history)) {
    const sizes = resizes(resized(budget, history, isRolling), budget);
    return paused ? [...sizes, ...removals(deployment, history)] : sizes;
  }
  return isRolling ? rolling(deployment, history, budget) : recreating(seen, history, budget);
}

function rolling(deployment: Deployment, history: History, budget: Budget): readonly Action[] {
  const { current } = history;
  const size = growth(budget, history);
  if (current === undefined) return [creation(deployment, history, budget, size)];
  if (size !== sizeOf(current)) return resizes([{ set: current, to: size }], budget);
  const shrunk = shrinkage(budget, history);
  if (shrunk.length > 0) return resizes(shrunk, budget);
  return finishing(deployment, history, budget);
}

function recreating(seen: Seen, history: History, budget: Budget): readonly Action[] {
  const { deployment } = seen;
  const { current, others } = history;
  const emptied = others.filter((set) => sizeOf(set) > 0).map((set) => ({ set, to: 0 }));
  if (emptied.length > 0) return resizes(emptied, budget);
  const isBusy = others.some(
    (set) => (set.status?.replicas ?? 0) > 0 || seen.podsOf(set).some((pod) => !isFinished(pod)),
  );
  if (isBusy) return [];
  if (current === undefined) return [creation(deployment, history, budget, budget.wanted)];
  if (sizeOf(current) !== budget.wanted) return resizes([{ set: current, to: budget.wanted }], budget);
  return finishing(deployment, history, budget);
}

/** What was told of the whole is put right, and history that nobody needs goes once the rollout is over. */
function finishing(deployment: Deployment, history: History, budget: Budget): readonly Action[] {
  const { current } = history;
  const told = current === undefined ? [] : resizes([{ set: current, to: sizeOf(current) }], budget);
  const isOver = isComplete(deployment, deployment.status ?? {});
  return isOver ? [...told, ...removals(deployment, history)] : told;
}

function creation(deployment: Deployment, history: History, budget: Budget, size: number): Action {
  const annotations = { ...annotationsOf(deployment, history), ...sizeAnnotations(budget) };
  return { do: "create", set: newSet(deployment, annotations, size) };
}

function marking(deployment: Deployment, history: History, current: ReplicaSet): readonly Action[] {
  const annotations = annotationsOf(deployment, history);
  const isDue = isMissing(current, annotations) || minReady(current) !== minReady(deployment);
  return isDue ? [{ do: "mark", set: current, annotations }] : [];
}

function resizes(sizes: readonly Resize[], budget: Budget): readonly Action[] {
  const annotations = sizeAnnotations(budget);
  return sizes
    .filter(({ set, to }) => to !== sizeOf(set) || isMissing(set, annotations))
    .map((resize) => ({ do: "resize", annotations, ...resize }));
}

const removals = (deployment: Deployment, { others }: History): readonly Action[] =>
  superfluous(deployment, others).map((set) => ({ do: "remove", set }));

function isMissing({ metadata }: ReplicaSet, annotations: Readonly<Record<string, string>>): boolean {
  return Object.entries(annotations).some(([name, value]) => metadata?.annotations?.[name] !== value);
}

const minReady = ({ spec }: Deployment | ReplicaSet): number => spec?.minReadySeconds ?? 0;
