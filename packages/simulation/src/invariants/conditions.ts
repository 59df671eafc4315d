// I14, I21: what others break in our conditions is put right by the next pass, and every object says how it is.
import {
  type Condition,
  type ConditionDeclaration,
  declarationOf,
  deepEqual,
  type Kind,
  type KubeObject,
} from "@telltale/kinds";
import { findCondition, lintStatus } from "@telltale/status";
import { conditionsOf, kindOf, nameOf, statusOf, versionOf } from "../facts.ts";
import type { Invariant } from "../invariant.ts";
import { type Pass, presentPass } from "../pass.ts";
import { invariantOf, isOfRuns } from "../rules.ts";
import { findings } from "./statuses.ts";

export const conditions: readonly Invariant[] = [
  {
    id: "I14",
    what: "what others break in our conditions is put right by the next pass",
    watch(world, say) {
      /** The last status that the operator wrote, by uid. */
      const own = new Map<string, KubeObject>();
      const silent = new WeakSet<Pass>();
      const blame = (pass: Pass, found: KubeObject, left: KubeObject) => {
        const kind = kindOf(world.scenario.kinds, found);
        const said = own.get(found.metadata?.uid ?? "");
        if (kind === undefined || said === undefined || pass.gate !== "go" || pass.finalized !== undefined) return;
        // Only what the pass could see, and what is not of the operator itself.
        if (versionOf(pass.object) < versionOf(found) || versionOf(found) <= versionOf(said)) return;
        if (kind.phases?.final(statusOf(said)) === true || world.history.isRewound) return;
        for (const type of broken(kind, conditionsOf(said), conditionsOf(found))) {
          if (deepEqual(findCondition(conditionsOf(found), type), findCondition(conditionsOf(left), type)))
            say(`${pass.process.name} left ${type} of ${nameOf(found)} as somebody else had made it`);
        }
      };
      return {
        applied({ target, pass }, changes) {
          if (target.subresource !== "status") return;
          for (const { before, after, type } of changes) {
            // Who passes over another object says what is its own to say there.
            if (pass === undefined || pass.object.metadata?.uid !== after.metadata?.uid) continue;
            if (before !== undefined) blame(pass, before, after);
            if (type !== "DELETED") own.set(after.metadata?.uid ?? "", after);
          }
        },
        sample(_process, sample) {
          const pass = sample.is === "status" && sample.outcome === "unchanged" ? presentPass() : undefined;
          if (pass !== undefined) silent.add(pass);
        },
        passed(pass) {
          // Who could not do its work has the next pass for it.
          const isDone = pass.result === "success" || pass.result === "requeue" || pass.result === "waiting";
          if (!isDone || !silent.has(pass)) return;
          // What has been deleted meanwhile is its finalizer's.
          const { uid } = pass.object.metadata ?? {};
          const now = world.history.changes.findLast(({ after }) => after.metadata?.uid === uid)?.after;
          if (now?.metadata?.deletionTimestamp === undefined) blame(pass, pass.object, pass.object);
        },
      };
    },
  },
  {
    id: "I21",
    what: "every object says how it is, with reasons that are declared",
    watch(world, say) {
      const visited = new Map<string, Pass>();
      return {
        pass: (pass) => void visited.set(pass.object.metadata?.uid ?? "", pass),
        change(change) {
          for (const { rule, at, problem } of findings(world, change)) {
            if (invariantOf(rule) === "I21") say(`${change.key} ${at}: ${problem} (rule ${rule})`);
          }
        },
        end() {
          for (const kind of world.scenario.kinds) {
            for (const record of world.server.store.scan(`/${kind.group}/${kind.plural}/`).records) {
              const object = record.object() as KubeObject;
              const pass = visited.get(record.uid);
              if (pass === undefined || pass.gate !== "go" || object.metadata?.deletionTimestamp !== undefined)
                continue;
              const missing = required(kind).filter((type) => findCondition(conditionsOf(object), type) === undefined);
              if (missing.length > 0) say(`${nameOf(object)} does not say ${missing.join(", ")}`);
              for (const { rule, at, problem } of lintStatus(kind, object).filter(isOfRuns)) {
                if (invariantOf(rule) === "I21") say(`${nameOf(object)} ${at}: ${problem} (rule ${rule})`);
              }
            }
          }
        },
      };
    },
  },
];

/** Types of ours that differ from what we said: those that whoever looks at the world can say anew. */
function broken(kind: Kind, said: readonly Condition[], found: readonly Condition[]): string[] {
  return said
    .filter(({ type }) => {
      const declared = declarationOf(kind.conditions, type);
      const isMemory = declared === undefined || kind.memory.includes(`conditions.${type}`);
      if (isMemory) return false;
      const isDerived = !("present" in declared) || declared.present === "whenTrue";
      return isAlways(declared) || (isDerived && findCondition(found, type) !== undefined);
    })
    .map(({ type }) => type)
    .filter((type) => !deepEqual(findCondition(said, type), findCondition(found, type)));
}

function required({ conditions: { types } }: Kind): string[] {
  return Object.keys(types).filter((type) => types[type] !== undefined && isAlways(types[type]));
}

const isAlways = (declared: ConditionDeclaration): boolean =>
  "present" in declared ? declared.present === "always" : declared.form === "derived";
