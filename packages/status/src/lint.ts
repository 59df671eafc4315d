// The rules that can be read off one object: contradictions between its conditions, and habits that hurt its readers. The
// writer checks the first, tests and simulation both; each finding names its rule.
import {
  type Condition,
  type ConditionDeclaration,
  type Conditions,
  declarationOf,
  type Kind,
  type KubeObject,
  parseTime,
  reasonPattern,
  typePattern,
} from "@telltale/kinds";
import { findCondition, statusOf } from "./condition.ts";
import { derivedFrom } from "./finish-conditions.ts";
import { isRecord, type Loose } from "./path.ts";
import { cut } from "./text.ts";
import type { Violation } from "./violation.ts";

/** What no status may say at once, for the declared types that are there (rules 30, 45-49). */
export function contradictions(kind: Kind, list: readonly Condition[], generation: number): Violation[] {
  const found: Violation[] = [];
  const top = kind.conditions.top;
  const topStatus = top === undefined ? undefined : statusOf(list, top);
  const declares = (type: string) => kind.conditions.types[type] !== undefined;
  const stalled = declares("Stalled") && statusOf(list, "Stalled") === "True";
  const reconciling = declares("Reconciling") && statusOf(list, "Reconciling") === "True";
  if (stalled && reconciling) found.push({ rule: 45, at: "Stalled", problem: "is True together with Reconciling" });
  if (top === undefined) return found;
  if (stalled && topStatus !== "False")
    found.push({ rule: 46, at: top, problem: `is ${topStatus} although Stalled is True` });
  if (topStatus === "Unknown" && declares("Reconciling") && !reconciling && !stalled && findCondition(list, top)) {
    found.push({ rule: 48, at: top, problem: "is Unknown although nothing says Reconciling" });
  }
  if (topStatus !== "True") return found;
  if (reconciling) found.push({ rule: 47, at: top, problem: "is True although Reconciling is True" });
  for (const condition of list) {
    const declared = declarationOf(kind.conditions, condition.type);
    if (declared === undefined) continue;
    if (declared.polarity === "negative" && condition.status === "True") {
      found.push({ rule: 49, at: condition.type, problem: `is True, which is bad, and ${top} is True` });
    }
    if (kind.conditions.shape === "metav1" && (condition.observedGeneration ?? -1) < generation) {
      found.push({
        rule: 30,
        at: condition.type,
        problem: `speaks of generation ${condition.observedGeneration ?? "none"}, and ${top} is True for ${generation}`,
      });
    }
  }
  return found;
}

/** A top condition that is False says what the worst of its inputs says (rule 50). */
function miscounted(kind: Kind, list: readonly Condition[]): Violation[] {
  const top = findCondition(list, kind.conditions.top ?? "");
  const declared = kind.conditions.types[kind.conditions.top ?? ""];
  if (top?.status !== "False" || declared?.form !== "derived") return [];
  const { reason, message } = derivedFrom(kind, declared, (type) => findCondition(list, type));
  if (top.reason === reason && top.message === cut(message, kind.conditions.maxMessage)) return [];
  return [
    { rule: 50, at: top.type, problem: `says ${top.reason}, and the worst of what it is computed from says ${reason}` },
  ];
}

/** Whether a condition has to be there after the first visit (rule 33). */
export function alwaysThere(declared: ConditionDeclaration): boolean {
  return "present" in declared ? declared.present === "always" : declared.form === "derived";
}

/** Everything that can be said against a status as it is stored. For tests and development. */
export function lintStatus(kind: Kind, object: KubeObject & { status?: unknown }): Violation[] {
  const status = isRecord(object.status) ? object.status : {};
  const list = Array.isArray(status["conditions"]) ? (status["conditions"] as Condition[]) : [];
  const generation = object.metadata?.generation ?? 0;
  const observed = status["observedGeneration"];
  const final = kind.phases?.final(status) === true;
  const found: Violation[] = [...lintVocabulary(kind)];
  const say = (rule: number, at: string, problem: string) => found.push({ rule, at, problem });
  if (typeof observed === "number" && observed > generation) {
    say(26, "observedGeneration", `is ${observed}, the object's generation is ${generation}`);
  }
  if (list.length > kind.conditions.max)
    say(10, "conditions", `there are ${list.length}, ${kind.conditions.max} is the most`);
  const seen = new Set<string>();
  for (const condition of list) {
    if (seen.has(condition.type)) say(9, condition.type, "is there twice");
    seen.add(condition.type);
    lintCondition(kind.conditions, condition, say);
  }
  if (typeof observed === "number" && observed >= 0) {
    for (const [type, declared] of Object.entries(kind.conditions.types)) {
      if (alwaysThere(declared) && !seen.has(type)) {
        say(33, type, "is declared to be always there, and is not");
      }
    }
  }
  if (!final) found.push(...contradictions(kind, list, generation), ...miscounted(kind, list));
  lintPhase(kind, status, say);
  return found;
}

