// From a context of a kubeconfig to a connection: which server, with which certificates, as whom.
import { posix } from "node:path";
import type { Clock } from "@telltale/clock";
import { ConfigError, type Connection, type Env, type Files, type Run, type Tls } from "./connection.ts";
import { type ExecCredential, type ExecSource, execSource } from "./exec.ts";
import { impersonation } from "./impersonation.ts";
import type { Cluster, Entry, Exec, Kubeconfig, User } from "./kubeconfig.ts";
import { type ProviderHeaders, providerHeaders } from "./provider.ts";
import { proxyFor } from "./proxy.ts";
import { type Remembered, remember, rotation, whenKnown } from "./remembered.ts";
import type { Headers } from "./transport.ts";

export interface ResolveOptions {
  readonly files: Files;
  readonly run: Run;
  readonly env: Env;
  readonly clock: Clock;
  /** Default: the current one. */
  readonly context?: string;
  /** Loads a module by name, for rare ways to sign in. */
  readonly load?: (name: string) => Promise<unknown>;
}

/** The connection that a context describes. What is wrong with it is said now, as far as it can be known. */
export function resolveConnection(config: Kubeconfig, options: ResolveOptions): Connection {
  const { cluster, user, namespace, userName } = pickContext(config, options.context);
  const server = checkServer(cluster, config);
  checkCluster(cluster);
  const exec = execOf(user, userName, cluster, options);
  const token = tokenOf(user, options);
  const provider = user.value["auth-provider"] === undefined ? undefined : providerHeaders(config, user, options);
  const proxy = cluster.value["proxy-url"] || proxyFor(server, options.env);
  const tls = tlsOf(cluster, user, exec, options);
  const as = impersonation(user);
  return {
    server,
    namespace,
    ...(proxy ? { proxy } : {}),
    tls: () => tls.get(),
    identity: () => whenKnown(authorization(user.value, token, exec, provider), (who) => ({ ...who, ...as })),
    forget() {
      token?.forget();
      exec?.forget();
      tls.forget();
      return token !== undefined || exec !== undefined || Boolean(user.value["client-certificate"]);
    },
  };
}

function pickContext(config: Kubeconfig, wanted: string | undefined) {
  const where = config.files.join(", ") || "kubeconfig";
  const name = wanted ?? config.currentContext;
  if (name === "") {
    throw new ConfigError(where, "current-context", "it is not set", "run `kubectl config use-context <name>`");
  }
  const context = config.contexts.get(name);
  if (context === undefined) {
    const field = wanted === undefined ? "current-context" : "contexts";
    throw new ConfigError(where, field, `there is no context ${name}`, `use one of: ${known(config.contexts)}`);
  }
  const { cluster: clusterName = "", user: userName = "", namespace } = context.value;
  const field = `contexts[${name}]`;
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined) {
    const fix = `use one of: ${known(config.clusters)}`;
    throw new ConfigError(context.file, `${field}.cluster`, `there is no cluster "${clusterName}"`, fix);
  }
  const user = config.users.get(userName);
  if (user === undefined && userName !== "") {
    const fix = `use one of: ${known(config.users)}`;
    throw new ConfigError(context.file, `${field}.user`, `there is no user "${userName}"`, fix);
  }
  const nobody: Entry<User> = { file: context.file, value: {} };
  return { cluster, user: user ?? nobody, userName, namespace: namespace || "default" };
}

const known = (entries: ReadonlyMap<string, unknown>): string => [...entries.keys()].join(", ") || "none is there";

function checkServer(cluster: Entry<Cluster>, config: Kubeconfig): string {
  const name = [...config.clusters].find(([, entry]) => entry === cluster)?.[0] ?? "";
  const field = `clusters[${name}].server`;
  const server = cluster.value.server ?? "";
  if (server === "") throw new ConfigError(cluster.file, field, "it is missing", "give the server's URL");
  const url = server.includes("://") ? server : `https://${server}`;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new ConfigError(cluster.file, field, `${server} is no URL of a server`, "give one such as https://host:6443");
  }
  return url.replace(/\/+$/, "");
}

function checkCluster({ file, value }: Entry<Cluster>): void {
  const hasCa = value["certificate-authority"] || value["certificate-authority-data"];
  if (value["insecure-skip-tls-verify"] === true && hasCa) {
    const problem = "it stands beside a certificate authority, which it would ignore";
    throw new ConfigError(file, "insecure-skip-tls-verify", problem, "remove one of the two");
  }
}

/** Paths in a kubeconfig are relative to its folder. */
export function beside(file: string, path: string): string {
  return posix.isAbsolute(path) ? path : posix.join(posix.dirname(file), path);
}

async function readBeside(files: Files, entry: Entry<unknown>, field: string, path: string): Promise<string> {
  const text = await files.read(beside(entry.file, path));
  if (text !== undefined) return text;
  throw new ConfigError(entry.file, field, `${beside(entry.file, path)} does not exist`, "correct the path");
}

function decode(entry: Entry<unknown>, field: string, data: string): string {
  const text = Buffer.from(data, "base64").toString("utf8");
  if (text.includes("-----BEGIN")) return text;
  throw new ConfigError(entry.file, field, "it is no PEM in base64", "encode the file as it is: `base64 -w0 < file`");
}

