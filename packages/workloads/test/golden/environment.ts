// Where a scenario is performed: an embedded server in virtual time, or a real control plane in real time.
import type { Instant, Ms } from "@telltale/kinds";
import { type Json, type JsonObject, parseObject } from "./json.ts";

export interface Environment {
  readonly namespace: string;
  /** What was seen of the namespace and its objects, Events included, in the order of revisions. */
  readonly changes: readonly Change[];
  /** The newest there is. */
  revision(): Promise<number>;
  now(): Instant;
  /** When something changed last. Events do not count. */
  changedAt(): Instant;
  /** Lets everything happen that can without waiting, and then time pass: so much at most. */
  pause(atMost: Ms): Promise<void>;
  send(method: string, path: string, body?: string, contentType?: string): Promise<Answer>;
}

export interface Change {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: JsonObject;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Sends a request and fails when it is refused. */
export async function call(
  env: Environment,
  method: string,
  path: string,
  body?: Json,
  contentType = "application/json",
): Promise<JsonObject> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const answer = await env.send(method, path, sent, contentType);
  if (answer.status >= 300) throw new Error(`${method} ${path} was refused with ${answer.status}: ${answer.body}`);
  return parseObject(answer.body);
}

/** What is there, or undefined when it is not. */
export async function look(env: Environment, path: string): Promise<JsonObject | undefined> {
  const answer = await env.send("GET", path);
  if (answer.status === 404) return undefined;
  if (answer.status >= 300) throw new Error(`GET ${path} was refused with ${answer.status}: ${answer.body}`);
  return parseObject(answer.body);
}

const mergePatch = "application/merge-patch+json";

export const patch = (env: Environment, path: string, change: Json): Promise<JsonObject> =>
  call(env, "PATCH", path, change, mergePatch);

const resources: Readonly<Record<string, readonly [prefix: string, resource: string]>> = {
  ConfigMap: ["/api/v1", "configmaps"],
  ControllerRevision: ["/apis/apps/v1", "controllerrevisions"],
  CronJob: ["/apis/batch/v1", "cronjobs"],
  DaemonSet: ["/apis/apps/v1", "daemonsets"],
  Deployment: ["/apis/apps/v1", "deployments"],
  EndpointSlice: ["/apis/discovery.k8s.io/v1", "endpointslices"],
  Endpoints: ["/api/v1", "endpoints"],
  Event: ["/api/v1", "events"],
  Job: ["/apis/batch/v1", "jobs"],
  PersistentVolumeClaim: ["/api/v1", "persistentvolumeclaims"],
  Pod: ["/api/v1", "pods"],
  PodDisruptionBudget: ["/apis/policy/v1", "poddisruptionbudgets"],
  ReplicaSet: ["/apis/apps/v1", "replicasets"],
  ResourceQuota: ["/api/v1", "resourcequotas"],
  Service: ["/api/v1", "services"],
  ServiceAccount: ["/api/v1", "serviceaccounts"],
  StatefulSet: ["/apis/apps/v1", "statefulsets"],
};

/** The kinds whose objects a recording is made of, beside the Namespace itself. */
export const watched: readonly string[] = Object.keys(resources);

/** The path of a kind in the namespace, or of one object. */
export function pathOf(env: Environment, kind: string, name?: string): string {
  if (kind === "Namespace") return `/api/v1/namespaces/${env.namespace}`;
  const found = resources[kind];
  if (found === undefined) throw new Error(`no path is known for the kind ${kind}; add it to environment.ts`);
  return `${found[0]}/namespaces/${env.namespace}/${found[1]}${name === undefined ? "" : `/${name}`}`;
}
