// What runs the containers of pods, seen from the kubelet: simulated or as local processes. A runtime says how containers
// stand; what that means for the pod (phase, conditions, deletion) is the kubelet's business.
import type { Instant, Ms } from "@telltale/kinds";
import type { ConfigMap, PersistentVolumeClaim, Pod, Secret } from "@telltale/kinds/builtin";

export interface PodRuntime {
  /** Called once before the first pod: tells when something happened to a pod by itself. */
  start(around: RuntimeSurroundings): Promise<void>;
  /**
   * Brings a pod that is bound to one of our nodes a step further, and says how it stands. Called whenever the pod, something
   * that it mounts or the runtime itself has news, any number of times: it must not do anything twice. A pod that is being
   * deleted (`deletionTimestamp`) is stopped within its grace period.
   */
  sync(pod: Pod, now: Instant, refers: References): Promise<PodReport>;
  /** The pod is no longer on the server, or was never known to it: whatever is left of it ends at once. */
  drop(uid: string): Promise<void>;
  /** The uids of pods of which it has something, also from a server before. Those that the server does not know are dropped. */
  kept?(): Iterable<string>;
  /** Ends everything. */
  stop(): Promise<void>;
  /** Only where containers are real. */
  readonly access?: PodAccess;
}

export interface RuntimeSurroundings {
  /** Asks for a `sync` of the pod. */
  readonly wake: (pod: { readonly namespace: string; readonly name: string }) => void;
}

/** What a pod refers to, from the kubelet's cache. Undefined: it is not there (yet). */
export interface References {
  readonly configMap: (name: string) => ConfigMap | undefined;
  readonly secret: (name: string) => Secret | undefined;
  /** A claim that is bound. Absent: claims cannot be mounted. */
  readonly claim?: (name: string) => PersistentVolumeClaim | undefined;
  /** A bound token for the pod's ServiceAccount. */
  readonly token: (request: {
    readonly audience?: string;
    readonly expirationSeconds?: number;
  }) => Promise<{ readonly token: string; readonly expires: Instant }>;
  /** `<SERVICE>_SERVICE_HOST` and the like, of the pod's namespace. */
  readonly services: () => Readonly<Record<string, string>>;
  /** The uids of the pods that have this address. */
  readonly holders?: (podIP: string) => readonly string[];
}

/** How the containers of a pod stand. */
export interface PodReport {
  /** Undefined: it has no address yet. */
  readonly podIP?: string;
  /** Where its node can be reached, when that is not the address that the Node names. */
  readonly hostIP?: string;
  /** In the order of the spec. */
  readonly initContainers: readonly ContainerReport[];
  readonly containers: readonly ContainerReport[];
  /** The pod as a whole was ended from outside its containers: `Evicted`, `DeadlineExceeded`. */
  readonly ended?: { readonly reason: string; readonly message: string };
  /** Nobody knows how its containers stand, because its node is not heard of: it can neither be ready nor end. */
  readonly lost?: { readonly message: string };
  /** Added to the pod when it is first seen: where it can be reached. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly events?: readonly PodEvent[];
  /** When to ask again by itself. */
  readonly wakeAt?: Instant;
}

export interface PodEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface ContainerReport {
  readonly name: string;
  readonly state: ContainerState;
  /** How it ended the last time that it ran. */
  readonly last?: Terminated;
  readonly restartCount: number;
  /** By its readiness probe; without one: whether it runs. */
  readonly isReady: boolean;
  /** By its startup probe; without one: whether it runs. */
  readonly isStarted: boolean;
  /** `simulated://...`, `process://...`; absent until it first ran. */
  readonly containerID?: string;
  readonly imageID?: string;
}

export type ContainerState =
  | { readonly is: "waiting"; readonly reason: string; readonly message?: string }
  | { readonly is: "running"; readonly startedAt: Instant }
  | ({ readonly is: "terminated" } & Terminated);

export interface Terminated {
  readonly exitCode: number;
  readonly signal?: number;
  /** `Completed`, `Error`, `OOMKilled`, ... */
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: Instant;
  readonly finishedAt: Instant;
  readonly containerID?: string;
}

/** What `kubectl logs`, `exec`, `attach`, `port-forward` and the API server's proxy ask for. */
export interface PodAccess {
  logs(pod: Pod, options: LogOptions): Promise<AsyncIterable<Uint8Array>>;
  exec(pod: Pod, options: ExecOptions): Promise<ExecSession>;
  /** Where a container port can be reached on loopback. Undefined: nothing listens there for this pod. */
  address(pod: Pod, port: number): { readonly host: string; readonly port: number } | undefined;
}

export interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly since?: Instant;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly signal: AbortSignal;
}

export interface ExecOptions {
  readonly container: string;
  /** Undefined: attach to the main process. */
  readonly command?: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
  readonly signal: AbortSignal;
}

export interface ExecSession {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Undefined: the end of input. */
  write(chunk: Uint8Array | undefined): void;
  /** Resolves when the command has ended. For attach: when its streams have. */
  readonly ended: Promise<{ readonly exitCode: number }>;
}

/** Default grace where a pod says nothing. */
export const standardGrace: Ms = 30_000;
