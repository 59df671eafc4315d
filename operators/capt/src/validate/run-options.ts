// What a Workspace may set for its runs: which environment variables, which arguments, and which folder (SEC-5, SEC-6). What is
// not listed is refused: a run stays in its folder, with its state, its plan and its programs. Pure.
import { type SafeText, text } from "@telltale/status";

export const argumentLists = ["initArgs", "planArgs", "applyArgs", "destroyArgs"] as const;
export type ArgumentList = (typeof argumentLists)[number];

/** The part of a Workspace's `forProvider` that is read here. */
export interface RunOptions {
  readonly module: string;
  readonly entrypoint?: string | undefined;
  readonly env?: readonly { readonly name: string; readonly value?: string | undefined }[] | undefined;
  readonly initArgs?: readonly string[] | undefined;
  readonly planArgs?: readonly string[] | undefined;
  readonly applyArgs?: readonly string[] | undefined;
  readonly destroyArgs?: readonly string[] | undefined;
}

/** Why a spec cannot be run, if so: with the field, and how to go on. */
export function unusable(spec: RunOptions): SafeText | undefined {
  return check(spec, () => false);
}

/** The same for a template. What holds a placeholder can only be checked where its value is known. */
export function unusableTemplate(spec: RunOptions): SafeText | undefined {
  return check(spec, (value) => value.includes("${"));
}

type IsBlank = (value: string) => boolean;

