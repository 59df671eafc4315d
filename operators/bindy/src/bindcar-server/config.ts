// What a Bindcar is told by its environment (9.1, 9.5, 9.6, 9.8), checked as a whole: every error at once, each with what to do.
import { type Env, Settings } from "@telltale/runtime";
import { Secret } from "@telltale/status";
import { addressOf, endpointOf } from "../bindcar/address.ts";
import { keyNameOf } from "../bindcar/dns-name.ts";
import type { TokenReviewRules } from "./authenticate.ts";
import { algorithmOf, algorithms, isBase64, keyOf, type TsigKey } from "./named/key.ts";
import type { RateLimit } from "./rate-limit.ts";

export interface BindcarConfig {
  readonly address: string;
  readonly port: number;
  readonly zoneFolder: string;
  readonly temporaryFolder: string;
  readonly rndc: { readonly server: string; readonly port: number; readonly key: TsigKey };
  readonly update: { readonly server: string; readonly port: number; readonly tcp: boolean; readonly key: TsigKey };
  readonly access: Access;
  readonly limit?: RateLimit;
  readonly docs: boolean;
  readonly logLevel: LogLevel;
}

export type Access =
  | { readonly by: "nobody" } // whoever comes may do everything
  | { readonly by: "shared secret"; readonly token: Secret }
  | { readonly by: "token review"; readonly rules: TokenReviewRules; readonly cluster: Cluster };

/** How the API server is reached. */
export type Cluster =
  | { readonly at: "here" } // as any pod does
  | { readonly at: "given"; readonly server: string; readonly tokenPath: string; readonly caPath: string };

const logLevels = ["debug", "info", "warn", "error"] as const;
type LogLevel = (typeof logLevels)[number];

export interface ConfigOptions {
  readonly env: Env;
  /** The text of a file, or undefined where there is none. */
  readonly read: (path: string) => string | undefined;
  /** `--i-know-this-is-insecure`. */
  readonly insecure?: boolean;
}

export type ConfigRead =
  | { readonly ok: true; readonly config: BindcarConfig }
  | { readonly ok: false; readonly errors: readonly string[] };

export function bindcarConfig({ env, read, insecure = false }: ConfigOptions): ConfigRead {
  const settings = new Settings(env);
  const address = settings.text("BIND_API_ADDRESS") ?? "0.0.0.0";
  if (addressOf(address) === undefined)
    settings.refuse("BIND_API_ADDRESS", address, "is no address", "write one as in 0.0.0.0");
  const rndcKey = keyFrom(settings, read);
  const updateKey = updateKeyFrom(settings, rndcKey);
  const access = accessFrom(settings, env);
  const isAllowed = insecure || settings.flag("BINDCAR_ALLOW_INSECURE_AUTH", false);
  if (access?.by === "nobody" && !isLoopback(address) && !isAllowed)
    settings.errors.push(
      `authentication is switched off, and ${address} can be reached by others: set BIND_API_TOKEN, or BIND_API_ADDRESS to 127.0.0.1, or say --i-know-this-is-insecure`,
    );
  const rndc = { ...rndcPlace(settings), key: rndcKey ?? noKey };
  const update = {
    server: updateServer(settings),
    port: settings.integer("NSUPDATE_PORT", 53, port),
    tcp: settings.flag("NSUPDATE_TCP", false),
    key: updateKey ?? noKey,
  };
  const limit = limitFrom(settings);
  const config: BindcarConfig = {
    address,
    port: settings.integer("API_PORT", 8080, port),
    zoneFolder: settings.text("BIND_ZONE_DIR") ?? "/var/cache/bind",
    temporaryFolder: settings.text("TMPDIR") ?? "/tmp",
    rndc,
    update,
    access: access ?? { by: "nobody" },
    ...(limit !== undefined && { limit }),
    docs: settings.flag("BIND_ENABLE_DOCS", false),
    logLevel: logLevelFrom(settings, env),
  };
  const { errors } = settings;
  return errors.length === 0 ? { ok: true, config } : { ok: false, errors };
}

const port = { least: 1, most: 65_535 };
/** In the place of one that was refused: never used. */
const noKey: TsigKey = { name: "none", algorithm: "hmac-sha256", secret: new Secret("") };

const isLoopback = (address: string): boolean => address.startsWith("127.") || address === "::1";

/** `RUST_LOG` is what older installations set: of its words only those that we know count. */
function logLevelFrom(settings: Settings, env: Env): LogLevel {
  const rust = logLevels.find((it) => it === env["RUST_LOG"]);
  return settings.choice("LOG_LEVEL", logLevels, rust ?? "info");
}

function rndcPlace(settings: Settings): { readonly server: string; readonly port: number } {
  const text = settings.text("RNDC_SERVER") ?? "127.0.0.1";
  const place = endpointOf(text);
  if (place === undefined) settings.refuse("RNDC_SERVER", text, "is no address", "write one as in 127.0.0.1:9530");
  return { server: place?.text ?? "127.0.0.1", port: place?.port ?? 9530 };
}

function updateServer(settings: Settings): string {
  const text = settings.text("NSUPDATE_SERVER") ?? "127.0.0.1";
  const address = addressOf(text);
  if (address === undefined) settings.refuse("NSUPDATE_SERVER", text, "is no address", "write one as in 127.0.0.1");
  return address?.text ?? text;
}

