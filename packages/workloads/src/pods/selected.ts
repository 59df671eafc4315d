// Pods, and those who select them by labels: found in both directions without looking at everything in a namespace.
import { deepEqual, type KindRef, type KubeObject, type LabelSelector, matchesSelector } from "@telltale/kinds";
import { Pod } from "@telltale/kinds/builtin";
import type { Declaration, MapLook, Name } from "@telltale/runtime";
import { inNamespace, namespaceValues } from "./claim.ts";
import { nameOf } from "./facts.ts";

/** Pods by each of their labels. */
const labelled = "label";
/** Those who select, by one label that they ask for, or by none. */
const selectors = "selector";

/** What an object of a kind selects. Undefined: nothing. */
export type SelectorOf<T> = (it: T) => LabelSelector | undefined;

/** Declares the indexes, and that a change of a pod that `concerns` asks for passes of all who select it, or did. */
export function selecting<K extends KindRef, T extends KubeObject>(
  declaration: Declaration<K>,
  owner: K & KindRef<T>,
  selectorOf: SelectorOf<T>,
  concerns: (old: Pod, next: Pod) => boolean,
): Declaration<K> {
  return declaration
    .index<T>(owner, selectors, entryValues(selectorOf))
    .index(Pod, labelled, labelsOf)
    .index(Pod, inNamespace, namespaceValues)
    .watches(Pod, ({ old, new: next }, look) => selectorsOf(owner, selectorOf, [old, next], look), {
      changed: (old, next) => !deepEqual(old.metadata?.labels, next.metadata?.labels) || concerns(old, next),
    });
}

/** One function for each way to select: two controllers of Services declare the same index. */
const entryFunctions = new WeakMap<object, (owner: never) => readonly string[]>();

function entryValues<T extends KubeObject>(selectorOf: SelectorOf<T>): (owner: T) => readonly string[] {
  const known = entryFunctions.get(selectorOf);
  if (known !== undefined) return known as (owner: T) => readonly string[];
  const values = (owner: T): readonly string[] => {
    const selector = selectorOf(owner);
    return selector === undefined ? [] : [entryOf(namespaceOf(owner), selector)];
  };
  entryFunctions.set(selectorOf, values);
  return values;
}

/** The pods of a namespace that are selected, by name. */
export function selectedPods(look: MapLook, namespace: string, selector: LabelSelector): readonly Pod[] {
  const entry = entryOf(namespace, selector);
  const near = isWide(entry) ? look.where(Pod, inNamespace, namespace) : look.where(Pod, labelled, entry);
  return near.filter(({ metadata }) => matchesSelector(selector, metadata?.labels));
}

/** Who selects a pod with these labels. */
export function* whoSelects<T extends KubeObject>(
  owner: KindRef<T>,
  selectorOf: SelectorOf<T>,
  pod: KubeObject,
  look: MapLook,
): Iterable<Name> {
  const namespace = namespaceOf(pod);
  for (const entry of [...labelsOf(pod), wide(namespace)]) {
    for (const it of look.where(owner, selectors, entry)) {
      if (matchesSelector(selectorOf(it), pod.metadata?.labels)) yield { namespace, name: nameOf(it) };
    }
  }
}

function* selectorsOf<T extends KubeObject>(
  owner: KindRef<T>,
  selectorOf: SelectorOf<T>,
  pods: readonly (Pod | undefined)[],
  look: MapLook,
): Iterable<Name> {
  for (const pod of pods) if (pod !== undefined) yield* whoSelects(owner, selectorOf, pod, look);
}

const namespaceOf = ({ metadata }: KubeObject): string => metadata?.namespace ?? "";
const wide = (namespace: string): string => `${namespace}/`;
const isWide = (entry: string): boolean => entry.endsWith("/");

function labelsOf(it: KubeObject): readonly string[] {
  const namespace = namespaceOf(it);
  return Object.entries(it.metadata?.labels ?? {}).map(([key, value]) => `${namespace}/${key}=${value}`);
}

/** One label that every selected pod has. */
function entryOf(namespace: string, { matchLabels }: LabelSelector): string {
  const [first] = Object.entries(matchLabels ?? {});
  return first === undefined ? wide(namespace) : `${namespace}/${first[0]}=${first[1]}`;
}
