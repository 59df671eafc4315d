// The statuses that the kubelet of the recordings writes. Pure: from a pod and the time to a status.
import { at, isObject, type Json, type JsonObject, list, text } from "./json.ts";

const hostIP = "192.168.0.1";
const zeros = "0".repeat(64);
const containerID = `containerd://${zeros}`;

/** Bound, and its containers are on their way. */
export const creating = (pod: JsonObject, now: string): JsonObject => ({
  ...kept(pod),
  phase: "Pending",
  startTime: now,
  conditions: conditions(pod, now, notReady(pod, "False")),
  containerStatuses: containers(pod).map(({ name, image }) => ({
    name,
    image,
    imageID: "",
    ready: false,
    started: false,
    restartCount: 0,
    lastState: {},
    state: { waiting: { reason: "ContainerCreating" } },
  })),
});

export const running = (pod: JsonObject, now: string, podIP: string, ready: boolean): JsonObject => ({
  ...kept(pod),
  phase: "Running",
  podIP,
  podIPs: [{ ip: podIP }],
  conditions: conditions(
    pod,
    now,
    ready
      ? [
          ["PodReadyToStartContainers", { status: "True" }],
          ["Initialized", { status: "True" }],
          ["Ready", { status: "True" }],
          ["ContainersReady", { status: "True" }],
        ]
      : notReady(pod, "True"),
  ),
  containerStatuses: containers(pod).map((it) => ({
    ...runningContainer(it, now),
    ready,
    restartCount: it.restarts,
    lastState: it.lastState,
  })),
});

/** Its container has ended with a code, and runs again. */
export const restarted = (pod: JsonObject, now: string, code: number): JsonObject => ({
  ...kept(pod),
  containerStatuses: containers(pod).map((it) => ({
    ...runningContainer({ ...it, startedAt: now }, now),
    ready: true,
    restartCount: it.restarts + 1,
    lastState: { terminated: terminated(it.startedAt, now, code) },
  })),
});

/** Its containers have ended for good. */
export function ended(pod: JsonObject, now: string, phase: "Succeeded" | "Failed", code: number): JsonObject {
  const why = phase === "Succeeded" ? "PodCompleted" : "PodFailed";
  return {
    ...kept(pod),
    phase,
    conditions: conditions(pod, now, [
      ["PodReadyToStartContainers", { status: "False" }],
      ["Initialized", { status: "True", ...(phase === "Succeeded" ? { reason: why } : {}) }],
      ["Ready", { status: "False", reason: why }],
      ["ContainersReady", { status: "False", reason: why }],
    ]),
    containerStatuses: containers(pod).map(({ name, image, restarts, startedAt }) => ({
      name,
      image,
      imageID: "",
      containerID,
      ready: false,
      started: false,
      restartCount: restarts,
      lastState: {},
      state: { terminated: terminated(startedAt, now, code) },
    })),
  };
}

const kept = (pod: JsonObject): JsonObject => {
  const status = at(pod, "status");
  return {
    ...(isObject(status) ? status : {}),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    observedGeneration: 1, // the recordings say 1 also of pods that are being deleted
  };
};

type Said = readonly [type: string, said: JsonObject];

function notReady(pod: JsonObject, sandbox: "True" | "False"): readonly Said[] {
  const names = containers(pod).map(({ name }) => name);
  const said = {
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: [${names.join(" ")}]`,
  };
  return [
    ["PodReadyToStartContainers", { status: sandbox }],
    ["Initialized", { status: "True" }],
    ["Ready", said],
    ["ContainersReady", said],
  ];
}

/** A condition keeps the time of its last transition as long as its status stays. What others wrote stays as it is. */
function conditions(pod: JsonObject, now: string, said: readonly Said[]): Json {
  const before = list(pod, "status", "conditions");
  const found = (type: string) => before.find((it) => text(it, "type") === type);
  const mine = said.map(([type, it]) => {
    const old = found(type);
    const since = text(old, "status") === text(it, "status") ? text(old, "lastTransitionTime") : now;
    return { type, ...it, lastProbeTime: null, lastTransitionTime: since };
  });
  const types = new Set(said.map(([type]) => type));
  return [...mine, ...before.filter((it) => !types.has(text(it, "type")))];
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly restarts: number;
  readonly lastState: Json;
  readonly startedAt: string | undefined;
}

function containers(pod: JsonObject): readonly Container[] {
  const statuses = list(pod, "status", "containerStatuses");
  return list(pod, "spec", "containers").map((it) => {
    const name = text(it, "name");
    const status = statuses.find((s) => text(s, "name") === name);
    const restarts = at(status, "restartCount");
    return {
      name,
      image: text(it, "image"),
      restarts: typeof restarts === "number" ? restarts : 0,
      lastState: at(status, "lastState") ?? {},
      startedAt: text(status, "state", "running", "startedAt") || undefined,
    };
  });
}

const runningContainer = ({ name, image, startedAt }: Container, now: string): JsonObject => ({
  name,
  image,
  imageID: `sha256:${zeros}`,
  containerID,
  started: true,
  state: { running: { startedAt: startedAt ?? now } },
});

const terminated = (startedAt: string | undefined, now: string, exitCode: number): JsonObject => ({
  containerID,
  exitCode,
  reason: exitCode === 0 ? "Completed" : "Error",
  startedAt: startedAt ?? now,
  finishedAt: now,
});
