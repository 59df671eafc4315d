// The pods that a Job makes: of its template, counted by a finalizer, and with a place where the Job has places. Pure.
import type { Job, Pod } from "@telltale/kinds/builtin";
import { nameOf } from "../pods/facts.ts";
import { generateName, podFrom } from "../pods/template.ts";
import { countedFailures, ignoredFailures } from "./counting.ts";
import { completionIndex, tracking } from "./facts.ts";
import type { Birth } from "./plan.ts";

type Container = NonNullable<Pod["spec"]>["containers"][number];

export function podOf(job: Job, { index, failures }: Birth): Pod {
  const pod = podFrom(job.spec?.template ?? {}, { generateName: prefix(nameOf(job), index) });
  const { labels, annotations, finalizers = [], ...metadata } = pod.metadata ?? {};
  const counted = finalizers.includes(tracking) ? finalizers : [...finalizers, tracking];
  const place = index === undefined ? {} : { [completionIndex]: `${index}` };
  const handed = {
    ...(failures === undefined ? {} : { [countedFailures]: `${failures.counted}` }),
    ...(failures === undefined || failures.ignored === 0 ? {} : { [ignoredFailures]: `${failures.ignored}` }),
  };
  const notes = { ...annotations, ...place, ...handed };
  return {
    ...pod,
    metadata: {
      ...metadata,
      labels: { ...labels, ...place },
      ...(Object.keys(notes).length === 0 ? {} : { annotations: notes }),
      finalizers: counted,
    },
    ...(index === undefined || pod.spec === undefined ? {} : { spec: placed(pod.spec, nameOf(job), index) }),
  };
}

/** Names get five random characters more, and have 63. */
const longest = 58;

function prefix(job: string, index: number | undefined): string {
  if (index === undefined) return generateName(job);
  const tail = `-${index}-`;
  return `${job.slice(0, longest - tail.length)}${tail}`;
}

function placed(spec: NonNullable<Pod["spec"]>, job: string, index: number): NonNullable<Pod["spec"]> {
  const { containers, initContainers } = spec;
  return {
    ...spec,
    hostname: `${job}-${index}`,
    containers: containers.map(told),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(told) }),
  };
}

const variable = "JOB_COMPLETION_INDEX";

/** A container learns its index, unless its author says otherwise. */
function told(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === variable)) return container;
  const fieldPath = `metadata.labels['${completionIndex}']`;
  return { ...container, env: [...env, { name: variable, valueFrom: { fieldRef: { fieldPath } } }] };
}
