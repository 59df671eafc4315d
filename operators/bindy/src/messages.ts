// The exact words of conditions (5.6, 5.7). Names and numbers go in, one sentence comes out; nothing is decided here.
import { names, type SafeText, text } from "@telltale/status";

/** `cause` is a whole clause: `pods are crashing`, or a message of 6.1. */
export const instanceSays = {
  allReady: (count: number): SafeText => text`All ${count} pods are ready`,
  someReady: (ready: number, total: number): SafeText => text`${ready}/${total} pods are ready`,
  unknown: (ready: number, total: number, unknown: number): SafeText =>
    text`${ready}/${total} pods are ready, ${unknown} unknown`,
  noneReady: (): SafeText => text`No pods are ready`,
  noneReadyBecause: (cause: SafeText): SafeText => text`No pods are ready: ${cause}`,
  noChildren: (): SafeText => text`No pods found for this instance`,
  waiting: (): SafeText => text`Waiting for pods to become ready`,
  pending: (): SafeText => text`No pods are ready: waiting for pods to be scheduled`,
  crashing: (): SafeText => text`No pods are ready: pods are crashing`,
  deadlineExceeded: (): SafeText => text`No pods are ready: deployment exceeded its progress deadline`,
  createFailed: (error: SafeText): SafeText => text`Failed to create resources: ${error}`,
  unreadable: (): SafeText => text`Unable to determine deployment status`,
  unread: (error: SafeText): SafeText => text`Unable to determine the state of the instance: ${error}`,
} as const;

/** What a 403 on a Secret becomes in `createFailed` (12.1). */
export const secretsForbidden = (namespace: string): SafeText =>
  text`operator may not create secrets in namespace ${namespace}`;

/** A 403 on reading a Secret. */
export const secretsUnreadable = (namespace: string): SafeText =>
  text`operator may not read secrets in namespace ${namespace}`;

export const clusterSays = {
  allReady: (count: number): SafeText => text`All ${count} instances are ready`,
  someReady: (ready: number, total: number): SafeText => text`${ready}/${total} instances are ready`,
  unknown: (ready: number, total: number, unknown: number): SafeText =>
    text`${ready}/${total} instances are ready, ${unknown} unknown`,
  noneReady: (): SafeText => text`No instances are ready`,
  noChildren: (): SafeText => text`No instances found for this cluster`,
  created: (count: number): SafeText => text`Created ${count} instances, waiting for them to become ready`,
  scaling: (ready: number, total: number): SafeText =>
    text`Scaling instances to ${total}: ${ready}/${total} instances are ready`,
  pending: (missing: number, desired: number): SafeText =>
    text`Waiting for ${missing} of ${desired} instances to be created`,
  /** After any of these: what is in the way. */
  because: (said: SafeText, cause: SafeText): SafeText => text`${said}: ${cause}`,
  /** Surplus instances that may serve are removed only when the others are known to be ready. */
  kept: (said: SafeText, instances: readonly string[]): SafeText =>
    text`${said}; ${names(instances)} stays until the others of its role are ready`,
} as const;

/** Clusters are named `namespace/name`; at most five are shown. */
export const globalClusterSays = {
  allReady: (clusters: readonly string[]): SafeText =>
    text`All ${clusters.length} clusters are ready (${names(clusters)})`,
  someReady: (ready: number, total: number, notReady: readonly string[]): SafeText =>
    text`${ready}/${total} clusters are ready (not ready: ${names(notReady)})`,
  unknown: (ready: number, total: number, unknown: readonly string[]): SafeText =>
    text`${ready}/${total} clusters are ready (unknown: ${names(unknown)})`,
  noneReady: (clusters: readonly string[]): SafeText => text`No clusters are ready (${names(clusters)})`,
  noChildren: (): SafeText => text`No clusters found for this global cluster`,
} as const;

export const invalid = (path: string, problem: SafeText): SafeText => text`Invalid configuration: ${path}: ${problem}`;
export const beingDeleted = (kind: string, name: string): SafeText => text`${kind} ${name} is being deleted`;

const detail = (said: string | undefined): SafeText => (said === undefined ? text`` : text` (${said})`);

/** The second word is the name, always: the slots of pods are found by it again. */
export const podSays = {
  ready: (name: string): SafeText => text`Pod ${name} is ready`,
  unscheduled: (name: string, why?: SafeText): SafeText => text`Pod ${name} is waiting to be scheduled${detail(why)}`,
  crashing: (name: string, container: string, waiting: string, restarts: number): SafeText =>
    text`Pod ${name} is crashing (container ${container}: ${waiting}, ${restarts} restarts)`,
  starting: (name: string, container: string, waiting: string): SafeText =>
    text`Pod ${name} is progressing (container ${container}: ${waiting})`,
  blocked: (name: string, container: string, waiting: string): SafeText =>
    text`Pod ${name} is not ready (container ${container}: ${waiting})`,
  notReady: (name: string, reason?: string): SafeText => text`Pod ${name} is not ready${detail(reason)}`,
  lost: (name: string): SafeText => text`Pod ${name} state is unknown (node unreachable)`,
  notProbed: (name: string): SafeText => text`Pod ${name} has not answered a probe yet`,
  silent: (name: string): SafeText => text`Pod ${name} has not answered a probe for 5 minutes`,
  bindcar: (name: string, phrase: SafeText): SafeText => text`Pod ${name} ${phrase}`,
  /** Whether it could not reach them or they refused is not known. */
  notFetched: (name: string, zone: string): SafeText =>
    text`Pod ${name} has not got zone ${zone} from any of its primaryServers`,
  behind: (name: string, zone: string, have: number, want: number): SafeText =>
    text`Pod ${name} has not transferred zone ${zone} (serial ${have}, expected ${want})`,
} as const;