function keyFrom(settings: Settings, read: ConfigOptions["read"]): TsigKey | undefined {
  const path = settings.text("RNDC_KEY_FILE");
  if (path !== undefined) {
    const key = keyOf(read(path) ?? "");
    if (key === undefined)
      settings.refuse(
        "RNDC_KEY_FILE",
        path,
        "holds no key",
        `make it with tsig-keygen, with one of ${algorithms.join(", ")}`,
      );
    return key;
  }
  const secret = settings.text("RNDC_SECRET");
  if (secret === undefined) {
    settings.errors.push("there is no key for rndc: set RNDC_SECRET, or RNDC_KEY_FILE to a file of tsig-keygen");
    return undefined;
  }
  const name = settings.text("RNDC_KEY_NAME") ?? settings.text("NSUPDATE_KEY_NAME") ?? "rndc-key";
  return keyMade(settings, "RNDC", name, settings.text("RNDC_ALGORITHM") ?? "hmac-sha256", secret);
}

/** Whatever is not said of it is as with rndc. */
function updateKeyFrom(settings: Settings, rndc: TsigKey | undefined): TsigKey | undefined {
  if (rndc === undefined) return undefined;
  const name = settings.text("NSUPDATE_KEY_NAME") ?? rndc.name;
  const algorithm = settings.text("NSUPDATE_ALGORITHM") ?? rndc.algorithm;
  return keyMade(settings, "NSUPDATE", name, algorithm, settings.text("NSUPDATE_SECRET") ?? rndc.secret.reveal());
}

function keyMade(
  settings: Settings,
  of: "RNDC" | "NSUPDATE",
  name: string,
  algorithm: string,
  secret: string,
): TsigKey | undefined {
  const [checked, known] = [keyNameOf(name), algorithmOf(algorithm)];
  if (checked === undefined)
    settings.refuse(`${of}_KEY_NAME`, name, "is no key name", "use letters, digits, '-', '_' and '.'");
  if (known === undefined)
    settings.refuse(`${of}_ALGORITHM`, algorithm, "is not accepted", `set it to one of ${algorithms.join(", ")}`);
  if (!isBase64(secret))
    settings.errors.push(`${of}_SECRET (value not shown) is no base64: copy the secret of the key as it is`);
  if (checked === undefined || known === undefined || !isBase64(secret)) return undefined;
  return { name: checked, algorithm: known, secret: new Secret(secret) };
}

function accessFrom(settings: Settings, env: Env): Access | undefined {
  if (settings.flag("DISABLE_AUTH", false)) return { by: "nobody" };
  const token = settings.text("BIND_API_TOKEN");
  if (token !== undefined) return { by: "shared secret", token: new Secret(token) };
  const rules: TokenReviewRules = {
    audiences: listed(settings, "BIND_TOKEN_AUDIENCES", ["bindcar"]),
    namespaces: listed(settings, "BIND_ALLOWED_NAMESPACES", []),
    accounts: listed(settings, "BIND_ALLOWED_SERVICE_ACCOUNTS", []),
  };
  const anyAccount = settings.flag("BIND_ALLOW_ANY_SERVICEACCOUNT", false);
  if (rules.namespaces.length === 0 && rules.accounts.length === 0 && !anyAccount)
    settings.errors.push(
      "every service account of the cluster could change every zone: set BIND_ALLOWED_SERVICE_ACCOUNTS or BIND_ALLOWED_NAMESPACES, or BIND_ALLOW_ANY_SERVICEACCOUNT to true",
    );
  const cluster = clusterFrom(settings, env);
  return cluster === undefined ? undefined : { by: "token review", rules, cluster };
}

function listed(settings: Settings, name: string, standard: readonly string[]): readonly string[] {
  const parts = (settings.text(name) ?? "").split(",").map((part) => part.trim());
  const given = parts.filter((part) => part !== "");
  return given.length === 0 ? standard : given;
}

function clusterFrom(settings: Settings, env: Env): Cluster | undefined {
  const names = ["KUBE_API_SERVER", "KUBE_TOKEN_PATH", "KUBE_CA_CERT_PATH"] as const;
  const [server, tokenPath, caPath] = names.map((name) => settings.text(name));
  if (server !== undefined && tokenPath !== undefined && caPath !== undefined) {
    if (!/^https:\/\/[^\s/]+$/.test(server))
      settings.refuse(names[0], server, "is no address", "write one as in https://10.0.0.1:6443");
    return { at: "given", server, tokenPath, caPath };
  }
  const missing = names.filter((name) => settings.text(name) === undefined);
  if (missing.length < names.length) {
    settings.errors.push(
      `${missing.join(" and ")} must be set too: ${names.join(", ")} go together, or none of them is set`,
    );
    return undefined;
  }
  if (env["KUBERNETES_SERVICE_HOST"]) return { at: "here" };
  settings.errors.push(
    `nobody can be asked about tokens, as this is no pod: set BIND_API_TOKEN, or ${names.join(", ")}; or DISABLE_AUTH to true for a Bindcar that nobody else can reach`,
  );
  return undefined;
}

function limitFrom(settings: Settings): RateLimit | undefined {
  const limit = {
    requests: settings.integer("RATE_LIMIT_REQUESTS", 100, { least: 1 }),
    periodSeconds: settings.integer("RATE_LIMIT_PERIOD_SECS", 60, { least: 1 }),
    burst: settings.integer("RATE_LIMIT_BURST", 10, { least: 1 }),
  };
  return settings.flag("RATE_LIMIT_ENABLED", true) ? limit : undefined;
}
