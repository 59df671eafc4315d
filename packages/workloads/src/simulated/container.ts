// One container of a simulated pod: from how it stood to how it stands now. Pure.
import { formatGoDuration, type Instant, instant, type Ms, plus, sha256Hex } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { type Container, isRestarted } from "../kubelet/phase.ts";
import type { ContainerReport, PodEvent, Terminated } from "../kubelet/pod-runtime.ts";
import { nameOf, uidOf } from "../pods/facts.ts";
import type { Behaviour, Role, Trouble } from "./behaviour.ts";
import { restartPause, triesAround, tryAfter } from "./retry.ts";

export interface Turn {
  readonly pod: Pod;
  readonly container: Container;
  readonly role: Role;
  /** What applies to this container. */
  readonly behaviour: Behaviour;
  /** How it stood, and with which image. Undefined: nobody has said anything of it yet. */
  readonly was: (ContainerReport & { readonly image: string }) | undefined;
  /** Since when it may begin. */
  readonly since: Instant;
  readonly now: Instant;
  /** How long the program of a Job runs. Undefined: it is none of a Job. */
  readonly job: Ms | undefined;
  /** It cannot be made: what is missing. */
  readonly missing?: string;
  /** What it is ended with from outside, if it is. */
  readonly blow: (containerID: string) => number | undefined;
}

export interface Step {
  readonly report: ContainerReport;
  readonly events: readonly PodEvent[];
  /** When it may stand differently. */
  readonly wakeAt?: Instant;
}

/** So long the failure itself shows before the waiting for the next try does. */
const shown: Ms = 1_000;

export function step(turn: Turn): Step {
  const { was, now } = turn;
  if (was?.state.is === "running") {
    // A beginning in the future is one of a clock that was put back since: it begins to count anew.
    const startedAt = instant(Math.min(was.state.startedAt, now));
    return running(turn, { ...was, state: { is: "running", startedAt } }, startedAt);
  }
  const end = was?.state.is === "terminated" ? was.state : was?.last;
  return was === undefined || end === undefined ? fresh(turn) : ended(turn, end, was);
}

/** Since when something waits. In the future only where a clock was put back: nobody knows, and it has waited long enough. */
export const begunBy = (since: Instant, now: Instant): Instant => (since > now ? instant(0) : since);

/** It waits for its turn. */
export function waiting({ container, was }: Pick<Turn, "container" | "was">, reason: string, message?: string): Step {
  const state = { is: "waiting", reason, ...(message === undefined ? {} : { message }) } as const;
  const { imageID, containerID, last } = was ?? {};
  const report = {
    name: container.name,
    state,
    restartCount: was?.restartCount ?? 0,
    isReady: false,
    isStarted: false,
    ...(last === undefined ? {} : { last }),
    ...(imageID === undefined ? {} : { imageID }),
    ...(containerID === undefined ? {} : { containerID }),
  };
  return { report, events: [] };
}

/** Image, container, program: one after the other, each in its time. */
function fresh(turn: Turn): Step {
  const { behaviour, now, pod } = turn;
  const since = begunBy(turn.since, now);
  const pulling = behaviour.pullError;
  const pulledBy = pulling?.for === undefined ? 0 : tryAfter(pulling.for);
  if (pulling !== undefined && (pulling.for === undefined || now < plus(since, pulledBy)))
    return unpulled(turn, pulling);
  const pulledAt = plus(since, pulledBy + (behaviour.pull ?? 0));
  const usual = (pod.spec?.initContainers ?? []).length > 0 ? "PodInitializing" : "ContainerCreating";
  if (now < pulledAt) return { ...waiting(turn, usual), wakeAt: pulledAt };
  const wrong = behaviour.configError;
  const madeBy = plus(pulledAt, wrong?.for ?? 0);
  if (turn.missing !== undefined || (wrong !== undefined && (wrong.for === undefined || now < madeBy))) {
    const said = turn.missing ?? wrong?.message ?? "the container cannot be made of what its pod says (simulated)";
    const unmade = refused(turn, "CreateContainerConfigError", said);
    return wrong?.for === undefined || turn.missing !== undefined ? unmade : { ...unmade, wakeAt: madeBy };
  }
  const startAt = plus(madeBy, (behaviour.create ?? 0) + (behaviour.start ?? 0));
  if (now < startAt) return { ...waiting(turn, usual), wakeAt: startAt };
  return begun(turn, 0, undefined);
}

