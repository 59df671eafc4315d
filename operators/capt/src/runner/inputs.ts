// Everything that a run is fed with: module, variables, variable files, environment and arguments, with what Secrets and
// ConfigMaps hold put in. It is kept for `destroy`, which comes when those may be gone. It holds secrets.
import { canonicalJson, sha256Hex } from "@telltale/kinds";
import { names, type SafeText, text } from "@telltale/status";
import { allowedArguments, forbiddenValue, isAllowedVariable, unusable } from "../validate/run-options.ts";
import type { ErrorClass } from "./error-class.ts";
import { typedValue } from "./module.ts";

export interface Inputs {
  readonly module: string;
  readonly format: Format;
  /** The folder of the module: relative, without `..`; empty for the top. */
  readonly entrypoint: string;
  /** What a ProviderConfig adds. */
  readonly provider?: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly variableFiles: readonly { readonly format: Format; readonly text: string }[];
  readonly env: Readonly<Record<string, string>>;
  readonly args: Readonly<Record<ArgsOf, readonly string[]>>;
  /** Whether the program keeps a log of its own in the run's folder. */
  readonly hasLog: boolean;
}

export type Format = "HCL" | "JSON";
export type ArgsOf = "init" | "plan" | "apply" | "destroy";

/** What tells two inputs apart, without telling what is in them. */
export const revisionOf = (inputs: Inputs): string => sha256Hex(canonicalJson(inputs)).slice(0, 16);

/** The part of a Workspace's spec that is read here. */
export interface Source {
  readonly source: string;
  readonly module: string;
  readonly inlineFormat?: string | undefined;
  readonly entrypoint?: string | undefined;
  readonly vars?: readonly { readonly key: string; readonly value: string }[] | undefined;
  readonly varmap?: Readonly<Record<string, unknown>> | undefined;
  readonly varFiles?: readonly VariableFile[] | undefined;
  readonly env?: readonly Variable[] | undefined;
  readonly initArgs?: readonly string[] | undefined;
  readonly planArgs?: readonly string[] | undefined;
  readonly applyArgs?: readonly string[] | undefined;
  readonly destroyArgs?: readonly string[] | undefined;
  readonly enableTerraformCLILogging?: boolean | undefined;
}

interface Refs {
  readonly configMapKeyRef?: KeyRef | undefined;
  readonly secretKeyRef?: KeyRef | undefined;
}

interface VariableFile extends Refs {
  readonly source: string;
  readonly format?: string | undefined;
}

interface Variable extends Refs {
  readonly name: string;
  readonly value?: string | undefined;
}

/** A key of a Secret or a ConfigMap. */
export interface KeyRef {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly key: string;
}

/** Where values come from. Undefined: not there. */
export interface Reader {
  secret(ref: KeyRef): Promise<string | undefined>;
  configMap(ref: KeyRef): Promise<string | undefined>;
  /** What the ProviderConfig adds to the module, where there is one. */
  provider(): Promise<string | undefined>;
}

export type Gathered =
  | { readonly as: "inputs"; readonly inputs: Inputs }
  | { readonly as: "refused"; readonly class: ErrorClass; readonly message: SafeText } // it cannot work as it is written
  | { readonly as: "missing"; readonly message: SafeText }; // something that it names is not there, or not yet

export async function gather(spec: Source, reader: Reader): Promise<Gathered> {
  const refused = refusal(spec);
  if (refused !== undefined) return { as: "refused", ...refused };
  const missing: string[] = [];
  const read = async ({ configMapKeyRef, secretKeyRef }: Refs): Promise<string> => {
    const [ref, found] =
      secretKeyRef === undefined
        ? [configMapKeyRef, configMapKeyRef && (await reader.configMap(configMapKeyRef))]
        : [secretKeyRef, await reader.secret(secretKeyRef)];
    const kind = secretKeyRef === undefined ? "ConfigMap" : "Secret";
    if (ref !== undefined && found === undefined) missing.push(`${kind} ${where(ref)} key ${ref.key}`);
    return found ?? "";
  };
  const variableFiles: { format: Format; text: string }[] = [];
  for (const file of spec.varFiles ?? []) variableFiles.push({ format: formatOf(file.format), text: await read(file) });
  const env: Record<string, string> = {};
  for (const [i, it] of (spec.env ?? []).entries()) {
    const value = it.value ?? (await read(it));
    const wrong = forbiddenValue(`forProvider.env[${i}]`, it.name, value);
    if (wrong !== undefined) return { as: "refused", class: "InvalidConfiguration", message: wrong };
    env[it.name] = value;
  }
  const provider = await reader.provider();
  if (missing.length > 0) return { as: "missing", message: text`not there: ${names(missing)}` };
  const inputs: Inputs = {
    module: spec.module,
    format: formatOf(spec.inlineFormat),
    entrypoint: folderOf(spec.entrypoint),
    ...(provider === undefined ? {} : { provider }),
    variables: variablesOf(spec),
    variableFiles,
    env,
    args: {
      init: spec.initArgs ?? [],
      plan: spec.planArgs ?? [],
      apply: spec.applyArgs ?? [],
      destroy: spec.destroyArgs ?? [],
    },
    hasLog: spec.enableTerraformCLILogging === true,
  };
  return { as: "inputs", inputs };
}

const where = ({ namespace, name }: KeyRef): string => (namespace === undefined ? name : `${namespace}/${name}`);
const formatOf = (format: string | undefined): Format => (format?.toUpperCase() === "JSON" ? "JSON" : "HCL");

/** `vars` win over `varmap`. A text for a list or a map is what it is written as, as it would be on the command line. */
function variablesOf({ vars = [], varmap = {}, module }: Source): Readonly<Record<string, unknown>> {
  const all: Record<string, unknown> = { ...varmap };
  for (const { key, value } of vars) all[key] = typedValue(module, key, value);
  return all;
}

/** Why this spec is not run at all. */
function refusal(spec: Source): { readonly class: ErrorClass; readonly message: SafeText } | undefined {
  if (spec.source !== "Inline") {
    const message = text`the source ${spec.source} is not supported by the builtin runner; use Inline, or Crossplane's provider`;
    return { class: "UnsupportedSource", message };
  }
  const message = unusable(spec);
  return message === undefined ? undefined : { class: "InvalidConfiguration", message };
}

/** Without what is not allowed: what was kept by a version that allowed more can still be destroyed. */
export function permitted(inputs: Inputs): Inputs {
  const { env, args } = inputs;
  return {
    ...inputs,
    env: Object.fromEntries(Object.entries(env).filter(([name, value]) => isAllowedVariable(name, value))),
    args: {
      init: allowedArguments("initArgs", args.init),
      plan: allowedArguments("planArgs", args.plan),
      apply: allowedArguments("applyArgs", args.apply),
      destroy: allowedArguments("destroyArgs", args.destroy),
    },
  };
}

const folderOf = (entrypoint = ""): string =>
  entrypoint
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
