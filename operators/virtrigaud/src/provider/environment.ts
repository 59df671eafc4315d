// What the process of a provider is told through its environment (3.2 step 6). Pure.
import type { Provider } from "../kinds/index.ts";
import { labels } from "../names.ts";
import { tlsPosture } from "./tls.ts";

type EnvVar = NonNullable<Provider["spec"]["runtime"]["env"]>[number];

/** What the spec adds comes last, and counts where it names one of ours: as the kubelet would have it. */
export function environmentOf(it: Provider): EnvVar[] {
  const { env = [] } = it.spec.runtime;
  const added = new Map(env.map((one) => [one.name, one]));
  return [...ownOf(it).filter(({ name }) => !added.has(name)), ...added.values()];
}

function ownOf(it: Provider): EnvVar[] {
  const { type, endpoint, insecureSkipVerify = false, runtime, defaults = {} } = it.spec;
  const isPlain = tlsPosture(it).is === "plaintext";
  return [
    { name: "PROVIDER_TYPE", value: type },
    { name: "PROVIDER_ENDPOINT", value: endpoint },
    { name: "PROVIDER_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    { name: "PROVIDER_NAME", valueFrom: { fieldRef: { fieldPath: `metadata.labels['${labels.instance}']` } } },
    { name: "TLS_ENABLED", value: String(!isPlain) },
    { name: "TLS_INSECURE_SKIP_VERIFY", value: String(insecureSkipVerify) },
    { name: "LOG_LEVEL", value: runtime.logLevel ?? "info" },
    { name: "LOG_FORMAT", value: runtime.logFormat ?? "text" },
    ...given("PROVIDER_DEFAULT_DATASTORE", defaults.datastore),
    ...given("PROVIDER_DEFAULT_STORAGE_POD", defaults.storagePod),
    ...given("PROVIDER_DEFAULT_CLUSTER", defaults.cluster),
    ...given("PROVIDER_DEFAULT_FOLDER", defaults.folder),
    ...given("PROVIDER_DEFAULT_RESOURCE_POOL", defaults.resourcePool),
    ...given("PROVIDER_DEFAULT_NETWORK", defaults.network),
    // Without it a provider that finds no certificates does not start.
    ...(isPlain ? [{ name: "VIRTRIGAUD_PROVIDER_INSECURE", value: "true" }] : []),
  ];
}

const given = (name: string, value: string | undefined): EnvVar[] => (value ? [{ name, value }] : []);
