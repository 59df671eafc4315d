// What is odd about a LocustTest and allowed: W2 to W9, one line each. Pure, and without any value of a command line.
import { names } from "@telltale/status";
import { repeatedFlags, reservedLabels, tokensOf } from "./build/index.ts";
import type { Role } from "./config.ts";
import type { LocustTestSpec } from "./kinds/spec.ts";
import { readFlags } from "./telemetry/flags.ts";
import { parseLocustArgs } from "./telemetry/options.ts";

/** W1, for a change of the spec once resources were made from it. */
export const changeIgnored = "spec: the change is ignored; delete and recreate the LocustTest to apply it";

export function warningsOn(spec: LocustTestSpec): readonly string[] {
  return [
    ...roles.flatMap((role) => onCommand(spec, role)),
    ...roles.flatMap((role) => onFlags(spec, role)),
    ...onRun(spec),
    ...onImage(spec),
    ...roles.flatMap((role) => onLabels(spec, role)),
  ];
}

const roles: readonly Role[] = ["master", "worker"];

const when = (odd: boolean, warning: string): string[] => (odd ? [warning] : []);

/** W2, W3 */
function onCommand(spec: LocustTestSpec, role: Role): string[] {
  const { command } = spec[role];
  const it = `spec.${role}.command`;
  return [
    ...when(
      tokensOf(command)[0] === "locust",
      `${it} starts with locust: the image entrypoint already is locust; the word would be read as a user class`,
    ),
    ...when(
      /["']/.test(command),
      `${it} has a quote: the string is split at white space only; put arguments with spaces into extraArgs`,
    ),
  ];
}

/** W4 */
function onFlags(spec: LocustTestSpec, role: Role): string[] {
  const repeated = repeatedFlags(spec, role);
  const list = names(repeated, { max: repeated.length, sort: false });
  return when(repeated.length > 0, `spec.${role} repeats ${list}, which the operator sets: the later value wins`);
}

/** W5, W6 */
function onRun(spec: LocustTestSpec): string[] {
  const { command, extraArgs = [], autostart = true, autoquit } = spec.master;
  const args = [...tokensOf(command), ...extraArgs];
  const variables = spec.env?.variables ?? [];
  const isTimed = readFlags(args).values.has("--run-time") || variables.some(({ name }) => name === "LOCUST_RUN_TIME");
  const quits = autostart && (autoquit?.enabled ?? true);
  return [
    ...when(
      parseLocustArgs(args, variables).headless,
      "spec.master runs with --headless: no web API, so no live worker count, metrics or progress",
    ),
    ...when(
      quits && !isTimed,
      "spec.master has no --run-time: without a run time (or a load shape) the test never ends by itself",
    ),
  ];
}

/** W7, W8 */
function onImage(spec: LocustTestSpec): string[] {
  const { repository, isMutable } = imageOf(spec.image);
  const isPlain = `/${repository}`.endsWith("/locustio/locust");
  const isTraced = spec.observability?.openTelemetry?.enabled === true;
  return [
    ...when(
      isPlain && isTraced,
      "spec.image has no OpenTelemetry libraries: use locustio/locust-otel or an image with locust[otel]",
    ),
    ...when(
      isMutable && (spec.imagePullPolicy ?? "IfNotPresent") === "IfNotPresent",
      "spec.image has a mutable tag and is pulled IfNotPresent: master and workers may run different versions",
    ),
  ];
}

/** `registry:5000/locustio/locust:2.46.3@sha256:...`: a port is no tag, and a digest never moves. */
function imageOf(image: string): { readonly repository: string; readonly isMutable: boolean } {
  const [name = "", digest] = image.split("@");
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  const tag = colon < 0 ? "latest" : name.slice(colon + 1);
  return {
    repository: colon < 0 ? name : name.slice(0, colon),
    isMutable: digest === undefined && tag === "latest",
  };
}

/** W9 */
function onLabels(spec: LocustTestSpec, role: Role): string[] {
  const own = reservedLabels.filter((key) => Object.hasOwn(spec[role].labels ?? {}, key));
  const list = names(own, { max: own.length, sort: false });
  return when(own.length > 0, `spec.${role}.labels sets ${list}: reserved; ignored`);
}
