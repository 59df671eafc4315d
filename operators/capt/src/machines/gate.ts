// Who of the machines and what makes them is left alone: those of others, the paused ones, and new work for a Cluster that goes.
import type { KindRef, KubeObject, Ms } from "@telltale/kinds";
import type { Look } from "@telltale/runtime";
import type { SafeText } from "@telltale/status";
import type { Config } from "../config.ts";
import type { Cluster } from "../kinds/cluster.ts";
import { labels, labelValue } from "../names.ts";
import { pauseOf } from "../pause.ts";
import { anyCluster, type ServerKinds } from "../server.ts";

export interface MachineSenses {
  readonly config: Config;
  readonly kinds: ServerKinds;
}

export type Passage = "go" | "ignore" | { readonly again: Ms } | { readonly paused: SafeText };

/** How often is looked although nobody told of anything: a status that somebody took away has to come back (API-11). */
export const recheck: Ms = 300_000;

export const clusterIndex = "cluster by its label";
export const clusterLabel = ({ metadata }: KubeObject): readonly string[] => [
  `${metadata?.namespace}/${labelValue(metadata?.name ?? "")}`,
];

export function passageOf(object: KubeObject, look: Pick<Look, "where">, { config, kinds }: MachineSenses): Passage {
  const { metadata = {} } = object;
  const { watchFilter } = config;
  if (watchFilter !== undefined && metadata.labels?.[labels.watchFilter] !== watchFilter) return "ignore";
  // One that was stored under another definition: there is nothing to do for it.
  if ((object as { readonly spec?: unknown }).spec === undefined) return "ignore";
  const cluster = clusterOf(object, look, anyCluster(kinds));
  const paused = pauseOf(object, cluster);
  if (paused !== undefined) return { paused };
  const isLate = cluster?.metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp === undefined;
  return isLate ? { again: 10_000 } : "go";
}

/** By the label: a machine need not be owned by its Cluster. */
const clusterOf = ({ metadata }: KubeObject, look: Pick<Look, "where">, kind: KindRef<Cluster>): Cluster | undefined =>
  look.where(kind, clusterIndex, `${metadata?.namespace}/${metadata?.labels?.[labels.clusterName] ?? ""}`)[0];

/** Labels that what an object makes takes over: whose cluster it is, and who looks after it. */
export function inherited({ metadata }: KubeObject): Readonly<Record<string, string>> {
  const kept = [labels.clusterName, labels.watchFilter] as const;
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = metadata?.labels?.[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
