// What of a pod a level does not allow. Pure.
import { checks, type PodLike, type Violation } from "./checks.ts";
import type { LevelVersion } from "./policy.ts";

/** In the order of the checks; nothing for a pod that the level allows. */
export function violations({ level, minor }: LevelVersion, pod: PodLike): Violation[] {
  if (level === "privileged") return [];
  const held = checks
    .filter((check) => level === "restricted" || check.level === "baseline")
    .flatMap(({ id, since, replaces }) => {
      const rule = since.findLast(([first]) => first <= minor)?.[1];
      return rule === undefined ? [] : [{ id, rule, replaces }];
    });
  const replaced = new Set(held.map((check) => check.replaces));
  return held.filter(({ id }) => !replaced.has(id)).flatMap(({ rule }) => rule(pod) ?? []);
}

/** `privileged (container "a" must not …), hostPort (…)` */
export const explained = (found: readonly Violation[]): string =>
  found.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
