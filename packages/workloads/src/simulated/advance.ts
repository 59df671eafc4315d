// A simulated pod a step further: from its stored status, how it is to behave and the time to how its containers stand. Pure,
// so that whoever is restarted in the middle just goes on.
import { type Instant, parseTime, plus } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { type Container, isSidecar } from "../kubelet/phase.ts";
import type { ContainerReport, PodEvent } from "../kubelet/pod-runtime.ts";
import { isTerminating } from "../pods/facts.ts";
import { behaviourOf, type Role, type Trouble } from "./behaviour.ts";
import { begunBy, earliest, type Step, step, type Turn, waiting, warning } from "./container.ts";
import { ended, endedBy, endings, lost, stopped } from "./end.ts";
import { type Advance, asItWas, isPast, reports, type Scene, type Stored, storedIn, waitingFor } from "./scene.ts";

export function advance(scene: Scene, now: Instant): Advance {
  const { pod, behaviour } = scene;
  const stored = storedIn(pod);
  const startedAt = parseTime(pod.status?.startTime);
  const since = startedAt ?? now;
  const lostAt = behaviour.lost === undefined ? undefined : plus(since, behaviour.lost);
  // What befalls a pod as a whole befalls it once it was seen.
  if (lostAt !== undefined && lostAt <= now && startedAt !== undefined) return lost(pod, stored);
  if (isTerminating(pod)) return stopped(pod, stored, behaviour, now);
  const ends = endings(pod, behaviour, since);
  const ending = startedAt === undefined ? undefined : ends.find(({ at }) => at <= now);
  if (ending !== undefined) return endedBy(ending, pod, stored, now);
  const waits = begunBy(since, now);
  const going = prepared(scene, stored, waits, now) ?? onward(scene, stored, waits, now);
  const wakeAt = earliest(going.wakeAt, lostAt, ...ends.map(({ at }) => at));
  return { ...going, ...(wakeAt === undefined ? {} : { wakeAt }) };
}

interface Obstacle extends Trouble {
  readonly reason: string;
  readonly usual: string;
}

/** What the pod as a whole needs comes before its containers. Undefined: it is there. */
function prepared(
  { pod, behaviour, missing }: Scene,
  stored: Stored,
  since: Instant,
  now: Instant,
): Advance | undefined {
  if ([...stored.values()].some(isPast)) return undefined;
  const volume = pod.spec?.volumes?.[0]?.name ?? "data";
  const obstacles: readonly Obstacle[] = [
    ...obstacle(behaviour.sandboxError, "FailedCreatePodSandBox", "Failed to create pod sandbox: simulated"),
    ...obstacle(behaviour.mountError, "FailedMount", `MountVolume.SetUp failed for volume "${volume}" : simulated`),
    ...(missing.volume === undefined ? [] : obstacle({}, "FailedMount", missing.volume)),
  ];
  const open = obstacles.filter((it) => it.for === undefined || now < plus(since, it.for));
  if (open.length === 0) return undefined;
  const wakeAt = earliest(...open.map((it) => (it.for === undefined ? undefined : plus(since, it.for))));
  return {
    ...reports(pod, ({ name }) => waitingFor(name, usualReason(pod))),
    hasSandbox: false,
    events: open.map((it) => warning(it.reason, it.message ?? it.usual)),
    ...(wakeAt === undefined ? {} : { wakeAt }),
  };
}

const obstacle = (trouble: Trouble | undefined, reason: string, usual: string): readonly Obstacle[] =>
  trouble === undefined ? [] : [{ ...trouble, reason, usual }];

const usualReason = ({ spec }: Pod): string =>
  (spec?.initContainers ?? []).length > 0 ? "PodInitializing" : "ContainerCreating";

/** Init containers one after the other, then all the others together. */
function onward(scene: Scene, stored: Stored, since: Instant, now: Instant): Advance {
  const { spec } = scene.pod;
  const steps = new Map<string, Step>();
  const mainsRan = (spec?.containers ?? []).some(({ name }) => isPast(stored.get(name)));
  let turnSince = since;
  let isNext = true;
  for (const container of spec?.initContainers ?? []) {
    const role = isSidecar(container) ? "sidecar" : "init";
    if (role === "init" && mainsRan) {
      steps.set(container.name, { report: asItWas(stored, container), events: [] });
      continue;
    }
    const turn = turnOf(scene, container, role, stored, turnSince, now);
    const isTurn = isNext || isPast(turn.was);
    const taken = isTurn ? (role === "init" ? toEnd(turn) : step(turn)) : waiting(turn, "PodInitializing");
    steps.set(container.name, taken);
    const { state, isStarted } = taken.report;
    if (role === "init" && state.is === "terminated" && state.exitCode === 0) turnSince = state.finishedAt;
    else if (role === "init" || !isStarted) isNext = false;
  }
  for (const container of spec?.containers ?? []) {
    const turn = turnOf(scene, container, "main", stored, turnSince, now);
    steps.set(container.name, isNext || mainsRan ? step(turn) : waiting(turn, "PodInitializing"));
  }
  return together(scene.pod, steps, now);
}

/** An init container that takes no time is not shown while it runs. */
function toEnd(turn: Turn): Step {
  let taken = step(turn);
  const isDue = ({ report, wakeAt }: Step) =>
    report.state.is === "running" && wakeAt !== undefined && wakeAt <= turn.now;
  // It ends, begins again at once, and ends again: then it has to wait.
  for (let i = 0; i < 3 && isDue(taken); i += 1) {
    const next = step({ ...turn, was: { ...taken.report, image: turn.container.image ?? "" } });
    taken = { ...next, events: [...taken.events, ...next.events] };
  }
  return taken;
}

function turnOf(scene: Scene, container: Container, role: Role, stored: Stored, since: Instant, now: Instant): Turn {
  const { pod, job, missing, blow } = scene;
  const meant = behaviourOf(scene.behaviour, container.name, role);
  const isBad = meant.pullError === undefined && scene.isBadImage(container.image ?? "");
  const lacks = missing.variables.get(container.name);
  return {
    pod,
    container,
    role,
    behaviour: isBad ? { ...meant, pullError: {} } : meant,
    was: stored.get(container.name),
    since,
    now,
    job,
    ...(lacks === undefined ? {} : { missing: lacks }),
    blow: (containerID) => blow(container.name, containerID),
  };
}

/** Once the containers have ended for good the sidecars end as well. */
function together(pod: Pod, steps: ReadonlyMap<string, Step>, now: Instant): Advance {
  const of = ({ name }: Container): ContainerReport => steps.get(name)?.report ?? waitingFor(name, usualReason(pod));
  const hasFailedInit = (pod.spec?.initContainers ?? []).some((container) => {
    const { state } = of(container);
    return !isSidecar(container) && state.is === "terminated" && state.exitCode !== 0;
  });
  const isDone = hasFailedInit || (pod.spec?.containers ?? []).every((it) => of(it).state.is === "terminated");
  const all = [...steps.values()];
  const wakeAt = isDone ? undefined : earliest(...all.map((it) => it.wakeAt));
  const events: readonly PodEvent[] = all.flatMap((it) => it.events);
  return {
    ...reports(pod, (container) => (isDone ? ended(of(container), now, 143) : of(container))),
    hasSandbox: true,
    events,
    ...(wakeAt === undefined ? {} : { wakeAt }),
  };
}