/** How many pods of an instance are ready, of how many. */
export interface PodCount {
  readonly ready: number;
  readonly total: number;
}

const pods = ({ ready, total }: PodCount): SafeText => text`${ready}/${total} pods`;

/** The second word is the name, always. */
export const childInstanceSays = {
  ready: (name: string, count: PodCount): SafeText => text`Instance ${name} is ready (${pods(count)})`,
  progressing: (name: string, count: PodCount): SafeText => text`Instance ${name} is progressing (${pods(count)})`,
  stale: (name: string, count: PodCount, generation: number): SafeText =>
    text`Instance ${name} is progressing (${pods(count)}, waiting for generation ${generation})`,
  beingDeleted: (name: string): SafeText => text`Instance ${name} is being deleted`,
  noneReady: (name: string, count: PodCount): SafeText => text`Instance ${name} has no ready pods (${pods(count)})`,
  pending: (name: string, count: PodCount): SafeText =>
    text`Instance ${name} is waiting for pods to be scheduled (${pods(count)})`,
  crashing: (name: string, count: PodCount): SafeText => text`Instance ${name} has crashing pods (${pods(count)})`,
  noPods: (name: string): SafeText => text`Instance ${name} has no pods`,
  deadlineExceeded: (name: string, count: PodCount): SafeText =>
    text`Instance ${name} exceeded its progress deadline (${pods(count)})`,
  notProbed: (name: string, count: PodCount): SafeText =>
    text`Instance ${name} has pods that have not answered a probe (${pods(count)})`,
  failedCreate: (name: string, count: PodCount, why: SafeText): SafeText =>
    text`Instance ${name} is not as its spec asks (${pods(count)}): ${why}`,
  unknown: (name: string, count: PodCount): SafeText =>
    text`Instance ${name} is not known to be ready (${pods(count)})`,
  invalid: (name: string): SafeText => text`Instance ${name} has an invalid configuration`,
  bindcar: (name: string, phrase: SafeText, count: PodCount): SafeText =>
    text`Instance ${name} ${phrase} (${pods(count)})`,
} as const;

export const zoneSays = {
  configured: (zone: string, at: { primaries: number; secondaries: number; endpoints: number; records: number }) =>
    text`Zone ${zone} configured on ${at.primaries} primary and ${at.secondaries} secondary instance(s) (${at.endpoints} endpoint(s)), discovered ${at.records} DNS record(s)`,
  partial: (zone: string, primaries: PodCount, secondaries: PodCount, pending: number, unknown: number): SafeText => {
    const said = text`Zone ${zone} configured on ${primaries.ready}/${primaries.total} primary and ${secondaries.ready}/${secondaries.total} secondary instance(s) - ${pending} instance(s) pending`;
    return unknown === 0 ? said : text`${said}, ${unknown} of them could not be asked`;
  },
  /** What some servers have is unknown, and nothing is known to be wrong with the others. */
  unknown: (zone: string, ready: number, total: number, unknown: number, why: SafeText): SafeText =>
    text`Zone ${zone} is on ${ready}/${total} instance(s), ${unknown} could not be asked: ${why}`,
  /** Owners are named `namespace/name`. */
  duplicate: (zone: string, owners: readonly string[]): SafeText =>
    text`Zone '${zone}' is already claimed by: ${names(owners)}`,
  degraded: (zone: string): SafeText =>
    text`Zone ${zone} reconciliation completed with degraded state - see Degraded condition for details`,
} as const;

/** `type` is what DNS calls it: A, AAAA, TXT. */
export const recordSays = {
  added: (type: string, zone: string): SafeText => text`${type} record added to zone ${zone}`,
  notSelected: (): SafeText => text`Record not selected by any DNSZone recordsFrom selector`,
  zoneNotFound: (zone: { readonly namespace: string; readonly name: string }): SafeText =>
    text`Referenced DNSZone ${zone.namespace}/${zone.name} not found`,
  zoneNotConfigured: (why: SafeText): SafeText => text`DNSZone has no instances: ${why}`,
  noPrimaries: (): SafeText => text`DNSZone has no primary instances configured`,
  failed: (why: SafeText): SafeText => text`Failed to add record to zone: ${why}`,
  unanswered: (zone: string, why: SafeText): SafeText =>
    text`Unknown whether zone ${zone} has the record, no primary could be asked: ${why}`,
  conflict: (
    type: string,
    fqdn: string,
    other: { readonly kind: string; readonly namespace: string; readonly name: string },
  ): SafeText => text`${type} record ${fqdn} conflicts with ${other.kind} ${other.namespace}/${other.name}`,
  invalid: (field: string, why: SafeText): SafeText => text`Invalid record data: ${field}: ${why}`,
} as const;