function unpulled(turn: Turn, { message }: Trouble): Step {
  const { container, now } = turn;
  const since = begunBy(turn.since, now);
  const image = container.image ?? "";
  const why =
    message ?? `failed to pull and unpack image "${image}": failed to resolve reference "${image}": not found`;
  const { last, next } = triesAround(now - since);
  const isFresh = now < plus(since, last + shown);
  if (isFresh) {
    const failed = refused(turn, "ErrImagePull", why);
    const told = isNews(turn, "ErrImagePull") ? [warning("Failed", `Failed to pull image "${image}": ${why}`)] : [];
    return { ...failed, events: [...told, ...failed.events], wakeAt: plus(since, last + shown) };
  }
  const backOff = `Back-off pulling image "${image}"`;
  const held = refused(turn, "ImagePullBackOff", `${backOff}: ErrImagePull: ${why}`, "ImagePullBackOff");
  const told = isNews(turn, "ImagePullBackOff") ? [normal("BackOff", backOff)] : [];
  return { ...held, events: [...told, ...held.events], wakeAt: plus(since, next) };
}

/** It waits because something is wrong. That is told when it begins. */
function refused(
  turn: Turn,
  reason: string,
  message: string,
  error = reason === "ErrImagePull" ? reason : message,
): Step {
  const told = isNews(turn, reason) ? [warning("Failed", `Error: ${error}`)] : [];
  return { ...waiting(turn, reason, message), events: told };
}

const isNews = ({ was }: Turn, reason: string): boolean => was?.state.is !== "waiting" || was.state.reason !== reason;

/** Its program begins. */
function begun(turn: Turn, restartCount: number, last: Terminated | undefined): Step {
  const { pod, container, now, was } = turn;
  const image = container.image ?? "";
  const report: ContainerReport = {
    name: container.name,
    state: { is: "running", startedAt: now },
    restartCount,
    isReady: false,
    isStarted: true,
    ...(last === undefined ? {} : { last }),
    containerID: idOf(pod, container.name, restartCount),
    imageID: `${image}@sha256:${sha256Hex(image)}`,
  };
  const pulled =
    was?.imageID === undefined && restartCount === 0
      ? `Successfully pulled image "${image}" in ${turn.behaviour.pull ?? 0}ms (${turn.behaviour.pull ?? 0}ms including waiting). Image size: 0 bytes.`
      : `Container image "${image}" already present on machine and can be accessed by the pod`;
  const told = [
    normal("Pulled", pulled),
    normal("Created", "Container created"),
    normal("Started", "Container started"),
  ];
  const { report: stands, wakeAt } = standing(turn, report, now);
  return { report: stands, events: told, ...(wakeAt === undefined ? {} : { wakeAt }) };
}

/** It ends only once it was seen to run. */
function running(turn: Turn, was: NonNullable<Turn["was"]>, startedAt: Instant): Step {
  const { container, now } = turn;
  if (was.image !== container.image) {
    const told = normal("Killing", `Container ${container.name} definition changed, will be restarted`);
    const again = begun(turn, was.restartCount + 1, endOf(was, startedAt, now, 143));
    return { ...again, events: [told, ...again.events] };
  }
  const blow = turn.blow(was.containerID ?? "");
  if (blow !== undefined) return ended(turn, endOf(was, startedAt, now, blow), was);
  const exit = exitOf(turn, was.restartCount, startedAt);
  if (exit !== undefined && exit.at <= now) {
    return ended(turn, endOf(was, startedAt, exit.at, exit.code, exit.reason), was);
  }
  const { report, wakeAt } = standing(turn, was, startedAt);
  const isProbed = container.readinessProbe !== undefined;
  const told =
    was.isReady && !report.isReady && isProbed ? [warning("Unhealthy", "Readiness probe failed: simulated")] : [];
  return { report, events: told, ...(wakeAt === undefined ? {} : { wakeAt }) };
}

/** Ready or not, and when that may change. */
function standing(turn: Turn, was: ContainerReport, startedAt: Instant): Pick<Step, "report" | "wakeAt"> {
  const { behaviour, now } = turn;
  const readyAt = plus(startedAt, behaviour.ready ?? 0);
  const exit = exitOf(turn, was.restartCount, startedAt)?.at;
  const flap = behaviour.flap;
  const turns = flap === undefined || now < readyAt ? 0 : Math.floor((now - readyAt) / flap);
  const isReady = behaviour.neverReady !== true && now >= readyAt && turns % 2 === 0;
  const flips =
    behaviour.neverReady === true
      ? undefined
      : now < readyAt
        ? readyAt
        : flap === undefined
          ? undefined
          : plus(readyAt, (turns + 1) * flap);
  const wakeAt = earliest(exit, flips);
  const report = { ...reportOf(was), isReady, isStarted: true };
  return { report, ...(wakeAt === undefined ? {} : { wakeAt }) };
}

