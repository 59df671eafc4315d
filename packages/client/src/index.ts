export { createClient } from "./client.ts";
export { ConfigError, type Connection, type Env, type Files, type Run, type Tls } from "./connection.ts";
export * from "./errors.ts";
export { type HttpOptions, httpTransport } from "./http.ts";
export { inClusterConnection, isInCluster } from "./in-cluster.ts";
export { type InProcessServer, inProcessTransport } from "./in-process.ts";
export {
  type Kubeconfig,
  kubeconfigPaths,
  loadKubeconfig,
  mergeKubeconfigs,
  type Place,
  parseKubeconfig,
} from "./kubeconfig.ts";
export { collectionPath, objectPath, type Query, type QueryValue, type Ref, withQuery } from "./paths.ts";
export { type ResolveOptions, resolveConnection } from "./resolve.ts";
export { type Discovered, discover, type RestMapping, type Wanted } from "./rest-mapping.ts";
export { type Budget, defaultBudget, type JsonPatchOperation, type Outcome, type Safety } from "./retry.ts";
export type { Answer, Attempt, CallOptions, SenderOptions } from "./send.ts";
export { type FindOptions, findConnection, systemFiles, systemRun } from "./system.ts";
export type { Headers, Request, Response, Transport } from "./transport.ts";
export type * from "./verbs.ts";
export { unlessAborted } from "./wait.ts";
export type { WatchEvent } from "./watch.ts";
export { yamlOf } from "./yaml.ts";
