// kubeconfig files: reading, and kubectl's rules for merging several. What an entry means for a connection is in
// `resolve.ts`.
import { posix } from "node:path";
import { ConfigError, type Env, type Files } from "./connection.ts";

export interface Cluster {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
  readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[];
}

export interface User {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
  readonly exec?: Exec;
  readonly "auth-provider"?: { readonly name?: string; readonly config?: Readonly<Record<string, string>> };
}

export interface Exec {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: "Never" | "IfAvailable" | "Always";
}

export interface Context {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** An entry, and the file that it came from: for its relative paths, and for whoever has to mend it. */
export interface Entry<T> {
  readonly file: string;
  readonly value: T;
}

export interface Kubeconfig {
  readonly files: readonly string[];
  /** As the file has it: kubectl does not ask for it. Of several files merged nothing. */
  readonly kind?: string;
  readonly currentContext: string;
  readonly contexts: ReadonlyMap<string, Entry<Context>>;
  readonly clusters: ReadonlyMap<string, Entry<Cluster>>;
  readonly users: ReadonlyMap<string, Entry<User>>;
}

export interface Place {
  readonly files: Files;
  readonly env: Env;
  /** The folder of `~`. */
  readonly home?: string;
  /** What `--kubeconfig` would be: this file alone, and it must exist. */
  readonly path?: string;
  /** Between the names in KUBECONFIG. Default: `:`. */
  readonly delimiter?: string;
}

/** The files that count, in order of precedence, and whether the first may be missing. */
export function kubeconfigPaths({ env, home, path, delimiter = ":" }: Omit<Place, "files">): string[] {
  if (path !== undefined && path !== "") return [path];
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((name) => name !== "");
  if (listed.length > 0) return [...new Set(listed)];
  return home === undefined ? [] : [posix.join(home, ".kube", "config")];
}

/** Reads and merges what there is. Missing files are passed over, except one that was asked for by name. */
export async function loadKubeconfig(place: Place): Promise<Kubeconfig> {
  const read: Kubeconfig[] = [];
  for (const path of kubeconfigPaths(place)) {
    const text = await place.files.read(path);
    if (text === undefined) {
      if (path !== place.path) continue;
      throw new ConfigError(path, "file", "it does not exist", "correct the path");
    }
    if (text.trim() !== "") read.push(await parseKubeconfig(path, text));
  }
  return mergeKubeconfigs(read);
}

/** The first file to name something wins, and wins whole: an entry of the same name further on adds nothing to it. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const first = <T>(of: (config: Kubeconfig) => ReadonlyMap<string, T>): ReadonlyMap<string, T> => {
    const merged = new Map<string, T>();
    for (const config of configs) {
      for (const [name, entry] of of(config)) if (!merged.has(name)) merged.set(name, entry);
    }
    return merged;
  };
  return {
    files: configs.flatMap((config) => config.files),
    currentContext: configs.map((config) => config.currentContext).find((name) => name !== "") ?? "",
    contexts: first((config) => config.contexts),
    clusters: first((config) => config.clusters),
    users: first((config) => config.users),
  };
}

/** One file's text. YAML is loaded only where the text is no JSON. */
export async function parseKubeconfig(file: string, text: string): Promise<Kubeconfig> {
  const document = await parseText(file, text);
  if (!isRecord(document)) throw new ConfigError(file, "file", "it is no kubeconfig", "make it a YAML mapping");
  const current = document["current-context"] ?? "";
  if (typeof current !== "string") throw new ConfigError(file, "current-context", "it is no text", "name a context");
  const { kind } = document;
  return {
    files: [file],
    ...(typeof kind === "string" ? { kind } : {}),
    currentContext: current,
    contexts: named<Context>(file, document, "contexts", "context"),
    clusters: named<Cluster>(file, document, "clusters", "cluster"),
    users: named<User>(file, document, "users", "user"),
  };
}

async function parseText(file: string, text: string): Promise<unknown> {
  try {
    if (/^\s*\{/.test(text)) return JSON.parse(text) as unknown;
    const { parse } = await import("yaml");
    return parse(text) as unknown;
  } catch (cause) {
    const problem = (cause as Error).message.split("\n")[0] ?? "";
    throw new ConfigError(file, "file", `it cannot be read: ${problem}`, "correct the YAML", { cause });
  }
}

function named<T>(file: string, document: Record<string, unknown>, list: string, member: string) {
  const entries = new Map<string, Entry<T>>();
  const items = document[list] ?? [];
  if (!Array.isArray(items)) throw new ConfigError(file, list, "it is no list", "make it a list of named entries");
  for (const [index, item] of (items as unknown[]).entries()) {
    const name = isRecord(item) ? item["name"] : undefined;
    if (!isRecord(item) || typeof name !== "string") {
      throw new ConfigError(file, `${list}[${index}].name`, "it is missing", "name the entry");
    }
    if (entries.has(name)) {
      throw new ConfigError(file, `${list}[${index}].name`, `${name} is there twice`, "remove or rename one of them");
    }
    const value = item[member] ?? {};
    if (!isRecord(value)) {
      throw new ConfigError(file, `${list}[${index}].${member}`, "it is no mapping", "write its fields below it");
    }
    entries.set(name, { file, value: value as T });
  }
  return entries;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