type Say = (rule: number, at: string, problem: string) => void;

const reasonRule = new RegExp(reasonPattern);
const typeRule = new RegExp(typePattern);
const wholeSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
// A clock time, a duration, an attempt or an id: what makes the same trouble a new write each time. A limit is none of these.
const unstable =
  /\d{4}-\d\d-\d\dT|(?<!\bwithin )\b\d+(\.\d+)?(ms|s|m|h)\b|\battempt \d|\b[0-9a-f]{8}-[0-9a-f]{4}-|\b(request|trace)[ _-]?id\b/i;

function lintCondition(c: Conditions, condition: Condition, say: Say): void {
  const { type, status, reason, message, lastTransitionTime } = condition;
  if (!typeRule.test(type) || type.length > 316) say(1, type, "is not a condition type");
  if (status !== "True" && status !== "False" && status !== "Unknown")
    say(4, type, `has the status ${JSON.stringify(status)}`);
  if (typeof message === "string" && message.length > 32_768)
    say(7, type, `has a message of ${message.length} characters`);
  if (parseTime(lastTransitionTime) === undefined) say(8, type, "has no transition time");
  else if (!wholeSeconds.test(lastTransitionTime))
    say(8, type, `has the transition time ${lastTransitionTime}, not whole seconds in UTC`);
  const declared = declarationOf(c, type);
  if (declared === undefined) return; // somebody else's
  if (typeof reason !== "string" || !reasonRule.test(reason)) say(5, type, `has the reason ${JSON.stringify(reason)}`);
  else lintReason(declared, condition, say);
  if ("present" in declared && declared.present === "whenTrue" && status !== "True") {
    say(44, type, `is there although it is ${status}; it is declared to be there only when True`);
  }
  if (unstable.test(message)) say(23, type, `has a message with a time, a count of tries or an id in it: "${message}"`);
}

function lintReason(declared: ConditionDeclaration, c: Condition, say: Say): void {
  if (declared.form === "mirrored" || declared.form === "derived") return;
  const reason = Object.hasOwn(declared.reasons, c.reason) ? declared.reasons[c.reason] : undefined;
  if (reason === undefined) say(6, c.type, `has the undeclared reason ${c.reason}`);
  else if (!reason.on.includes(c.status))
    say(6, c.type, `is ${c.status} with ${c.reason}, which explains ${reason.on.join(", ")}`);
}

function lintPhase(kind: Kind, status: Loose, say: Say): void {
  const phase = status["phase"];
  if (kind.phases !== undefined && typeof phase === "string" && phase !== "" && !kind.phases.names.includes(phase)) {
    say(55, "phase", `"${phase}" is not a declared phase`);
  }
}

// Reconciling is the one that readers know to be absent (rule 44).
const transitional = /(?<!^Reconcil)ing$/;

/** Habits of naming: types are short adjectives or participles, and do not repeat the kind (rules 2, 3, 36). */
export function lintVocabulary(kind: Kind): Violation[] {
  const found: Violation[] = [];
  for (const [type, declared] of Object.entries(kind.conditions.types)) {
    const name = type.slice(type.lastIndexOf("/") + 1);
    if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) found.push({ rule: 2, at: type, problem: "is not PascalCase" });
    if (name !== kind.kind && name.startsWith(kind.kind)) {
      found.push({ rule: 2, at: type, problem: `repeats the kind; "${name.slice(kind.kind.length)}" is enough` });
    }
    if (
      transitional.test(type) &&
      "present" in declared &&
      declared.present !== "always" &&
      declared.polarity !== "neutral"
    ) {
      found.push({ rule: 3, at: type, problem: "names a transition, so it has to be always there, or neutral" });
    }
  }
  if (Object.keys(kind.conditions.types).length > 0 && kind.conditions.top === undefined) {
    found.push({
      rule: 36,
      at: "conditions",
      problem: "no condition sums up the object; declare Ready, Succeeded or Available, or name one as top",
    });
  }
  return found;
}
