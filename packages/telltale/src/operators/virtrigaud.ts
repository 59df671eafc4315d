// Virtual machines at the front door.
import type { Clock, Random } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import type { Env } from "@telltale/runtime";
import {
  type Config,
  configFrom,
  type Dial,
  Provider,
  roles,
  SimulatedHost,
  Staging,
  simulatedDial,
  virtrigaudCrds,
  virtrigaudKinds,
  virtrigaudMetrics,
  virtrigaudOperator,
} from "@telltale/virtrigaud";
import { version } from "../program/version.ts";
import type { Operator, Parts } from "./operator.ts";
import { configured, flagsOf, placed } from "./settings.ts";

const name = "virtrigaud";
const flags = flagsOf(name, "VIRTRIGAUD_", configFrom);
const configIn = (settings: Env): Config => configured(name, configFrom(settings));

export const virtrigaud: Operator = {
  name,
  packageName: "@telltale/virtrigaud",
  namespace: "virtrigaud-system",
  kinds: virtrigaudKinds,
  flags: flags.flags,
  settings: (env, given) => ({ ...env, ...flags.named(given) }),
  crds: () => virtrigaudCrds(),
  replicas: ({ namespace, settings }) => configIn(placed(settings, namespace)).process.replicas,
  roles: ({ namespace, settings }) => roles({ namespace, config: configIn(settings) }),
  extras: () => [],
  async start({ settings, clock, random, log }) {
    const config = configIn(settings);
    const metrics = virtrigaudMetrics({ version, node: process.version });
    const { onCall, onAddress } = metrics;
    const { options, ...parts } = partsOf(
      config,
      virtrigaudOperator({ config, clock, random, log, onCall, onAddress }),
    );
    return { ...parts, options: { ...options, metrics: metrics.into } };
  },
  ground: { given: [], adapt: (sample) => sample, goesOn: isToAdopt },
  async embed({ settings, clock, random, log }) {
    const config = configIn(settings);
    // Samples name hosts that nobody has: they are looked up here, and never connected to.
    const lookup = async () => ["192.0.2.10"];
    const dial = simulatedHosts(clock, random);
    const { rate: _rate, ...options } = partsOf(config, []).options; // a server of our own is not to be spared
    const controllers = virtrigaudOperator({ config, clock, random, log, dial, lookup });
    return { controllers, options, backend: "simulated hypervisors" };
  },
};

/** A provider that is well asks for its machines half a minute later. */
function isToAdopt(object: KubeObject): boolean {
  const { apiVersion, kind, metadata } = object;
  if (apiVersion !== Provider.apiVersion || kind !== Provider.kind) return false;
  if (metadata?.annotations?.["virtrigaud.io/adopt-vms"] !== "true") return false;
  return (object as Provider).status?.adoption?.lastDiscoveryTime === undefined;
}

const partsOf = (config: Config, controllers: Parts["controllers"]): Parts => ({
  controllers,
  options: {
    events: "v1",
    rate: config.process.rate,
    ...(config.namespaces && { namespaces: config.namespaces }),
  },
});

/** Whoever looks on does not want to wait for disks. */
const durations = { image: 5_000, export: 5_000, import: 5_000 } as const;

/** One for each Provider, from the first time that it is asked. */
function simulatedHosts(clock: Clock, random: Random): Dial {
  const hosts = new Map<string, SimulatedHost>();
  const staging = new Staging(); // a machine that goes from one to another leaves its disk there
  return simulatedDial({
    clock,
    find(endpoint) {
      const known = hosts.get(endpoint);
      if (known !== undefined) return known;
      const host = new SimulatedHost({ clock, random, staging, durations });
      if (endpoint.includes("old-box")) host.furnish(oldMachines);
      hosts.set(endpoint, host);
      return host;
    },
  });
}

/** What the sample of adoption finds. */
const oldMachines = ["web-1", "db-1", "cache-1"].map((it) => ({ name: it, cpu: 2, memoryMiB: 2048, isOn: true }));
