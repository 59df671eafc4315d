// What a set's spec asks for, in numbers (3.4): defaults resolved, shares counted, and what is wrong with it. Pure.
import { formatSelector, type Ms, matchesSelector, resolveIntOrPercent } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { lengthOr } from "../durations.ts";
import type { VMSet } from "../kinds/index.ts";
import { annotations } from "../names.ts";
import { claimNamesOf, labelsOf, nameOf } from "./objects.ts";

export interface Rules {
  readonly replicas: number;
  readonly start: number;
  readonly strategy: "RollingUpdate" | "OnDelete" | "Recreate";
  readonly isOrdered: boolean;
  /** Ordinals below it keep the current revision. */
  readonly partition: number;
  readonly maxUnavailable: number;
  readonly maxSurge: number;
  readonly minReady: Ms;
  /** How long a machine gets to become available. */
  readonly deadline: Ms;
  readonly historyLimit: number;
  readonly isPaused: boolean;
  readonly dropsScaled: boolean;
  readonly dropsDeleted: boolean;
  readonly selector: string;
}

const standard = { share: "25%", deadline: 600_000, history: 10 } as const;

export function rulesOf({ metadata, spec }: VMSet): Rules {
  const { replicas = 1, ordinals, updateStrategy, minReadySeconds = 0, revisionHistoryLimit } = spec;
  const { type: strategy = "RollingUpdate", rollingUpdate = {} } = updateStrategy ?? {};
  const { maxUnavailable = standard.share, maxSurge = standard.share, partition = 0 } = rollingUpdate;
  const { podManagementPolicy = "OrderedReady" } = rollingUpdate;
  const { whenScaled, whenDeleted } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  const surge = resolveIntOrPercent(maxSurge, replicas, "up") ?? 0;
  const down = resolveIntOrPercent(maxUnavailable, replicas, "down") ?? 0;
  return {
    replicas,
    start: ordinals?.start ?? 0,
    strategy,
    isOrdered: podManagementPolicy === "OrderedReady",
    partition: strategy === "RollingUpdate" ? partition : 0,
    // Nothing could ever be replaced without either.
    maxUnavailable: surge === 0 ? Math.max(1, down) : down,
    maxSurge: strategy === "RollingUpdate" ? surge : 0,
    minReady: minReadySeconds * 1_000,
    deadline: lengthOr(metadata.annotations?.[annotations.progressDeadline], standard.deadline),
    historyLimit: revisionHistoryLimit ?? standard.history,
    isPaused: metadata.annotations?.[annotations.paused] === "true",
    dropsScaled: whenScaled === "Delete",
    dropsDeleted: whenDeleted === "Delete",
    selector: formatSelector(spec.selector),
  };
}

const longestName = 63;

/** What is wrong with a spec, the first of it. */
export function problemOf(set: VMSet): SafeText | undefined {
  const { selector, updateStrategy, replicas = 1, ordinals } = set.spec;
  const isEmpty = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
  if (isEmpty) return text`spec.selector is empty, and would select every machine`;
  if (!matchesSelector(selector, labelsOf(set, { ordinal: 0, hash: "x" }))) {
    return text`spec.selector does not select the machines that spec.template makes`;
  }
  const { maxSurge } = rulesOf(set);
  const largest = (ordinals?.start ?? 0) + Math.max(0, replicas - 1) + maxSurge;
  const name = nameOf(set, largest);
  if (name.length > longestName) return text`metadata.name: ${name} has more than ${longestName} characters`;
  for (const field of ["maxUnavailable", "maxSurge"] as const) {
    const share = updateStrategy?.rollingUpdate?.[field] ?? standard.share;
    if (resolveIntOrPercent(share, replicas, "down") === undefined) {
      return text`spec.updateStrategy.rollingUpdate.${field}: ${share} is neither a number nor a percentage`;
    }
  }
  const claims = claimNamesOf(set, 0);
  return new Set(claims).size === claims.length ? undefined : text`spec.volumeClaimTemplates: two have the same name`;
}
