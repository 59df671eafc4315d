// The parts of a pod by name, and the few questions that several files ask of one.
import type { Ms } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { standardGrace } from "../kubelet/pod-runtime.ts";

type PodSpec = NonNullable<Pod["spec"]>;
export type Container = PodSpec["containers"][number];
export type Volume = NonNullable<PodSpec["volumes"]>[number];
export type VolumeMount = NonNullable<Container["volumeMounts"]>[number];
export type Projection = NonNullable<NonNullable<Volume["projected"]>["sources"]>[number];
export type DownwardFile = NonNullable<NonNullable<Volume["downwardAPI"]>["items"]>[number];
export type KeyToPath = NonNullable<NonNullable<Volume["configMap"]>["items"]>[number];
export type FieldRef = NonNullable<DownwardFile["fieldRef"]>;
export type ResourceFieldRef = NonNullable<DownwardFile["resourceFieldRef"]>;
export type Probe = NonNullable<Container["readinessProbe"]>;
export type Hook = NonNullable<NonNullable<Container["lifecycle"]>["postStart"]>;
export type HttpGet = NonNullable<Probe["httpGet"]>;

/** What a container is to its pod. */
export type Role =
  | "init" // runs to its end before the next one begins
  | "sidecar" // an init container that stays: the next one begins when it has started
  | "main";

export interface Member {
  readonly container: Container;
  readonly role: Role;
  /** Where in the manifest: `spec.containers[0]`. */
  readonly field: string;
}

/** All containers of a pod, in the order in which they begin. */
export function membersOf(pod: Pod): readonly Member[] {
  return [
    ...(pod.spec?.initContainers ?? []).map((container, at) => ({
      container,
      role: container.restartPolicy === "Always" ? ("sidecar" as const) : ("init" as const),
      field: `spec.initContainers[${at}]`,
    })),
    ...(pod.spec?.containers ?? []).map((container, at) => ({
      container,
      role: "main" as const,
      field: `spec.containers[${at}]`,
    })),
  ];
}

/** `web_default(1234)`: how a kubelet names a pod in its messages. */
export function podText({ metadata }: Pod): string {
  return `${metadata?.name ?? ""}_${metadata?.namespace ?? ""}(${metadata?.uid ?? ""})`;
}

/** What a map of somebody else's keys holds: `constructor` is a key like any other. */
export function valueIn(map: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** How long a container may take to end: by the deletion, by the probe that ends it, or by the pod. */
export function graceOf({ metadata, spec }: Pod, probe?: Probe): Ms {
  const own = probe?.terminationGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds;
  const seconds = metadata?.deletionGracePeriodSeconds ?? own;
  return seconds === undefined ? standardGrace : Math.max(0, seconds * 1_000);
}
