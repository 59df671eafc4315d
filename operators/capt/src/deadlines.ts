// How long is waited for what (9). No clock is stored: each begins when a condition took the status that it has, so that
// neither a restart nor another leader moves it. Unknown: it does not run yet. False: it runs. True: it is over.
import { type Condition, type ConditionStatus, type Instant, instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { type Clock, clock, dueClocks, findCondition } from "@telltale/status";

/** How long each wait may last. */
export interface Limits {
  readonly overall: Ms;
  readonly vpc: Ms;
  /** Infinite: as long as what the Workspace is for. */
  readonly workspace: Ms;
  readonly secret: Ms;
}

/** The conditions as this pass has them, before it is written. */
export interface Timeline {
  readonly before: readonly Condition[];
  readonly next: readonly Pick<Condition, "type" | "status">[];
  /** When the object was made, by the server's clock: nothing has waited for longer, whatever a slow clock of ours has written. */
  readonly madeAt?: string | undefined;
  /** A person let it begin anew: an unpause or a reset. */
  readonly isRestarted: boolean;
}

/** What has run out, if anything, and when the next clock will. */
export interface Deadline<C> {
  readonly expired?: C;
  readonly wakeAt?: Instant;
}

interface Scene {
  readonly timeline: Timeline;
  readonly limits: Limits;
  readonly now: Instant;
}

export type Token = "SecretTimeout" | "WorkspaceReadyTimeout" | "VPCReadyTimeout" | "ControlPlaneTimeout";

/** A wait, and what is waited for in it. */
export type Wait<T extends Token = Token> = Clock<Timeline, Scene, T> & {
  readonly limitOf: (limits: Limits) => Ms;
};

const wait = <const T extends Token>(it: {
  readonly name: string;
  readonly reason: T;
  readonly rank: number;
  readonly limitOf: (limits: Limits) => Ms;
  readonly start: (scene: Scene) => Instant;
  readonly runs: (timeline: Timeline) => boolean;
}): Wait<T> => ({
  ...clock<Timeline, Scene, T>({
    name: it.name,
    reason: it.reason,
    rank: it.rank,
    start: (_timeline, scene) => it.start(scene),
    limit: (_timeline, { limits }) => it.limitOf(limits),
    runs: (timeline) => it.runs(timeline),
  }),
  limitOf: it.limitOf,
});

const workspace = wait({
  name: "workspace",
  reason: "WorkspaceReadyTimeout",
  rank: 1,
  limitOf: (limits) => limits.workspace,
  start: (scene) => since(scene, "WorkspaceReady"),
  runs: (timeline) => is(timeline, "WorkspaceReady", "False"),
});

/** The waits of a CAPTCluster. */
export const networkWaits = [
  wait({
    name: "secret",
    reason: "SecretTimeout",
    rank: 0,
    limitOf: (limits) => limits.secret,
    start: (scene) => since(scene, "ConnectionSecretReady"),
    runs: (timeline) => is(timeline, "ConnectionSecretReady", "False"),
  }),
  workspace,
  wait({
    name: "vpc",
    reason: "VPCReadyTimeout",
    rank: 2,
    limitOf: (limits) => limits.vpc,
    start: (scene) => since(scene, "VPCCreating"),
    runs: (timeline) => is(timeline, "VPCCreating", "True"),
  }),
] as const;

const secretTypes = ["ConnectionSecretReady", "KubeconfigReady"] as const;

/** The waits of a CAPTControlPlane. What is waited for the network is not charged to the control plane. */
export const controlPlaneWaits = [
  wait({
    name: "secret",
    reason: "SecretTimeout",
    rank: 0,
    limitOf: (limits) => limits.secret,
    start: (scene) =>
      earliest(secretTypes.filter((type) => is(scene.timeline, type, "False")).map((it) => since(scene, it))),
    runs: (timeline) => secretTypes.some((type) => is(timeline, type, "False")),
  }),
  workspace,
  wait({
    name: "vpc",
    reason: "VPCReadyTimeout",
    rank: 2,
    limitOf: (limits) => limits.vpc,
    start: (scene) => since(scene, "InfrastructureReady"),
    runs: (timeline) => is(timeline, "InfrastructureReady", "False"),
  }),
  wait({
    name: "controlPlane",
    reason: "ControlPlaneTimeout",
    rank: 2,
    limitOf: (limits) => limits.overall,
    start: (scene) => latest([since(scene, "Creating"), since(scene, "InfrastructureReady")]),
    runs: (timeline) => is(timeline, "Creating", "True") && is(timeline, "InfrastructureReady", "True"),
  }),
] as const;

/** The conditions whose times these clocks are. */
export const clockConditions = {
  network: ["ConnectionSecretReady", "VPCCreating", "WorkspaceReady"],
  controlPlane: ["ConnectionSecretReady", "Creating", "InfrastructureReady", "KubeconfigReady", "WorkspaceReady"],
} as const;

/**
 * Which wait is over, and when the next one is. Called after readiness was looked at (TO-1). It comes on time and not a
 * second later: of two waits that end a second apart the first is the one to be reported.
 */
export function deadline<W extends Wait>(
  waits: readonly W[],
  timeline: Timeline,
  limits: Limits,
  now: Instant,
): Deadline<W> {
  const scene: Scene = { timeline, limits, now };
  const { expired, wakeAt } = dueClocks<Timeline, Scene, W>(waits, timeline, scene, now);
  return {
    ...(expired === undefined ? {} : { expired }),
    ...(wakeAt === undefined ? {} : { wakeAt: plus(wakeAt, -1000) }),
  };
}

/** `15m`, as it stands in messages. */
export const inMinutes = (limit: Ms): string => `${limit / 60_000}m`;

const is = ({ next }: Timeline, type: string, status: ConditionStatus): boolean =>
  next.find((it) => it.type === type)?.status === status;

/** When a condition takes the status that it will have: now, unless it has it already. */
function since({ timeline, now }: Scene, type: string): Instant {
  const old = findCondition(timeline.before, type);
  const next = timeline.next.find((it) => it.type === type);
  if (timeline.isRestarted || old === undefined || old.status !== next?.status) return now;
  return latest([parseTime(old.lastTransitionTime) ?? now, parseTime(timeline.madeAt) ?? instant(0)]);
}

const earliest = (all: readonly Instant[]): Instant => instant(Math.min(...all));
const latest = (all: readonly Instant[]): Instant => instant(Math.max(...all));
