// Where the process of a provider stands: its phase, and what `RuntimeReady` says (3.2). Pure.
import type { Condition } from "@telltale/kinds";
import type { Deployment } from "@telltale/kinds/builtin";
import { findCondition, type SafeText, sanitize, text } from "@telltale/status";
import type { RuntimePhase } from "../kinds/index.ts";
import { endpointOf, runtimeName } from "./runtime-names.ts";
import type { World } from "./world.ts";

export interface Standing {
  readonly phase: RuntimePhase;
  readonly ready: RuntimeReady;
  /** `host:port`, where it can be asked. */
  readonly endpoint?: string;
  readonly service?: string;
  /** Undefined: nobody has reported on its Deployment. */
  readonly replicas: { readonly ready: number; readonly available: number } | undefined;
}

export interface RuntimeReady {
  readonly status: "True" | "False" | "Unknown";
  readonly reason:
    | "DeploymentReady"
    | "NotObserved"
    | "ExternalEndpoint"
    | "DeploymentNotReady"
    | "NotAsked"
    | "ConnectionFailed"
    | NonNullable<World["made"]["refused"]>["reason"]
    | Extract<World["wanted"], { is: "invalid" }>["reason"];
  readonly message: SafeText;
}

export function standingOf(world: World): Standing {
  const { wanted } = world;
  if (wanted.is === "invalid") {
    return { ...placed(world), phase: "Failed", ready: not(wanted.reason, wanted.said) };
  }
  return wanted.is === "external" ? elsewhere(world, wanted.endpoint) : deployed(world);
}

/** Whoever was well is asked a few times before it is taken for gone. */
function elsewhere({ it, probed }: World, endpoint: string): Standing {
  const { answer, verdict } = probed?.value ?? {};
  const before = it.status?.runtime?.endpoint === endpoint ? it.status : undefined;
  const wasUp = before?.runtime?.phase === "Running";
  const answers = answer === undefined ? wasUp : answer.is !== "unreachable" || verdict?.verdict === "good";
  return {
    phase: answers ? "Running" : "Starting",
    ready: answering(endpoint, answer, findCondition(before?.conditions, "RuntimeReady")),
    endpoint,
    replicas: { ready: 0, available: 0 },
  };
}

type Answer = NonNullable<NonNullable<World["probed"]>["value"]>["answer"];

/** By the last answer; before the first one of this process, as it is stored. */
function answering(endpoint: string, answer: Answer | undefined, stored: Condition | undefined): RuntimeReady {
  const isLost = answer === undefined ? stored?.reason === "ConnectionFailed" : answer.is === "unreachable";
  if (isLost) return { status: "Unknown", reason: "ConnectionFailed", message: text`${endpoint} does not answer` };
  const isKnown = answer !== undefined || stored?.status === "True";
  return isKnown
    ? { status: "True", reason: "ExternalEndpoint", message: text`${endpoint}` }
    : { status: "Unknown", reason: "NotAsked", message: text`${endpoint} has not been asked yet` };
}

function deployed(world: World): Standing {
  const { it, deployment, made } = world;
  const here = { ...placed(world), endpoint: endpointOf(it), service: runtimeName(it) };
  if (made.refused !== undefined) {
    const { reason, said } = made.refused;
    return { ...here, phase: deployment === undefined ? "Pending" : phaseOf(deployment), ready: not(reason, said) };
  }
  if (deployment === undefined) {
    return { ...here, phase: "Pending", ready: not("DeploymentNotReady", text`The Deployment is not made yet`) };
  }
  const phase = phaseOf(deployment);
  if (phase === "Running") return { ...here, phase, ready: running(world, here.replicas?.ready ?? 0) };
  const failure = failureIn(deployment);
  if (failure !== undefined) return { ...here, phase, ready: not("DeploymentError", failure) };
  if (here.replicas === undefined) {
    const message = text`The controller of Deployments has not reported on the Deployment yet`;
    return { ...here, phase, ready: { status: "Unknown", reason: "NotObserved", message } };
  }
  return { ...here, phase, ready: not("DeploymentNotReady", text`Deployment pods are not ready yet`) };
}

function running({ deployment, made }: World, ready: number): RuntimeReady {
  const postponed = made.postponed ?? 0;
  const stuck = failureIn(deployment);
  const more = stuck === undefined ? text`` : text`; new ones do not come up: ${stuck}`;
  const message =
    postponed > 0
      ? text`rollout postponed: ${postponed} transfers running`
      : text`Deployment has ${ready} ready replicas${more}`;
  return { status: "True", reason: "DeploymentReady", message };
}

/** Old pods that serve while new ones do not come up are a provider that runs. */
function phaseOf(deployment: Deployment): RuntimePhase {
  if ((deployment.status?.readyReplicas ?? 0) > 0) return "Running";
  return failureIn(deployment) === undefined ? "Starting" : "Failed";
}

/** Why a Deployment has given up, in its own words. */
export function failureIn(deployment: Deployment | undefined): SafeText | undefined {
  const { conditions = [] } = deployment?.status ?? {};
  const found = conditions.find(
    ({ type, status }) =>
      (type === "Progressing" && status === "False") || (type === "ReplicaFailure" && status === "True"),
  );
  if (found === undefined) return undefined;
  const said = sanitize(found.message ?? "", { max: 512, firstLineOnly: true, stable: true });
  return text`Deployment reports ${found.reason ?? found.type}: ${said}`;
}

const not = (reason: RuntimeReady["reason"], message: SafeText): RuntimeReady => ({ status: "False", reason, message });

function placed({ it, deployment }: World) {
  const { readyReplicas = 0, availableReplicas = 0, observedGeneration } = deployment?.status ?? {};
  const isThere = deployment !== undefined;
  const isReported = observedGeneration !== undefined || readyReplicas > 0;
  return {
    replicas: isReported ? { ready: readyReplicas, available: availableReplicas } : undefined,
    ...(isThere ? { endpoint: endpointOf(it), service: runtimeName(it) } : {}),
  };
}
