// I23, I24: what a process knows is what the server has, and never older than what it did itself.
import { type Instant, type KubeObject, matchesRequirements, parseLabelSelector } from "@telltale/kinds";
import type { Held } from "@telltale/runtime";
import { nameOf, versionOf } from "../facts.ts";
import type { Invariant } from "../invariant.ts";
import type { Process } from "../process.ts";
import { keyOf } from "../target.ts";
import type { World } from "../world.ts";

export const caches: readonly Invariant[] = [
  {
    id: "I23",
    what: "what a process knows in the end is what the server has, and each object only ever became newer",
    watch(world, say) {
      return {
        started(process) {
          for (const { store } of process.manager.cache.held()) {
            store.subscribe(({ old, new: next }) => {
              if (!process.isAlive || process.wentBack || world.history.isRewound) return;
              if (old === undefined || next === undefined || versionOf(next) > versionOf(old)) return;
              say(
                `${process.name} saw ${nameOf(next)} at ${versionOf(next)} after it had seen it at ${versionOf(old)}`,
              );
            });
          }
        },
        end() {
          // A version that is given out twice hides what it first stood for: whoever restores etcd has to see to it.
          if (world.history.isRewound) return;
          for (const process of world.processes) {
            if (process.isAlive) for (const held of process.manager.cache.held()) compare(world, process, held, say);
          }
        },
      };
    },
  },
  {
    id: "I24",
    what: "no pass begins with an object from before the process's own last write of it",
    watch(world, say) {
      /** The newest version that each process was told to have written. */
      const own = new Map<string, { readonly uid: string; readonly version: number; readonly at: Instant }>();
      const answers = new WeakMap<object, KubeObject>();
      return {
        applied(sent, changes) {
          const change = changes.findLast(({ type }) => type !== "DELETED");
          if (change !== undefined) answers.set(sent, change.after);
        },
        heard(sent, { as }) {
          const after = as === "answer" ? answers.get(sent) : undefined;
          if (after === undefined) return;
          const version = versionOf(after);
          const { uid = "" } = after.metadata ?? {};
          own.set(`${sent.process} ${keyOf(sent.target)}`, { uid, version, at: world.clock.now() });
        },
        pass({ process, controller: { kind }, object }) {
          if (process.wentBack || world.history.isRewound) return;
          const { name = "", namespace, uid } = object.metadata ?? {};
          const place = kind.scope === "Cluster" || namespace === undefined ? {} : { namespace };
          const key = keyOf({ group: kind.group, version: "", resource: kind.plural, name, isWatch: false, ...place });
          const last = own.get(`${process.name} ${key}`);
          if (last === undefined || last.uid !== uid || versionOf(object) >= last.version) return;
          // An answer that comes in this very moment is still being read.
          if (last.at === world.clock.now()) return;
          say(
            `${process.name} begins with ${nameOf(object)} at ${versionOf(object)}, and had itself written ${last.version}`,
          );
        },
      };
    },
  },
];

function compare(world: World, { name }: Process, { kind, select, store }: Held, say: (what: string) => void): void {
  if (select.field !== undefined) return; // only the server can tell
  const wanted = new Map<string, string>();
  const parsed = parseLabelSelector(select.label ?? "");
  for (const { object } of world.server.store.scan(`/${kind.group}/${kind.plural}/`).records.map(asObject)) {
    const { metadata = {} } = object;
    if (select.namespace !== undefined && metadata.namespace !== select.namespace) continue;
    if ("ok" in parsed && matchesRequirements(parsed.ok, metadata.labels ?? {}))
      wanted.set(nameOf(object), stateOf(object));
  }
  for (const object of store.values()) {
    const called = nameOf({ ...object, kind: kind.kind });
    const there = wanted.get(called);
    wanted.delete(called);
    if (there === undefined) say(`${name} still knows ${called}, which is gone`);
    else if (there !== stateOf(object))
      say(`${name} knows ${called} at ${stateOf(object)}; the server has it at ${there}`);
  }
  for (const missing of wanted.keys()) say(`${name} does not know ${missing}`);
}

const asObject = (record: { object(): unknown }): { readonly object: KubeObject } => ({
  object: record.object() as KubeObject,
});

const stateOf = ({ metadata }: KubeObject): string => `${metadata?.resourceVersion} of ${metadata?.uid}`;
