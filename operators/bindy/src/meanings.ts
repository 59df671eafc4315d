// What each reason means, where it usually comes from, where to look, and what to do. The kinds, the reference and the
// troubleshooting guide all take their words from here (5.5, 5.6, 13.2).
import { type ConditionStatus, on, type Reason } from "@telltale/kinds";

export interface Meaning {
  readonly means: string;
  readonly fix: string;
  /** The usual cause, where there is one that a person can do something about. */
  readonly cause?: string;
  /** Where it shows. */
  readonly look?: string;
}

const nothing = "nothing to do";

const good = (means: string): Meaning => ({ means, fix: nothing });
const wait = (means: string): Meaning => ({ means, fix: "wait" });

/** In the order of the constants. */
export const meanings = {
  AllReady: good("Every child that is wanted is ready"),
  Ready: good("This child is ready"),
  PartiallyReady: {
    means: "Some children are ready, but not all",
    cause: "one child is down, or is being replaced",
    look: "the child conditions that are not True",
    fix: "read the child conditions that are False, and treat those children",
  },
  NotReady: {
    means:
      "No child is ready and there is no single cause, or the pod's readiness fails; Unknown: it could not be read",
    cause:
      "an image that cannot be pulled, a failing readiness probe, an API server that does not answer, or mixed causes",
    look: "`kubectl describe pod`, and the log of the operator",
    fix: "read the message and the children, then the events and logs of the pod",
  },
  FailedCreate: {
    means: "The API server refused an object of the instance, so its spec is not applied",
    cause: "the role `bindy-secrets-writer` is not bound in the namespace, a quota, or an object of the same name",
    look: "the message: it names the object and the refusal",
    fix: "grant what is missing, or remove the object that is in the way; it is tried again",
  },
  NotProbed: {
    means: "The kubelet calls the pod ready, and its Bindcar has not answered yet, or not for 5 minutes",
    cause: "a pod that has just started; when it lasts, Bindcar is busy or cannot be reached",
    look: "`kubectl logs POD -c api`, and the network policy of the namespace",
    fix: "wait for the next probe; when it lasts, treat it as BindcarUnreachable",
  },
  NoChildren: {
    means: "Nothing is wanted and nothing exists",
    cause: "replicas is 0, or not set",
    look: "`.spec.primary.replicas` and `.spec.secondary.replicas`",
    fix: "set replicas, or leave it if that is what you want",
  },
  Progressing: {
    means: "Objects are being made or deleted, or a change has not been seen yet",
    cause: "a normal start, or a finalizer that is stuck",
    look: "the age of the condition, and the finalizers of the object",
    fix: "wait; if it lasts for more than 10 minutes, look at the child, or find what blocks the deletion",
  },
  ConfigurationValid: good("A spec that was invalid has become valid"),
  ConfigurationInvalid: {
    means: "The spec is refused, and nothing was changed in the cluster",
    cause: "a field that is refused",
    look: "the message: it names the field",
    fix: "correct the field that the message names",
  },
  MinimumReplicasAvailable: good("Enough pods serve, although fewer than wanted are ready"),
  ProgressDeadlineExceeded: {
    means: "The Deployment has made no progress for too long",
    cause: "a Deployment that is stuck for 600 seconds",
    look: "`kubectl rollout status deployment/NAME`",
    fix: "check the image, the quota and the room on the nodes",
  },
  RNDCAuthenticationFailed: {
    means: "named refuses the key of Bindcar",
    cause: "a key that was replaced without a restart, or clocks that differ",
    look: "the age of the Secret and the start of the pod; `date` on the nodes",
    fix: "compare the Secret with the key that runs, and restart the pod; synchronise the clocks",
  },
  BindcarUnreachable: {
    means: "Bindcar does not answer, or answers with something that is no answer",
    cause: "the `api` container is down, the port is wrong, or a network policy is in the way",
    look: "`kubectl get pod -o wide`; `kubectl port-forward POD 8080` and `curl localhost:8080/api/v1/health`",
    fix: "restart the pod, open the network policy, or correct `bindcarConfig.port`",
  },
  ZoneTransferComplete: good("A secondary that was behind has the serial of its primary"),
  ZoneTransferFailed: {
    means: "A secondary has been behind the serial of the zone for more than 120 seconds",
    cause: "allow-transfer, a firewall, or a primary that is down",
    look: "`dig SOA` on both servers; `xfer-in` in the log of the secondary",
    fix: "check allow-transfer, the key and the network between the two",
  },
  PodsPending: {
    means: "The pod has no node yet",
    cause: "no room, taints, or a volume that cannot be bound",
    look: "the events of the pod: `FailedScheduling`",
    fix: "free room, or correct selectors and tolerations",
  },
  PodsCrashing: {
    means: "A container ends with an error again and again",
    cause: "a bad configuration, missing permissions, or a bad key",
    look: "`kubectl logs --previous POD -c bind9`",
    fix: "correct the configuration; `named-checkconf` on the data of the ConfigMap says what is wrong",
  },
  BindcarBadRequest: {
    means: "Bindcar refuses what the operator sends (400)",
    cause: "versions of operator and Bindcar that do not match",
    look: "the log of the `api` container, and the tags of the images",
    fix: "use versions that match; otherwise report it: it is a defect of the operator",
  },
  BindcarAuthFailed: {
    means: "Bindcar does not accept the operator's token (401, 403)",
    cause: "the audience of the token, the allow-list, or missing rights of the account `bind9`",
    look: "the refusal in the log of the `api` container; `kubectl auth can-i create tokenreviews --as=system:serviceaccount:NS:bind9`",
    fix: "bind `bindcar-tokenreview` in the namespace, or correct `BIND_ALLOWED_SERVICE_ACCOUNTS`",
  },
  ZoneNotFound: {
    means: "A zone is missing on a pod (404), or the DNSZone that a record names is gone",
    cause: "a pod that lost its storage, or a zone that was removed by hand",
    look: "`curl .../api/v1/zones/ZONE/status`, and the conditions of the DNSZone",
    fix: "wait: the operator makes the zone again; if it stays, read the log of the `api` container",
  },
  BindcarInternalError: {
    means: "Bindcar failed (500)",
    cause: "named is down, a zone is bad, or a disk is full",
    look: "the logs of the containers `api` and `bind9`",
    fix: "do what the logs say",
  },
  BindcarNotImplemented: {
    means: "Bindcar cannot do what the operator needs (501)",
    cause: "an old Bindcar",
    look: "the version in `/api/v1/health`",
    fix: "use a newer image of Bindcar",
  },
  GatewayError: {
    means: "Something between the operator and the pod refuses (502, 503, 504)",
    cause: "a service mesh or a proxy, or Bindcar is restarting",
    look: "the logs of the proxy, and the restarts of the `api` container",
    fix: "wait, then check the service mesh and the network policies",
  },
  InstancesCreated: wait("The first instances are made, and none is ready yet"),
  InstancesScaling: {
    means: "The set of instances is being changed",
    cause: "a new instance that does not become ready, when it lasts",
    look: "the child condition of that instance",
    fix: "wait; if it lasts, treat the instance",
  },
  InstancesPending: {
    means: "Instances are wanted, and none could be made yet",
    cause: "a quota, or missing rights",
    look: "the log and the events of the operator",
    fix: "grant the rights, or raise the quota",
  },
  ClustersReady: good("Every Bind9Cluster that is wanted is ready"),
  ClustersProgressing: {
    means: "Some clusters are ready, partly ready, or still being made",
    cause: "a cluster that is not ready, or a namespace that does not exist",
    look: "the message: it names the clusters",
    fix: "look at the clusters that the message names, or make the namespace",
  },
  UpstreamUnreachable: {
    means: "A secondary has not got a zone from any of spec.primaryServers for more than 120 seconds",
    cause: "the network to the external primary, or it refuses the transfer",
    look: "`dig @PRIMARY ZONE SOA` from the pod",
    fix: "open the network to the external primary",
  },
  PrimaryReconciling: wait("The primaries are being configured"),
  SecondaryReconciling: wait("The secondaries are being configured"),
  ReconcileComplete: good("The last pass is over"),
  PrimaryFailed: {
    means: "There is no primary, or every primary refused the zone",
    cause: "no primary among the targets, or Bindcar trouble on all of them",
    look: "`.status.bind9Instances`, and the conditions of the instances",
    fix: "read the message; treat the primaries that it names, or add one",
  },
  SecondaryFailed: {
    means: "The primaries have the zone, secondaries do not",
    cause: "Bindcar trouble or failing transfers on the secondaries",
    look: "`.status.bind9Instances`, and the conditions of the instances",
    fix: "treat the secondaries that the message names",
  },
  PartialReconciliation: {
    means: "Some instances lack the zone",
    cause: "an instance that is not ready",
    look: "`.status.bind9Instances`",
    fix: "treat the instances that are not Configured",
  },
  ReconcileSucceeded: good("Everything is in place"),
  ReconcileDegraded: {
    means: "The zone is served, but not everything is in place",
    cause: "secondaries or records with a problem",
    look: "the condition Degraded",
    fix: "read the condition Degraded",
  },
  DuplicateZone: {
    means: "Another, older DNSZone has the same zone name",
    cause: "two DNSZones with one name",
    look: "`kubectl get dnszones -A`",
    fix: "delete the newer one, or give it another name",
  },
  NoTargets: {
    means: "References and selectors match no instance that this zone may use",
    cause: "labels that do not match, or a missing annotation on the instance",
    look: "labels and annotations of the instances",
    fix: "label the instances, or give them the annotation bindy.firestoned.io/allow-zone-namespaces",
  },
  NotSelected: {
    means: "No DNSZone selects the record",
    cause: "labels or namespace differ",
    look: "the labels of the record and `recordsFrom` of the DNSZone",
    fix: "label the record, in the namespace of the DNSZone",
  },
  ZoneNotConfigured: {
    means: "The DNSZone of the record is on no instance",
    cause: "a DNSZone that is not ready",
    look: "the conditions of the DNSZone",
    fix: "treat the DNSZone",
  },
  NoPrimaryInstances: {
    means: "The DNSZone of the record has no primary to write to",
    cause: "all targets are secondaries",
    look: "`.status.bind9Instances` of the DNSZone",
    fix: "add a primary to the targets of the DNSZone, or change the record on the external primary",
  },
  ReconcileFailed: {
    means: "The record could not be written",
    cause: "Bindcar trouble on the primaries",
    look: "the conditions of the DNSZone and its instances",
    fix: "read the message; it is tried again",
  },
  RecordConflict: {
    means: "The record cannot stand beside another one",
    cause: "a CNAME beside other data of the same name",
    look: "the message: it names the other record",
    fix: "remove one of the two",
  },
  InvalidRecordData: {
    means: "The data of the record is refused",
    cause: "a value that DNS does not allow there",
    look: "the message: it names the field",
    fix: "correct the field that the message names",
  },
} as const satisfies Readonly<Record<string, Meaning>>;

/** Every reason that a condition or an event of ours can give. */
export type ReasonName = keyof typeof meanings;

/** These reasons, with their meanings, for these statuses. */
export function because<const S extends ConditionStatus, const N extends ReasonName>(
  statuses: readonly [S, ...S[]],
  names: readonly N[],
): { readonly [R in N]: Reason<S> } {
  const entries = names.map((name) => [name, on(statuses, meanings[name].means, meanings[name].fix)] as const);
  // The names are those that the type is made from.
  return Object.fromEntries(entries) as { readonly [R in N]: Reason<S> };
}
