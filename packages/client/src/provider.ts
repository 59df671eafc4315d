// Rare ways to sign in (`auth-provider`: OIDC, Azure and the like), through the official client if it is installed. It costs
// a second and 85 MB to load, so nobody else pays for it.
import { ConfigError } from "./connection.ts";
import type { Entry, Kubeconfig, User } from "./kubeconfig.ts";
import type { Headers } from "./transport.ts";

export type ProviderHeaders = () => Promise<Headers>;

const official = "@kubernetes/client-node";

/** The part of its `KubeConfig` that is used here. */
interface OfficialConfig {
  loadFromOptions(options: object): void;
  applyToHTTPSOptions(options: { headers?: Record<string, string | string[]> }): Promise<void>;
}

export function providerHeaders(
  config: Kubeconfig,
  user: Entry<User>,
  { load = (name) => import(name) as Promise<unknown> }: { readonly load?: (name: string) => Promise<unknown> },
): ProviderHeaders {
  let loading: Promise<OfficialConfig> | undefined;
  return async () => {
    loading ??= loadOfficial(config, user, load).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    const options: { headers?: Record<string, string | string[]> } = {};
    await (await loading).applyToHTTPSOptions(options);
    return Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
  };
}

async function loadOfficial(
  config: Kubeconfig,
  user: Entry<User>,
  load: (name: string) => Promise<unknown>,
): Promise<OfficialConfig> {
  const provider = user.value["auth-provider"]?.name ?? "";
  let module: { KubeConfig: new () => OfficialConfig };
  try {
    module = (await load(official)) as typeof module;
  } catch (cause) {
    const problem = `${provider || "a provider"} needs ${official}, which is not installed`;
    const fix = `run \`npm install ${official}\`, or use an exec plugin`;
    throw new ConfigError(user.file, "auth-provider", problem, fix, { cause });
  }
  const loaded = new module.KubeConfig();
  const cluster = [...config.clusters][0];
  loaded.loadFromOptions({
    clusters: [{ name: "cluster", server: cluster?.[1].value.server ?? "https://localhost" }],
    users: [{ name: "user", authProvider: user.value["auth-provider"] }],
    contexts: [{ name: "context", cluster: "cluster", user: "user" }],
    currentContext: "context",
  });
  return loaded;
}
