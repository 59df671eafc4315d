// The names of Go's types that the type table does not know, as the server's messages print them: "of type v1.PullPolicy".
// Measured: every field of every served kind was sent with a wrong type to a v1.36.3 server.
import type { FieldType } from "@telltale/kinds/core";
import type { JsonField } from "./fields.ts";

/** Go's type of a field. */
export function goType(it: JsonField): string {
  let found = known.get(it);
  if (found === undefined) {
    found = namedTypes().get(`${it.of}.${it.field.name}`) ?? plainType(it.field.type);
    known.set(it, found);
  }
  return found;
}

const known = new WeakMap<JsonField, string>();

/** The type of the items or values of a Go type, where its own name says it. */
export function elementType(outer: string, type: FieldType): string {
  let found = elements.get(outer);
  if (found === undefined) {
    found = /^(?:\[\]|map\[[^\]]+\])(.+)$/.exec(outer)?.[1] ?? plainType(type);
    elements.set(outer, found);
  }
  return found;
}

const elements = new Map<string, string>();

/** What a message is called in Go: `v1.Container`. */
export function structType(message: string): string {
  const [prefix = "", name = ""] = message.split(".");
  return `${packages[prefix] ?? "v1"}.${name}`;
}

const packages: Readonly<Record<string, string>> = {
  autoscalingv2: "v2",
  intstr: "intstr",
  resource: "resource",
  runtime: "runtime",
};

function plainType(type: FieldType): string {
  if (type.of === "list") return `[]${plainType(type.item)}`;
  if (type.of === "map") return `map[string]${plainType(type.value)}`;
  if (type.of === "message") return structType(type.message);
  return type.scalar === "bytes" ? "[]uint8" : type.scalar === "double" ? "float64" : type.scalar;
}

function namedTypes(): ReadonlyMap<string, string> {
  named ??= new Map(
    table
      .trim()
      .split("\n")
      .flatMap((line) => {
        const [type = "", ...fields] = line.split(" ");
        return fields.map((field) => [field, type] as const);
      }),
  );
  return named;
}

let named: ReadonlyMap<string, string> | undefined;

