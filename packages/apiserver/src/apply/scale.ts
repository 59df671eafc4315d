// Ownership seen through /scale: the replicas of the parent are the replicas of the Scale, and back.
import type { Json, JsonObject } from "../json.ts";
import { FieldSet, fieldSetOf } from "./fieldset.ts";
import { decodeManagers, encodeManagers, type Manager } from "./managers.ts";

/** Where the replicas are, by version of the parent: `{ "apps/v1": ["spec", "replicas"] }`. */
export type ScalePaths = Readonly<Record<string, readonly string[]>>;

const scaleVersion = "autoscaling/v1";
const scaleReplicas = fieldSetOf(["spec", "replicas"]);

/** The entries of the Scale: of the parent's managers those that own the replicas. */
export function toScale(parent: Json | undefined, paths: ScalePaths): JsonObject[] {
  const owners = [...(decodeManagers(parent) ?? new Map<string, Manager>()).values()];
  return encodeManagers(
    owners
      .filter((manager) => ownsReplicas(manager, paths))
      .map((manager) => ({ ...manager, apiVersion: scaleVersion, set: scaleReplicas })),
  );
}

/**
 * The parent's entries after a write to its Scale. `apiVersion` is the version that the endpoint serves the parent in.
 * An updater is another one in the version of the Scale, so its replicas always come back as an entry of their own, and
 * entries that come from a Scale have no time: both seen on the real server.
 */
export function scaleToParent(
  parent: Json | undefined,
  scale: Json | undefined,
  paths: ScalePaths,
  apiVersion: string,
): JsonObject[] {
  const owners = new Map(decodeManagers(scale) ?? []);
  const out: Manager[] = [];
  for (const [id, manager] of decodeManagers(parent) ?? []) {
    if (!Object.hasOwn(paths, manager.apiVersion)) continue; // a version that is gone
    if (!ownsReplicas(manager, paths) || owners.delete(id)) {
      out.push(manager);
      continue;
    }
    const set = manager.set.difference(replicasOf(paths, manager.apiVersion));
    if (!set.isEmpty) out.push({ ...manager, set });
  }
  for (const manager of owners.values()) {
    if (manager.set.intersection(scaleReplicas).isEmpty) continue;
    out.push({ ...manager, apiVersion, time: undefined, set: replicasOf(paths, apiVersion) });
  }
  return encodeManagers(out);
}

const replicasOf = (paths: ScalePaths, apiVersion: string): FieldSet =>
  Object.hasOwn(paths, apiVersion) ? fieldSetOf([...(paths[apiVersion] ?? [])]) : FieldSet.empty;

const ownsReplicas = (m: Manager, paths: ScalePaths): boolean =>
  !m.set.intersection(replicasOf(paths, m.apiVersion)).isEmpty;
