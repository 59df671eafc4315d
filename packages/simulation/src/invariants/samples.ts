// I29: each transition in the server's history is told once, by who made it.
import { type Condition, declarationOf, deepEqual, type Kind, type KubeObject, parseChildType } from "@telltale/kinds";
import { conditionsOf, kindOf, statusOf } from "../facts.ts";
import type { Change } from "../history.ts";
import type { Invariant } from "../invariant.ts";
import type { Process } from "../process.ts";
import type { World } from "../world.ts";

export const samples: Invariant = {
  id: "I29",
  what: "each transition is told once",
  watch(world, say) {
    const counts = new Map<string, Map<string, number>>();
    const count = ({ name }: Pick<Process, "name">, what: string, by: 1 | -1) => {
      const of = counts.get(name) ?? new Map<string, number>();
      counts.set(name, of);
      of.set(what, (of.get(what) ?? 0) + by);
    };
    const written = new WeakMap<object, Change>();
    return {
      applied(sent, changes) {
        const uid = sent.pass?.object.metadata?.uid;
        const own = changes.find(({ after, type }) => type === "MODIFIED" && after.metadata?.uid === uid);
        if (sent.target.subresource === "status" && own !== undefined) written.set(sent, own);
      },
      heard(sent, { as }) {
        const change = as === "answer" ? written.get(sent) : undefined;
        const kind = change === undefined ? undefined : kindOf(world.scenario.kinds, change.after);
        if (change === undefined || kind === undefined) return;
        for (const what of transitions(kind, change.before, change.after)) count({ name: sent.process }, what, 1);
      },
      sample(process, sample) {
        if (sample.is === "phase") count(process, `${sample.kind} to ${sample.to}`, -1);
        if (sample.is === "flip") count(process, `${sample.kind} ${sample.type}=${sample.status}`, -1);
      },
      end() {
        if (world.history.changes.some((change) => isForeign(world, change))) return; // who read what is not known then
        for (const [name, of] of counts) {
          if (world.process(name)?.state === "crashed") continue; // it may have died between the two
          for (const [what, by] of of) {
            if (by > 0) say(`${name}: ${what} was written, and not told ${by} times`);
            if (by < 0) say(`${name}: ${what} was told ${-by} times more than it was written`);
          }
        }
      },
    };
  },
};

/** `Shop to Open`, `Shop Ready=True`. */
function* transitions(kind: Kind, before: KubeObject | undefined, after: KubeObject): Iterable<string> {
  const [from, to] = [statusOf(before)["phase"], statusOf(after)["phase"]];
  if (typeof to === "string" && to !== "" && to !== from) yield `${kind.kind} to ${to}`;
  const [old, next] = [conditionsOf(before), conditionsOf(after)];
  for (const type of new Set([...old, ...next].map((it) => it.type))) {
    const declared = declarationOf(kind.conditions, type);
    if (declared === undefined) continue;
    // One that is not there is Unknown; one that is there only while True is False once it is gone.
    const isGone = (list: readonly Condition[]) => !list.some((it) => it.type === type);
    const absent = "present" in declared && declared.present === "whenTrue" ? "False" : "Unknown";
    const was = isGone(old) ? "Unknown" : statusIn(old, type);
    const is = isGone(next) ? absent : statusIn(next, type);
    const family = declared.form === "family" ? parseChildType(type)?.family : undefined;
    if (was !== is) yield `${kind.kind} ${family ?? type}=${is}`;
  }
}

const statusIn = (list: readonly Condition[], type: string): string | undefined =>
  list.find((it) => it.type === type)?.status;

/** Whether somebody else changed a status. */
function isForeign({ scenario }: World, { author, type, before, after }: Change): boolean {
  if (author !== undefined || type !== "MODIFIED" || kindOf(scenario.kinds, after) === undefined) return false;
  return !deepEqual(statusOf(before), statusOf(after));
}
