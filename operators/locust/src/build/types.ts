// Parts of Kubernetes' objects that have no kind of their own, by their usual names.
import type { Pod } from "@telltale/kinds/builtin";

export type PodSpec = NonNullable<Pod["spec"]>;
export type Container = PodSpec["containers"][number];
export type EnvVar = NonNullable<Container["env"]>[number];
export type EnvFromSource = NonNullable<Container["envFrom"]>[number];
export type ResourceRequirements = NonNullable<Container["resources"]>;
export type Volume = NonNullable<PodSpec["volumes"]>[number];
export type VolumeMount = NonNullable<Container["volumeMounts"]>[number];
