// What a written status has to tell: which phase was entered and which conditions flipped, as samples and as the Kubernetes
// Events that announce them. Pure; `announcer.ts` tells it.
import {
  type Condition,
  type ConditionDeclaration,
  type ConditionStatus,
  declarationOf,
  type Instant,
  type Kind,
  type Ms,
  parseChildType,
  parseTime,
} from "@telltale/kinds";
import type { Sample } from "../samples.ts";

type Loose = Readonly<Record<string, unknown>>;

export interface Written {
  readonly kind: Kind;
  readonly controller: string;
  readonly old: Loose | undefined;
  readonly next: Loose;
  readonly now: Instant;
  /** When the old phase was entered, where somebody remembers. */
  readonly phaseSince?: Instant;
  /** Whether the pass failed that wrote this. */
  readonly failed?: boolean;
  /** The condition types whose flips become Events; a family by its name. Default: the kind's top condition. */
  readonly announce?: readonly string[];
}

/** An Event as it is to be told. */
export interface Announcement {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export type PhaseSample = Extract<Sample, { is: "phase" }>;
export type FlipSample = Extract<Sample, { is: "flip" }>;

export interface Transitions {
  readonly phase?: PhaseSample;
  /** With the condition's own type: the sample names a child's family, so that labels stay few. */
  readonly flips: readonly { readonly type: string; readonly sample: FlipSample }[];
  readonly events: readonly Announcement[];
}

export function transitions(written: Written): Transitions {
  const { kind, old = {}, next } = written;
  const phase = phaseOf(written);
  const changes =
    old["conditions"] === next["conditions"] ? [] : changesOf(kind, conditionsOf(old), conditionsOf(next));
  const announced = written.announce ?? (kind.conditions.top === undefined ? [] : [kind.conditions.top]);
  const events = changes.flatMap((change) => announcementOf(change, announced, written.failed ?? false));
  // A kind without conditions to announce still says where it stands.
  const silent = written.announce === undefined && kind.conditions.top === undefined;
  return {
    ...(phase === undefined ? {} : { phase }),
    flips: changes.map((change) => ({ type: change.type, sample: flipOf(change, written) })),
    events: silent && phase !== undefined ? [phaseEvent(kind, phase)] : events,
  };
}

/** One condition whose status is another than before; `old` or `next` is undefined where it was or is not there. */
interface Change {
  readonly type: string;
  readonly declared: ConditionDeclaration;
  readonly old?: Condition;
  readonly next?: Condition;
}

/** Types that the kind does not declare are somebody else's to tell of. */
function changesOf(kind: Kind, before: readonly Condition[], after: readonly Condition[]): Change[] {
  const stored = new Map(before.map((c) => [c.type, c]));
  const changes: Change[] = [];
  for (const next of after) {
    const old = stored.get(next.type);
    stored.delete(next.type);
    const declared = declarationOf(kind.conditions, next.type);
    // One that is not there counts as Unknown (rule 34).
    if (declared === undefined || (old?.status ?? "Unknown") === next.status) continue;
    changes.push({ type: next.type, declared, next, ...(old === undefined ? {} : { old }) });
  }
  for (const old of stored.values()) {
    const declared = declarationOf(kind.conditions, old.type);
    if (declared !== undefined && old.status !== statusWhenGone(declared))
      changes.push({ type: old.type, declared, old });
  }
  return changes;
}

/** What it means that a condition was taken away: one that is there only while True is False now. */
function statusWhenGone(declared: ConditionDeclaration): ConditionStatus {
  return "present" in declared && declared.present === "whenTrue" ? "False" : "Unknown";
}

function flipOf({ type, declared, old, next }: Change, { kind, controller, now }: Written): FlipSample {
  const since = parseTime(old?.lastTransitionTime);
  return {
    is: "flip",
    controller,
    kind: kind.kind,
    type: nameOf(type, declared),
    status: next?.status ?? statusWhenGone(declared),
    reason: next?.reason ?? "Removed",
    ...(old === undefined ? {} : { from: old.status }),
    ...(since === undefined ? {} : { after: past(since, now) }),
  };
}

/** A condition that went is told by whatever came instead. */
function announcementOf(
  { type, declared, old, next }: Change,
  announced: readonly string[],
  failed: boolean,
): Announcement[] {
  if (next === undefined || !announced.includes(nameOf(type, declared))) return [];
  // A new object that is not ready yet has not become worse; one whose first pass failed has.
  const worse = isBad(declared, next.status) && (old !== undefined || failed);
  return [{ type: worse ? "Warning" : "Normal", reason: next.reason || type, message: next.message }];
}

function isBad({ polarity }: ConditionDeclaration, status: ConditionStatus): boolean {
  return (polarity === "positive" && status === "False") || (polarity === "negative" && status === "True");
}

const nameOf = (type: string, declared: ConditionDeclaration): string =>
  declared.form === "family" ? (parseChildType(type)?.family ?? type) : type;

function phaseOf({ kind, controller, old, next, now, phaseSince }: Written): PhaseSample | undefined {
  const from = textOf(old?.["phase"]);
  const to = textOf(next["phase"]);
  if (to === undefined || from === to) return undefined;
  return {
    is: "phase",
    controller,
    kind: kind.kind,
    to,
    ...(from === undefined ? {} : { from }),
    ...(from === undefined || phaseSince === undefined ? {} : { after: past(phaseSince, now) }),
  };
}

function phaseEvent(kind: Kind, { from, to }: PhaseSample): Announcement {
  const message = kind.phases?.means[to] ?? (from === undefined ? `Entered ${to}` : `Went from ${from} to ${to}`);
  return { type: "Normal", reason: to, message };
}

const past = (since: Instant, now: Instant): Ms => Math.max(0, now - since);

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

function conditionsOf(status: Loose): readonly Condition[] {
  return Array.isArray(status["conditions"]) ? status["conditions"] : [];
}