interface Exit {
  readonly at: Instant;
  readonly code: number;
  readonly reason?: string;
}

/** How and when a run ends by itself. */
function exitOf({ behaviour, job, role }: Turn, restarts: number, startedAt: Instant): Exit | undefined {
  const { exitCode, exitAfter, crash, kill, oom } = behaviour;
  const exits: Exit[] = [];
  const isSaid = exitCode !== undefined || exitAfter !== undefined;
  if (crash !== undefined && restarts < crash) {
    exits.push({ at: plus(startedAt, exitAfter ?? 0), code: exitCode ?? 1 });
  } else if (crash === undefined && isSaid) {
    exits.push({ at: plus(startedAt, exitAfter ?? job ?? 0), code: exitCode ?? 0 });
  } else if (role === "init") exits.push({ at: startedAt, code: 0 });
  else if (job !== undefined && role === "main") exits.push({ at: plus(startedAt, job), code: 0 });
  if (kill !== undefined && restarts === 0) exits.push({ at: plus(startedAt, kill), code: 137 });
  if (oom !== undefined) exits.push({ at: plus(startedAt, oom), code: 137, reason: "OOMKilled" });
  return exits.reduce<Exit | undefined>((a, b) => (a === undefined || b.at < a.at ? b : a), undefined);
}

/** It has ended, and begins again where that is wanted: at once the first time, later after each further one. */
function ended(turn: Turn, how: Terminated, was: ContainerReport): Step {
  const { container, role, pod, now } = turn;
  if (!comesAgain(turn, how.exitCode)) {
    const isReady = role === "init" && how.exitCode === 0;
    return { report: { ...reportOf(was), state: { is: "terminated", ...how }, isReady, isStarted: false }, events: [] };
  }
  const pause = restartPause(was.restartCount, how.finishedAt - how.startedAt);
  const again = plus(begunBy(how.finishedAt, now), pause);
  if (now >= again) return begun(turn, was.restartCount + 1, how);
  const { name } = container;
  const reason = "CrashLoopBackOff";
  const message = `back-off ${formatGoDuration(pause)} restarting failed container=${name} pod=${podText(pod)}`;
  const told = isNews(turn, reason)
    ? [warning("BackOff", `Back-off restarting failed container ${name} in pod ${podText(pod)}`)]
    : [];
  const held = waiting({ container, was: { ...was, image: "" } }, reason, message);
  return { report: { ...held.report, last: how }, events: told, wakeAt: again };
}

function comesAgain({ container, role, pod }: Turn, exitCode: number): boolean {
  const spec = pod.spec ?? { containers: [] };
  // An init container is done when it has succeeded once, whatever the policy.
  return role === "init"
    ? exitCode !== 0 && isRestarted(container, spec, exitCode)
    : isRestarted(container, spec, exitCode);
}

/** How a run ended. */
export function endOf(
  { containerID }: Pick<ContainerReport, "containerID">,
  startedAt: Instant,
  finishedAt: Instant,
  exitCode: number,
  reason = exitCode === 0 ? "Completed" : "Error",
): Terminated {
  return { exitCode, reason, startedAt, finishedAt, ...(containerID === undefined ? {} : { containerID }) };
}

/** `web_default(1234)`: how a kubelet names a pod. */
const podText = (pod: Pod): string => `${nameOf(pod)}_${pod.metadata?.namespace ?? ""}(${uidOf(pod)})`;

const idOf = (pod: Pod, container: string, restarts: number): string =>
  `simulated://${sha256Hex(`${uidOf(pod)}/${container}/${restarts}`)}`;

function reportOf(was: ContainerReport & { readonly image?: string }): ContainerReport {
  const { image: _image, ...report } = was;
  return report;
}

export const warning = (reason: string, message: string): PodEvent => ({ type: "Warning", reason, message });
export const normal = (reason: string, message: string): PodEvent => ({ type: "Normal", reason, message });

export function earliest(...times: readonly (Instant | undefined)[]): Instant | undefined {
  return times.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined);
}
