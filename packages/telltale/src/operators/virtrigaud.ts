// Virtual machines at the front door.
import type { Clock, Random } from "@telltale/clock";
import type { Env } from "@telltale/runtime";
import {
  type Config,
  configFrom,
  type Dial,
  leaseName,
  roles,
  SimulatedHost,
  simulatedDial,
  virtrigaudCrds,
  virtrigaudKinds,
  virtrigaudMetrics,
  virtrigaudOperator,
} from "@telltale/virtrigaud";
import { version } from "../program/version.ts";
import type { Operator, Parts } from "./operator.ts";
import { configured, flagsOf } from "./settings.ts";

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
  ground: { given: [], adapt: (sample) => sample },
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

function partsOf(config: Config, controllers: Parts["controllers"]): Parts {
  const { replicas, rate } = config.process;
  const lease = replicas.as === "lease" ? (replicas.lease ?? leaseName) : leaseName;
  return {
    controllers,
    lease: { lease },
    options: {
      events: "v1",
      rate,
      ...(config.namespaces && { namespaces: config.namespaces }),
      ...(replicas.as === "one" && { replicas }),
    },
  };
}

/** One for each Provider, from the first time that it is asked. */
function simulatedHosts(clock: Clock, random: Random): Dial {
  const hosts = new Map<string, SimulatedHost>();
  const dial = simulatedDial({
    clock,
    find(endpoint) {
      const known = hosts.get(endpoint);
      if (known !== undefined) return known;
      const host = new SimulatedHost({ clock, random });
      hosts.set(endpoint, host);
      return host;
    },
  });
  return (target) => {
    const isNew = !hosts.has(target.endpoint);
    const wire = dial(target);
    // What the sample of adoption finds.
    if (isNew && target.endpoint.includes("old-box")) {
      for (const it of ["web-1", "db-1", "cache-1"]) void wire.ask("create", machine(it), { deadline: 60_000 });
    }
    return wire;
  };
}

const machine = (called: string) => ({
  name: called,
  classJson: JSON.stringify({ CPU: 2, MemoryMiB: 2048 }),
  imageJson: JSON.stringify({ TemplateName: "template" }),
});
