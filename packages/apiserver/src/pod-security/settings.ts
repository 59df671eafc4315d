// What kube-apiserver reads as PodSecurityConfiguration: what holds where a namespace says nothing, and for whom nothing holds.
import { isObject, type JsonObject } from "../json.ts";
import { type FieldError, invalidField } from "../status.ts";
import { type LevelVersion, levelProblem, type Policy, parseLevel, parseVersion, versionProblem } from "./policy.ts";

export interface PodSecuritySettings {
  /** Levels (`privileged`, the default, `baseline`, `restricted`) and versions (`latest`, the default, or `v1.x`). */
  readonly defaults?: {
    readonly enforce?: string;
    readonly "enforce-version"?: string;
    readonly audit?: string;
    readonly "audit-version"?: string;
    readonly warn?: string;
    readonly "warn-version"?: string;
  };
  readonly exemptions?: {
    readonly usernames?: readonly string[];
    readonly namespaces?: readonly string[];
    readonly runtimeClasses?: readonly string[];
  };
}

export interface Exemptions {
  readonly usernames: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly runtimeClasses: ReadonlySet<string>;
}

const modes = ["enforce", "audit", "warn"];
const fields = {
  defaults: modes.flatMap((mode) => [mode, `${mode}-version`]),
  exemptions: ["usernames", "namespaces", "runtimeClasses"],
};

/** Settings as a file has them. Throws an error that names the first field that is unknown or of another type. */
export function settingsFrom(configuration: JsonObject): PodSecuritySettings {
  const wrong = (field: string, fix: string) => new Error(`pod security: ${field}: ${fix}`);
  for (const [name, value] of Object.entries(configuration)) {
    if (["kind", "apiVersion", "metadata"].includes(name)) continue;
    if (name !== "defaults" && name !== "exemptions") throw wrong(name, "unknown field; use defaults and exemptions");
    if (!isObject(value)) throw wrong(name, "must be an object");
    for (const [field, set] of Object.entries(value)) {
      const path = `${name}.${field}`;
      if (!fields[name].includes(field)) throw wrong(path, `unknown field; use ${fields[name].join(", ")}`);
      if (name === "defaults" && typeof set !== "string") throw wrong(path, "must be a text");
      if (name === "exemptions" && !(Array.isArray(set) && set.every((it) => typeof it === "string")))
        throw wrong(path, "must be a list of texts");
    }
  }
  return configuration as PodSecuritySettings;
}

/** Throws an error that names each field that cannot be read. */
export function readSettings({ defaults = {}, exemptions = {} }: PodSecuritySettings): {
  readonly defaults: Policy;
  readonly exemptions: Exemptions;
} {
  const errors: FieldError[] = [];
  const read = (mode: "enforce" | "audit" | "warn"): LevelVersion => {
    const [levelText, versionText] = [defaults[mode] || "privileged", defaults[`${mode}-version`] || "latest"];
    const [level, minor] = [parseLevel(levelText), parseVersion(versionText)];
    if (level === undefined) errors.push(invalidField(`defaults.${mode}`, levelText, levelProblem));
    if (minor === undefined) errors.push(invalidField(`defaults.${mode}-version`, versionText, versionProblem));
    return { level: level ?? "restricted", minor: minor ?? Number.POSITIVE_INFINITY };
  };
  const policy = { enforce: read("enforce"), audit: read("audit"), warn: read("warn") };
  if (errors.length > 0)
    throw new Error(`pod security: ${errors.map(({ field, body }) => `${field}: ${body}`).join("; ")}`);
  const { usernames = [], namespaces = [], runtimeClasses = [] } = exemptions;
  return {
    defaults: policy,
    exemptions: {
      usernames: new Set(usernames),
      namespaces: new Set(namespaces),
      runtimeClasses: new Set(runtimeClasses),
    },
  };
}
