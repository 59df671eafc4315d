// I8, I10, I13, I17, I19: each status that the operator writes, and each step from one to the next, in the server's history.
// The rules are those of `@telltale/status`.
import { deepEqual, type KubeObject } from "@telltale/kinds";
import { checkStep, lintStatus, type Violation } from "@telltale/status";
import { kindOf, statusOf } from "../facts.ts";
import type { Change } from "../history.ts";
import type { Invariant, Watcher } from "../invariant.ts";
import { invariantOf, isOfRuns } from "../rules.ts";
import type { World } from "../world.ts";

export const statuses: readonly Invariant[] = [
  byRule("I8", "the observed generation never goes back, and is never ahead of the object's"),
  byRule("I10", "a transition time changes exactly when the status of its condition does"),
  byRule("I13", "conditions of others are never changed or removed"),
  byRule("I17", "Stalled, Reconciling and Ready do not contradict each other"),
  byRule("I19", "what is final stays, and progress does not run back"),
];

function byRule(id: string, what: string): Invariant {
  return {
    id,
    what,
    watch(world, say): Watcher {
      return {
        change(change) {
          for (const { rule, at, problem } of findings(world, change)) {
            if (invariantOf(rule) === id) say(`${change.key} ${at}: ${problem} (rule ${rule})`);
          }
        },
      };
    },
  };
}

const none: readonly Violation[] = [];
const found = new WeakMap<Change, readonly Violation[]>();
/** What the operator last wrote of an object, and what others had done wrong there that it left. */
interface Written {
  readonly object: KubeObject;
  readonly theirs: readonly Violation[];
}
/** By object. What is kept here must not lead back to a world: it would outlive it. */
const written = new WeakMap<World, Map<string, Written>>();

/** What the rules have against a change: looked at once, for all who ask. */
export function findings(world: World, change: Change): readonly Violation[] {
  const before = found.get(change);
  if (before !== undefined) return before;
  const own = written.get(world) ?? new Map<string, Written>();
  written.set(world, own);
  const now = judge(world, own, change);
  found.set(change, now);
  return now;
}

function judge(world: World, own: Map<string, Written>, change: Change): readonly Violation[] {
  const { author, before, after, type, key, sent } = change;
  if (author === undefined || type === "DELETED" || sent?.target.subresource !== "status") return none;
  if (world.history.isRewound) return none; // who does not know it yet speaks of what has not happened
  const { kinds, progress, restamps = [] } = world.scenario;
  const kind = kindOf(kinds, after);
  if (kind === undefined) return none;
  const last = own.get(key);
  const isOurs = before === undefined || last === undefined || deepEqual(statusOf(last.object), statusOf(before));
  // What others did wrong may still be there, and stay: who is about to go says no more than that.
  const theirs = isOurs ? (last?.theirs ?? none) : lintStatus(kind, asObserved(before));
  const isTheirs = ({ rule, at }: Violation) => theirs.some((it) => it.rule === rule && it.at === at);
  const all = lintStatus(kind, asObserved(after)).filter(isOfRuns);
  own.set(key, { object: after, theirs: all.filter(isTheirs) });
  const said = all.filter((it) => !isTheirs(it));
  if (before === undefined) return said;
  const steps = checkStep(kind, before, after, {
    restamped: restamps,
    ...(sent.pass === undefined ? {} : { at: sent.pass.at }),
    ...(progress === undefined ? {} : { progress }),
  });
  // Whoever puts right what others wrote goes back behind it: then only what belongs to them counts.
  return [...(isOurs ? steps : steps.filter(({ rule }) => rule === 60)), ...said];
}

/** The object of the generation that its status speaks of: somebody may have changed it since it was read. */
function asObserved(object: KubeObject): KubeObject {
  const observed = statusOf(object)["observedGeneration"];
  const { generation = 0 } = object.metadata ?? {};
  if (typeof observed !== "number" || observed < 0 || observed >= generation) return object;
  return { ...object, metadata: { ...object.metadata, generation: observed } };
}
