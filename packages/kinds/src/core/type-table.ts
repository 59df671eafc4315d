// The messages of the built-in API groups as of Kubernetes 1.34, one line each: what travels as JSON and as protobuf, and how a
// patch or an apply merges it. Facts only; `type-table-parser.ts` reads them. A field that is not here is a field that we do
// not know, and a protobuf reader has to skip its number.
//
// A line is the name of a message and its fields, apart by spaces:
//
//   core.ServicePort 1name:s 2protocol:s="TCP" 3port:i! 4targetPort:@intstr.IntOrString 5nodePort:i 6appProtocol:s*
//
// A field is its protobuf number, its JSON name, a colon and its type, then whatever is special about it, in this order:
//
//   type     s string, i int32, l int64, b bool, y bytes (base64 in JSON), d double, u uint32, U uint64,
//            @x the message x, [t] a list of t, {t} a map from strings to t
//   presence * a pointer: absent and zero are different things        ! written to JSON even when it is zero
//            ? in protobuf only: the message writes its JSON itself   (nothing) left out when it is zero
//   patch    ~key merged item by item, told apart by key (strategic merge)   ~ merged as a set of scalars
//            ~R what the patch does not name is dropped (retainKeys)
//   apply    ^(a,b) a list-map with these keys   ^s a set   ^a replaced as a whole (map or struct)
//            a list without ^ is replaced as a whole
//   default  ="TCP" or =1, as JSON
//
// A + before the JSON name: the member has no name in JSON, its fields stand in the parent. The name - : the bytes are the JSON
// of the whole message. ^a right after the name of a message: wherever it stands, it is replaced as a whole.
// biome-ignore format: one line per message is the point
export const typeTable = `\
admissionregistration.AuditAnnotation 1key:s! 2valueExpression:s!
admissionregistration.ExpressionWarning 2fieldRef:s! 3warning:s!
admissionregistration.MatchCondition 1name:s! 2expression:s!
admissionregistration.MatchResources^a 1namespaceSelector:@meta.LabelSelector* 2objectSelector:@meta.LabelSelector* 3resourceRules:[@admissionregistration.NamedRuleWithOperations] 4excludeResourceRules:[@admissionregistration.NamedRuleWithOperations] 7matchPolicy:s*
admissionregistration.MutatingWebhook 1name:s! 2clientConfig:@admissionregistration.WebhookClientConfig! 3rules:[@admissionregistration.RuleWithOperations] 4failurePolicy:s* 5namespaceSelector:@meta.LabelSelector* 6sideEffects:s* 7timeoutSeconds:i* 8admissionReviewVersions:[s]! 9matchPolicy:s* 10reinvocationPolicy:s* 11objectSelector:@meta.LabelSelector* 12matchConditions:[@admissionregistration.MatchCondition]~name^(name)
admissionregistration.MutatingWebhookConfiguration 1metadata:@meta.ObjectMeta 2webhooks:[@admissionregistration.MutatingWebhook]~name^(name)
admissionregistration.NamedRuleWithOperations^a 1resourceNames:[s] 2+ruleWithOperations:@admissionregistration.RuleWithOperations!
admissionregistration.ParamKind^a 1apiVersion:s 2kind:s
admissionregistration.ParamRef^a 1name:s 2namespace:s 3selector:@meta.LabelSelector* 4parameterNotFoundAction:s*
admissionregistration.Rule 1apiGroups:[s] 2apiVersions:[s] 3resources:[s] 4scope:s*
admissionregistration.RuleWithOperations 1operations:[s] 2+rule:@admissionregistration.Rule!
admissionregistration.ServiceReference 1namespace:s! 2name:s! 3path:s* 4port:i*
admissionregistration.TypeChecking 1expressionWarnings:[@admissionregistration.ExpressionWarning]
admissionregistration.ValidatingAdmissionPolicy 1metadata:@meta.ObjectMeta 2spec:@admissionregistration.ValidatingAdmissionPolicySpec 3status:@admissionregistration.ValidatingAdmissionPolicyStatus
admissionregistration.ValidatingAdmissionPolicyBinding 1metadata:@meta.ObjectMeta 2spec:@admissionregistration.ValidatingAdmissionPolicyBindingSpec
admissionregistration.ValidatingAdmissionPolicyBindingSpec 1policyName:s 2paramRef:@admissionregistration.ParamRef* 3matchResources:@admissionregistration.MatchResources* 4validationActions:[s]^s
admissionregistration.ValidatingAdmissionPolicySpec 1paramKind:@admissionregistration.ParamKind* 2matchConstraints:@admissionregistration.MatchResources* 3validations:[@admissionregistration.Validation] 4failurePolicy:s* 5auditAnnotations:[@admissionregistration.AuditAnnotation] 6matchConditions:[@admissionregistration.MatchCondition]~name^(name) 7variables:[@admissionregistration.Variable]~name^(name)
admissionregistration.ValidatingAdmissionPolicyStatus 1observedGeneration:l 2typeChecking:@admissionregistration.TypeChecking* 3conditions:[@meta.Condition]^(type)
admissionregistration.ValidatingWebhook 1name:s! 2clientConfig:@admissionregistration.WebhookClientConfig! 3rules:[@admissionregistration.RuleWithOperations] 4failurePolicy:s* 5namespaceSelector:@meta.LabelSelector* 6sideEffects:s* 7timeoutSeconds:i* 8admissionReviewVersions:[s]! 9matchPolicy:s* 10objectSelector:@meta.LabelSelector* 11matchConditions:[@admissionregistration.MatchCondition]~name^(name)
admissionregistration.ValidatingWebhookConfiguration 1metadata:@meta.ObjectMeta 2webhooks:[@admissionregistration.ValidatingWebhook]~name^(name)
admissionregistration.Validation 1expression:s! 2message:s 3reason:s* 4messageExpression:s
admissionregistration.Variable^a 1name:s! 2expression:s!
admissionregistration.WebhookClientConfig 1service:@admissionregistration.ServiceReference* 2caBundle:y 3url:s*
apiextensions.CustomResourceColumnDefinition 1name:s! 2type:s! 3format:s 4description:s 5priority:i 6jsonPath:s!
apiextensions.CustomResourceConversion 1strategy:s! 2webhook:@apiextensions.WebhookConversion*
apiextensions.CustomResourceDefinition 1metadata:@meta.ObjectMeta 2spec:@apiextensions.CustomResourceDefinitionSpec! 3status:@apiextensions.CustomResourceDefinitionStatus
apiextensions.CustomResourceDefinitionCondition 1type:s! 2status:s! 3lastTransitionTime:@meta.Time 4reason:s 5message:s
apiextensions.CustomResourceDefinitionNames 1plural:s! 2singular:s 3shortNames:[s] 4kind:s! 5listKind:s 6categories:[s]
apiextensions.CustomResourceDefinitionSpec 1group:s! 3names:@apiextensions.CustomResourceDefinitionNames! 4scope:s! 7versions:[@apiextensions.CustomResourceDefinitionVersion]! 9conversion:@apiextensions.CustomResourceConversion* 10preserveUnknownFields:b
apiextensions.CustomResourceDefinitionStatus 1conditions:[@apiextensions.CustomResourceDefinitionCondition]!^(type) 2acceptedNames:@apiextensions.CustomResourceDefinitionNames! 3storedVersions:[s]!
apiextensions.CustomResourceDefinitionVersion 1name:s! 2served:b! 3storage:b! 4schema:@apiextensions.CustomResourceValidation* 5subresources:@apiextensions.CustomResourceSubresources* 6additionalPrinterColumns:[@apiextensions.CustomResourceColumnDefinition] 7deprecated:b 8deprecationWarning:s* 9selectableFields:[@apiextensions.SelectableField]
apiextensions.CustomResourceSubresourceScale 1specReplicasPath:s! 2statusReplicasPath:s! 3labelSelectorPath:s*
apiextensions.CustomResourceSubresourceStatus 
apiextensions.CustomResourceSubresources 1status:@apiextensions.CustomResourceSubresourceStatus* 2scale:@apiextensions.CustomResourceSubresourceScale*
apiextensions.CustomResourceValidation 1openAPIV3Schema:@apiextensions.JSONSchemaProps*
apiextensions.ExternalDocumentation 1description:s 2url:s
apiextensions.JSON 1-:y!
apiextensions.JSONSchemaProps 1id:s 2$schema:s 3$ref:s* 4description:s 5type:s 6format:s 7title:s 8default:@apiextensions.JSON* 9maximum:d* 10exclusiveMaximum:b 11minimum:d* 12exclusiveMinimum:b 13maxLength:l* 14minLength:l* 15pattern:s 16maxItems:l* 17minItems:l* 18uniqueItems:b 19multipleOf:d* 20enum:[@apiextensions.JSON] 21maxProperties:l* 22minProperties:l* 23required:[s] 24items:@apiextensions.JSONSchemaPropsOrArray* 25allOf:[@apiextensions.JSONSchemaProps] 26oneOf:[@apiextensions.JSONSchemaProps] 27anyOf:[@apiextensions.JSONSchemaProps] 28not:@apiextensions.JSONSchemaProps* 29properties:{@apiextensions.JSONSchemaProps} 30additionalProperties:@apiextensions.JSONSchemaPropsOrBool* 31patternProperties:{@apiextensions.JSONSchemaProps} 32dependencies:{@apiextensions.JSONSchemaPropsOrStringArray} 33additionalItems:@apiextensions.JSONSchemaPropsOrBool* 34definitions:{@apiextensions.JSONSchemaProps} 35externalDocs:@apiextensions.ExternalDocumentation* 36example:@apiextensions.JSON* 37nullable:b 38x-kubernetes-preserve-unknown-fields:b* 39x-kubernetes-embedded-resource:b 40x-kubernetes-int-or-string:b 41x-kubernetes-list-map-keys:[s] 42x-kubernetes-list-type:s* 43x-kubernetes-map-type:s* 44x-kubernetes-validations:[@apiextensions.ValidationRule]~rule^(rule)
apiextensions.JSONSchemaPropsOrArray 1schema:@apiextensions.JSONSchemaProps? 2jSONSchemas:[@apiextensions.JSONSchemaProps]?
apiextensions.JSONSchemaPropsOrBool 1allows:b? 2schema:@apiextensions.JSONSchemaProps?
apiextensions.JSONSchemaPropsOrStringArray 1schema:@apiextensions.JSONSchemaProps? 2property:[s]?
apiextensions.SelectableField 1jsonPath:s!
apiextensions.ServiceReference 1namespace:s! 2name:s! 3path:s* 4port:i*
apiextensions.ValidationRule 1rule:s! 2message:s 3messageExpression:s 4reason:s* 5fieldPath:s 6optionalOldSelf:b*
apiextensions.WebhookClientConfig 1service:@apiextensions.ServiceReference* 2caBundle:y 3url:s*
apiextensions.WebhookConversion 2clientConfig:@apiextensions.WebhookClientConfig* 3conversionReviewVersions:[s]!
apps.ControllerRevision 1metadata:@meta.ObjectMeta 2data:@runtime.RawExtension 3revision:l!
apps.DaemonSet 1metadata:@meta.ObjectMeta 2spec:@apps.DaemonSetSpec 3status:@apps.DaemonSetStatus
apps.DaemonSetCondition 1type:s! 2status:s! 3lastTransitionTime:@meta.Time 4reason:s 5message:s
apps.DaemonSetSpec 1selector:@meta.LabelSelector* 2template:@core.PodTemplateSpec! 3updateStrategy:@apps.DaemonSetUpdateStrategy 4minReadySeconds:i 6revisionHistoryLimit:i*
apps.DaemonSetStatus 1currentNumberScheduled:i! 2numberMisscheduled:i! 3desiredNumberScheduled:i! 4numberReady:i! 5observedGeneration:l 6updatedNumberScheduled:i 7numberAvailable:i 8numberUnavailable:i 9collisionCount:i* 10conditions:[@apps.DaemonSetCondition]~type^(type)
apps.DaemonSetUpdateStrategy 1type:s 2rollingUpdate:@apps.RollingUpdateDaemonSet*
apps.Deployment 1metadata:@meta.ObjectMeta 2spec:@apps.DeploymentSpec 3status:@apps.DeploymentStatus
apps.DeploymentCondition 1type:s! 2status:s! 4reason:s 5message:s 6lastUpdateTime:@meta.Time 7lastTransitionTime:@meta.Time
apps.DeploymentSpec 1replicas:i* 2selector:@meta.LabelSelector* 3template:@core.PodTemplateSpec! 4strategy:@apps.DeploymentStrategy~R 5minReadySeconds:i 6revisionHistoryLimit:i* 7paused:b 9progressDeadlineSeconds:i*
apps.DeploymentStatus 1observedGeneration:l 2replicas:i 3updatedReplicas:i 4availableReplicas:i 5unavailableReplicas:i 6conditions:[@apps.DeploymentCondition]~type^(type) 7readyReplicas:i 8collisionCount:i* 9terminatingReplicas:i*
apps.DeploymentStrategy 1type:s 2rollingUpdate:@apps.RollingUpdateDeployment*
apps.ReplicaSet 1metadata:@meta.ObjectMeta 2spec:@apps.ReplicaSetSpec 3status:@apps.ReplicaSetStatus
apps.ReplicaSetCondition 1type:s! 2status:s! 3lastTransitionTime:@meta.Time 4reason:s 5message:s
apps.ReplicaSetSpec 1replicas:i* 2selector:@meta.LabelSelector* 3template:@core.PodTemplateSpec 4minReadySeconds:i
apps.ReplicaSetStatus 1replicas:i! 2fullyLabeledReplicas:i 3observedGeneration:l 4readyReplicas:i 5availableReplicas:i 6conditions:[@apps.ReplicaSetCondition]~type^(type) 7terminatingReplicas:i*
apps.RollingUpdateDaemonSet 1maxUnavailable:@intstr.IntOrString* 2maxSurge:@intstr.IntOrString*
apps.RollingUpdateDeployment 1maxUnavailable:@intstr.IntOrString* 2maxSurge:@intstr.IntOrString*
apps.RollingUpdateStatefulSetStrategy 1partition:i* 2maxUnavailable:@intstr.IntOrString*
apps.StatefulSet 1metadata:@meta.ObjectMeta 2spec:@apps.StatefulSetSpec 3status:@apps.StatefulSetStatus
apps.StatefulSetCondition 1type:s! 2status:s! 3lastTransitionTime:@meta.Time 4reason:s 5message:s
apps.StatefulSetOrdinals 1start:i!
apps.StatefulSetPersistentVolumeClaimRetentionPolicy 1whenDeleted:s 2whenScaled:s
apps.StatefulSetSpec 1replicas:i* 2selector:@meta.LabelSelector* 3template:@core.PodTemplateSpec! 4volumeClaimTemplates:[@core.PersistentVolumeClaim] 5serviceName:s! 6podManagementPolicy:s 7updateStrategy:@apps.StatefulSetUpdateStrategy 8revisionHistoryLimit:i* 9minReadySeconds:i 10persistentVolumeClaimRetentionPolicy:@apps.StatefulSetPersistentVolumeClaimRetentionPolicy* 11ordinals:@apps.StatefulSetOrdinals*
apps.StatefulSetStatus 1observedGeneration:l 2replicas:i! 3readyReplicas:i 4currentReplicas:i 5updatedReplicas:i 6currentRevision:s 7updateRevision:s 9collisionCount:i* 10conditions:[@apps.StatefulSetCondition]~type^(type) 11availableReplicas:i!
apps.StatefulSetUpdateStrategy 1type:s 2rollingUpdate:@apps.RollingUpdateStatefulSetStrategy*
authentication.BoundObjectReference 1kind:s 2apiVersion:s 3name:s 4uid:s
authentication.ExtraValue 1items:[s]?
authentication.SelfSubjectReview 1metadata:@meta.ObjectMeta 2status:@authentication.SelfSubjectReviewStatus
authentication.SelfSubjectReviewStatus 1userInfo:@authentication.UserInfo
authentication.TokenRequest 1metadata:@meta.ObjectMeta 2spec:@authentication.TokenRequestSpec! 3status:@authentication.TokenRequestStatus
authentication.TokenRequestSpec 1audiences:[s]! 3boundObjectRef:@authentication.BoundObjectReference* 4expirationSeconds:l*
authentication.TokenRequestStatus 1token:s! 2expirationTimestamp:@meta.Time!
authentication.TokenReview 1metadata:@meta.ObjectMeta 2spec:@authentication.TokenReviewSpec! 3status:@authentication.TokenReviewStatus
authentication.TokenReviewSpec 1token:s 2audiences:[s]
authentication.TokenReviewStatus 1authenticated:b 2user:@authentication.UserInfo 3error:s 4audiences:[s]
authentication.UserInfo 1username:s 2uid:s 3groups:[s] 4extra:{@authentication.ExtraValue}
authorization.ExtraValue 1items:[s]?
authorization.FieldSelectorAttributes 1rawSelector:s 2requirements:[@meta.FieldSelectorRequirement]
authorization.LabelSelectorAttributes 1rawSelector:s 2requirements:[@meta.LabelSelectorRequirement]
authorization.LocalSubjectAccessReview 1metadata:@meta.ObjectMeta 2spec:@authorization.SubjectAccessReviewSpec! 3status:@authorization.SubjectAccessReviewStatus
authorization.NonResourceAttributes 1path:s 2verb:s
authorization.NonResourceRule 1verbs:[s]! 2nonResourceURLs:[s]
authorization.ResourceAttributes 1namespace:s 2verb:s 3group:s 4version:s 5resource:s 6subresource:s 7name:s 8fieldSelector:@authorization.FieldSelectorAttributes* 9labelSelector:@authorization.LabelSelectorAttributes*
authorization.ResourceRule 1verbs:[s]! 2apiGroups:[s] 3resources:[s] 4resourceNames:[s]
authorization.SelfSubjectAccessReview 1metadata:@meta.ObjectMeta 2spec:@authorization.SelfSubjectAccessReviewSpec! 3status:@authorization.SubjectAccessReviewStatus
authorization.SelfSubjectAccessReviewSpec 1resourceAttributes:@authorization.ResourceAttributes* 2nonResourceAttributes:@authorization.NonResourceAttributes*
authorization.SelfSubjectRulesReview 1metadata:@meta.ObjectMeta 2spec:@authorization.SelfSubjectRulesReviewSpec! 3status:@authorization.SubjectRulesReviewStatus
authorization.SelfSubjectRulesReviewSpec 1namespace:s
authorization.SubjectAccessReview 1metadata:@meta.ObjectMeta 2spec:@authorization.SubjectAccessReviewSpec! 3status:@authorization.SubjectAccessReviewStatus
authorization.SubjectAccessReviewSpec 1resourceAttributes:@authorization.ResourceAttributes* 2nonResourceAttributes:@authorization.NonResourceAttributes* 3user:s 4groups:[s] 5extra:{@authorization.ExtraValue} 6uid:s
authorization.SubjectAccessReviewStatus 1allowed:b! 2reason:s 3evaluationError:s 4denied:b
authorization.SubjectRulesReviewStatus 1resourceRules:[@authorization.ResourceRule]! 2nonResourceRules:[@authorization.NonResourceRule]! 3incomplete:b! 4evaluationError:s
autoscaling.CrossVersionObjectReference^a 1kind:s! 2name:s! 3apiVersion:s
autoscaling.HorizontalPodAutoscaler 1metadata:@meta.ObjectMeta 2spec:@autoscaling.HorizontalPodAutoscalerSpec 3status:@autoscaling.HorizontalPodAutoscalerStatus
autoscaling.HorizontalPodAutoscalerSpec 1scaleTargetRef:@autoscaling.CrossVersionObjectReference! 2minReplicas:i* 3maxReplicas:i! 4targetCPUUtilizationPercentage:i*
autoscaling.HorizontalPodAutoscalerStatus 1observedGeneration:l* 2lastScaleTime:@meta.Time* 3currentReplicas:i! 4desiredReplicas:i! 5currentCPUUtilizationPercentage:i*
autoscaling.Scale 1metadata:@meta.ObjectMeta 2spec:@autoscaling.ScaleSpec 3status:@autoscaling.ScaleStatus
autoscaling.ScaleSpec 1replicas:i
autoscaling.ScaleStatus 1replicas:i! 2selector:s
autoscalingv2.ContainerResourceMetricSource 1name:s! 2target:@autoscalingv2.MetricTarget! 3container:s!
autoscalingv2.ContainerResourceMetricStatus 1name:s! 2current:@autoscalingv2.MetricValueStatus! 3container:s!
autoscalingv2.CrossVersionObjectReference 1kind:s! 2name:s! 3apiVersion:s
autoscalingv2.ExternalMetricSource 1metric:@autoscalingv2.MetricIdentifier! 2target:@autoscalingv2.MetricTarget!
autoscalingv2.ExternalMetricStatus 1metric:@autoscalingv2.MetricIdentifier! 2current:@autoscalingv2.MetricValueStatus!
autoscalingv2.HPAScalingPolicy 1type:s! 2value:i! 3periodSeconds:i!
autoscalingv2.HPAScalingRules 1selectPolicy:s* 2policies:[@autoscalingv2.HPAScalingPolicy] 3stabilizationWindowSeconds:i* 4tolerance:@resource.Quantity*
autoscalingv2.HorizontalPodAutoscaler 1metadata:@meta.ObjectMeta 2spec:@autoscalingv2.HorizontalPodAutoscalerSpec 3status:@autoscalingv2.HorizontalPodAutoscalerStatus
autoscalingv2.HorizontalPodAutoscalerBehavior 1scaleUp:@autoscalingv2.HPAScalingRules* 2scaleDown:@autoscalingv2.HPAScalingRules*
autoscalingv2.HorizontalPodAutoscalerCondition 1type:s! 2status:s! 3lastTransitionTime:@meta.Time 4reason:s 5message:s
autoscalingv2.HorizontalPodAutoscalerSpec 1scaleTargetRef:@autoscalingv2.CrossVersionObjectReference! 2minReplicas:i* 3maxReplicas:i! 4metrics:[@autoscalingv2.MetricSpec] 5behavior:@autoscalingv2.HorizontalPodAutoscalerBehavior*
autoscalingv2.HorizontalPodAutoscalerStatus 1observedGeneration:l* 2lastScaleTime:@meta.Time* 3currentReplicas:i 4desiredReplicas:i! 5currentMetrics:[@autoscalingv2.MetricStatus]! 6conditions:[@autoscalingv2.HorizontalPodAutoscalerCondition]~type^(type)
autoscalingv2.MetricIdentifier 1name:s! 2selector:@meta.LabelSelector*
autoscalingv2.MetricSpec 1type:s! 2object:@autoscalingv2.ObjectMetricSource* 3pods:@autoscalingv2.PodsMetricSource* 4resource:@autoscalingv2.ResourceMetricSource* 5external:@autoscalingv2.ExternalMetricSource* 7containerResource:@autoscalingv2.ContainerResourceMetricSource*
autoscalingv2.MetricStatus 1type:s! 2object:@autoscalingv2.ObjectMetricStatus* 3pods:@autoscalingv2.PodsMetricStatus* 4resource:@autoscalingv2.ResourceMetricStatus* 5external:@autoscalingv2.ExternalMetricStatus* 7containerResource:@autoscalingv2.ContainerResourceMetricStatus*
autoscalingv2.MetricTarget 1type:s! 2value:@resource.Quantity* 3averageValue:@resource.Quantity* 4averageUtilization:i*
autoscalingv2.MetricValueStatus 1value:@resource.Quantity* 2averageValue:@resource.Quantity* 3averageUtilization:i*
autoscalingv2.ObjectMetricSource 1describedObject:@autoscalingv2.CrossVersionObjectReference! 2target:@autoscalingv2.MetricTarget! 3metric:@autoscalingv2.MetricIdentifier!
autoscalingv2.ObjectMetricStatus 1metric:@autoscalingv2.MetricIdentifier! 2current:@autoscalingv2.MetricValueStatus! 3describedObject:@autoscalingv2.CrossVersionObjectReference!
autoscalingv2.PodsMetricSource 1metric:@autoscalingv2.MetricIdentifier! 2target:@autoscalingv2.MetricTarget!
autoscalingv2.PodsMetricStatus 1metric:@autoscalingv2.MetricIdentifier! 2current:@autoscalingv2.MetricValueStatus!
autoscalingv2.ResourceMetricSource 1name:s! 2target:@autoscalingv2.MetricTarget!
autoscalingv2.ResourceMetricStatus 1name:s! 2current:@autoscalingv2.MetricValueStatus!
batch.CronJob 1metadata:@meta.ObjectMeta 2spec:@batch.CronJobSpec 3status:@batch.CronJobStatus
batch.CronJobSpec 1schedule:s! 2startingDeadlineSeconds:l* 3concurrencyPolicy:s 4suspend:b* 5jobTemplate:@batch.JobTemplateSpec! 6successfulJobsHistoryLimit:i* 7failedJobsHistoryLimit:i* 8timeZone:s*
batch.CronJobStatus 1active:[@core.ObjectReference] 4lastScheduleTime:@meta.Time* 5lastSuccessfulTime:@meta.Time*
batch.Job 1metadata:@meta.ObjectMeta 2spec:@batch.JobSpec 3status:@batch.JobStatus
batch.JobCondition 1type:s! 2status:s! 3lastProbeTime:@meta.Time 4lastTransitionTime:@meta.Time 5reason:s 6message:s
batch.JobSpec 1parallelism:i* 2completions:i* 3activeDeadlineSeconds:l* 4selector:@meta.LabelSelector* 5manualSelector:b* 6template:@core.PodTemplateSpec! 7backoffLimit:i* 8ttlSecondsAfterFinished:i* 9completionMode:s* 10suspend:b* 11podFailurePolicy:@batch.PodFailurePolicy* 12backoffLimitPerIndex:i* 13maxFailedIndexes:i* 14podReplacementPolicy:s* 15managedBy:s* 16successPolicy:@batch.SuccessPolicy*
batch.JobStatus 1conditions:[@batch.JobCondition]~type 2startTime:@meta.Time* 3completionTime:@meta.Time* 4active:i 5succeeded:i 6failed:i 7completedIndexes:s 8uncountedTerminatedPods:@batch.UncountedTerminatedPods* 9ready:i* 10failedIndexes:s* 11terminating:i*
batch.JobTemplateSpec 1metadata:@meta.ObjectMeta 2spec:@batch.JobSpec
batch.PodFailurePolicy 1rules:[@batch.PodFailurePolicyRule]!
batch.PodFailurePolicyOnExitCodesRequirement 1containerName:s* 2operator:s! 3values:[i]!^s
batch.PodFailurePolicyOnPodConditionsPattern 1type:s! 2status:s!
batch.PodFailurePolicyRule 1action:s! 2onExitCodes:@batch.PodFailurePolicyOnExitCodesRequirement* 3onPodConditions:[@batch.PodFailurePolicyOnPodConditionsPattern]
batch.SuccessPolicy 1rules:[@batch.SuccessPolicyRule]!
batch.SuccessPolicyRule 1succeededIndexes:s* 2succeededCount:i*
batch.UncountedTerminatedPods 1succeeded:[s]^s 2failed:[s]^s
certificates.CertificateSigningRequest 1metadata:@meta.ObjectMeta 2spec:@certificates.CertificateSigningRequestSpec! 3status:@certificates.CertificateSigningRequestStatus
certificates.CertificateSigningRequestCondition 1type:s! 2reason:s 3message:s 4lastUpdateTime:@meta.Time 5lastTransitionTime:@meta.Time 6status:s!
certificates.CertificateSigningRequestSpec 1request:y! 2username:s 3uid:s 4groups:[s] 5usages:[s] 6extra:{@certificates.ExtraValue} 7signerName:s! 8expirationSeconds:i*
certificates.CertificateSigningRequestStatus 1conditions:[@certificates.CertificateSigningRequestCondition]^(type) 2certificate:y
certificates.ExtraValue 1items:[s]?
coordination.Lease 1metadata:@meta.ObjectMeta 2spec:@coordination.LeaseSpec
coordination.LeaseSpec 1holderIdentity:s* 2leaseDurationSeconds:i* 3acquireTime:@meta.MicroTime* 4renewTime:@meta.MicroTime* 5leaseTransitions:i* 6strategy:s* 7preferredHolder:s*
core.AWSElasticBlockStoreVolumeSource 1volumeID:s! 2fsType:s 3partition:i 4readOnly:b
core.Affinity 1nodeAffinity:@core.NodeAffinity* 2podAffinity:@core.PodAffinity* 3podAntiAffinity:@core.PodAntiAffinity*
core.AppArmorProfile 1type:s! 2localhostProfile:s*
core.AttachedVolume 1name:s! 2devicePath:s!
core.AzureDiskVolumeSource 1diskName:s! 2diskURI:s! 3cachingMode:s*="ReadWrite" 4fsType:s*="ext4" 5readOnly:b* 6kind:s*="Shared"
core.AzureFilePersistentVolumeSource 1secretName:s! 2shareName:s! 3readOnly:b 4secretNamespace:s*
core.AzureFileVolumeSource 1secretName:s! 2shareName:s! 3readOnly:b
core.Binding 1metadata:@meta.ObjectMeta 2target:@core.ObjectReference!
core.CSIPersistentVolumeSource 1driver:s! 2volumeHandle:s! 3readOnly:b 4fsType:s 5volumeAttributes:{s} 6controllerPublishSecretRef:@core.SecretReference* 7nodeStageSecretRef:@core.SecretReference* 8nodePublishSecretRef:@core.SecretReference* 9controllerExpandSecretRef:@core.SecretReference* 10nodeExpandSecretRef:@core.SecretReference*
core.CSIVolumeSource 1driver:s! 2readOnly:b* 3fsType:s* 4volumeAttributes:{s} 5nodePublishSecretRef:@core.LocalObjectReference*
core.Capabilities 1add:[s] 2drop:[s]
core.CephFSPersistentVolumeSource 1monitors:[s]! 2path:s 3user:s 4secretFile:s 5secretRef:@core.SecretReference* 6readOnly:b
core.CephFSVolumeSource 1monitors:[s]! 2path:s 3user:s 4secretFile:s 5secretRef:@core.LocalObjectReference* 6readOnly:b
core.CinderPersistentVolumeSource 1volumeID:s! 2fsType:s 3readOnly:b 4secretRef:@core.SecretReference*
core.CinderVolumeSource 1volumeID:s! 2fsType:s 3readOnly:b 4secretRef:@core.LocalObjectReference*
core.ClientIPConfig 1timeoutSeconds:i*
core.ClusterTrustBundleProjection 1name:s* 2signerName:s* 3labelSelector:@meta.LabelSelector* 4path:s! 5optional:b*
core.ConfigMap 1metadata:@meta.ObjectMeta 2data:{s} 3binaryData:{y} 4immutable:b*
core.ConfigMapEnvSource 1+localObjectReference:@core.LocalObjectReference! 2optional:b*
core.ConfigMapKeySelector^a 1+localObjectReference:@core.LocalObjectReference! 2key:s! 3optional:b*
core.ConfigMapNodeConfigSource 1namespace:s! 2name:s! 3uid:s 4resourceVersion:s 5kubeletConfigKey:s!
core.ConfigMapProjection 1+localObjectReference:@core.LocalObjectReference! 2items:[@core.KeyToPath] 4optional:b*
core.ConfigMapVolumeSource 1+localObjectReference:@core.LocalObjectReference! 2items:[@core.KeyToPath] 3defaultMode:i* 4optional:b*
core.Container 1name:s! 2image:s 3command:[s] 4args:[s] 5workingDir:s 6ports:[@core.ContainerPort]~containerPort^(containerPort,protocol) 7env:[@core.EnvVar]~name^(name) 8resources:@core.ResourceRequirements 9volumeMounts:[@core.VolumeMount]~mountPath^(mountPath) 10livenessProbe:@core.Probe* 11readinessProbe:@core.Probe* 12lifecycle:@core.Lifecycle* 13terminationMessagePath:s 14imagePullPolicy:s 15securityContext:@core.SecurityContext* 16stdin:b 17stdinOnce:b 18tty:b 19envFrom:[@core.EnvFromSource] 20terminationMessagePolicy:s 21volumeDevices:[@core.VolumeDevice]~devicePath^(devicePath) 22startupProbe:@core.Probe* 23resizePolicy:[@core.ContainerResizePolicy] 24restartPolicy:s* 25restartPolicyRules:[@core.ContainerRestartRule]
core.ContainerExtendedResourceRequest 1containerName:s! 2resourceName:s! 3requestName:s!
core.ContainerImage 1names:[s]! 2sizeBytes:l
core.ContainerPort 1name:s 2hostPort:i 3containerPort:i! 4protocol:s="TCP" 5hostIP:s
core.ContainerResizePolicy 1resourceName:s! 2restartPolicy:s!
core.ContainerRestartRule 1action:s 2exitCodes:@core.ContainerRestartRuleOnExitCodes*
core.ContainerRestartRuleOnExitCodes 1operator:s 2values:[i]^s
core.ContainerState 1waiting:@core.ContainerStateWaiting* 2running:@core.ContainerStateRunning* 3terminated:@core.ContainerStateTerminated*
core.ContainerStateRunning 1startedAt:@meta.Time
core.ContainerStateTerminated 1exitCode:i! 2signal:i 3reason:s 4message:s 5startedAt:@meta.Time 6finishedAt:@meta.Time 7containerID:s
core.ContainerStateWaiting 1reason:s 2message:s
core.ContainerStatus 1name:s! 2state:@core.ContainerState 3lastState:@core.ContainerState 4ready:b! 5restartCount:i! 6image:s! 7imageID:s! 8containerID:s 9started:b* 10allocatedResources:{@resource.Quantity} 11resources:@core.ResourceRequirements* 12volumeMounts:[@core.VolumeMountStatus]~mountPath^(mountPath) 13user:@core.ContainerUser* 14allocatedResourcesStatus:[@core.ResourceStatus]~name^(name) 15stopSignal:s*
core.ContainerUser 1linux:@core.LinuxContainerUser*
core.DaemonEndpoint 1Port:i!
core.DownwardAPIProjection 1items:[@core.DownwardAPIVolumeFile]
core.DownwardAPIVolumeFile 1path:s! 2fieldRef:@core.ObjectFieldSelector* 3resourceFieldRef:@core.ResourceFieldSelector* 4mode:i*
core.DownwardAPIVolumeSource 1items:[@core.DownwardAPIVolumeFile] 2defaultMode:i*
core.EmptyDirVolumeSource 1medium:s 2sizeLimit:@resource.Quantity*
core.EndpointAddress^a 1ip:s! 2targetRef:@core.ObjectReference* 3hostname:s 4nodeName:s*
core.EndpointPort^a 1name:s 2port:i! 3protocol:s 4appProtocol:s*
core.EndpointSubset 1addresses:[@core.EndpointAddress] 2notReadyAddresses:[@core.EndpointAddress] 3ports:[@core.EndpointPort]
core.Endpoints 1metadata:@meta.ObjectMeta 2subsets:[@core.EndpointSubset]
core.EnvFromSource 1prefix:s 2configMapRef:@core.ConfigMapEnvSource* 3secretRef:@core.SecretEnvSource*
core.EnvVar 1name:s! 2value:s 3valueFrom:@core.EnvVarSource*
core.EnvVarSource 1fieldRef:@core.ObjectFieldSelector* 2resourceFieldRef:@core.ResourceFieldSelector* 3configMapKeyRef:@core.ConfigMapKeySelector* 4secretKeyRef:@core.SecretKeySelector* 5fileKeyRef:@core.FileKeySelector*
core.EphemeralContainer 1+ephemeralContainerCommon:@core.EphemeralContainerCommon! 2targetContainerName:s
core.EphemeralContainerCommon 1name:s! 2image:s 3command:[s] 4args:[s] 5workingDir:s 6ports:[@core.ContainerPort] 7env:[@core.EnvVar] 8resources:@core.ResourceRequirements 9volumeMounts:[@core.VolumeMount] 10livenessProbe:@core.Probe* 11readinessProbe:@core.Probe* 12lifecycle:@core.Lifecycle* 13terminationMessagePath:s 14imagePullPolicy:s 15securityContext:@core.SecurityContext* 16stdin:b 17stdinOnce:b 18tty:b 19envFrom:[@core.EnvFromSource] 20terminationMessagePolicy:s 21volumeDevices:[@core.VolumeDevice] 22startupProbe:@core.Probe* 23resizePolicy:[@core.ContainerResizePolicy] 24restartPolicy:s* 25restartPolicyRules:[@core.ContainerRestartRule]
core.EphemeralVolumeSource 1volumeClaimTemplate:@core.PersistentVolumeClaimTemplate*
core.Event 1metadata:@meta.ObjectMeta! 2involvedObject:@core.ObjectReference! 3reason:s 4message:s 5source:@core.EventSource 6firstTimestamp:@meta.Time 7lastTimestamp:@meta.Time 8count:i 9type:s 10eventTime:@meta.MicroTime 11series:@core.EventSeries* 12action:s 13related:@core.ObjectReference* 14reportingComponent:s! 15reportingInstance:s!
core.EventSeries 1count:i 2lastObservedTime:@meta.MicroTime
core.EventSource 1component:s 2host:s
core.ExecAction 1command:[s]
core.FCVolumeSource 1targetWWNs:[s] 2lun:i* 3fsType:s 4readOnly:b 5wwids:[s]
core.FileKeySelector^a 1volumeName:s! 2path:s! 3key:s! 4optional:b*
core.FlexPersistentVolumeSource 1driver:s! 2fsType:s 3secretRef:@core.SecretReference* 4readOnly:b 5options:{s}
core.FlexVolumeSource 1driver:s! 2fsType:s 3secretRef:@core.LocalObjectReference* 4readOnly:b 5options:{s}
core.FlockerVolumeSource 1datasetName:s 2datasetUUID:s
core.GCEPersistentDiskVolumeSource 1pdName:s! 2fsType:s 3partition:i 4readOnly:b
core.GRPCAction 1port:i! 2service:s*
core.GitRepoVolumeSource 1repository:s! 2revision:s 3directory:s
core.GlusterfsPersistentVolumeSource 1endpoints:s! 2path:s! 3readOnly:b 4endpointsNamespace:s*
core.GlusterfsVolumeSource 1endpoints:s! 2path:s! 3readOnly:b
core.HTTPGetAction 1path:s 2port:@intstr.IntOrString! 3host:s 4scheme:s 5httpHeaders:[@core.HTTPHeader]
core.HTTPHeader 1name:s! 2value:s!
core.HostAlias 1ip:s! 2hostnames:[s]
core.HostIP 1ip:s!
core.HostPathVolumeSource 1path:s! 2type:s*
core.ISCSIPersistentVolumeSource 1targetPortal:s! 2iqn:s! 3lun:i! 4iscsiInterface:s="default" 5fsType:s 6readOnly:b 7portals:[s] 8chapAuthDiscovery:b 10secretRef:@core.SecretReference* 11chapAuthSession:b 12initiatorName:s*
core.ISCSIVolumeSource 1targetPortal:s! 2iqn:s! 3lun:i! 4iscsiInterface:s="default" 5fsType:s 6readOnly:b 7portals:[s] 8chapAuthDiscovery:b 10secretRef:@core.LocalObjectReference* 11chapAuthSession:b 12initiatorName:s*
core.ImageVolumeSource 1reference:s 2pullPolicy:s
core.KeyToPath 1key:s! 2path:s! 3mode:i*
core.Lifecycle 1postStart:@core.LifecycleHandler* 2preStop:@core.LifecycleHandler* 3stopSignal:s*
core.LifecycleHandler 1exec:@core.ExecAction* 2httpGet:@core.HTTPGetAction* 3tcpSocket:@core.TCPSocketAction* 4sleep:@core.SleepAction*
core.LimitRange 1metadata:@meta.ObjectMeta 2spec:@core.LimitRangeSpec
core.LimitRangeItem 1type:s! 2max:{@resource.Quantity} 3min:{@resource.Quantity} 4default:{@resource.Quantity} 5defaultRequest:{@resource.Quantity} 6maxLimitRequestRatio:{@resource.Quantity}
core.LimitRangeSpec 1limits:[@core.LimitRangeItem]!
core.LinuxContainerUser 1uid:l! 2gid:l! 3supplementalGroups:[l]
core.LoadBalancerIngress 1ip:s 2hostname:s 3ipMode:s* 4ports:[@core.PortStatus]
core.LoadBalancerStatus 1ingress:[@core.LoadBalancerIngress]
core.LocalObjectReference^a 1name:s
core.LocalVolumeSource 1path:s! 2fsType:s*
core.ModifyVolumeStatus 1targetVolumeAttributesClassName:s 2status:s!
core.NFSVolumeSource 1server:s! 2path:s! 3readOnly:b
core.Namespace 1metadata:@meta.ObjectMeta 2spec:@core.NamespaceSpec 3status:@core.NamespaceStatus
core.NamespaceCondition 1type:s! 2status:s! 4lastTransitionTime:@meta.Time 5reason:s 6message:s
core.NamespaceSpec 1finalizers:[s]
core.NamespaceStatus 1phase:s 2conditions:[@core.NamespaceCondition]~type^(type)
core.Node 1metadata:@meta.ObjectMeta 2spec:@core.NodeSpec 3status:@core.NodeStatus
core.NodeAddress 1type:s! 2address:s!
core.NodeAffinity 1requiredDuringSchedulingIgnoredDuringExecution:@core.NodeSelector* 2preferredDuringSchedulingIgnoredDuringExecution:[@core.PreferredSchedulingTerm]
core.NodeCondition 1type:s! 2status:s! 3lastHeartbeatTime:@meta.Time 4lastTransitionTime:@meta.Time 5reason:s 6message:s
core.NodeConfigSource 2configMap:@core.ConfigMapNodeConfigSource*
core.NodeConfigStatus 1assigned:@core.NodeConfigSource* 2active:@core.NodeConfigSource* 3lastKnownGood:@core.NodeConfigSource* 4error:s
core.NodeDaemonEndpoints 1kubeletEndpoint:@core.DaemonEndpoint
core.NodeFeatures 1supplementalGroupsPolicy:b*
core.NodeRuntimeHandler 1name:s! 2features:@core.NodeRuntimeHandlerFeatures*
core.NodeRuntimeHandlerFeatures 1recursiveReadOnlyMounts:b* 2userNamespaces:b*
core.NodeSelector^a 1nodeSelectorTerms:[@core.NodeSelectorTerm]!
core.NodeSelectorRequirement 1key:s! 2operator:s! 3values:[s]
core.NodeSelectorTerm^a 1matchExpressions:[@core.NodeSelectorRequirement] 2matchFields:[@core.NodeSelectorRequirement]
core.NodeSpec 1podCIDR:s 2externalID:s 3providerID:s 4unschedulable:b 5taints:[@core.Taint] 6configSource:@core.NodeConfigSource* 7podCIDRs:[s]~^s
core.NodeStatus 1capacity:{@resource.Quantity} 2allocatable:{@resource.Quantity} 3phase:s 4conditions:[@core.NodeCondition]~type^(type) 5addresses:[@core.NodeAddress]~type^(type) 6daemonEndpoints:@core.NodeDaemonEndpoints 7nodeInfo:@core.NodeSystemInfo 8images:[@core.ContainerImage] 9volumesInUse:[s] 10volumesAttached:[@core.AttachedVolume] 11config:@core.NodeConfigStatus* 12runtimeHandlers:[@core.NodeRuntimeHandler] 13features:@core.NodeFeatures*
core.NodeSwapStatus 1capacity:l*
core.NodeSystemInfo 1machineID:s! 2systemUUID:s! 3bootID:s! 4kernelVersion:s! 5osImage:s! 6containerRuntimeVersion:s! 7kubeletVersion:s! 8kubeProxyVersion:s! 9operatingSystem:s! 10architecture:s! 11swap:@core.NodeSwapStatus*
core.ObjectFieldSelector^a 1apiVersion:s 2fieldPath:s!
core.ObjectReference^a 1kind:s 2namespace:s 3name:s 4uid:s 5apiVersion:s 6resourceVersion:s 7fieldPath:s
core.PersistentVolume 1metadata:@meta.ObjectMeta 2spec:@core.PersistentVolumeSpec 3status:@core.PersistentVolumeStatus
core.PersistentVolumeClaim 1metadata:@meta.ObjectMeta 2spec:@core.PersistentVolumeClaimSpec 3status:@core.PersistentVolumeClaimStatus
core.PersistentVolumeClaimCondition 1type:s! 2status:s! 3lastProbeTime:@meta.Time 4lastTransitionTime:@meta.Time 5reason:s 6message:s
core.PersistentVolumeClaimSpec 1accessModes:[s] 2resources:@core.VolumeResourceRequirements 3volumeName:s 4selector:@meta.LabelSelector* 5storageClassName:s* 6volumeMode:s* 7dataSource:@core.TypedLocalObjectReference* 8dataSourceRef:@core.TypedObjectReference* 9volumeAttributesClassName:s*
core.PersistentVolumeClaimStatus 1phase:s 2accessModes:[s] 3capacity:{@resource.Quantity} 4conditions:[@core.PersistentVolumeClaimCondition]~type^(type) 5allocatedResources:{@resource.Quantity} 7allocatedResourceStatuses:{s} 8currentVolumeAttributesClassName:s* 9modifyVolumeStatus:@core.ModifyVolumeStatus*
core.PersistentVolumeClaimTemplate 1metadata:@meta.ObjectMeta 2spec:@core.PersistentVolumeClaimSpec!
core.PersistentVolumeClaimVolumeSource 1claimName:s! 2readOnly:b
core.PersistentVolumeSource 1gcePersistentDisk:@core.GCEPersistentDiskVolumeSource* 2awsElasticBlockStore:@core.AWSElasticBlockStoreVolumeSource* 3hostPath:@core.HostPathVolumeSource* 4glusterfs:@core.GlusterfsPersistentVolumeSource* 5nfs:@core.NFSVolumeSource* 6rbd:@core.RBDPersistentVolumeSource* 7iscsi:@core.ISCSIPersistentVolumeSource* 8cinder:@core.CinderPersistentVolumeSource* 9cephfs:@core.CephFSPersistentVolumeSource* 10fc:@core.FCVolumeSource* 11flocker:@core.FlockerVolumeSource* 12flexVolume:@core.FlexPersistentVolumeSource* 13azureFile:@core.AzureFilePersistentVolumeSource* 14vsphereVolume:@core.VsphereVirtualDiskVolumeSource* 15quobyte:@core.QuobyteVolumeSource* 16azureDisk:@core.AzureDiskVolumeSource* 17photonPersistentDisk:@core.PhotonPersistentDiskVolumeSource* 18portworxVolume:@core.PortworxVolumeSource* 19scaleIO:@core.ScaleIOPersistentVolumeSource* 20local:@core.LocalVolumeSource* 21storageos:@core.StorageOSPersistentVolumeSource* 22csi:@core.CSIPersistentVolumeSource*
core.PersistentVolumeSpec 1capacity:{@resource.Quantity} 2+persistentVolumeSource:@core.PersistentVolumeSource! 3accessModes:[s] 4claimRef:@core.ObjectReference* 5persistentVolumeReclaimPolicy:s 6storageClassName:s 7mountOptions:[s] 8volumeMode:s* 9nodeAffinity:@core.VolumeNodeAffinity* 10volumeAttributesClassName:s*
core.PersistentVolumeStatus 1phase:s 2message:s 3reason:s 4lastPhaseTransitionTime:@meta.Time*
core.PhotonPersistentDiskVolumeSource 1pdID:s! 2fsType:s
core.Pod 1metadata:@meta.ObjectMeta 2spec:@core.PodSpec 3status:@core.PodStatus
core.PodAffinity 1requiredDuringSchedulingIgnoredDuringExecution:[@core.PodAffinityTerm] 2preferredDuringSchedulingIgnoredDuringExecution:[@core.WeightedPodAffinityTerm]
core.PodAffinityTerm 1labelSelector:@meta.LabelSelector* 2namespaces:[s] 3topologyKey:s! 4namespaceSelector:@meta.LabelSelector* 5matchLabelKeys:[s] 6mismatchLabelKeys:[s]
core.PodAntiAffinity 1requiredDuringSchedulingIgnoredDuringExecution:[@core.PodAffinityTerm] 2preferredDuringSchedulingIgnoredDuringExecution:[@core.WeightedPodAffinityTerm]
core.PodCertificateProjection 1signerName:s 2keyType:s 3maxExpirationSeconds:i* 4credentialBundlePath:s 5keyPath:s 6certificateChainPath:s
core.PodCondition 1type:s! 2status:s! 3lastProbeTime:@meta.Time 4lastTransitionTime:@meta.Time 5reason:s 6message:s 7observedGeneration:l
core.PodDNSConfig 1nameservers:[s] 2searches:[s] 3options:[@core.PodDNSConfigOption]
core.PodDNSConfigOption 1name:s 2value:s*
core.PodExtendedResourceClaimStatus 1requestMappings:[@core.ContainerExtendedResourceRequest]! 2resourceClaimName:s!
core.PodIP 1ip:s!
core.PodOS 1name:s!
core.PodReadinessGate 1conditionType:s!
core.PodResourceClaim 1name:s! 3resourceClaimName:s* 4resourceClaimTemplateName:s*
core.PodResourceClaimStatus 1name:s! 2resourceClaimName:s*
core.PodSchedulingGate 1name:s!
core.PodSecurityContext 1seLinuxOptions:@core.SELinuxOptions* 2runAsUser:l* 3runAsNonRoot:b* 4supplementalGroups:[l] 5fsGroup:l* 6runAsGroup:l* 7sysctls:[@core.Sysctl] 8windowsOptions:@core.WindowsSecurityContextOptions* 9fsGroupChangePolicy:s* 10seccompProfile:@core.SeccompProfile* 11appArmorProfile:@core.AppArmorProfile* 12supplementalGroupsPolicy:s* 13seLinuxChangePolicy:s*
core.PodSpec 1volumes:[@core.Volume]~name~R^(name) 2containers:[@core.Container]!~name^(name) 3restartPolicy:s 4terminationGracePeriodSeconds:l* 5activeDeadlineSeconds:l* 6dnsPolicy:s 7nodeSelector:{s}^a 8serviceAccountName:s 9serviceAccount:s 10nodeName:s 11hostNetwork:b 12hostPID:b 13hostIPC:b 14securityContext:@core.PodSecurityContext* 15imagePullSecrets:[@core.LocalObjectReference]~name^(name) 16hostname:s 17subdomain:s 18affinity:@core.Affinity* 19schedulerName:s 20initContainers:[@core.Container]~name^(name) 21automountServiceAccountToken:b* 22tolerations:[@core.Toleration] 23hostAliases:[@core.HostAlias]~ip^(ip) 24priorityClassName:s 25priority:i* 26dnsConfig:@core.PodDNSConfig* 27shareProcessNamespace:b* 28readinessGates:[@core.PodReadinessGate] 29runtimeClassName:s* 30enableServiceLinks:b* 31preemptionPolicy:s* 32overhead:{@resource.Quantity} 33topologySpreadConstraints:[@core.TopologySpreadConstraint]~topologyKey^(topologyKey,whenUnsatisfiable) 34ephemeralContainers:[@core.EphemeralContainer]~name^(name) 35setHostnameAsFQDN:b* 36os:@core.PodOS* 37hostUsers:b* 38schedulingGates:[@core.PodSchedulingGate]~name^(name) 39resourceClaims:[@core.PodResourceClaim]~name~R^(name) 40resources:@core.ResourceRequirements* 41hostnameOverride:s*
core.PodStatus 1phase:s 2conditions:[@core.PodCondition]~type^(type) 3message:s 4reason:s 5hostIP:s 6podIP:s 7startTime:@meta.Time* 8containerStatuses:[@core.ContainerStatus] 9qosClass:s 10initContainerStatuses:[@core.ContainerStatus] 11nominatedNodeName:s 12podIPs:[@core.PodIP]~ip^(ip) 13ephemeralContainerStatuses:[@core.ContainerStatus] 14resize:s 15resourceClaimStatuses:[@core.PodResourceClaimStatus]~name~R^(name) 16hostIPs:[@core.HostIP]~ip 17observedGeneration:l 18extendedResourceClaimStatus:@core.PodExtendedResourceClaimStatus*
core.PodTemplate 1metadata:@meta.ObjectMeta 2template:@core.PodTemplateSpec
core.PodTemplateSpec 1metadata:@meta.ObjectMeta 2spec:@core.PodSpec
core.PortStatus 1port:i! 2protocol:s! 3error:s*
core.PortworxVolumeSource 1volumeID:s! 2fsType:s 3readOnly:b
core.PreferredSchedulingTerm 1weight:i! 2preference:@core.NodeSelectorTerm!
core.Probe 1+handler:@core.ProbeHandler! 2initialDelaySeconds:i 3timeoutSeconds:i 4periodSeconds:i 5successThreshold:i 6failureThreshold:i 7terminationGracePeriodSeconds:l*
core.ProbeHandler 1exec:@core.ExecAction* 2httpGet:@core.HTTPGetAction* 3tcpSocket:@core.TCPSocketAction* 4grpc:@core.GRPCAction*
core.ProjectedVolumeSource 1sources:[@core.VolumeProjection]! 2defaultMode:i*
core.QuobyteVolumeSource 1registry:s! 2volume:s! 3readOnly:b 4user:s 5group:s 6tenant:s
core.RBDPersistentVolumeSource 1monitors:[s]! 2image:s! 3fsType:s 4pool:s="rbd" 5user:s="admin" 6keyring:s="/etc/ceph/keyring" 7secretRef:@core.SecretReference* 8readOnly:b
core.RBDVolumeSource 1monitors:[s]! 2image:s! 3fsType:s 4pool:s="rbd" 5user:s="admin" 6keyring:s="/etc/ceph/keyring" 7secretRef:@core.LocalObjectReference* 8readOnly:b
core.ReplicationController 1metadata:@meta.ObjectMeta 2spec:@core.ReplicationControllerSpec 3status:@core.ReplicationControllerStatus
core.ReplicationControllerCondition 1type:s! 2status:s! 3lastTransitionTime:@meta.Time 4reason:s 5message:s
core.ReplicationControllerSpec 1replicas:i*=1 2selector:{s}^a 3template:@core.PodTemplateSpec* 4minReadySeconds:i
core.ReplicationControllerStatus 1replicas:i! 2fullyLabeledReplicas:i 3observedGeneration:l 4readyReplicas:i 5availableReplicas:i 6conditions:[@core.ReplicationControllerCondition]~type^(type)
core.ResourceClaim 1name:s! 2request:s
core.ResourceFieldSelector^a 1containerName:s 2resource:s! 3divisor:@resource.Quantity
core.ResourceHealth 1resourceID:s! 2health:s
core.ResourceQuota 1metadata:@meta.ObjectMeta 2spec:@core.ResourceQuotaSpec 3status:@core.ResourceQuotaStatus
core.ResourceQuotaSpec 1hard:{@resource.Quantity} 2scopes:[s] 3scopeSelector:@core.ScopeSelector*
core.ResourceQuotaStatus 1hard:{@resource.Quantity} 2used:{@resource.Quantity}
core.ResourceRequirements 1limits:{@resource.Quantity} 2requests:{@resource.Quantity} 3claims:[@core.ResourceClaim]^(name)
core.ResourceStatus 1name:s! 2resources:[@core.ResourceHealth]^(resourceID)
core.SELinuxOptions 1user:s 2role:s 3type:s 4level:s
core.ScaleIOPersistentVolumeSource 1gateway:s! 2system:s! 3secretRef:@core.SecretReference* 4sslEnabled:b 5protectionDomain:s 6storagePool:s 7storageMode:s="ThinProvisioned" 8volumeName:s 9fsType:s="xfs" 10readOnly:b
core.ScaleIOVolumeSource 1gateway:s! 2system:s! 3secretRef:@core.LocalObjectReference* 4sslEnabled:b 5protectionDomain:s 6storagePool:s 7storageMode:s="ThinProvisioned" 8volumeName:s 9fsType:s="xfs" 10readOnly:b
core.ScopeSelector^a 1matchExpressions:[@core.ScopedResourceSelectorRequirement]
core.ScopedResourceSelectorRequirement 1scopeName:s! 2operator:s! 3values:[s]
core.SeccompProfile 1type:s! 2localhostProfile:s*
core.Secret 1metadata:@meta.ObjectMeta 2data:{y} 3type:s 4stringData:{s} 5immutable:b*
core.SecretEnvSource 1+localObjectReference:@core.LocalObjectReference! 2optional:b*
core.SecretKeySelector^a 1+localObjectReference:@core.LocalObjectReference! 2key:s! 3optional:b*
core.SecretProjection 1+localObjectReference:@core.LocalObjectReference! 2items:[@core.KeyToPath] 4optional:b*
core.SecretReference^a 1name:s 2namespace:s
core.SecretVolumeSource 1secretName:s 2items:[@core.KeyToPath] 3defaultMode:i* 4optional:b*
core.SecurityContext 1capabilities:@core.Capabilities* 2privileged:b* 3seLinuxOptions:@core.SELinuxOptions* 4runAsUser:l* 5runAsNonRoot:b* 6readOnlyRootFilesystem:b* 7allowPrivilegeEscalation:b* 8runAsGroup:l* 9procMount:s* 10windowsOptions:@core.WindowsSecurityContextOptions* 11seccompProfile:@core.SeccompProfile* 12appArmorProfile:@core.AppArmorProfile*
core.Service 1metadata:@meta.ObjectMeta 2spec:@core.ServiceSpec 3status:@core.ServiceStatus
core.ServiceAccount 1metadata:@meta.ObjectMeta 2secrets:[@core.ObjectReference]~name^(name) 3imagePullSecrets:[@core.LocalObjectReference] 4automountServiceAccountToken:b*
core.ServiceAccountTokenProjection 1audience:s 2expirationSeconds:l* 3path:s!
core.ServicePort 1name:s 2protocol:s="TCP" 3port:i! 4targetPort:@intstr.IntOrString 5nodePort:i 6appProtocol:s*
core.ServiceSpec 1ports:[@core.ServicePort]~port^(port,protocol) 2selector:{s}^a 3clusterIP:s 4type:s 5externalIPs:[s] 7sessionAffinity:s 8loadBalancerIP:s 9loadBalancerSourceRanges:[s] 10externalName:s 11externalTrafficPolicy:s 12healthCheckNodePort:i 13publishNotReadyAddresses:b 14sessionAffinityConfig:@core.SessionAffinityConfig* 17ipFamilyPolicy:s* 18clusterIPs:[s] 19ipFamilies:[s] 20allocateLoadBalancerNodePorts:b* 21loadBalancerClass:s* 22internalTrafficPolicy:s* 23trafficDistribution:s*
core.ServiceStatus 1loadBalancer:@core.LoadBalancerStatus 2conditions:[@meta.Condition]~type^(type)
core.SessionAffinityConfig 1clientIP:@core.ClientIPConfig*
core.SleepAction 1seconds:l!
core.StorageOSPersistentVolumeSource 1volumeName:s 2volumeNamespace:s 3fsType:s 4readOnly:b 5secretRef:@core.ObjectReference*
core.StorageOSVolumeSource 1volumeName:s 2volumeNamespace:s 3fsType:s 4readOnly:b 5secretRef:@core.LocalObjectReference*
core.Sysctl 1name:s! 2value:s!
core.TCPSocketAction 1port:@intstr.IntOrString! 2host:s
core.Taint 1key:s! 2value:s 3effect:s! 4timeAdded:@meta.Time*
core.Toleration 1key:s 2operator:s 3value:s 4effect:s 5tolerationSeconds:l*
core.TopologySelectorLabelRequirement 1key:s! 2values:[s]!
core.TopologySelectorTerm^a 1matchLabelExpressions:[@core.TopologySelectorLabelRequirement]
core.TopologySpreadConstraint 1maxSkew:i! 2topologyKey:s! 3whenUnsatisfiable:s! 4labelSelector:@meta.LabelSelector* 5minDomains:i* 6nodeAffinityPolicy:s* 7nodeTaintsPolicy:s* 8matchLabelKeys:[s]
core.TypedLocalObjectReference^a 1apiGroup:s* 2kind:s! 3name:s!
core.TypedObjectReference 1apiGroup:s* 2kind:s! 3name:s! 4namespace:s*
core.Volume 1name:s! 2+volumeSource:@core.VolumeSource!
core.VolumeDevice 1name:s! 2devicePath:s!
core.VolumeMount 1name:s! 2readOnly:b 3mountPath:s! 4subPath:s 5mountPropagation:s* 6subPathExpr:s 7recursiveReadOnly:s*
core.VolumeMountStatus 1name:s! 2mountPath:s! 3readOnly:b 4recursiveReadOnly:s*
core.VolumeNodeAffinity 1required:@core.NodeSelector*
core.VolumeProjection 1secret:@core.SecretProjection* 2downwardAPI:@core.DownwardAPIProjection* 3configMap:@core.ConfigMapProjection* 4serviceAccountToken:@core.ServiceAccountTokenProjection* 5clusterTrustBundle:@core.ClusterTrustBundleProjection* 6podCertificate:@core.PodCertificateProjection*
core.VolumeResourceRequirements 1limits:{@resource.Quantity} 2requests:{@resource.Quantity}
core.VolumeSource 1hostPath:@core.HostPathVolumeSource* 2emptyDir:@core.EmptyDirVolumeSource* 3gcePersistentDisk:@core.GCEPersistentDiskVolumeSource* 4awsElasticBlockStore:@core.AWSElasticBlockStoreVolumeSource* 5gitRepo:@core.GitRepoVolumeSource* 6secret:@core.SecretVolumeSource* 7nfs:@core.NFSVolumeSource* 8iscsi:@core.ISCSIVolumeSource* 9glusterfs:@core.GlusterfsVolumeSource* 10persistentVolumeClaim:@core.PersistentVolumeClaimVolumeSource* 11rbd:@core.RBDVolumeSource* 12flexVolume:@core.FlexVolumeSource* 13cinder:@core.CinderVolumeSource* 14cephfs:@core.CephFSVolumeSource* 15flocker:@core.FlockerVolumeSource* 16downwardAPI:@core.DownwardAPIVolumeSource* 17fc:@core.FCVolumeSource* 18azureFile:@core.AzureFileVolumeSource* 19configMap:@core.ConfigMapVolumeSource* 20vsphereVolume:@core.VsphereVirtualDiskVolumeSource* 21quobyte:@core.QuobyteVolumeSource* 22azureDisk:@core.AzureDiskVolumeSource* 23photonPersistentDisk:@core.PhotonPersistentDiskVolumeSource* 24portworxVolume:@core.PortworxVolumeSource* 25scaleIO:@core.ScaleIOVolumeSource* 26projected:@core.ProjectedVolumeSource* 27storageos:@core.StorageOSVolumeSource* 28csi:@core.CSIVolumeSource* 29ephemeral:@core.EphemeralVolumeSource* 30image:@core.ImageVolumeSource*
core.VsphereVirtualDiskVolumeSource 1volumePath:s! 2fsType:s 3storagePolicyName:s 4storagePolicyID:s
core.WeightedPodAffinityTerm 1weight:i! 2podAffinityTerm:@core.PodAffinityTerm!
core.WindowsSecurityContextOptions 1gmsaCredentialSpecName:s* 2gmsaCredentialSpec:s* 3runAsUserName:s* 4hostProcess:b*
discovery.Endpoint 1addresses:[s]!^s 2conditions:@discovery.EndpointConditions 3hostname:s* 4targetRef:@core.ObjectReference* 5deprecatedTopology:{s} 6nodeName:s* 7zone:s* 8hints:@discovery.EndpointHints*
discovery.EndpointConditions 1ready:b* 2serving:b* 3terminating:b*
discovery.EndpointHints 1forZones:[@discovery.ForZone] 2forNodes:[@discovery.ForNode]
discovery.EndpointPort^a 1name:s* 2protocol:s* 3port:i* 4appProtocol:s*
discovery.EndpointSlice 1metadata:@meta.ObjectMeta 2endpoints:[@discovery.Endpoint]! 3ports:[@discovery.EndpointPort]! 4addressType:s!
discovery.ForNode 1name:s!
discovery.ForZone 1name:s!
events.Event 1metadata:@meta.ObjectMeta! 2eventTime:@meta.MicroTime! 3series:@events.EventSeries* 4reportingController:s 5reportingInstance:s 6action:s 7reason:s 8regarding:@core.ObjectReference 9related:@core.ObjectReference* 10note:s 11type:s 12deprecatedSource:@core.EventSource 13deprecatedFirstTimestamp:@meta.Time 14deprecatedLastTimestamp:@meta.Time 15deprecatedCount:i
events.EventSeries 1count:i! 2lastObservedTime:@meta.MicroTime!
intstr.IntOrString 1type:l? 2intVal:i? 3strVal:s?
meta.Condition 1type:s! 2status:s! 3observedGeneration:l 4lastTransitionTime:@meta.Time! 5reason:s! 6message:s!
meta.DeleteOptions 1gracePeriodSeconds:l* 2preconditions:@meta.Preconditions* 3orphanDependents:b* 4propagationPolicy:s* 5dryRun:[s] 6ignoreStoreReadErrorWithClusterBreakingPotential:b*
meta.FieldSelectorRequirement 1key:s! 2operator:s! 3values:[s]
meta.FieldsV1 1-:y!
meta.LabelSelector^a 1matchLabels:{s} 2matchExpressions:[@meta.LabelSelectorRequirement]
meta.LabelSelectorRequirement 1key:s! 2operator:s! 3values:[s]
meta.ListMeta 1selfLink:s 2resourceVersion:s 3continue:s 4remainingItemCount:l*
meta.ManagedFieldsEntry 1manager:s 2operation:s 3apiVersion:s 4time:@meta.Time* 6fieldsType:s 7fieldsV1:@meta.FieldsV1* 8subresource:s
meta.MicroTime 1seconds:l? 2nanos:i?
meta.ObjectMeta 1name:s 2generateName:s 3namespace:s 4selfLink:s 5uid:s 6resourceVersion:s 7generation:l 8creationTimestamp:@meta.Time 9deletionTimestamp:@meta.Time* 10deletionGracePeriodSeconds:l* 11labels:{s} 12annotations:{s} 13ownerReferences:[@meta.OwnerReference]~uid^(uid) 14finalizers:[s]~^s 17managedFields:[@meta.ManagedFieldsEntry]
meta.OwnerReference^a 1kind:s! 3name:s! 4uid:s! 5apiVersion:s! 6controller:b* 7blockOwnerDeletion:b*
meta.Preconditions 1uid:s* 2resourceVersion:s*
meta.Status 1metadata:@meta.ListMeta 2status:s 3message:s 4reason:s 5details:@meta.StatusDetails* 6code:i
meta.StatusCause 1reason:s 2message:s 3field:s
meta.StatusDetails 1name:s 2group:s 3kind:s 4causes:[@meta.StatusCause] 5retryAfterSeconds:i 6uid:s
meta.Time 1seconds:l? 2nanos:i?
networking.HTTPIngressPath 1path:s 2backend:@networking.IngressBackend! 3pathType:s*
networking.HTTPIngressRuleValue 1paths:[@networking.HTTPIngressPath]!
networking.IPBlock 1cidr:s! 2except:[s]
networking.Ingress 1metadata:@meta.ObjectMeta 2spec:@networking.IngressSpec 3status:@networking.IngressStatus
networking.IngressBackend 3resource:@core.TypedLocalObjectReference* 4service:@networking.IngressServiceBackend*
networking.IngressClass 1metadata:@meta.ObjectMeta 2spec:@networking.IngressClassSpec
networking.IngressClassParametersReference 1apiGroup:s* 2kind:s! 3name:s! 4scope:s* 5namespace:s*
networking.IngressClassSpec 1controller:s 2parameters:@networking.IngressClassParametersReference*
networking.IngressLoadBalancerIngress 1ip:s 2hostname:s 4ports:[@networking.IngressPortStatus]
networking.IngressLoadBalancerStatus 1ingress:[@networking.IngressLoadBalancerIngress]
networking.IngressPortStatus 1port:i! 2protocol:s! 3error:s*
networking.IngressRule 1host:s 2+ingressRuleValue:@networking.IngressRuleValue!
networking.IngressRuleValue 1http:@networking.HTTPIngressRuleValue*
networking.IngressServiceBackend 1name:s! 2port:@networking.ServiceBackendPort
networking.IngressSpec 1defaultBackend:@networking.IngressBackend* 2tls:[@networking.IngressTLS] 3rules:[@networking.IngressRule] 4ingressClassName:s*
networking.IngressStatus 1loadBalancer:@networking.IngressLoadBalancerStatus
networking.IngressTLS 1hosts:[s] 2secretName:s
networking.NetworkPolicy 1metadata:@meta.ObjectMeta 2spec:@networking.NetworkPolicySpec
networking.NetworkPolicyEgressRule 1ports:[@networking.NetworkPolicyPort] 2to:[@networking.NetworkPolicyPeer]
networking.NetworkPolicyIngressRule 1ports:[@networking.NetworkPolicyPort] 2from:[@networking.NetworkPolicyPeer]
networking.NetworkPolicyPeer 1podSelector:@meta.LabelSelector* 2namespaceSelector:@meta.LabelSelector* 3ipBlock:@networking.IPBlock*
networking.NetworkPolicyPort 1protocol:s* 2port:@intstr.IntOrString* 3endPort:i*
networking.NetworkPolicySpec 1podSelector:@meta.LabelSelector! 2ingress:[@networking.NetworkPolicyIngressRule] 3egress:[@networking.NetworkPolicyEgressRule] 4policyTypes:[s]
networking.ServiceBackendPort^a 1name:s 2number:i
node.Overhead 1podFixed:{@resource.Quantity}
node.RuntimeClass 1metadata:@meta.ObjectMeta 2handler:s! 3overhead:@node.Overhead* 4scheduling:@node.Scheduling*
node.Scheduling 1nodeSelector:{s}^a 2tolerations:[@core.Toleration]
policy.Eviction 1metadata:@meta.ObjectMeta 2deleteOptions:@meta.DeleteOptions*
policy.PodDisruptionBudget 1metadata:@meta.ObjectMeta 2spec:@policy.PodDisruptionBudgetSpec 3status:@policy.PodDisruptionBudgetStatus
policy.PodDisruptionBudgetSpec 1minAvailable:@intstr.IntOrString* 2selector:@meta.LabelSelector* 3maxUnavailable:@intstr.IntOrString* 4unhealthyPodEvictionPolicy:s*
policy.PodDisruptionBudgetStatus 1observedGeneration:l 2disruptedPods:{@meta.Time} 3disruptionsAllowed:i! 4currentHealthy:i! 5desiredHealthy:i! 6expectedPods:i! 7conditions:[@meta.Condition]~type^(type)
rbac.AggregationRule 1clusterRoleSelectors:[@meta.LabelSelector]
rbac.ClusterRole 1metadata:@meta.ObjectMeta 2rules:[@rbac.PolicyRule]! 3aggregationRule:@rbac.AggregationRule*
rbac.ClusterRoleBinding 1metadata:@meta.ObjectMeta 2subjects:[@rbac.Subject] 3roleRef:@rbac.RoleRef!
rbac.PolicyRule 1verbs:[s]! 2apiGroups:[s] 3resources:[s] 4resourceNames:[s] 5nonResourceURLs:[s]
rbac.Role 1metadata:@meta.ObjectMeta 2rules:[@rbac.PolicyRule]!
rbac.RoleBinding 1metadata:@meta.ObjectMeta 2subjects:[@rbac.Subject] 3roleRef:@rbac.RoleRef!
rbac.RoleRef^a 1apiGroup:s! 2kind:s! 3name:s!
rbac.Subject^a 1kind:s! 2apiGroup:s 3name:s! 4namespace:s
resource.Quantity 1string:s?
runtime.RawExtension 1-:y!
scheduling.PriorityClass 1metadata:@meta.ObjectMeta 2value:i! 3globalDefault:b 4description:s 5preemptionPolicy:s*
storage.StorageClass 1metadata:@meta.ObjectMeta 2provisioner:s! 3parameters:{s} 4reclaimPolicy:s* 5mountOptions:[s] 6allowVolumeExpansion:b* 7volumeBindingMode:s* 8allowedTopologies:[@core.TopologySelectorTerm]
`;
