// A member of a StatefulSet: a pod with a name, a host name and volumes of its own. Pure.
import type { ControllerRevision, Pod, StatefulSet } from "@telltale/kinds/builtin";
import { nameOf } from "../pods/facts.ts";
import { generateName, podFrom } from "../pods/template.ts";
import { templateOf } from "../revisions/history.ts";
import { claimName } from "./claims.ts";
import { podName, startOf } from "./ordinals.ts";

/** On a member: the name of the revision that it was made of. */
const revisionLabel = "controller-revision-hash";
const nameLabel = "statefulset.kubernetes.io/pod-name";
const indexLabel = "apps.kubernetes.io/pod-index";

/** The two revisions between which an update moves. The same one: there is none under way. */
export interface Revisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

export const revisionOfPod = ({ metadata }: Pod): string | undefined => metadata?.labels?.[revisionLabel];

/** The labels that a member has by its name. */
export const identityOf = (set: StatefulSet, ordinal: number): Readonly<Record<string, string>> => ({
  [nameLabel]: podName(set, ordinal),
  [indexLabel]: String(ordinal),
});

export const knowsItself = ({ metadata }: Pod): boolean => metadata?.labels?.[nameLabel] === metadata?.name;

export function memberPod(set: StatefulSet, revisions: Revisions, ordinal: number): Pod {
  const revision = keepsCurrent(set, ordinal) ? revisions.current : revisions.update;
  const template = templateOf(revision) ?? set.spec?.template ?? {};
  const name = podName(set, ordinal);
  const { metadata, spec, ...rest } = podFrom(template, { name, generateName: generateName(nameOf(set)) });
  return {
    ...rest,
    metadata: {
      ...metadata,
      labels: { ...metadata?.labels, ...identityOf(set, ordinal), [revisionLabel]: nameOf(revision) },
    },
    spec: {
      ...spec,
      containers: spec?.containers ?? [],
      hostname: name,
      ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...volumes(set, spec, ordinal),
    },
  };
}

/** Whether a member that is missing comes back as it was, because the update does not reach it. */
function keepsCurrent(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type === "OnDelete") return false;
  const below = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  return ordinal < startOf(set) + below;
}

/** Claims first; a template's volume of the same name gives way. */
function volumes(set: StatefulSet, spec: Pod["spec"], ordinal: number): Pick<NonNullable<Pod["spec"]>, "volumes"> {
  const claimed = (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    name: nameOf(template),
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
  const names = new Set(claimed.map(({ name }) => name));
  const all = [...claimed, ...(spec?.volumes ?? []).filter(({ name }) => !names.has(name))];
  return all.length === 0 ? {} : { volumes: all };
}
