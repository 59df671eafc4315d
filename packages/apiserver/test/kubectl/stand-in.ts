// What the controllers of the recorded cluster had done, done by hand: a node, the account of each namespace, rollouts and jobs
// that are complete. Nothing here makes pods.
import { send } from "../../../../tools/envtest/send.ts";
import type { Program } from "../program.ts";
import type { PodSetup } from "./transcript.ts";

type Values = Record<string, unknown>;
interface Workload {
  readonly metadata: {
    readonly name: string;
    readonly generation: number;
    readonly annotations?: Record<string, string>;
  };
  readonly spec: { readonly replicas?: number; readonly paused?: boolean; readonly template: unknown };
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: unknown };
}

const merge = "application/merge-patch+json";
const time = "2026-01-01T00:00:00Z";

export class StandIn {
  readonly #server: Program;
  readonly #templates = new Map<string, string>();
  readonly #held: string[] = [];

  constructor(server: Program) {
    this.#server = server;
  }

  async node(): Promise<void> {
    await this.#write("POST", "/api/v1/nodes", { metadata: { name: "node-1" } });
    const nodeInfo = {
      kubeletVersion: "v1.36.4",
      osImage: "linux",
      kernelVersion: "6.1.0",
      containerRuntimeVersion: "containerd://2.0.0",
      architecture: "amd64",
      operatingSystem: "linux",
      machineID: "m",
      systemUUID: "s",
      bootID: "b",
      kubeProxyVersion: "",
    };
    const status = {
      nodeInfo,
      addresses: [{ type: "InternalIP", address: "192.168.0.1" }],
      conditions: [{ type: "Ready", status: "True" }],
    };
    await this.#write("PATCH", "/api/v1/nodes/node-1/status", { status });
  }

  async namespace(name: string): Promise<void> {
    await this.#write("POST", `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "default" } });
    const certificates = { metadata: { name: "kube-root-ca.crt" }, data: { "ca.crt": "" } };
    await this.#write("POST", `/api/v1/namespaces/${name}/configmaps`, certificates);
  }

  async event(): Promise<void> {
    const { body } = await send(this.#server, "GET", "/apis/demo.example.test/v1/namespaces/demo/loadtests/checkout");
    const { apiVersion, kind, metadata } = body as { apiVersion: string; kind: string; metadata: Values };
    const { name, namespace, uid } = metadata;
    await this.#write("POST", "/api/v1/namespaces/demo/events", {
      metadata: { name: "checkout.1" },
      involvedObject: { apiVersion, kind, name, namespace, uid },
      reason: "ResourcesCreated",
      message: "Created 2 Jobs and 1 Service",
      type: "Normal",
      count: 1,
      source: { component: "loadtest-controller" },
      firstTimestamp: time,
      lastTimestamp: time,
    });
  }

  /** Pods with exactly these statuses; their times are some time in the past. */
  async pods(setup: readonly PodSetup[]): Promise<void> {
    const past = JSON.parse(JSON.stringify(setup).replace(/<time>|<5 minutes ago>/g, time)) as readonly PodSetup[];
    for (const { name, spec, status, finalizers = [], deleted } of past) {
      const path = `/api/v1/namespaces/demo/pods/${name}`;
      const metadata = { name, labels: { show: "status" }, finalizers };
      await this.#write("POST", "/api/v1/namespaces/demo/pods", { metadata, spec });
      if (status !== undefined) await this.#write("PATCH", `${path}/status`, { status });
      if (finalizers.length > 0) this.#held.push(path);
      if (deleted) await this.#write("DELETE", path);
    }
  }

  /** Nothing holds those pods any longer. */
  async release(): Promise<void> {
    for (const path of this.#held.splice(0)) await this.#write("PATCH", path, { metadata: { finalizers: null } });
  }

  /** Volumes and claims that nobody uses. */
  async unprotect(): Promise<void> {
    for (const path of ["/api/v1/namespaces/demo/persistentvolumeclaims/data", "/api/v1/persistentvolumes/vol"]) {
      await this.#write("PATCH", path, { metadata: { finalizers: null } });
    }
  }

  /** Every Deployment and Job of the namespace has arrived where its spec wants it. */
  async settle(): Promise<void> {
    for (const one of await this.#list("deployments", "apps")) await this.#rollOut(one);
    for (const one of await this.#list("jobs", "batch")) if (one.metadata.name === "once") await this.#complete(one);
  }

  async #rollOut({ metadata, spec, status }: Workload): Promise<void> {
    if (status?.observedGeneration === metadata.generation) return;
    const path = `/apis/apps/v1/namespaces/demo/deployments/${metadata.name}/status`;
    const template = JSON.stringify(spec.template);
    const changed = !spec.paused && this.#templates.get(metadata.name) !== template;
    if (changed) this.#templates.set(metadata.name, template);
    const revision = Number(metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0) + (changed ? 1 : 0);
    const replicas = spec.replicas ?? 1;
    const condition = (type: string, reason: string, message: string) => ({
      type,
      reason,
      message,
      status: "True",
      lastUpdateTime: time,
      lastTransitionTime: time,
    });
    const conditions = [
      condition("Available", "MinimumReplicasAvailable", "Deployment has minimum availability."),
      condition(
        "Progressing",
        "NewReplicaSetAvailable",
        `ReplicaSet "${metadata.name}-5f" has successfully progressed.`,
      ),
    ];
    await this.#write("PATCH", path, {
      // The controller writes this through the status too, which leaves the generation as it is.
      metadata: { annotations: { "deployment.kubernetes.io/revision": String(revision) } },
      status: {
        observedGeneration: metadata.generation,
        replicas,
        updatedReplicas: replicas,
        readyReplicas: replicas,
        availableReplicas: replicas,
        terminatingReplicas: 0,
        conditions,
      },
    });
  }

  async #complete({ metadata, status }: Workload): Promise<void> {
    if (status?.conditions !== undefined) return;
    const condition = (type: string) => ({
      type,
      status: "True",
      reason: "CompletionsReached",
      message: "Reached expected number of succeeded pods",
      lastProbeTime: time,
      lastTransitionTime: time,
    });
    const path = `/apis/batch/v1/namespaces/demo/jobs/${metadata.name}/status`;
    await this.#write("PATCH", path, { status: { startTime: time } });
    await this.#write("PATCH", path, { status: { conditions: [condition("SuccessCriteriaMet")] } });
    await this.#write("PATCH", path, {
      status: {
        succeeded: 1,
        ready: 0,
        terminating: 0,
        uncountedTerminatedPods: {},
        completionTime: "2026-01-01T00:00:02Z",
        conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
      },
    });
  }

  async #list(resource: string, group: string): Promise<readonly Workload[]> {
    const { body } = await send(this.#server, "GET", `/apis/${group}/v1/namespaces/demo/${resource}`);
    return (body as { items: Workload[] }).items;
  }

  async #write(method: string, path: string, body?: Values): Promise<void> {
    const answer = await send(
      this.#server,
      method,
      `${path}?fieldManager=controller`,
      body,
      method === "PATCH" ? merge : undefined,
    );
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  }
}
