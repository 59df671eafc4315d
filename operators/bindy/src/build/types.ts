// Parts of Kubernetes' objects that have no kind of their own, by their usual names.
import type { Pod, Service } from "@telltale/kinds/builtin";

export type PodSpec = NonNullable<Pod["spec"]>;
export type Container = PodSpec["containers"][number];
export type EnvVar = NonNullable<Container["env"]>[number];
export type Volume = NonNullable<PodSpec["volumes"]>[number];
export type VolumeMount = NonNullable<Container["volumeMounts"]>[number];
export type ServiceSpec = NonNullable<Service["spec"]>;
export type ServicePort = NonNullable<ServiceSpec["ports"]>[number];
