// The connection of a pod to its own cluster: the mounted service account, whose token and authorities rotate.
import type { Clock } from "@telltale/clock";
import { ConfigError, type Connection, type Env, type Files, type Tls } from "./connection.ts";
import { proxyFor } from "./proxy.ts";
import { remember, rotation, whenKnown } from "./remembered.ts";

const folder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Whether this looks like a pod: the variables that every container gets. */
export function isInCluster(env: Env): boolean {
  return Boolean(env["KUBERNETES_SERVICE_HOST"] && env["KUBERNETES_SERVICE_PORT"]);
}

export async function inClusterConnection(options: {
  readonly files: Files;
  readonly env: Env;
  readonly clock: Clock;
}): Promise<Connection> {
  const { files, env, clock } = options;
  if (!isInCluster(env)) {
    const fix = "run in a pod, or give a kubeconfig";
    throw new ConfigError("environment", "KUBERNETES_SERVICE_HOST", "it is not set: this is no pod", fix);
  }
  const need = async (name: string): Promise<string> => {
    const text = (await files.read(`${folder}/${name}`))?.trim();
    if (text) return text;
    const problem = text === undefined ? "it does not exist" : "it is empty";
    const fix = "mount the service account: set automountServiceAccountToken to true";
    throw new ConfigError(`${folder}/${name}`, "file", problem, fix);
  };
  const host = env["KUBERNETES_SERVICE_HOST"] ?? "";
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${env["KUBERNETES_SERVICE_PORT"]}`;
  const proxy = proxyFor(server, env);
  const token = remember(clock, rotation, () => need("token"));
  let last: Tls = {};
  const tls = remember(clock, rotation, async () => {
    const ca = await need("ca.crt");
    if (last.ca !== ca) last = { ca };
    return last;
  });
  await Promise.all([token.get(), tls.get()]);
  return {
    server,
    namespace: (await files.read(`${folder}/namespace`))?.trim() || "default",
    ...(proxy === undefined ? {} : { proxy }),
    tls: () => tls.get(),
    identity: () => whenKnown(token.get(), (text) => ({ authorization: `Bearer ${text}` })),
    forget() {
      token.forget();
      return true;
    },
  };
}
