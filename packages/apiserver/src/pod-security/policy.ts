// Which pods a namespace lets in: the levels and versions in its labels, and what holds where they say nothing. Pure.
import type { Json } from "../json.ts";
import { type FieldError, invalidField } from "../status.ts";

const levels = ["privileged", "baseline", "restricted"] as const;
/** From the most permissive to the strictest. */
export type Level = (typeof levels)[number];

/** A level as the rules of one minor version of Kubernetes 1 have it; Infinity is the latest. */
export interface LevelVersion {
  readonly level: Level;
  readonly minor: number;
}

const modes = ["enforce", "audit", "warn"] as const;
type Mode = (typeof modes)[number];
export type Policy = Readonly<Record<Mode, LevelVersion>>;

export const labelPrefix = "pod-security.kubernetes.io/";

/** `restricted:v1.30` */
export const shownAs = ({ level, minor }: LevelVersion): string =>
  `${level}:${minor === Number.POSITIVE_INFINITY ? "latest" : `v1.${minor}`}`;

export const isStricter = (a: Level, b: Level): boolean => levels.indexOf(a) > levels.indexOf(b);

export const isSame = (a: LevelVersion, b: LevelVersion): boolean => a.level === b.level && a.minor === b.minor;

const isEquivalent = (a: LevelVersion, b: LevelVersion): boolean =>
  (a.level === "privileged" && b.level === "privileged") || isSame(a, b);

export const isPrivileged = (policy: Policy): boolean => modes.every((mode) => policy[mode].level === "privileged");

export const levelProblem = "must be one of privileged, baseline, restricted";
export const versionProblem = 'must be "latest" or "v1.x"';

export const parseLevel = (text: string): Level | undefined => levels.find((level) => level === text);

export function parseVersion(text: string): number | undefined {
  if (text === "latest") return Number.POSITIVE_INFINITY;
  const minor = /^v1\.(0|[1-9]\d*)$/.exec(text)?.[1];
  return minor === undefined || !Number.isSafeInteger(Number(minor)) ? undefined : Number(minor);
}

type Labels = Readonly<Record<string, string>>;

/**
 * What the labels of a namespace come to. A level that cannot be read is restricted where it is enforced, and none where it
 * only warns; a version that cannot be read is the latest.
 */
export function policyOf(labels: Labels, defaults: Policy): { readonly policy: Policy; readonly errors: FieldError[] } {
  const errors: FieldError[] = [];
  const wrong = (label: string, value: Json, why: string) =>
    errors.push(invalidField(`metadata.labels[${label}]`, value, why));
  const read = (mode: Mode): LevelVersion & { readonly level: Level } => {
    let { level, minor } = defaults[mode];
    const [levelText, versionText] = [labels[labelPrefix + mode], labels[`${labelPrefix}${mode}-version`]];
    if (levelText !== undefined) {
      const known = parseLevel(levelText);
      if (known === undefined) wrong(labelPrefix + mode, levelText, levelProblem);
      level = known ?? (mode === "enforce" ? "restricted" : "privileged");
    }
    if (versionText !== undefined) {
      const known = parseVersion(versionText);
      if (known === undefined) wrong(`${labelPrefix}${mode}-version`, versionText, versionProblem);
      minor = known ?? Number.POSITIVE_INFINITY;
    }
    return { level, minor };
  };
  const [enforce, audit, warn] = [read("enforce"), read("audit"), read("warn")];
  return { policy: { enforce, audit, warn: warnedBeside(enforce, warn, labels) }, errors };
}

/** Whoever enforces a level and says nothing of warnings is warned at that level too. */
function warnedBeside(enforce: LevelVersion, warn: LevelVersion, labels: Labels): LevelVersion {
  const isEnforced = parseLevel(labels[`${labelPrefix}enforce`] ?? "") !== undefined;
  if (!isEnforced || labels[`${labelPrefix}warn`] !== undefined || !isStricter(enforce.level, warn.level)) return warn;
  const hasVersion = labels[`${labelPrefix}warn-version`] !== undefined;
  return { level: enforce.level, minor: hasVersion ? warn.minor : enforce.minor };
}

/** The labels that an exempt namespace has for nothing, or undefined where none is. */
export function uselessPolicy(labels: Labels, policy: Policy, defaults: Policy): string | undefined {
  if (isPrivileged(policy) || modes.every((mode) => isEquivalent(policy[mode], defaults[mode]))) return undefined;
  return modes
    .filter((mode) => policy[mode].level !== "privileged")
    .filter((mode) => [mode, `${mode}-version`].some((label) => labels[labelPrefix + label] !== undefined))
    .map((mode) => `${mode}=${shownAs(policy[mode])}`)
    .join(", ");
}
