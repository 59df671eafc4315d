// Virtual machines at the front door.
import { join } from "node:path";
import type { Clock, Random } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import type { Env } from "@telltale/runtime";
import {
  type Config,
  configFrom,
  type Dial,
  fieldManager,
  leaseName,
  localDial,
  localPods,
  Provider,
  roles,
  SimulatedHost,
  Staging,
  simulatedDial,
  VMImage,
  VMMigration,
  virtrigaudCrds,
  virtrigaudKinds,
  virtrigaudMetrics,
  virtrigaudOperator,
} from "@telltale/virtrigaud";
import { processRuntime } from "@telltale/workloads";
import { version } from "../program/version.ts";
import type { EmbeddedAround, Operator, Parts } from "./operator.ts";
import { programOn } from "./programs.ts";
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
  upstream: {
    deployments: ["virtrigaud-manager", "virtrigaud-controller-manager"],
    images: ["projectbeskar/virtrigaud/manager"],
    leases: [leaseName],
  },
  fieldManagers: [fieldManager],
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
  async embed({ settings, real, ...around }) {
    const config = configIn(settings);
    const { clock, random, log, env } = around;
    const { rate: _rate, ...options } = partsOf(config, []).options; // a server of our own is not to be spared
    const programs = ["qemu-system-x86_64", "qemu-img"].map((it) => (real ? programOn(env["PATH"], it) : undefined));
    if ((await Promise.all(programs)).every((it) => it !== undefined))
      return { options, ...realMachines(config, around) };
    // Samples name hosts that nobody has: they are looked up here, and never connected to.
    const lookup = async () => ["192.0.2.10"];
    const dial = simulatedHosts(clock, random);
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

/** Providers as processes of this machine, which run machines in QEMU. */
function realMachines(config: Config, { clock, random, log, folder, pods }: Omit<EmbeddedAround, "settings" | "real">) {
  const local = localPods({ folder: join(folder, name) });
  const dial = localDial({ pods: () => pods.values(), clock, random, log });
  const onWarning = (text: string) => log.warn(text);
  return {
    controllers: virtrigaudOperator({ config, clock, random, log, dial }),
    backend: "QEMU",
    pods: { runtime: processRuntime({ ...local.runtime, clock, random, onWarning }), runs: local.runs },
    adapt: (sample: KubeObject) => adaptedTo(local.image, sample),
  };
}

/** As this machine can have it: an image that is here, machines that share the memory of their provider's pod, and no storage of others. */
function adaptedTo(image: string, sample: KubeObject): KubeObject | undefined {
  if (sample.kind === VMMigration.kind) return undefined;
  if (sample.kind === VMImage.kind)
    return { ...sample, spec: { source: { libvirt: { path: image, format: "raw" } } } } as KubeObject;
  if (sample.kind !== Provider.kind) return sample;
  const { spec, metadata } = sample as Provider;
  const env = metadata?.name === "old-box" ? [{ name: "LOCAL_MACHINES", value: oldNames.join(",") }] : [];
  const runtime = { ...spec.runtime, env, resources: { limits: { memory: "8Gi" } } };
  return { ...sample, spec: { ...spec, runtime } } as KubeObject;
}

/** What the sample of adoption finds. */
const oldNames = ["web-1", "db-1", "cache-1"];
const oldMachines = oldNames.map((it) => ({ name: it, cpu: 2, memoryMiB: 2048, isOn: true }));
