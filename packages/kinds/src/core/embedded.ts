// The types of Kubernetes' own API that kinds embed most, ready to stand in a schema: `Fields({ volume: Volume() })`.
// Any other is `CoreType<T>(name)`.
import type * as core from "kubernetes-types/core/v1.d.ts";
import type * as meta from "kubernetes-types/meta/v1.d.ts";
import type { TUnsafe } from "typebox";
import { CoreType, type CoreTypeOptions } from "./core-type.ts";

export const Affinity = embedded<core.Affinity>("core.Affinity");
export const Container = embedded<core.Container>("core.Container");
export const ContainerPort = embedded<core.ContainerPort>("core.ContainerPort");
export const EnvFromSource = embedded<core.EnvFromSource>("core.EnvFromSource");
export const EnvVar = embedded<core.EnvVar>("core.EnvVar");
/** The name of a Secret that holds a registry's credentials. */
export const ImagePullSecret = embedded<core.LocalObjectReference>("core.LocalObjectReference");
export const LabelSelector = embedded<meta.LabelSelector>("meta.LabelSelector");
export const LocalObjectReference = embedded<core.LocalObjectReference>("core.LocalObjectReference");
export const PersistentVolumeClaimSpec = embedded<core.PersistentVolumeClaimSpec>("core.PersistentVolumeClaimSpec");
export const PodSecurityContext = embedded<core.PodSecurityContext>("core.PodSecurityContext");
export const PodTemplateSpec = embedded<core.PodTemplateSpec>("core.PodTemplateSpec");
export const Probe = embedded<core.Probe>("core.Probe");
export const ResourceRequirements = embedded<core.ResourceRequirements>("core.ResourceRequirements");
export const SecurityContext = embedded<core.SecurityContext>("core.SecurityContext");
export const ServiceSpec = embedded<core.ServiceSpec>("core.ServiceSpec");
export const Toleration = embedded<core.Toleration>("core.Toleration");
export const TopologySpreadConstraint = embedded<core.TopologySpreadConstraint>("core.TopologySpreadConstraint");
export const Volume = embedded<core.Volume>("core.Volume");
export const VolumeMount = embedded<core.VolumeMount>("core.VolumeMount");

/** A function, not a value: the type table is read when the first schema is asked for, not on import. */
function embedded<T>(name: string): (options?: CoreTypeOptions) => TUnsafe<T> {
  return (options) => CoreType<T>(name, options);
}
