// From what a pass states to the list of conditions: presence, reasons, times, derived conditions, order and limits.
import {
  type Condition,
  type ConditionDeclaration,
  type DerivedCondition,
  declarationOf,
  type Kind,
  parseChildType,
  reasonPattern,
} from "@telltale/kinds";
import { type MergeOptions, mergeCondition, type NewCondition } from "./condition.ts";
import { summary } from "./summary.ts";
import { cut } from "./text.ts";

/** What a pass says about one type. */
export type Statement =
  | { readonly say: "set"; readonly condition: NewCondition; readonly options: MergeOptions }
  | { readonly say: "without" };

type Broken = (rule: number, at: string, problem: string) => void;

interface Pass {
  readonly kind: Kind;
  readonly before: readonly Condition[];
  readonly statements: ReadonlyMap<string, Statement>;
  /** Families whose children were all named in this pass: the others are gone. */
  readonly families: ReadonlySet<string>;
  readonly generation: number;
  readonly created: string | undefined;
  readonly firstVisit: boolean;
  readonly now: string;
  readonly broken: Broken;
}

export function finishConditions(pass: Pass): readonly Condition[] {
  const list = new Map<string, Condition>();
  for (const condition of pass.before) {
    if (list.has(condition.type))
      pass.broken(9, condition.type, "is there twice"); // the first one counts
    else list.set(condition.type, condition);
  }
  for (const [type, statement] of pass.statements) place(pass, list, type, statement);
  for (const type of [...list.keys()]) {
    const child = parseChildType(type);
    if (child !== undefined && pass.families.has(child.family) && !pass.statements.has(type)) list.delete(type);
  }
  initialise(pass, list);
  derive(pass, list);
  return ordered(pass, list);
}

function place(pass: Pass, list: Map<string, Condition>, type: string, statement: Statement): void {
  const { kind, broken } = pass;
  const declared = declarationOf(kind.conditions, type);
  if (declared === undefined || declared.form === "derived") {
    const why = declared === undefined ? `is not declared by ${kind.kind}` : "is derived and cannot be set";
    broken(declared === undefined ? 59 : 37, type, why);
    return; // what is not ours is not touched (rule 60)
  }
  const present = declared.form === "family" ? "onceSet" : declared.present;
  const old = list.get(type);
  if (statement.say === "without") {
    if (present === "always") broken(33, type, "is declared to be always there, and is taken away");
    else list.delete(type);
    return;
  }
  const { condition, options } = statement;
  if (present === "whenTrue" && condition.status !== "True") {
    list.delete(type); // rule 44
    return;
  }
  if (present === "onceTrue" && old === undefined && condition.status !== "True") return;
  checkReason(declared, condition, broken);
  list.set(type, mergeCondition(old, shaped(pass, condition), pass.now, options));
}

/** The condition as this kind's shape writes it. */
function shaped(pass: Pass, c: NewCondition): NewCondition {
  const { shape, maxMessage } = pass.kind.conditions;
  return {
    type: c.type,
    status: c.status,
    // A stored condition that is kept may have neither: two of the shapes do not ask for them.
    reason: lawful(c.reason ?? ""),
    message: cut(c.message ?? "", maxMessage),
    ...(shape === "metav1" ? { observedGeneration: pass.generation } : {}),
    ...(shape === "capiV1beta1" && c.severity !== undefined ? { severity: c.severity } : {}),
  };
}

const reasonRule = new RegExp(reasonPattern);

/** A reason that the server would refuse would lose the whole write (rule 5). */
function lawful(reason: string): string {
  if (reason.length <= 1024 && reasonRule.test(reason)) return reason;
  const letters = reason
    .slice(0, 1024)
    .replace(/[^A-Za-z0-9_,:]+/g, "_")
    .replace(/^[^A-Za-z]+|[^A-Za-z0-9_]+$/g, "");
  return letters === "" ? "Unspecified" : letters;
}

function checkReason(declared: ConditionDeclaration, c: NewCondition, broken: Broken): void {
  if (c.reason !== lawful(c.reason ?? "")) broken(5, c.type, `"${c.reason}" is not a reason`);
  const problem = unexplained(declared, c);
  if (problem !== undefined) broken(6, c.type, problem);
}

/** Why no pass can have said it: its reason does not explain it. */
export function unexplained(
  declared: ConditionDeclaration,
  { reason: name, status }: NewCondition,
): string | undefined {
  if (declared.form === "mirrored") return undefined;
  const reason = Object.hasOwn(declared.reasons, name) ? declared.reasons[name] : undefined;
  if (reason === undefined) return `the reason ${name} is not declared`;
  return reason.on.includes(status) ? undefined : `${name} explains ${reason.on.join(", ")}, not ${status}`;
}

