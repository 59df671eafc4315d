// An operator as the front door knows it: what it is called, what it brings, and how it is put together, against a cluster or on a
// server that is embedded here.
import type { Client, Transport } from "@telltale/client";
import type { Clock, Random } from "@telltale/clock";
import type { Kind, KubeObject } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { Controller, Env, Log, ManagerOptions, Replicas } from "@telltale/runtime";
import type { CertificatesOptions, Webhooks } from "@telltale/runtime/webhook";
import type { PodRuntime } from "@telltale/workloads";
import type { Upstream } from "../run/other-controllers.ts";

export interface Operator {
  readonly name: string;
  /** Where it is installed unless somebody says otherwise. */
  readonly namespace: string;
  /** Everything that it can say: what `tree` and `why` explain. */
  readonly kinds: readonly Kind[];
  /** The name of its npm package: samples and scenarios are found beside it. */
  readonly packageName: string;
  /** The flags that `--<operator>.<flag>` may set. */
  readonly flags: readonly string[];
  /** Settings by the operator's own names, from the environment and from such flags. Throws where there is no such flag. */
  settings(env: Env, given: Readonly<Record<string, string>>): Env;
  /** Settings of a program that runs outside of the cluster, unless others are given: no pod can be reached from there. */
  readonly outside?: Env;
  /** Definitions of its kinds. */
  crds(options: InstallOptions): readonly KubeObject[];
  /** Definitions that belong to others, for clusters that lack them. Where somebody has them already, they are left alone. */
  readonly foreign?: readonly KubeObject[];
  /** How several of it agree on who works, as its settings have it. */
  replicas(place: Pick<InstallOptions, "namespace" | "settings">): Replicas;
  /** Its account, and exactly the rights that it needs. */
  roles(options: InstallOptions): readonly KubeObject[];
  /** What else is installed: policies, roles for people, where requests are sent. */
  extras(options: InstallOptions): readonly KubeObject[];
  /** How webhooks are reached, where their certificate is kept, and who has to know its authority. */
  readonly webhooks?: Pick<CertificatesOptions, "service" | "secret" | "publish">;
  /** As which user it runs in a cluster. Default: the image's. */
  readonly user?: number;
  /** What its pods mount, where it runs in a cluster. */
  readonly mounts?: readonly Mount[];
  /** The project whose place it takes, so that the two do not work on one cluster. */
  readonly upstream: Upstream;
  /** In whose name its controllers write, beside its own. */
  readonly fieldManagers: readonly string[];
  /** Why something that is there cannot be replaced by ours; undefined when it can. */
  refuses?(found: KubeObject): string | undefined;
  /** Against a server. Throws where settings are wrong. */
  start(around: Around): Promise<Parts>;
  /** What an embedded server is given for it before it starts. */
  readonly ground: Ground;
  /** On the embedded server, with backends that only pretend; with real ones where `real` asks for them and they are there. */
  embed(around: EmbeddedAround): Promise<EmbeddedParts>;
}

export interface Mount {
  readonly volume: { readonly name: string } & Readonly<Record<string, unknown>>;
  readonly mount: { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean };
}

export interface InstallOptions {
  readonly namespace: string;
  readonly settings: Env;
  /** Whether the server asks the operator: admission and conversion. */
  readonly webhooks: boolean;
}

export interface Around {
  readonly transport: Transport;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The operator's own. */
  readonly namespace: string;
  /** By the names that the operator has for them. */
  readonly settings: Env;
}

/** What a manager is made of. */
export interface Parts {
  readonly controllers: readonly Controller[];
  /** `probes` only where the operator has settings of its own for them, and they are given. */
  readonly options: Pick<ManagerOptions, "namespaces" | "rate" | "events" | "metrics" | "probes">;
  readonly hooks?: Webhooks;
  /** To be awaited before the manager is stopped. */
  drain?(): Promise<void>;
}

export interface EmbeddedAround extends Around {
  readonly env: Env;
  readonly real: boolean;
  /** For what real programs leave behind. */
  readonly folder: string;
  /** The administrator's, for programs that have to find the server. */
  readonly kubeconfig: string;
  /** The pods that run here, by uid, as they were last seen. */
  readonly pods: ReadonlyMap<string, Pod>;
}

export interface EmbeddedParts extends Parts {
  /** What its backends are: `tofu 1.11.2`. */
  readonly backend: string;
  /** How a simulated pod behaves: annotations of docs/simulated-pods.md. */
  readonly behave?: (pod: Pod) => Readonly<Record<string, string>> | undefined;
  /** What runs its pods, where that is real. */
  readonly pods?: RealPods;
  /** A sample as it is applied where these backends are; undefined: it is not. Default: as the ground has it. */
  adapt?(sample: KubeObject): KubeObject | undefined;
  /** Beside the controllers, until the signal. */
  beside?(signal: AbortSignal): Promise<void>;
}

export interface RealPods {
  readonly runtime: PodRuntime;
  runs(pod: Pod): boolean;
}

/** What an embedded server needs for an operator before it starts. */
export interface Ground {
  /** Definitions, of others too, and namespaces. */
  readonly given: readonly KubeObject[];
  /** A sample as it is applied here. */
  adapt(sample: KubeObject): KubeObject;
  /** Whether something that is well goes on to what a person waits for. Default: nothing does. */
  goesOn?(object: KubeObject): boolean;
}
