// What was built differently from what the test says, for a log, an event or an admission warning. Names, never values.
import { names, type SafeText, text } from "@telltale/status";
import type { Config, Role } from "../config.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { repeatedFlags } from "./args.ts";
import { openTelemetryOf } from "./opentelemetry.ts";
import { ignoredScheduling } from "./scheduling.ts";

export interface Note {
  readonly reason:
    | "SchedulingIgnored" // the operator does not let tests choose their affinity or tolerations
    | "FlagRepeated" // a command line has a flag twice
    | "AutoquitLeftOut" // Locust refuses it without autostart
    | "SidecarLeftOut"; // the server knows no native sidecars
  readonly message: SafeText;
}

export function notesOn(spec: LocustTestSpec, config: Config): readonly Note[] {
  return [
    ...ignoredScheduling(spec, config).map(
      (field) => ({ reason: "SchedulingIgnored", message: ignored[field] }) as const,
    ),
    ...roles.flatMap((role) => flags(spec, role)),
    ...autoquit(spec),
    ...sidecar(spec, config),
  ];
}

const roles: readonly Role[] = ["master", "worker"];

const ignored = {
  affinity: text`spec.scheduling.affinity is ignored: the operator runs without ENABLE_AFFINITY_CR_INJECTION`,
  tolerations: text`spec.scheduling.tolerations is ignored: the operator runs without ENABLE_TAINT_TOLERATIONS_CR_INJECTION`,
};

function flags(spec: LocustTestSpec, role: Role): Note[] {
  const repeated = repeatedFlags(spec, role);
  if (repeated.length === 0) return [];
  const list = names(repeated, { max: repeated.length, sort: false });
  return [
    {
      reason: "FlagRepeated",
      message: text`spec.${role} sets ${list}, which the operator sets too: the later value wins`,
    },
  ];
}

/** V12, where no webhook refused it: the command line that is built works all the same. */
function autoquit({ master }: LocustTestSpec): Note[] {
  if (master.autostart !== false || master.autoquit?.enabled !== true) return [];
  return [{ reason: "AutoquitLeftOut", message: text`spec.master.autoquit is left out: autoquit needs autostart` }];
}

function sidecar(spec: LocustTestSpec, config: Config): Note[] {
  if (config.exporter.at !== "unsupported" || openTelemetryOf(spec) !== undefined) return [];
  const message = text`The metrics exporter is left out: this server is older than Kubernetes 1.29 and knows no native sidecars`;
  return [{ reason: "SidecarLeftOut", message }];
}
