// Requests to a server whose PodSecurity has defaults and exemptions, and what it answers and notes for their audit.
import type { PodSecuritySettings } from "../src/index.ts";
import type { JsonObject } from "../src/json.ts";
import { warned } from "./pod-warnings.ts";

export const settings: PodSecuritySettings = {
  defaults: { enforce: "baseline", "enforce-version": "v1.30", audit: "restricted", "audit-version": "latest" },
  exemptions: { usernames: ["trusted"], namespaces: ["free", "unlabelled"], runtimeClasses: ["sandbox"] },
};

export interface Request {
  readonly title: string;
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly user?: string;
  readonly body: JsonObject;
  /** For those after it only. */
  readonly prepares?: true;
}

export interface Answer {
  readonly title: string;
  readonly status: number;
  readonly message: string;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

const namespace = (name: string, labels: Readonly<Record<string, string>> = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {
    name,
    labels: Object.fromEntries(Object.entries(labels).map(([k, v]) => [`pod-security.kubernetes.io/${k}`, v])),
  },
});
const make = (title: string, name: string, labels?: Readonly<Record<string, string>>): Request => ({
  title,
  method: "POST",
  path: "/api/v1/namespaces",
  body: namespace(name, labels),
});
const relabel = (title: string, name: string, labels: Readonly<Record<string, string>>): Request => ({
  title,
  method: "PATCH",
  path: `/api/v1/namespaces/${name}`,
  body: namespace(name, labels),
});
const pod = (title: string, place: string, spec: JsonObject, user?: string): Request => ({
  title,
  method: "POST",
  path: `/api/v1/namespaces/${place}/pods?dryRun=All`,
  body: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers, ...spec } },
  ...(user === undefined ? {} : { user }),
});
const containers = [{ name: "c", image: "i" }];
const deployment = (title: string, place: string, spec: JsonObject, user?: string): Request => ({
  title,
  method: "POST",
  path: `/apis/apps/v1/namespaces/${place}/deployments?dryRun=All`,
  body: {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers, ...spec } },
    },
  },
  ...(user === undefined ? {} : { user }),
});
const host: JsonObject = { hostPID: true };

export const requests: readonly Request[] = [
  {
    title: "a runtime class",
    method: "POST",
    path: "/apis/node.k8s.io/v1/runtimeclasses",
    body: { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "sandbox" }, handler: "h" },
    prepares: true,
  },
  { ...make("a namespace without labels", "plain"), prepares: true },
  { ...make("a namespace with its own levels", "own", { enforce: "privileged", audit: "privileged" }), prepares: true },
  make("an exempt namespace without labels", "unlabelled"),
  make("an exempt namespace with labels", "free", { enforce: "restricted", warn: "baseline", "warn-version": "v1.20" }),
  relabel("its labels change", "free", { enforce: "restricted", "enforce-version": "v1.25", audit: "baseline" }),
  relabel("an exempt namespace gets the defaults as labels", "unlabelled", {
    enforce: "baseline",
    "enforce-version": "v1.30",
  }),
  relabel("an exempt namespace gets one more label", "unlabelled", { enforce: "restricted" }),
  pod("what the default level forbids", "plain", host),
  pod("what the default level allows is noted", "plain", {}),
  pod("by an exempt user", "plain", host, "trusted"),
  pod("with an exempt runtime class", "plain", { ...host, runtimeClassName: "sandbox" }),
  pod("in an exempt namespace", "free", host),
  pod("in a namespace where all is allowed", "own", host),
  deployment("a template that the default level forbids", "plain", host),
  deployment("a template by an exempt user", "plain", host, "trusted"),
  deployment("a template with an exempt runtime class", "plain", { ...host, runtimeClassName: "sandbox" }),
  deployment("a template in an exempt namespace", "free", host),
  deployment("a template where all is allowed", "own", host),
  ...warned,
];

const prefix = "pod-security.kubernetes.io/";

/** Of what is noted for an audit, what PodSecurity noted. */
export const ownAnnotations = (all: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([name]) => name.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The texts of `Warning` headers. */
export const warningTexts = (header: string | readonly string[] | undefined): string[] =>
  [header ?? []].flat().map((line) => line.replace(/^299 - "(.*)"$/s, "$1").replace(/\\(.)/g, "$1"));

export const messageOf = (status: number, body: string): string => {
  const { message } = JSON.parse(body) as { message?: string };
  return status < 300 ? "" : (message ?? "");
};
