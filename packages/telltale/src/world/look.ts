// What an object says of itself, for a person: whether all is well, in which words, since when, and how far it is. Declared kinds
// are read by their vocabulary, all others by the rules of kstatus. Pure.
import { declarationOf, type Instant, type Kind, type KubeObject, parseTime } from "@telltale/kinds";
import { kstatus } from "@telltale/status";

/**
 * How an object is.
 * - `well`: as its spec asks for, or ended well
 * - `busy`: on the way
 * - `bad`: it will not get there without help
 * - `going`: it is being deleted
 * - `unknown`: it says nothing that we can read
 */
export type Health = "well" | "busy" | "bad" | "going" | "unknown";

/** A condition, or what stands for one where a kind has none. */
export interface Said {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since?: Instant;
}

export interface Look {
  readonly health: Health;
  readonly phase?: string;
  /** The one that explains `health`. */
  readonly said?: Said;
  /** All that are not as they should be, the one that explains first. */
  readonly troubles: readonly Said[];
  readonly since?: Instant;
  /** 0 to 100 */
  readonly percent?: number;
}

type Fields = Readonly<Record<string, unknown>>;

export function look(object: KubeObject, kind: Kind | undefined, now: Instant): Look {
  const status = fieldsIn(object, "status");
  const all = conditionsIn(status);
  const troubles = kind === undefined ? foreignTroubles(object, all) : ownTroubles(kind, all);
  const health = healthOf(object, kind, status, troubles, now);
  const said = explaining(kind, all, troubles, health);
  const phase = textIn(status, "phase");
  const percent = percentOf(status, fieldsIn(object, "spec"));
  const since = said?.since ?? parseTime(object.metadata?.creationTimestamp);
  return {
    health,
    troubles,
    ...(phase !== undefined && { phase }),
    ...(said !== undefined && { said }),
    ...(since !== undefined && { since }),
    ...(percent !== undefined && { percent }),
  };
}

function healthOf(
  object: KubeObject,
  kind: Kind | undefined,
  status: Fields,
  troubles: readonly Said[],
  now: Instant,
): Health {
  const { status: computed } = kstatus(object, now);
  if (computed === "Terminating") return "going";
  // Cluster API's way to say that nothing goes on by itself.
  if (textIn(status, "failureReason") !== undefined) return "bad";
  const phase = textIn(status, "phase");
  if (kind?.phases?.final(status) === true) return isBadWord(phase) ? "bad" : "well";
  if (kind !== undefined && (kind.phases?.finalNames.length ?? 0) > 0) return "busy"; // it has an end, and is not there
  if (computed === "Failed" || isBadWord(phase)) return "bad";
  if (computed === "InProgress") return "busy";
  if (computed !== "Current") return "unknown";
  if (kind === undefined || kind.conditions.top === undefined) return "well";
  // A declared kind that has not been looked at yet is not well for want of bad news.
  const has = conditionsIn(status).some(({ type }) => type === kind.conditions.top);
  return has && !troubles.some(({ type }) => type === kind.conditions.top) ? "well" : "busy";
}

const isBadWord = (phase: string | undefined): boolean => phase === "Failed" || phase === "Error";

/** Conditions that are not as they should be, the one that sums up last: what it sums up says more. */
function ownTroubles({ conditions }: Kind, all: readonly Said[]): readonly Said[] {
  const isBad = ({ type, status }: Said): boolean => {
    const polarity = declarationOf(conditions, type)?.polarity;
    return (polarity === "positive" && status !== "True") || (polarity === "negative" && status === "True");
  };
  return all.filter(isBad).sort((a, b) => Number(b.type === conditions.top) - Number(a.type === conditions.top));
}

/** Types that are bad when they are True, whoever has them. */
const badWhenTrue = /^(Failed|FailureTarget|Stalled|Degraded|.*Pressure|ReplicaFailure|NetworkUnavailable)$/;
/** And those that are good then. */
const goodWhenTrue =
  /^(Ready|Available|Synced|Established|Succeeded|.*Ready|ContainersReady|PodScheduled|Initialized|Progressing)$/;

