// The manifests that send requests to the handlers of a table: pure, and never written by hand beside it.
import type { ConversionWebhook, Kind } from "@telltale/kinds";
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@telltale/kinds/builtin";
import type { Hook, Hooks } from "./hooks.ts";

/** Where a server finds us: behind a Service, or at an address. */
export type Reachable =
  | {
      readonly service: {
        readonly namespace: string;
        readonly name: string /** Default: 443. */;
        readonly port?: number;
      };
      readonly caBundle?: string;
    }
  | { /** `https://127.0.0.1:9443`, without a path. */ readonly url: string; readonly caBundle?: string };

export interface ConfigurationOptions {
  /** Of both configurations. */
  readonly name: string;
  readonly at: Reachable;
  readonly labels?: Readonly<Record<string, string>>;
  /** `cert-manager.io/inject-ca-from`, and the like. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface WebhookConfigurations {
  /** Undefined where the table has nothing of that kind. */
  readonly validating?: ValidatingWebhookConfiguration;
  readonly mutating?: MutatingWebhookConfiguration;
}

export function webhookConfigurations(hooks: Hooks, options: ConfigurationOptions): WebhookConfigurations {
  const { name, labels, annotations } = options;
  const head = (kind: string) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
  });
  const validating = hooks.admission.filter(({ is }) => is === "validate");
  const mutating = hooks.admission.filter(({ is }) => is === "mutate");
  return {
    ...(validating.length === 0
      ? {}
      : {
          validating: {
            ...head("ValidatingWebhookConfiguration"),
            kind: "ValidatingWebhookConfiguration",
            apiVersion: "admissionregistration.k8s.io/v1",
            webhooks: validating.map((hook) => webhook(hook, options.at)),
          },
        }),
    ...(mutating.length === 0
      ? {}
      : {
          mutating: {
            ...head("MutatingWebhookConfiguration"),
            kind: "MutatingWebhookConfiguration",
            apiVersion: "admissionregistration.k8s.io/v1",
            webhooks: mutating.map((hook) => ({
              ...webhook(hook, options.at),
              reinvocationPolicy: hook.options.reinvocationPolicy ?? "Never",
            })),
          },
        }),
  };
}

/** For `toCrd(kind, { conversion })`. Undefined where nothing converts the kind. */
export function conversionWebhook(hooks: Hooks, kind: Kind, at: Reachable): ConversionWebhook | undefined {
  const path = hooks.conversion.find((one) => one.kind === kind)?.path;
  return path === undefined ? undefined : clientConfig(at, path);
}

function webhook({ kind, path, name, operations, subresource, options }: Hook, at: Reachable) {
  const { matchConditions, namespaceSelector, objectSelector } = options;
  return {
    name,
    clientConfig: clientConfig(at, path),
    rules: [
      {
        operations: [...operations],
        apiGroups: [kind.group],
        apiVersions: [kind.version],
        resources: [subresource === "" ? kind.plural : `${kind.plural}/${subresource}`],
        scope: kind.scope === "Cluster" ? "Cluster" : "Namespaced",
      },
    ],
    failurePolicy: options.failurePolicy ?? "Fail",
    matchPolicy: options.matchPolicy ?? "Equivalent",
    sideEffects: options.sideEffects ?? "None",
    timeoutSeconds: options.timeoutSeconds ?? 5,
    admissionReviewVersions: ["v1"],
    ...(namespaceSelector === undefined ? {} : { namespaceSelector: mutable(namespaceSelector) }),
    ...(objectSelector === undefined ? {} : { objectSelector: mutable(objectSelector) }),
    ...(matchConditions === undefined ? {} : { matchConditions: matchConditions.map((one) => ({ ...one })) }),
  };
}

function clientConfig(at: Reachable, path: string) {
  const ca = at.caBundle === undefined ? {} : { caBundle: at.caBundle };
  if ("url" in at) return { url: `${at.url.replace(/\/+$/, "")}${path}`, ...ca };
  const { namespace, name, port } = at.service;
  return { service: { namespace, name, path, ...(port === undefined ? {} : { port }) }, ...ca };
}

/** The wire types are not read-only. */
function mutable({ matchLabels, matchExpressions }: NonNullable<Hook["options"]["objectSelector"]>) {
  return {
    ...(matchLabels == null ? {} : { matchLabels: { ...matchLabels } }),
    ...(matchExpressions == null
      ? {}
      : {
          matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
            key,
            operator,
            ...(values == null ? {} : { values: [...values] }),
          })),
        }),
  };
}
