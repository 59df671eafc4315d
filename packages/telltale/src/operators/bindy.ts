// BIND9 DNS at the front door.
import {
  bindcarClient,
  bindyCrds,
  bindyKinds,
  bindyOperator,
  type Config,
  configFrom,
  fixedToken,
  leaseName,
  podPolicy,
  roles,
  SimulatedBindcar,
  simulatedWire,
  tokenMount,
} from "@telltale/bindy";
import type { Clock, Random } from "@telltale/clock";
import type { Env } from "@telltale/runtime";
import type { Operator, Parts } from "./operator.ts";
import { configured, flagsOf } from "./settings.ts";

const name = "bindy";
const flags = flagsOf(name, "BINDY_", configFrom);
const configIn = (settings: Env, namespace: string): Config =>
  configured(name, configFrom({ ...settings, POD_NAMESPACE: settings["POD_NAMESPACE"] ?? namespace }));

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
  roles: ({ namespace, settings }) =>
    roles({ namespace, operands: operands(namespace, configIn(settings, namespace)) }),
  extras: ({ namespace, settings }) =>
    operands(namespace, configIn(settings, namespace)).map((place) =>
      podPolicy({ namespace: place, operator: namespace }),
    ),
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
    return partsOf(config, bindyOperator({ ...around, config }));
  },
  ground: {
    given: ["bindy-system", "dns-system", "production"].map((place) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: place },
    })),
    adapt: (sample) => sample,
  },
  async embed({ settings, namespace, ...around }) {
    const config = configIn(settings, namespace);
    const { clock, random } = around;
    const wire = simulatedWire({ find: nameservers(clock, random), clock });
    const bindcar = bindcarClient({ wire, token: fixedToken("embedded"), clock, random });
    const { rate: _rate, ...options } = partsOf(config, []).options; // a server of our own is not to be spared
    return { controllers: bindyOperator({ ...around, config, bindcar }), options, backend: "simulated BIND9" };
  },
};

function partsOf(config: Config, controllers: Parts["controllers"]): Parts {
  const { replicas, rate } = config.process;
  const {
    as: _as,
    namespace: _namespace,
    ...lease
  } = replicas.as === "lease" ? replicas : { as: "", namespace: "", lease: leaseName };
  return {
    controllers,
    options: { ...(config.namespaces && { namespaces: config.namespaces }), rate, events: "v1" },
    lease,
  };
}

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