function check(spec: RunOptions, isBlank: IsBlank): SafeText | undefined {
  if (spec.module.trim() === "") return text`forProvider.module is empty`;
  if (!isInside(spec.entrypoint ?? "")) return text`forProvider.entrypoint is not a folder inside the module`;
  for (const list of argumentLists) {
    const [bad] = forbiddenArguments(list, spec[list] ?? [], isBlank);
    if (bad !== undefined) return bad.message;
  }
  for (const [i, { name, value }] of (spec.env ?? []).entries()) {
    const bad = isBlank(name) ? undefined : forbiddenVariable(`forProvider.env[${i}]`, name);
    if (bad !== undefined) return bad;
    if (value === undefined || isBlank(value)) continue;
    const wrong = forbiddenValue(`forProvider.env[${i}]`, name, value);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** Relative, and never upwards. */
const isInside = (path: string): boolean =>
  !path.startsWith("/") && !/[\\\0]/.test(path) && !path.split("/").includes("..");

// Environment variables

/** Of Terraform's variables, and of the providers: what they sign in with and where they work. */
const variablePrefixes = [
  "TF_VAR_",
  "AWS_",
  "GOOGLE_",
  "ARM_",
  "AZURE_",
  "ALICLOUD_",
  "CLOUDFLARE_",
  "DIGITALOCEAN_",
  "HCLOUD_",
  "KUBE_",
  "OS_",
  "VSPHERE_",
] as const;
const variableNames = [
  ...["VAULT_ADDR", "VAULT_NAMESPACE", "VAULT_TOKEN"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
] as const;

/** Of a provider, and it names a file: whose, nobody knows, and what is in some of them is executed. */
const fileVariable =
  /_(?:FILES?|PATHS?|DIR|BUNDLE|APPLICATION_CREDENTIALS)$|^OS_(?:CACERT|CERT|KEY)$|^GOOGLE_API_CERTIFICATE_CONFIG$/;
/** It lets credentials name a program, which the provider then starts. */
const programVariable = /^GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES$/;
/** They may be the contents, or the name of a file with them. */
const contentsOrFile = /^GOOGLE_(?:BACKEND_)?CREDENTIALS$|^GOOGLE_(?:CLOUD_KEYFILE_JSON)$/;

function forbiddenVariable(field: string, name: string): SafeText | undefined {
  const prefix = variablePrefixes.find((it) => name.startsWith(it));
  const isListed = variableNames.some((it) => it === name) || (prefix !== undefined && /^[A-Za-z0-9_-]+$/.test(name));
  if (prefix !== "TF_VAR_" && fileVariable.test(name) && isListed) {
    return text`${field}: ${name} names a file, which is not allowed; pass what is in the file, or set it in the ProviderConfig`;
  }
  if (programVariable.test(name))
    return text`${field}: ${name} lets credentials start programs, which is not allowed; take it out`;
  if (isListed && name !== prefix) return undefined;
  const shown = /^\w{1,64}$/.test(name) ? name : "the name";
  const listed = [...variablePrefixes.map((it) => `${it}*`), ...variableNames].join(", ");
  return text`${field}: ${shown} is not allowed; pass it as TF_VAR_… and use the variable in the module (allowed: ${listed})`;
}

/** Why a value cannot be taken, whether it stands in the spec or in a Secret. It is not shown. */
export function forbiddenValue(field: string, name: string, value: string): SafeText | undefined {
  if (value.includes("\0")) return text`${field}: the value of ${name} has a zero byte; take it out`;
  if (!contentsOrFile.test(name) || value === "") return undefined;
  if (!value.trim().startsWith("{")) {
    return text`${field}: ${name} names a file, which is not allowed; set it to the JSON that is in the file`;
  }
  if (!readsMore(value)) return undefined;
  return text`${field}: ${name} has a credential_source that is a file or a program, which is not allowed; use a key, or set it in the ProviderConfig`;
}

/** Google's credentials of an external account may say where the token is: in a file of the operator, or what a program prints. */
function readsMore(json: string): boolean {
  try {
    const { credential_source: source } = JSON.parse(json) as { readonly credential_source?: unknown };
    return (
      typeof source === "object" &&
      source !== null &&
      !("url" in source && !("file" in source) && !("executable" in source))
    );
  } catch {
    return false; // no provider can read it either
  }
}

export const isAllowedVariable = (name: string, value: string): boolean =>
  forbiddenVariable("", name) === undefined && forbiddenValue("", name, value) === undefined;

// Arguments

interface Flag {
  /** Whether it stands alone too, as in `-upgrade`. */
  readonly isSwitch: boolean;
  readonly accepts: (value: string) => boolean;
  readonly wants: string;
}

const flag = (wants: string, accepts: Flag["accepts"], isSwitch = false): Flag => ({ isSwitch, accepts, wants });
const onOrOff = flag("true or false", (value) => value === "true" || value === "false", true);
const on = flag("true", (value) => value === "true", true);
const duration = flag("a duration as in 30s", (value) => /^(?:\d{1,6}(?:ms|s|m|h))+$/.test(value));
const count = flag("a number from 1 to 999", (value) => /^[1-9]\d{0,2}$/.test(value));
const address = flag("an address of the module", (value) => value !== "" && !value.startsWith("-"));
const assignment = flag("NAME=VALUE", (value) => /^[A-Za-z_][\w-]*=/.test(value));
const file = flag(
  "a relative path inside the module",
  (value) => value !== "" && !value.startsWith("-") && isInside(value),
);

const locking = { lock: onOrOff, "lock-timeout": duration, "no-color": on };
const destroying = {
  ...locking,
  "compact-warnings": onOrOff,
  exclude: address,
  parallelism: count,
  refresh: onOrOff,
  target: address,
  var: assignment,
  "var-file": file,
};
const planning = { ...destroying, replace: address };

const allowed: Readonly<Record<ArgumentList, Readonly<Record<string, Flag>>>> = {
  initArgs: { ...locking, lockfile: flag("readonly", (value) => value === "readonly"), upgrade: onOrOff },
  planArgs: planning,
  applyArgs: planning,
  destroyArgs: destroying,
};

interface Forbidden {
  /** The place in the list, and of what belongs to it. */
  readonly index: number;
  readonly length: number;
  readonly message: SafeText;
}

/** As Go's flags are read: one dash or two, the value behind `=` or, where it is needed, as the next argument. */
function* forbiddenArguments(
  list: ArgumentList,
  values: readonly string[],
  isBlank: IsBlank = () => false,
): Iterable<Forbidden> {
  for (let i = 0; i < values.length; i += 1) {
    const argument = values[i] ?? "";
    const forbid = (message: SafeText, length = 1): Forbidden => ({ index: i, length, message });
    if (argument.includes("\0")) {
      yield forbid(text`forProvider.${list}[${i}] has a zero byte; take it out`);
      continue;
    }
    const [, name = "", joined] = /^--?([A-Za-z][A-Za-z-]*)(?:=(.*))?$/s.exec(argument) ?? [];
    if (name === "" && isBlank(argument)) return; // what follows may belong to it
    const flags = allowed[list];
    const known = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (known === undefined) {
      const shown = name === "" ? "what is no option" : `-${name}`;
      const names = Object.keys(flags).sort();
      yield forbid(
        text`forProvider.${list}[${i}]: ${shown} is not allowed; take it out (allowed: ${names.map((it) => `-${it}`).join(", ")})`,
      );
      continue;
    }
    const isApart = joined === undefined && !known.isSwitch;
    const value = isApart ? values[i + 1] : (joined ?? "true");
    if (value === undefined || (!known.accepts(value) && !isBlank(value))) {
      yield forbid(text`forProvider.${list}[${i}]: -${name} has to be ${known.wants}`, isApart ? 2 : 1);
    }
    if (isApart) i += 1;
  }
}

/** Without what is not allowed: for what was kept when more was. */
export function allowedArguments(list: ArgumentList, values: readonly string[]): readonly string[] {
  const forbidden = [...forbiddenArguments(list, values)];
  return values.filter((_value, i) => !forbidden.some(({ index, length }) => i >= index && i < index + length));
}
