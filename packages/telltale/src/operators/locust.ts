// Load tests with Locust at the front door.

import { systemClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { toCrd } from "@telltale/kinds";
import type { CustomResourceDefinition, Pod } from "@telltale/kinds/builtin";
import {
  type Config,
  configFrom,
  configurationName,
  foreignDefinition,
  forServer,
  LocustTest,
  localPods,
  locustOperator,
  locustWebhooks,
  standardConfig,
  userRoles,
  webhookManifests,
} from "@telltale/locust";
import { type Env, rbacManifests } from "@telltale/runtime";
import { processRuntime } from "@telltale/workloads";
import { pretendMasters, shortened, simulatedLife } from "./locust-pods.ts";
import type { InstallOptions, Operator } from "./operator.ts";
import { programOn } from "./programs.ts";
import { configured, flagsOf } from "./settings.ts";

const name = "locust";
const flags = flagsOf(name, "", configFrom);
const configIn = (settings: Env): Config => configured(name, configFrom(settings));

const webhooks = {
  service: "locust-webhooks",
  secret: "locust-webhooks",
  publish: [
    { in: "validating", name: configurationName },
    { in: "conversion", name: "locusttests.locust.io" },
  ],
} as const;

export const locust: Operator = {
  name,
  packageName: "@telltale/locust",
  namespace: "locust-system",
  kinds: [LocustTest],
  flags: flags.flags,
  settings: (env, given) => ({ ...env, ...flags.named(given) }),
  outside: { TELEMETRY_MODE: "api-proxy" },
  crds: (options) => (options.webhooks ? [manifests(options).crd] : [toCrd(LocustTest)]),
  upstream: {
    deployments: ["locust-k8s-operator"],
    // The second one is of the Locust project itself.
    images: ["lotest/locust-k8s-operator", "locustcloud/locust-operator"],
    leases: ["locust-k8s-operator.locust.io"],
  },
  fieldManagers: [],
  webhooks,
  replicas: ({ namespace }) => ({ as: "lease", namespace }),
  roles({ namespace, settings, webhooks: isAsked }) {
    // Printed and installed for a pod, wherever that is done.
    const config = configIn({ ...settings, TELEMETRY_MODE: settings["TELEMETRY_MODE"] ?? "pod-ip" });
    return rbacManifests({
      name,
      namespace,
      controllers: locustOperator({ config, transport: nobody }),
      replicas: { as: "lease", namespace },
      events: "v1",
      ...(config.namespaces && { namespaces: config.namespaces }),
      ...(isAsked && { webhooks: { namespace, ...webhooks } }),
    });
  },
  extras: (options) => [
    ...userRoles(),
    ...(options.webhooks ? [serviceOf(options.namespace), manifests(options).validating] : []),
  ],
  refuses: (found) => foreignDefinition(found as CustomResourceDefinition),
  async start({ client, settings, clock, log, ...around }) {
    const { text } = await client.request({ method: "GET", path: "/version" });
    const config = forServer(configIn(settings), JSON.parse(text) as { major: string; minor: string });
    return {
      controllers: locustOperator({ ...around, config, clock, log }),
      options: { events: "v1", ...(config.namespaces && { namespaces: config.namespaces }) },
      hooks: locustWebhooks({ clock, config, log }),
    };
  },
  ground: { given: [], adapt: shortened },
  async embed({ settings, clock, random, log, pods, transport, real, kubeconfig, env }) {
    const read = configIn(settings);
    const program = real ? await programOn(env["PATH"], name) : undefined;
    // What changes within seconds is looked at as often.
    const every = program === undefined ? 1_000 : 2_000;
    const telemetry = { ...read.telemetry, mode: "pod-ip" as const, interval: every, statusInterval: every };
    const config: Config = { ...read, exporter: { at: "disabled" }, telemetry };
    const around = { config, transport, clock, log };
    const common = { options: { events: "v1" as const }, hooks: locustWebhooks({ clock, config, log }) };
    if (program !== undefined) {
      const onWarning = (text: string) => log.warn(text);
      const runtime = processRuntime({ ...localPods({ locust: program, kubeconfig }), clock, random, onWarning });
      const runs = ({ metadata }: Pod) => metadata?.labels?.["managed-by"] === "locust-k8s-operator";
      return { ...common, controllers: locustOperator(around), backend: "Locust", pods: { runtime, runs } };
    }
    const masters = pretendMasters({ pods, clock, random, maxBody: telemetry.maxBody });
    return {
      ...common,
      controllers: locustOperator({ ...around, api: masters.api }),
      behave: simulatedLife,
      backend: "simulated Locust",
      drain: () => masters.stop(),
    };
  },
};

const nobody = { send: () => Promise.reject(new Error("nobody is asked")), close: async () => {} };

const manifests = ({ namespace }: InstallOptions) =>
  webhookManifests(locustWebhooks({ clock: systemClock, config: standardConfig }), {
    service: { namespace, name: webhooks.service },
  });

const serviceOf = (namespace: string): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: webhooks.service, namespace },
    spec: { selector: { "app.kubernetes.io/name": name }, ports: [{ port: 443, targetPort: 9443 }] },
  }) as KubeObject;
