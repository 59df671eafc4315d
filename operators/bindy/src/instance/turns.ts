// Whose turn it is to roll: one server of a cluster at a time, secondaries first (8.4). Who rolls is seen in the Deployments
// themselves; only who waits is remembered here, and losing it costs two seconds.
import { type Instant, type Ms, parseTime } from "@telltale/kinds";
import type { Deployment } from "@telltale/kinds/builtin";
import { findCondition } from "@telltale/status";
import type { Bind9Instance } from "../kinds/index.ts";
import { CONDITION_TYPE_READY } from "../reasons.ts";

/** Long enough for all who want to roll to have said so. */
const gathering: Ms = 2_000;
/** After so long nobody waits for a server that does not become ready. */
export const turnLimit: Ms = 600_000;

interface Waiting {
  readonly since: Instant;
  readonly order: string;
  /** The server that it waits for, where that was reported. */
  reported?: string;
}

/** Whether an instance may roll, or what it waits for. `isNews`: it was not reported yet. */
export type Turn =
  | { readonly kind: "go" }
  | { readonly kind: "wait" }
  | { readonly kind: "waitsFor"; readonly instance: string; readonly isNews: boolean };

export class Turns {
  readonly #waiting = new Map<string, Map<string, Waiting>>();

  /** Whether it may roll now. `siblings`: the other servers of the cluster. */
  ask(cluster: string, it: Bind9Instance, siblings: readonly Sibling[], now: Instant): Turn {
    const uid = it.metadata.uid ?? "";
    const all = this.#waiting.get(cluster) ?? new Map<string, Waiting>();
    this.#waiting.set(cluster, all);
    const before = all.get(uid);
    // From the future: the clock was ahead then, and has been put right.
    const mine = before === undefined || before.since > now ? { since: now, order: orderOf(it) } : before;
    all.set(uid, mine);
    const present = new Set([uid, ...siblings.map(({ instance }) => instance.metadata.uid ?? "")]);
    for (const known of all.keys()) if (!present.has(known)) all.delete(known);
    if (now - mine.since < gathering) return { kind: "wait" };
    const busy = siblings.find((sibling) => isBusy(sibling, now));
    if (busy !== undefined) return waitsFor(busy, mine);
    return { kind: [...all.values()].every(({ order }) => order >= mine.order) ? "go" : "wait" };
  }

  /** It rolls, or has no reason to. */
  done(cluster: string, uid: string): void {
    const all = this.#waiting.get(cluster);
    all?.delete(uid);
    if (all?.size === 0) this.#waiting.delete(cluster);
  }
}

export interface Sibling {
  readonly instance: Bind9Instance;
  readonly deployment: Deployment | undefined;
}

function waitsFor({ instance, deployment }: Sibling, mine: Waiting): Turn {
  const { name = "" } = instance.metadata;
  if (deployment !== undefined && isRolling(deployment)) return { kind: "wait" };
  const isNews = mine.reported !== name;
  mine.reported = name;
  return { kind: "waitsFor", instance: name, isNews };
}

/** Rolling, or not ready since not long ago. One that may be ready is waited for while it is unknown. */
function isBusy({ instance, deployment }: Sibling, now: Instant): boolean {
  if (instance.metadata.deletionTimestamp !== undefined) return false;
  if (deployment !== undefined && isRolling(deployment)) return !isOverdue(deployment);
  const ready = findCondition(instance.status?.conditions, CONDITION_TYPE_READY);
  if (ready === undefined) return deployment !== undefined;
  if (ready.status === "Unknown") return true;
  // It has just been replaced, and its status does not know yet.
  if (ready.status === "True") return deployment !== undefined && isShort(deployment);
  if (ready.reason === "ConfigurationInvalid" || ready.reason === "NoChildren") return false;
  return now - (parseTime(ready.lastTransitionTime) ?? now) < turnLimit;
}

/** The Deployment has not come to what it is asked for. */
export function isRolling({ metadata, spec, status }: Deployment): boolean {
  const { replicas = 1 } = spec ?? {};
  const { observedGeneration = 0, updatedReplicas = 0, replicas: present = 0 } = status ?? {};
  return observedGeneration < (metadata?.generation ?? 0) || updatedReplicas !== replicas || present !== replicas;
}

/** Some of its pods are not available. */
const isShort = ({ status }: Deployment): boolean => (status?.unavailableReplicas ?? 0) > 0;

/** It has given up, and what it says is about the newest spec. */
export function isOverdue({ metadata, status }: Deployment): boolean {
  if ((status?.observedGeneration ?? 0) < (metadata?.generation ?? 0)) return false;
  const progress = status?.conditions?.find(({ type }) => type === "Progressing");
  return progress?.status === "False" && progress.reason === "ProgressDeadlineExceeded";
}

/** Secondaries first, then by name, numbers as numbers. */
function orderOf({ metadata, spec }: Bind9Instance): string {
  const name = (metadata.name ?? "").replace(/\d+/g, (digits) => digits.padStart(10, "0"));
  return `${spec.role === "secondary" ? 0 : 1} ${name}`;
}