function foreignTroubles(object: KubeObject, all: readonly Said[]): readonly Said[] {
  const containers = object.kind === "Pod" ? containersIn(object) : [];
  const isBad = ({ type, status }: Said): boolean =>
    (badWhenTrue.test(type) && status === "True") || (goodWhenTrue.test(type) && status !== "True");
  return [...containers, ...all.filter(isBad)];
}

/** What a container waits for, or how it ended: the conditions of a pod do not tell. */
function containersIn(pod: KubeObject): readonly Said[] {
  const status = fieldsIn(pod, "status");
  return ["initContainerStatuses", "containerStatuses"].flatMap((list) =>
    listIn(status, list).flatMap((container): Said[] => {
      const type = textIn(container, "name") ?? "container";
      const state = fieldsIn(container, "state");
      const waiting = fieldsIn(state, "waiting");
      const reason = textIn(waiting, "reason");
      const harmless = ["ContainerCreating", "PodInitializing"];
      if (reason !== undefined && !harmless.includes(reason)) {
        return [{ type, status: "False", reason, message: textIn(waiting, "message") ?? "" }];
      }
      const ended = fieldsIn(state, "terminated");
      const code = ended["exitCode"];
      if (typeof code !== "number" || code === 0) return [];
      const since = parseTime(textIn(ended, "finishedAt"));
      const message = textIn(ended, "message") ?? `exit code ${code}`;
      return [{ type, status: "False", reason: textIn(ended, "reason") ?? "Error", message, ...(since && { since }) }];
    }),
  );
}

function explaining(
  kind: Kind | undefined,
  all: readonly Said[],
  troubles: readonly Said[],
  health: Health,
): Said | undefined {
  const named = (type: string | undefined) => all.find((it) => it.type === type);
  const ended = ["TestCompleted", "Complete", "Succeeded"].map(named).find((it) => it?.status === "True");
  if (health === "well") return ended ?? named(kind?.conditions.top ?? "Ready") ?? named("Available");
  return (isOver(ended) ? ended : undefined) ?? troubles[0] ?? named(kind?.conditions.top ?? "Ready");
}

/** An end that was bad explains more than what it led to. */
const isOver = (ended: Said | undefined): boolean => ended !== undefined && /fail/i.test(ended.reason);

function percentOf(status: Fields, spec: Fields): number | undefined {
  const progress = fieldsIn(status, "progress");
  const within = fieldsIn(fieldsIn(status, "atProvider"), "progress");
  const told = numberIn(progress, "percent") ?? numberIn(status, "progress");
  if (told !== undefined) return bounded(told);
  const [done, total] = [numberIn(within, "done"), numberIn(within, "total")];
  if (done !== undefined && total !== undefined && total > 0) return bounded((100 * done) / total);
  const [ready, wanted] = [numberIn(status, "readyReplicas"), numberIn(spec, "replicas")];
  if (wanted !== undefined && wanted > 0 && Object.hasOwn(status, "replicas")) {
    return bounded((100 * (ready ?? 0)) / wanted);
  }
  return undefined;
}

const bounded = (percent: number): number => Math.max(0, Math.min(100, Math.round(percent)));

export function conditionsIn(status: Fields): readonly Said[] {
  return listIn(status, "conditions").flatMap((it) => {
    const [type, state] = [textIn(it, "type"), textIn(it, "status")];
    if (type === undefined || state === undefined) return [];
    const since = parseTime(textIn(it, "lastTransitionTime"));
    const [reason = "", message = ""] = [textIn(it, "reason"), textIn(it, "message")];
    return [{ type, status: state, reason, message, ...(since !== undefined && { since }) }];
  });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whoever else wrote it: nothing is taken for granted. */
export function fieldsIn(from: object, name: string): Fields {
  const value: unknown = (from as Fields)[name];
  return isFields(value) ? value : {};
}

function listIn(from: Fields, name: string): readonly Fields[] {
  const value = from[name];
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function textIn(from: Fields, name: string): string | undefined {
  const value = from[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberIn(from: Fields, name: string): number | undefined {
  const value = from[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