// biome-ignore format: one line per type is the point
const table = `
[]types.UID batch.UncountedTerminatedPods.failed batch.UncountedTerminatedPods.succeeded
[]v1.Capability core.Capabilities.add core.Capabilities.drop
[]v1.FinalizerName core.NamespaceSpec.finalizers
[]v1.IPFamily core.ServiceSpec.ipFamilies
[]v1.KeyUsage certificates.CertificateSigningRequestSpec.usages
[]v1.OperationType admissionregistration.RuleWithOperations.operations
[]v1.PersistentVolumeAccessMode core.PersistentVolumeClaimSpec.accessModes core.PersistentVolumeClaimStatus.accessModes core.PersistentVolumeSpec.accessModes
[]v1.PolicyType networking.NetworkPolicySpec.policyTypes
[]v1.ResourceQuotaScope core.ResourceQuotaSpec.scopes
[]v1.UniqueVolumeName core.NodeStatus.volumesInUse
[]v1.ValidationAction admissionregistration.ValidatingAdmissionPolicyBindingSpec.validationActions
map[v1.ResourceName]v1.ClaimResourceStatus core.PersistentVolumeClaimStatus.allocatedResourceStatuses
types.UID authentication.BoundObjectReference.uid core.ConfigMapNodeConfigSource.uid core.ObjectReference.uid meta.ObjectMeta.uid meta.OwnerReference.uid meta.Preconditions.uid
v1.AddressType discovery.EndpointSlice.addressType
v1.AppArmorProfileType core.AppArmorProfile.type
v1.AzureDataDiskCachingMode core.AzureDiskVolumeSource.cachingMode
v1.AzureDataDiskKind core.AzureDiskVolumeSource.kind
v1.CompletionMode batch.JobSpec.completionMode
v1.ConcurrencyPolicy batch.CronJobSpec.concurrencyPolicy
v1.ConditionStatus apiextensions.CustomResourceDefinitionCondition.status apps.DaemonSetCondition.status apps.DeploymentCondition.status apps.ReplicaSetCondition.status apps.StatefulSetCondition.status autoscalingv2.HorizontalPodAutoscalerCondition.status batch.JobCondition.status batch.PodFailurePolicyOnPodConditionsPattern.status certificates.CertificateSigningRequestCondition.status core.NamespaceCondition.status core.NodeCondition.status core.PersistentVolumeClaimCondition.status core.PodCondition.status core.ReplicationControllerCondition.status meta.Condition.status
v1.ContainerRestartPolicy core.Container.restartPolicy core.EphemeralContainerCommon.restartPolicy
v1.ContainerRestartRuleAction core.ContainerRestartRule.action
v1.ContainerRestartRuleOnExitCodesOperator core.ContainerRestartRuleOnExitCodes.operator
v1.ConversionStrategyType apiextensions.CustomResourceConversion.strategy
v1.CoordinatedLeaseStrategy coordination.LeaseSpec.strategy
v1.CustomResourceDefinitionConditionType apiextensions.CustomResourceDefinitionCondition.type
v1.DNSPolicy core.PodSpec.dnsPolicy
v1.DaemonSetConditionType apps.DaemonSetCondition.type
v1.DaemonSetUpdateStrategyType apps.DaemonSetUpdateStrategy.type
v1.DeletionPropagation meta.DeleteOptions.propagationPolicy
v1.DeploymentConditionType apps.DeploymentCondition.type
v1.DeploymentStrategyType apps.DeploymentStrategy.type
v1.FailurePolicyType admissionregistration.MutatingWebhook.failurePolicy admissionregistration.ValidatingAdmissionPolicySpec.failurePolicy admissionregistration.ValidatingWebhook.failurePolicy
v1.FieldSelectorOperator meta.FieldSelectorRequirement.operator
v1.FieldValueErrorReason apiextensions.ValidationRule.reason
v1.HostPathType core.HostPathVolumeSource.type
v1.IPFamilyPolicy core.ServiceSpec.ipFamilyPolicy
v1.JSONSchemaDefinitions apiextensions.JSONSchemaProps.definitions
v1.JSONSchemaDependencies apiextensions.JSONSchemaProps.dependencies
v1.JSONSchemaURL apiextensions.JSONSchemaProps.$schema
v1.JobConditionType batch.JobCondition.type
v1.LabelSelectorOperator meta.LabelSelectorRequirement.operator
v1.LimitType core.LimitRangeItem.type
v1.LoadBalancerIPMode core.LoadBalancerIngress.ipMode
v1.ManagedFieldsOperationType meta.ManagedFieldsEntry.operation
v1.MatchPolicyType admissionregistration.MatchResources.matchPolicy admissionregistration.MutatingWebhook.matchPolicy admissionregistration.ValidatingWebhook.matchPolicy
v1.MountPropagationMode core.VolumeMount.mountPropagation
v1.NamespaceConditionType core.NamespaceCondition.type
v1.NamespacePhase core.NamespaceStatus.phase
v1.NodeAddressType core.NodeAddress.type
v1.NodeConditionType core.NodeCondition.type
v1.NodeInclusionPolicy core.TopologySpreadConstraint.nodeAffinityPolicy core.TopologySpreadConstraint.nodeTaintsPolicy
v1.NodePhase core.NodeStatus.phase
v1.NodeSelectorOperator core.NodeSelectorRequirement.operator
v1.OSName core.PodOS.name
v1.ParameterNotFoundActionType admissionregistration.ParamRef.parameterNotFoundAction
v1.PathType networking.HTTPIngressPath.pathType
v1.PersistentVolumeClaimConditionType core.PersistentVolumeClaimCondition.type
v1.PersistentVolumeClaimModifyVolumeStatus core.ModifyVolumeStatus.status
v1.PersistentVolumeClaimPhase core.PersistentVolumeClaimStatus.phase
v1.PersistentVolumeClaimRetentionPolicyType apps.StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted apps.StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled
v1.PersistentVolumeMode core.PersistentVolumeClaimSpec.volumeMode core.PersistentVolumeSpec.volumeMode
v1.PersistentVolumePhase core.PersistentVolumeStatus.phase
v1.PersistentVolumeReclaimPolicy core.PersistentVolumeSpec.persistentVolumeReclaimPolicy storage.StorageClass.reclaimPolicy
v1.PodConditionType batch.PodFailurePolicyOnPodConditionsPattern.type core.PodCondition.type core.PodReadinessGate.conditionType
v1.PodFSGroupChangePolicy core.PodSecurityContext.fsGroupChangePolicy
v1.PodFailurePolicyAction batch.PodFailurePolicyRule.action
v1.PodFailurePolicyOnExitCodesOperator batch.PodFailurePolicyOnExitCodesRequirement.operator
v1.PodManagementPolicyType apps.StatefulSetSpec.podManagementPolicy
v1.PodPhase core.PodStatus.phase
v1.PodQOSClass core.PodStatus.qosClass
v1.PodReplacementPolicy batch.JobSpec.podReplacementPolicy
v1.PodResizeStatus core.PodStatus.resize
v1.PodSELinuxChangePolicy core.PodSecurityContext.seLinuxChangePolicy
v1.PreemptionPolicy core.PodSpec.preemptionPolicy scheduling.PriorityClass.preemptionPolicy
v1.ProcMountType core.SecurityContext.procMount
v1.Protocol core.ContainerPort.protocol core.EndpointPort.protocol core.PortStatus.protocol core.ServicePort.protocol discovery.EndpointPort.protocol networking.IngressPortStatus.protocol networking.NetworkPolicyPort.protocol
v1.PullPolicy core.Container.imagePullPolicy core.EphemeralContainerCommon.imagePullPolicy core.ImageVolumeSource.pullPolicy
v1.RecursiveReadOnlyMode core.VolumeMount.recursiveReadOnly core.VolumeMountStatus.recursiveReadOnly
v1.ReinvocationPolicyType admissionregistration.MutatingWebhook.reinvocationPolicy
v1.ReplicaSetConditionType apps.ReplicaSetCondition.type
v1.ReplicationControllerConditionType core.ReplicationControllerCondition.type
v1.RequestConditionType certificates.CertificateSigningRequestCondition.type
v1.ResourceHealthStatus core.ResourceHealth.health
v1.ResourceID core.ResourceHealth.resourceID
v1.ResourceList core.ContainerStatus.allocatedResources core.LimitRangeItem.default core.LimitRangeItem.defaultRequest core.LimitRangeItem.max core.LimitRangeItem.maxLimitRequestRatio core.LimitRangeItem.min core.NodeStatus.allocatable core.NodeStatus.capacity core.PersistentVolumeClaimStatus.allocatedResources core.PersistentVolumeClaimStatus.capacity core.PersistentVolumeSpec.capacity core.PodSpec.overhead core.ResourceQuotaSpec.hard core.ResourceQuotaStatus.hard core.ResourceQuotaStatus.used core.ResourceRequirements.limits core.ResourceRequirements.requests core.VolumeResourceRequirements.limits core.VolumeResourceRequirements.requests node.Overhead.podFixed
v1.ResourceName autoscalingv2.ContainerResourceMetricSource.name autoscalingv2.ContainerResourceMetricStatus.name autoscalingv2.ResourceMetricSource.name autoscalingv2.ResourceMetricStatus.name core.ContainerResizePolicy.resourceName core.ResourceStatus.name
v1.ResourceQuotaScope core.ScopedResourceSelectorRequirement.scopeName
v1.ResourceResizeRestartPolicy core.ContainerResizePolicy.restartPolicy
v1.ResourceScope apiextensions.CustomResourceDefinitionSpec.scope
v1.RestartPolicy core.PodSpec.restartPolicy
v1.ScopeSelectorOperator core.ScopedResourceSelectorRequirement.operator
v1.ScopeType admissionregistration.Rule.scope
v1.SeccompProfileType core.SeccompProfile.type
v1.SecretType core.Secret.type
v1.ServiceAffinity core.ServiceSpec.sessionAffinity
v1.ServiceExternalTrafficPolicy core.ServiceSpec.externalTrafficPolicy
v1.ServiceInternalTrafficPolicy core.ServiceSpec.internalTrafficPolicy
v1.ServiceType core.ServiceSpec.type
v1.SideEffectClass admissionregistration.MutatingWebhook.sideEffects admissionregistration.ValidatingWebhook.sideEffects
v1.Signal core.ContainerStatus.stopSignal core.Lifecycle.stopSignal
v1.StatefulSetConditionType apps.StatefulSetCondition.type
v1.StatefulSetUpdateStrategyType apps.StatefulSetUpdateStrategy.type
v1.StatusReason admissionregistration.Validation.reason
v1.StorageMedium core.EmptyDirVolumeSource.medium
v1.SupplementalGroupsPolicy core.PodSecurityContext.supplementalGroupsPolicy
v1.TaintEffect core.Taint.effect core.Toleration.effect
v1.TerminationMessagePolicy core.Container.terminationMessagePolicy core.EphemeralContainerCommon.terminationMessagePolicy
v1.TolerationOperator core.Toleration.operator
v1.URIScheme core.HTTPGetAction.scheme
v1.UnhealthyPodEvictionPolicyType policy.PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy
v1.UniqueVolumeName core.AttachedVolume.name
v1.UnsatisfiableConstraintAction core.TopologySpreadConstraint.whenUnsatisfiable
v1.ValidationRules apiextensions.JSONSchemaProps.x-kubernetes-validations
v1.VolumeBindingMode storage.StorageClass.volumeBindingMode
v2.HPAScalingPolicyType autoscalingv2.HPAScalingPolicy.type
v2.HorizontalPodAutoscalerConditionType autoscalingv2.HorizontalPodAutoscalerCondition.type
v2.MetricSourceType autoscalingv2.MetricSpec.type autoscalingv2.MetricStatus.type
v2.MetricTargetType autoscalingv2.MetricTarget.type
v2.ScalingPolicySelect autoscalingv2.HPAScalingRules.selectPolicy
`;
