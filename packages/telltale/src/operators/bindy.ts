// BIND9 DNS at the front door.
import {
  annotateEndpoints,
  bindcarClient,
  bindyCrds,
  bindyKinds,
  bindyMetrics,
  bindyOperator,
  type Config,
  configFrom,
  fieldManager,
  fixedToken,
  httpWire,
  leaseName,
  localPods,
  podPolicy,
  roles,
  SimulatedBindcar,
  simulatedUpdates,
  simulatedWire,
  tokenMount,
} from "@telltale/bindy";
import { type Clock, type Random, uuid } from "@telltale/clock";
import type { Pod } from "@telltale/kinds/builtin";
import type { Env } from "@telltale/runtime";
import { processRuntime } from "@telltale/workloads";
import type { EmbeddedAround, Operator, Parts } from "./operator.ts";
import { programOn } from "./programs.ts";
import { configured, flagsOf, placed } from "./settings.ts";

const name = "bindy";
const flags = flagsOf(name, "BINDY_", configFrom);
const configIn = (settings: Env, namespace: string): Config =>
  configured(name, configFrom({ ...settings, POD_NAMESPACE: settings["POD_NAMESPACE"] ?? namespace }));

/** The Lease is where we are, unless a setting says otherwise. */
const replicas: Operator["replicas"] = ({ namespace, settings }) =>
  configIn(placed(settings, namespace), namespace).process.replicas;

/** Where instances may be: their keys are kept there. */
const operands = (namespace: string, { namespaces }: Config): readonly string[] => namespaces ?? [namespace, "default"];

export const bindy: Operator = {
  name,
  packageName: "@telltale/bindy",
  namespace: "bindy-system",
  kinds: bindyKinds,
  flags: flags.flags,
  settings: (env, given) => ({ ...env, ...flags.named(given) }),
  crds: () => bindyCrds(),
  upstream: { deployments: ["bindy"], images: ["firestoned/bindy"], leases: [leaseName] },
  fieldManagers: [fieldManager],
  replicas,
  roles({ namespace, settings }) {
    const elected = replicas({ namespace, settings });
    return roles({
      namespace,
      operands: operands(namespace, configIn(settings, namespace)),
      ...(elected.as === "lease" && { leases: elected.namespace }),
    });
  },
  extras: ({ namespace, settings }) =>
    operands(namespace, configIn(settings, namespace)).map((place) =>
      podPolicy({ namespace: place, operator: namespace }),
    ),
  user: 65_534, // 8.1 of its spec
  mounts: [
    {
      volume: {
        name: "bindcar-token",
        projected: {
          sources: [
            { serviceAccountToken: { audience: tokenMount.audience, expirationSeconds: 3600, path: tokenMount.file } },
          ],
        },
      },
      mount: { name: "bindcar-token", mountPath: tokenMount.path, readOnly: true },
    },
  ],
  async start({ settings, namespace, ...around }) {
    const config = configIn(settings, namespace);
    const metrics = bindyMetrics({ clock: around.clock, podName: settings["POD_NAME"] ?? name });
    const { options, ...parts } = partsOf(config, bindyOperator({ ...around, config, metrics }));
    return { ...parts, options: { ...options, metrics: metrics.into } };
  },
  ground: {
    given: ["bindy-system", "dns-system", "production"].map((place) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: place },
    })),
    adapt: (sample) => sample,
  },
  async embed({ settings, namespace, real, ...around }) {
    const config = configIn(settings, namespace);
    const { clock, random } = around;
    const { rate: _rate, ...options } = partsOf(config, []).options; // a server of our own is not to be spared
    const found = real ? await programOn(around.env["PATH"], "named") : undefined;
    if (found !== undefined) return { options, ...realServers(config, around) };
    const find = nameservers(clock, random);
    const wire = simulatedWire({ find, clock });
    const updates = simulatedUpdates({ find, clock });
    const bindcar = bindcarClient({ wire, token: fixedToken("embedded"), clock, random });
    return { controllers: bindyOperator({ ...around, config, bindcar, updates }), options, backend: "simulated BIND9" };
  },
};

/** named and Bindcar as processes of this machine. */
function realServers(
  config: Config,
  around: Pick<EmbeddedAround, "client" | "transport" | "clock" | "random" | "log" | "env">,
) {
  const { client, clock, random, log, env } = around;
  const onWarning = (text: string) => log.warn(text);
  // Only processes that we start ever see it.
  const token = uuid(random);
  const local = localPods({ path: env["PATH"] ?? "", as: "real", access: { by: "shared secret", token } });
  const bindcar = bindcarClient({ wire: httpWire({ clock }), token: fixedToken(token), clock, random });
  return {
    controllers: bindyOperator({ ...around, config, bindcar }),
    backend: "BIND9",
    pods: {
      runtime: processRuntime({ ...local.runtime, clock, random, onWarning }),
      runs: ({ metadata }: Pod) => metadata?.labels?.["app"] === "bind9",
    },
    beside: (signal: AbortSignal) => annotateEndpoints({ client, clock }, signal),
    drain: async () => local.remove(),
  };
}

const partsOf = (config: Config, controllers: Parts["controllers"]): Parts => ({
  controllers,
  options: {
    ...(config.namespaces && { namespaces: config.namespaces }),
    rate: config.process.rate,
    events: "v1",
  },
});

/** One at each address: what comes to another port of it is DNS, by which the others transfer zones. */
function nameservers(clock: Clock, random: Random) {
  const all = new Map<string, SimulatedBindcar>();
  const addressOf = (endpoint: string): string => endpoint.split(":")[0] ?? "";
  const serverAt = (endpoint: string) => all.get(addressOf(endpoint))?.nameserver;
  return (endpoint: string): SimulatedBindcar => {
    const address = addressOf(endpoint);
    const known = all.get(address) ?? new SimulatedBindcar({ clock, random, address, serverAt });
    all.set(address, known);
    return known;
  };
}
