// The command lines of master and workers. The image's entrypoint is `locust`; these are its arguments.
import type { Role } from "../config.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { nodeName } from "./names.ts";
import { openTelemetryOf } from "./opentelemetry.ts";
import { masterPort } from "./ports.ts";

/** The arguments of a role, in the order that decides which of two equal flags wins: the last one. */
export function buildArgs(spec: LocustTestSpec, role: Role, test: string): string[] {
  return [
    ...tokensOf(spec[role].command),
    ...(openTelemetryOf(spec) === undefined ? [] : ["--otel"]),
    ...(role === "master" ? ofMaster(spec) : ofWorker(test)),
    ...(spec[role].extraArgs ?? []),
  ];
}

function ofMaster({ master, worker }: LocustTestSpec): string[] {
  const autostart = master.autostart ?? true;
  // Locust refuses --autoquit without --autostart: it would exit with 1 at once.
  const autoquit = autostart && (master.autoquit?.enabled ?? true);
  return [
    "--master",
    `--master-port=${masterPort}`,
    `--expect-workers=${worker.replicas}`,
    ...(autostart ? ["--autostart"] : []),
    ...(autoquit ? ["--autoquit", String(master.autoquit?.timeout ?? 60)] : []),
    "--enable-rebalancing",
    "--only-summary",
  ];
}

function ofWorker(test: string): string[] {
  return ["--worker", `--master-port=${masterPort}`, `--master-host=${nodeName(test, "master")}`];
}

/** A command is split at white space, and nothing else: there is no quoting. */
export function tokensOf(command: string): string[] {
  return command.split(/\s+/).filter((token) => token !== "");
}

/** The flags that the operator sets. */
export const managedFlags: readonly string[] = [
  "--master",
  "--worker",
  "--master-port",
  "--master-host",
  "--expect-workers",
  "--autostart",
  "--autoquit",
  "--otel",
  "--enable-rebalancing",
  "--only-summary",
];

/** The flags of the operator that a test sets as well: their names, never their values. */
export function repeatedFlags(spec: LocustTestSpec, role: Role): readonly string[] {
  const own = [...tokensOf(spec[role].command), ...(spec[role].extraArgs ?? [])];
  return managedFlags.filter((flag) => own.some((arg) => arg === flag || arg.startsWith(`${flag}=`)));
}