/** A field as data, or as a file; data wins. */
async function pem(files: Files, entry: Entry<object>, field: string): Promise<string | undefined> {
  const value = entry.value as Readonly<Record<string, unknown>>;
  const data = value[`${field}-data`];
  if (typeof data === "string" && data !== "") return decode(entry, `${field}-data`, data);
  const path = value[field];
  return typeof path === "string" && path !== "" ? readBeside(files, entry, field, path) : undefined;
}

function tlsOf(
  cluster: Entry<Cluster>,
  user: Entry<User>,
  exec: ExecSource | undefined,
  { files, clock }: ResolveOptions,
): Remembered<Tls> {
  const { "tls-server-name": serverName, "insecure-skip-tls-verify": insecure } = cluster.value;
  const stored = remember(clock, rotation, async () => ({
    ca: await pem(files, cluster, "certificate-authority"),
    cert: await pem(files, user, "client-certificate"),
    key: await pem(files, user, "client-key"),
  }));
  let last: { readonly tls: Tls; readonly pems?: Pems; readonly plugin?: ExecCredential | undefined } = { tls: {} };
  const made = (pems: Pems, plugin?: ExecCredential): Tls => {
    if (last.pems === pems && last.plugin === plugin) return last.tls;
    const { ca, cert, key } = pems;
    if ((cert === undefined) !== (key === undefined)) {
      const [field, other] =
        cert === undefined ? ["client-certificate", "client-key"] : ["client-key", "client-certificate"];
      throw new ConfigError(user.file, field, `it is missing, but ${other} is there`, "give both, or none");
    }
    const next: Tls = {
      ...(ca === undefined ? {} : { ca }),
      ...pair(cert ?? plugin?.cert, key ?? plugin?.key),
      ...(serverName ? { serverName } : {}),
      ...(insecure === true ? { insecure } : {}),
    };
    last = { tls: sameTls(last.tls, next) ? last.tls : next, pems, plugin };
    return last.tls;
  };
  // A certificate of the user's own comes before a plugin's, as in client-go.
  const get = () =>
    whenKnown(stored.get(), (pems) =>
      pems.cert === undefined && exec !== undefined
        ? whenKnown(exec.get(), (plugin) => made(pems, plugin))
        : made(pems),
    );
  return { get, forget: () => stored.forget() };
}

type Pems = Readonly<Record<"ca" | "cert" | "key", string | undefined>>;

const pair = (cert: string | undefined, key: string | undefined): Tls =>
  cert === undefined || key === undefined ? {} : { cert, key };

const sameTls = (a: Tls, b: Tls): boolean =>
  a.ca === b.ca && a.cert === b.cert && a.key === b.key && a.serverName === b.serverName && a.insecure === b.insecure;

function tokenOf(user: Entry<User>, { files, clock }: ResolveOptions): Remembered<string> | undefined {
  const { tokenFile, token } = user.value;
  if (!tokenFile) return undefined;
  return remember(clock, rotation, async () => {
    const text = (await files.read(beside(user.file, tokenFile)))?.trim();
    // The file wins over the token beside it, which is for the time when it cannot be read.
    if (text) return text;
    if (token) return token;
    const problem = `${beside(user.file, tokenFile)} ${text === undefined ? "does not exist" : "is empty"}`;
    throw new ConfigError(user.file, "tokenFile", problem, "correct the path, or give `token`");
  });
}

function execOf(user: Entry<User>, name: string, cluster: Entry<Cluster>, options: ResolveOptions) {
  const { exec } = user.value;
  if (exec === undefined) return undefined;
  const command = exec.command?.includes("/") ? beside(user.file, exec.command) : exec.command;
  const resolved: Exec = command === undefined ? exec : { ...exec, command };
  return execSource({
    exec: resolved,
    file: user.file,
    field: `users[${name}].exec`,
    run: options.run,
    env: options.env,
    clock: options.clock,
    cluster: () => clusterInfo(cluster, options.files),
  });
}

/** What a plugin is told of the cluster: the names of the API, not those of the file. */
async function clusterInfo(entry: Entry<Cluster>, files: Files): Promise<object> {
  const cluster = entry.value;
  const ca = await pem(files, entry, "certificate-authority");
  return {
    server: cluster.server,
    "tls-server-name": cluster["tls-server-name"],
    "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"],
    "certificate-authority-data": ca === undefined ? undefined : Buffer.from(ca).toString("base64"),
    "proxy-url": cluster["proxy-url"],
    config: cluster.extensions?.find(({ name }) => name === "client.authentication.k8s.io/exec")?.extension,
  };
}

function authorization(
  user: User,
  token: Remembered<string> | undefined,
  exec: ExecSource | undefined,
  provider: ProviderHeaders | undefined,
): Headers | Promise<Headers> {
  if (token !== undefined) return whenKnown(token.get(), bearer);
  if (user.token) return bearer(user.token);
  if (user.username) {
    const pair = Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64");
    return { authorization: `Basic ${pair}` };
  }
  return whenKnown(exec?.get(), (credential) => {
    if (credential?.token) return bearer(credential.token);
    return provider === undefined ? {} : provider();
  });
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
