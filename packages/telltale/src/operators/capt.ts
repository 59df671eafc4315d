// Cluster API on Terraform at the front door.
import {
  ClusterV1beta1,
  type Config,
  captCrds,
  captOperator,
  chooseRunner,
  clusterCrd,
  configFrom,
  controlPlaneKinds,
  type Engine,
  engineFor,
  findProgram,
  findProvider,
  infrastructureKinds,
  type ManagedMetrics,
  machineKinds,
  managedMetrics,
  managers,
  noRunnerFix,
  parts,
  processOptions,
  roles,
  runnerSelection,
  serverKinds,
  simulatedEngine,
  templatePolicy,
  templatePolicyBinding,
  userRoles,
  Workspace,
  workspaceCrd,
  workspaceRunner,
} from "@telltale/capt";
import type { Env, ManagerOptions } from "@telltale/runtime";
import type { Around, Operator, Parts } from "./operator.ts";
import { configured, flagsOf } from "./settings.ts";

const name = "capt";
const kinds = [...infrastructureKinds, ...controlPlaneKinds, ...machineKinds];
const flags = flagsOf(name, "--", configFrom);
const configIn = (settings: Env): Config => configured(name, configFrom(settings));

/** Upstream elects nobody unless it is told to: here somebody is elected unless it is told not to. */
const replicas: Operator["replicas"] = ({ namespace, settings }) => {
  const config = configIn({ "--leader-elect": "true", ...settings });
  return processOptions(config, namespace).replicas ?? { as: "one" };
};

export const capt: Operator = {
  name,
  packageName: "@telltale/capt",
  namespace: "capt-system",
  kinds: [...kinds, Workspace, ClusterV1beta1],
  flags: flags.flags,
  settings: (_env, given) => flags.named(given),
  crds: () => captCrds(),
  upstream: {
    deployments: ["capt-controller-manager"],
    images: ["appthrust/capt"],
    leases: ["capt-controller-lock"],
  },
  fieldManagers: Object.values(managers),
  // Of Crossplane's provider and of Cluster API: a server without them has to know what we make and read.
  foreign: [workspaceCrd(), clusterCrd("v1beta1")],
  replicas,
  roles: ({ namespace, settings }) => roles({ config: configIn(settings), namespace }),
  extras: () => [templatePolicy, templatePolicyBinding, ...userRoles(kinds)],
  mounts: [
    { volume: { name: "runs", emptyDir: {} }, mount: { name: "runs", mountPath: "/var/lib/capt" } },
    { volume: { name: "tmp", emptyDir: {} }, mount: { name: "tmp", mountPath: "/tmp" } },
  ],
  async start(around) {
    const { client, clock, settings } = around;
    const config = configIn(settings);
    const path = process.env["PATH"] ?? "";
    const served = await serverKinds(client);
    const choice = await chooseRunner(config.runner.kind, {
      provider: () => findProvider(client, clock, served),
      program: (program) => findProgram(program, path),
    });
    const warns = choice.as === "missing" || choice.as === "simulated";
    around.log[warns ? "warn" : "info"]("who runs Workspaces", {
      ...choice,
      ...(choice.as === "missing" && { fix: noRunnerFix }),
    });
    const engine = choice.as === "none" ? undefined : engineFor(choice, { clock, root: config.runner.root, path });
    const metrics = managedMetrics(config.timeoutPolicy);
    metrics.onRunner(choice.as);
    const parts = await put(around, config, engine, metrics);
    return { ...parts, options: { ...parts.options, ...listening(settings, around.namespace) } };
  },
  ground: {
    given: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "capt-system" } }],
    adapt: (sample) => sample,
  },
  async embed(around) {
    const { clock, settings, folder, real, env } = around;
    const read = configIn(settings);
    const config: Config = {
      ...read,
      controllers: parts,
      features: { machines: true },
      clusterApiMode: "standalone",
      runner: { ...read.runner, concurrency: Math.max(read.runner.concurrency, 6) },
      // Nobody waits a quarter of an hour for a sample to fail.
      timeouts: { ...read.timeouts, vpcReady: Math.min(read.timeouts.vpcReady, 60_000) },
    };
    const path = env["PATH"] ?? "";
    const choice = await chooseRunner(real ? "auto" : "simulated", {
      provider: async () => undefined,
      program: (program) => findProgram(program, path),
    });
    // `telltale up` simulates what is not there: everything in its cluster is a sample.
    if (choice.as === "none" || choice.as === "missing" || choice.as === "simulated") {
      return { ...(await put(around, config, told(simulatedEngine({ clock })))), backend: "simulated Terraform" };
    }
    const engine = engineFor(choice, { clock, root: `${folder}/capt`, path });
    return { ...(await put(around, config, engine)), backend: `${choice.as} ${choice.version}` };
  },
};

/** Upstream has flags of its own for what `telltale run` has already: where they are given, they count. */
export function listening(settings: Env, namespace: string): Pick<ManagerOptions, "probes"> {
  const { probes } = processOptions(configIn(settings), namespace);
  const isGiven = ["--metrics-bind-address", "--health-probe-bind-address"].some(
    (flag) => settings[flag] !== undefined,
  );
  return isGiven && probes !== undefined ? { probes } : {};
}

async function put(
  around: Around,
  config: Config,
  engine: Engine | undefined,
  metrics?: ManagedMetrics,
): Promise<Parts> {
  const { client, clock, random, namespace } = around;
  const served = await serverKinds(client);
  const { concurrency, timeout } = config.runner;
  const runner =
    engine === undefined
      ? undefined
      : workspaceRunner({
          engine,
          clock,
          random,
          namespace,
          kinds: served,
          concurrency,
          timeout,
          select: runnerSelection(config),
          ...(metrics && { onRun: metrics.onRun }),
        });
  return {
    controllers: captOperator({
      config,
      kinds: served,
      ...(runner && { runner }),
      ...(metrics && { onMode: metrics.onMode }),
    }),
    options: {
      ...(config.namespaces !== undefined && { namespaces: config.namespaces }),
      ...(metrics && { metrics: metrics.metrics }),
    },
    ...(runner && { drain: () => runner.drain() }),
  };
}

/** Runs that take long enough to be seen, and a module that refuses to be planned is refused. */
function told(engine: Engine): Engine {
  const latencyMs = { init: 300, plan: 400, apply: 2_500, destroy: 800 };
  return {
    ...engine,
    run(order, desk) {
      const refusal = /error_message\s*=\s*"([^"]*)"/.exec(order.inputs.module)?.[1];
      const fail =
        refusal === undefined
          ? []
          : [{ operation: "plan", times: Number.MAX_SAFE_INTEGER, class: "InvalidConfiguration", message: refusal }];
      const script = order.simulation?.script ?? JSON.stringify({ latencyMs, fail });
      return engine.run({ ...order, simulation: { ...order.simulation, script } }, desk);
    },
  };
}
