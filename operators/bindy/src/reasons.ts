// Condition types and reasons: every word that a status of ours can say. What they mean is in `meanings.ts`.
import { childType, parseChildType } from "@telltale/kinds";

export const CONDITION_TYPE_READY = "Ready";
export const CONDITION_TYPE_BIND9_INSTANCE_PREFIX = "Bind9Instance";
export const CONDITION_TYPE_POD_PREFIX = "Pod";

/** `Bind9Instance-0` is the first. Throws where the index is no whole number from 0 on. */
export const bind9InstanceConditionType = (index: number) => childType(CONDITION_TYPE_BIND9_INSTANCE_PREFIX, index);
/** `Pod-0` is the first. Throws where the index is no whole number from 0 on. */
export const podConditionType = (index: number) => childType(CONDITION_TYPE_POD_PREFIX, index);
/** The index of a child's condition; null where the type is not that of a child. */
export const extractChildIndex = (type: string): number | null => parseChildType(type)?.index ?? null;

export const REASON_ALL_READY = "AllReady";
export const REASON_READY = "Ready";
export const REASON_PARTIALLY_READY = "PartiallyReady";
export const REASON_NOT_READY = "NotReady";
/** The API server refused an object of the instance. */
export const REASON_FAILED_CREATE = "FailedCreate";
/** Nothing is known of a pod that its kubelet calls ready: its Bindcar has not answered. */
export const REASON_NOT_PROBED = "NotProbed";
export const REASON_NO_CHILDREN = "NoChildren";
export const REASON_PROGRESSING = "Progressing";
export const REASON_CONFIGURATION_VALID = "ConfigurationValid";
export const REASON_CONFIGURATION_INVALID = "ConfigurationInvalid";
export const REASON_MINIMUM_REPLICAS_AVAILABLE = "MinimumReplicasAvailable";
export const REASON_PROGRESS_DEADLINE_EXCEEDED = "ProgressDeadlineExceeded";
export const REASON_RNDC_AUTHENTICATION_FAILED = "RNDCAuthenticationFailed";
export const REASON_BINDCAR_UNREACHABLE = "BindcarUnreachable";
export const REASON_ZONE_TRANSFER_COMPLETE = "ZoneTransferComplete";
export const REASON_ZONE_TRANSFER_FAILED = "ZoneTransferFailed";
export const REASON_PODS_PENDING = "PodsPending";
export const REASON_PODS_CRASHING = "PodsCrashing";
export const REASON_BINDCAR_BAD_REQUEST = "BindcarBadRequest";
export const REASON_BINDCAR_AUTH_FAILED = "BindcarAuthFailed";
export const REASON_ZONE_NOT_FOUND = "ZoneNotFound";
export const REASON_BINDCAR_INTERNAL_ERROR = "BindcarInternalError";
export const REASON_BINDCAR_NOT_IMPLEMENTED = "BindcarNotImplemented";
export const REASON_GATEWAY_ERROR = "GatewayError";
export const REASON_INSTANCES_CREATED = "InstancesCreated";
export const REASON_INSTANCES_SCALING = "InstancesScaling";
export const REASON_INSTANCES_PENDING = "InstancesPending";
export const REASON_CLUSTERS_READY = "ClustersReady";
export const REASON_CLUSTERS_PROGRESSING = "ClustersProgressing";
export const REASON_UPSTREAM_UNREACHABLE = "UpstreamUnreachable";

// Of zones and records.
export const REASON_PRIMARY_RECONCILING = "PrimaryReconciling";
export const REASON_SECONDARY_RECONCILING = "SecondaryReconciling";
export const REASON_RECONCILE_COMPLETE = "ReconcileComplete";
export const REASON_PRIMARY_FAILED = "PrimaryFailed";
export const REASON_SECONDARY_FAILED = "SecondaryFailed";
export const REASON_PARTIAL_RECONCILIATION = "PartialReconciliation";
export const REASON_RECONCILE_SUCCEEDED = "ReconcileSucceeded";
export const REASON_RECONCILE_DEGRADED = "ReconcileDegraded";
export const REASON_DUPLICATE_ZONE = "DuplicateZone";
export const REASON_NO_TARGETS = "NoTargets";
export const REASON_NOT_SELECTED = "NotSelected";
export const REASON_ZONE_NOT_CONFIGURED = "ZoneNotConfigured";
export const REASON_NO_PRIMARY_INSTANCES = "NoPrimaryInstances";
export const REASON_RECONCILE_FAILED = "ReconcileFailed";
export const REASON_RECORD_CONFLICT = "RecordConflict";
export const REASON_INVALID_RECORD_DATA = "InvalidRecordData";

/** What Bindcar, or the way to it, did wrong. The worst first: these never heal by themselves, the last often do (6.4). */
export const bindcarReasons = [
  REASON_BINDCAR_BAD_REQUEST,
  REASON_BINDCAR_AUTH_FAILED,
  REASON_RNDC_AUTHENTICATION_FAILED,
  REASON_ZONE_NOT_FOUND,
  REASON_BINDCAR_INTERNAL_ERROR,
  REASON_BINDCAR_NOT_IMPLEMENTED,
  REASON_GATEWAY_ERROR,
  REASON_BINDCAR_UNREACHABLE,
] as const;
export type BindcarReason = (typeof bindcarReasons)[number];

/** Why it may not be known what a server has of a zone: where the zone is missing, that is known. */
export const unansweredReasons = bindcarReasons.filter((it) => it !== REASON_ZONE_NOT_FOUND);
export type UnansweredReason = (typeof unansweredReasons)[number];
