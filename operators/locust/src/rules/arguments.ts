// V9, V12, V13: what Locust would refuse, or what would make it something else than the operator takes it for.
import { tokensOf } from "../build/index.ts";
import type { Role } from "../config.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { type FlagName, readFlags } from "../telemetry/flags.ts";
import type { Problem, Rule } from "./rule.ts";

export const endpointIsThere: Rule = ({ spec: { observability } }) => {
  const { enabled = false, endpoint = "" } = observability?.openTelemetry ?? {};
  if (!enabled || endpoint.trim() !== "") return [];
  const field = "spec.observability.openTelemetry.endpoint";
  return [{ field, message: "endpoint is required when OpenTelemetry is enabled" }];
};

export const autoquitNeedsAutostart: Rule = ({ spec: { master } }) => {
  if (master.autostart !== false || master.autoquit?.enabled !== true) return [];
  const message = "autoquit needs autostart: leave spec.master.autoquit out, or set spec.master.autostart to true";
  return [{ field: "spec.master.autoquit.enabled", message }];
};

const forbidden: Readonly<Record<Role, readonly FlagName[]>> = {
  master: ["--worker", "--processes"],
  worker: ["--master"],
};

export const flagsFitTheRole: Rule = ({ spec }) => [...among(spec, "master"), ...among(spec, "worker")];

function among(spec: LocustTestSpec, role: Role): Problem[] {
  return Object.entries(argumentsOf(spec, role)).flatMap(([field, args]) => {
    const { values } = readFlags(args); // it knows abbreviations; the rest are spellings that Locust itself refuses
    const isGiven = (flag: FlagName) =>
      values.has(flag) || args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
    return forbidden[role]
      .filter(isGiven)
      .map((flag) => ({ field: `spec.${role}.${field}`, message: `${flag} is not allowed on the ${role}` }));
  });
}

/** What a test adds to a role's command line, by field. */
const argumentsOf = (spec: LocustTestSpec, role: Role) => ({
  command: tokensOf(spec[role].command),
  extraArgs: spec[role].extraArgs ?? [],
});
