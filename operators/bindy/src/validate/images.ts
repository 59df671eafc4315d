// Images and versions: from a registry that is allowed, and never whatever happens to be the latest (12.2).
import { text } from "@telltale/status";
import { type Problem, unless } from "./problem.ts";

/** The registries that are allowed; none: all are. */
export interface ImageRules {
  readonly imageRegistries: readonly string[];
}

export function* imageProblems(path: string, image: string | undefined, rules: ImageRules): Iterable<Problem> {
  if (image === undefined) return;
  const allowed = rules.imageRegistries;
  const isAllowed = allowed.length === 0 || allowed.some((registry) => image.startsWith(`${registry}/`));
  yield* unless(isAllowed, path, text`is not from a registry that the operator allows`);
  yield* unless(isPinned(image), path, text`names no version: give a tag other than latest, or a digest`);
}

/** A version becomes the tag of the standard image. */
export function* versionProblems(path: string, version: string | undefined): Iterable<Problem> {
  yield* unless(version !== "latest", path, text`is no version: give one as in 9.18`);
}

function isPinned(image: string): boolean {
  if (/@sha256:[0-9a-f]{64}$/.test(image)) return true;
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag !== undefined && tag !== "latest";
}
