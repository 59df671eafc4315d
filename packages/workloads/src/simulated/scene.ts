// What a step of a simulated pod begins with and what it comes to, and how its containers stood. Pure.
import type { Ms } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { Container } from "../kubelet/phase.ts";
import type { ContainerReport, PodReport } from "../kubelet/pod-runtime.ts";
import { storedContainer } from "../kubelet/stored.ts";
import type { Behaviour } from "./behaviour.ts";

export interface Scene {
  readonly pod: Pod;
  readonly behaviour: Behaviour;
  /** How long the program of a Job runs. Undefined: the pod is none of a Job. */
  readonly job: Ms | undefined;
  readonly missing: Missing;
  /** The code that a container which runs is ended with from outside, if it is. */
  readonly blow: (container: string, containerID: string) => number | undefined;
  /** Whether an image cannot be pulled, whatever else is said. */
  readonly isBadImage: (image: string) => boolean;
}

/** What the pod refers to and is not there. */
export interface Missing {
  /** So that a volume cannot be mounted: in words. */
  readonly volume?: string;
  /** So that a container cannot be made, by its name. */
  readonly variables: ReadonlyMap<string, string>;
}

/** A report, and whether the pod has come so far that it needs an address. */
export type Advance = PodReport & { readonly hasSandbox: boolean };

/** How a container stood, and the image that it had: a new one makes a new container. */
export type Was = ContainerReport & { readonly image: string };

export type Stored = ReadonlyMap<string, Was>;

export function storedIn({ status }: Pod): Stored {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return new Map(all.map((it) => [it.name, { ...storedContainer(it), image: it.image }]));
}

/** It runs, or ran. */
export const isPast = (was: ContainerReport | undefined): boolean =>
  was !== undefined && (was.state.is !== "waiting" || was.last !== undefined);

/** As it stood; one of which nothing is known waits. */
export function asItWas(stored: Stored, { name }: Container): ContainerReport {
  const was = stored.get(name);
  if (was === undefined) return waitingFor(name, "ContainerCreating");
  const { image: _image, ...report } = was;
  return report;
}

export const waitingFor = (name: string, reason: string): ContainerReport => ({
  name,
  state: { is: "waiting", reason },
  restartCount: 0,
  isReady: false,
  isStarted: false,
});

/** In the order of the spec. */
export function reports(
  { spec }: Pod,
  of: (container: Container) => ContainerReport,
): Pick<PodReport, "initContainers" | "containers"> {
  return { initContainers: (spec?.initContainers ?? []).map(of), containers: (spec?.containers ?? []).map(of) };
}