/** Declared conditions that nobody has spoken of yet start as their declaration says (rules 22, 33). */
function initialise(pass: Pass, list: Map<string, Condition>): void {
  for (const [type, declared] of Object.entries(pass.kind.conditions.types)) {
    if (declared.form === "family" || declared.form === "derived" || list.has(type)) continue;
    if (declared.present !== "always") continue;
    if (declared.form === "own" && declared.initial !== undefined) {
      const at = pass.firstVisit && pass.created !== undefined ? { at: pass.created } : {};
      list.set(type, mergeCondition(undefined, shaped(pass, { type, ...declared.initial }), pass.now, at));
    } else {
      pass.broken(33, type, "is declared to be always there, but nothing says what it is");
    }
  }
}

/** One derived condition may be computed from another, wherever the two are declared. */
function derive(pass: Pass, list: Map<string, Condition>): void {
  const done = new Set<string>();
  const visit = (type: string): void => {
    const declared = pass.kind.conditions.types[type];
    if (declared?.form !== "derived" || done.has(type)) return;
    done.add(type);
    declared.from.forEach(visit);
    const said = derivedFrom(pass.kind, declared, (input) => list.get(input));
    list.set(type, mergeCondition(list.get(type), shaped(pass, { type, ...said }), pass.now));
  };
  Object.keys(pass.kind.conditions.types).forEach(visit);
}

/** What a derived condition says, given the conditions that it is computed from. */
export function derivedFrom(kind: Kind, declared: DerivedCondition, find: (type: string) => Condition | undefined) {
  const inputs = declared.from.map((type) => {
    const input = kind.conditions.types[type];
    return { type, polarity: input?.polarity ?? "positive", condition: find(type) ?? untrue(type, input) };
  });
  return summary(inputs, declared.ok);
}

/** One that is there only when True is not unknown when it is absent: it is not the case. */
function untrue(type: string, declared: ConditionDeclaration | undefined) {
  const present = declared !== undefined && "present" in declared ? declared.present : "always";
  if (present !== "whenTrue" && present !== "onceTrue") return undefined;
  return { status: "False", reason: "NotReported", message: `${type} is not the case` } as const;
}

/** Canonical order (rule 24), and at most as many as the schema allows (rule 10). Foreign ones always stay (rule 60). */
function ordered(pass: Pass, list: Map<string, Condition>): readonly Condition[] {
  const { kind } = pass;
  const all = [...list.values()];
  const sorted = kind.conditions.order === "insertion" ? all : sortDeclared(kind, all);
  const over = sorted.length - kind.conditions.max;
  const kept = over > 0 ? dropChildren(kind, sorted, over) : sorted;
  if (kept.length > kind.conditions.max) {
    pass.broken(10, "conditions", `there are ${kept.length}, ${kind.conditions.max} is the most`);
  }
  return kept.length === pass.before.length && kept.every((c, i) => c === pass.before[i]) ? pass.before : kept;
}

function sortDeclared(kind: Kind, all: readonly Condition[]): Condition[] {
  const rank = ranks(kind);
  const foreign = rank.size;
  const keyed = all.map((condition, i) => {
    const exact = rank.get(condition.type);
    if (exact !== undefined) return { condition, rank: exact, index: 0, i };
    const child = parseChildType(condition.type);
    const family = child && declarationOf(kind.conditions, condition.type) ? rank.get(child.family) : undefined;
    return { condition, rank: family ?? foreign, index: family === undefined ? 0 : (child?.index ?? 0), i };
  });
  keyed.sort((a, b) => a.rank - b.rank || a.index - b.index || a.i - b.i);
  return keyed.map((k) => k.condition);
}

const rankCache = new WeakMap<object, ReadonlyMap<string, number>>();

function ranks(kind: Kind): ReadonlyMap<string, number> {
  const known = rankCache.get(kind.conditions);
  if (known !== undefined) return known;
  const made = new Map(Object.keys(kind.conditions.types).map((type, i) => [type, i]));
  rankCache.set(kind.conditions, made);
  return made;
}

/** Children with the highest numbers go first. */
function dropChildren(kind: Kind, sorted: readonly Condition[], over: number): Condition[] {
  const children = sorted
    .filter((c) => parseChildType(c.type) !== undefined && declarationOf(kind.conditions, c.type)?.form === "family")
    .sort((a, b) => (parseChildType(b.type)?.index ?? 0) - (parseChildType(a.type)?.index ?? 0));
  const gone = new Set(children.slice(0, over));
  return sorted.filter((c) => !gone.has(c));
}
