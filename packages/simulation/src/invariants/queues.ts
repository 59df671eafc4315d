// I25: who asks for something new is served before those who only come round again.
import type { Controller } from "@telltale/runtime";
import type { Invariant } from "../invariant.ts";
import type { Process } from "../process.ts";

/** So many others may begin first: those that were about to, and one in eight that waited longest. */
const most = 100;
/** Of so many at a time it is watched. */
const watched = 32;

interface Urgent {
  readonly key: string;
  readonly process: Process;
  readonly controller: Controller;
  overtaken: number;
}

export const queues: Invariant = {
  id: "I25",
  what: "an object whose spec changed is looked at soon, however many others wait",
  watch(world, say) {
    let waiting: Urgent[] = [];
    return {
      started(process) {
        for (const controller of process.controllers.filter(isPlain)) {
          const held = process.manager.cache.held().find(({ kind }) => kind === controller.kind);
          held?.store.subscribe(({ old, new: next }) => {
            const key = placeOf((next ?? old) as Named);
            const isUrgent = old !== undefined && next !== undefined && isNewer(old as Named, next as Named);
            if (next === undefined) waiting = waiting.filter((it) => it.key !== key || it.process !== process);
            else if (isUrgent && process.manager.isActive && waiting.length < watched)
              waiting.push({ key, process, controller, overtaken: 0 });
          });
        }
      },
      pass({ process, controller, object }) {
        if (waiting.length === 0) return;
        const key = placeOf(object as Named);
        const isOf = (it: Urgent) => it.process === process && it.controller.name === controller.name;
        const isServed = waiting.some((it) => isOf(it) && it.key === key);
        waiting = waiting.filter((it) => it.process.isAlive && !(isOf(it) && it.key === key));
        if (isServed) return;
        for (const it of waiting.filter(isOf)) {
          it.overtaken += 1;
          if (it.overtaken === most)
            say(`${process.name} looked at ${most} others before ${it.key}, which had changed`);
        }
      },
      end() {
        for (const { process, key } of waiting) {
          if (process.isAlive && process.manager.isActive && world.expects !== "own")
            say(`${process.name} never looked at ${key}, which had changed`);
        }
      },
    };
  },
};

/** One that comes for each change of a spec, and at once. */
const isPlain = ({ on, spacing }: Controller): boolean =>
  spacing === undefined && (on === undefined || on.includes("generation"));

interface Named {
  readonly metadata?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly generation?: number;
  };
}

const placeOf = ({ metadata }: Named): string => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;

const isNewer = ({ metadata: old }: Named, { metadata: next }: Named): boolean =>
  old?.uid === next?.uid && (next?.generation ?? 0) > (old?.generation ?? 0);
