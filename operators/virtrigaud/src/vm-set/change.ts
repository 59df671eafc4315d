// How a machine differs from the template of its set: not at all, so that it can be changed where it is, or so that it has to be
// replaced (3.4). Pure.
import type { JsonPatchOperation } from "@telltale/client";
import { deepEqual, formatTime, type Instant } from "@telltale/kinds";
import { annotationPatch } from "@telltale/runtime";
import type { VirtualMachine, VMSet } from "../kinds/index.ts";
import { labels as names, annotations as notes } from "../names.ts";
import { annotationsOf, labelsOf, type Seat, type Template } from "./objects.ts";

type Spec = VirtualMachine["spec"];

/** What can be changed while the machine stays. Disks only so that they keep their names and do not shrink. */
const changeable = ["powerState", "resources", "classRef", "disks", "tags", "lifecycle", "snapshot"] as const;
type Changeable = (typeof changeable)[number];

export function needsReplacement({ spec }: VirtualMachine, template: Template): boolean {
  return !deepEqual(fixed(spec), fixed(template.spec)) || !grows(spec.disks, template.spec.disks);
}

function fixed(spec: Spec): Omit<Spec, Changeable> {
  const {
    powerState: _p,
    resources: _r,
    classRef: _c,
    disks: _d,
    tags: _t,
    lifecycle: _l,
    snapshot: _s,
    ...rest
  } = spec;
  return rest;
}

function grows(before: Spec["disks"] = [], after: Spec["disks"] = []): boolean {
  if (before.length !== after.length) return false;
  const sizes = new Map(before.map(({ name, sizeGiB }) => [name, sizeGiB]));
  return after.every(({ name, sizeGiB }) => sizeGiB >= (sizes.get(name) ?? Number.POSITIVE_INFINITY));
}

export interface Change {
  readonly seat: Seat;
  readonly template: Template;
  /** The template that it was made of. */
  readonly old: Template | undefined;
  readonly now: Instant;
}

/**
 * The change in one request: with it the machine is of the new revision, or it is not. One that arrives when nobody waits for it any
 * more finds another revision, and is refused.
 */
export function changesTo(vm: VirtualMachine, set: VMSet, { seat, template, old, now }: Change): JsonPatchOperation[] {
  const { labels = {}, annotations } = vm.metadata;
  const spec = changeable.flatMap((field): JsonPatchOperation[] => {
    const [is, wanted] = [vm.spec[field], template.spec[field]];
    if (deepEqual(is, wanted)) return [];
    const path = `/spec/${field}`;
    return [wanted === undefined ? { op: "remove", path } : { op: "add", path, value: wanted }];
  });
  const marks = { ...annotationsOf(set, seat.ordinal, template), [notes.lastUpdateTime]: formatTime(now) };
  return [
    { op: "test", path: pointer("/metadata/labels", names.revision), value: labels[names.revision] ?? null },
    ...spec,
    ...(annotations === undefined
      ? annotationPatch(vm, marks)
      : pairs("/metadata/annotations", annotations, marks, old?.metadata?.annotations)),
    ...pairs("/metadata/labels", labels, labelsOf(set, seat, template), old?.metadata?.labels),
  ];
}

type Pairs = Readonly<Record<string, string>>;

/** What the old template put there and the new one does not, goes; what others put there stays. */
function pairs(at: string, is: Pairs, wanted: Pairs, old: Pairs = {}): JsonPatchOperation[] {
  const set = Object.entries(wanted).filter(([key, value]) => is[key] !== value);
  const gone = Object.keys(old).filter((key) => wanted[key] === undefined && is[key] !== undefined);
  return [
    ...set.map(([key, value]) => ({ op: "add", path: pointer(at, key), value }) as const),
    ...gone.map((key) => ({ op: "remove", path: pointer(at, key) }) as const),
  ];
}

const pointer = (at: string, key: string): string => `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
