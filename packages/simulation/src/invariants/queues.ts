// I25: who asks for something new is served before those who only come round again.
import type { KubeObject } from "@telltale/kinds";
import type { Controller } from "@telltale/runtime";
import type { Invariant } from "../invariant.ts";
import type { Process } from "../process.ts";

/** So many others may begin first: those that were about to, and one in eight that waited longest. */
const most = 100;
/** Of so many at a time it is watched. */
const watched = 32;

interface Urgent {
  /** `operator-1 shop default/corner` */
  readonly id: string;
  readonly process: Process;
  readonly since: number;
  overtaken: number;
}

export const queues: Invariant = {
  id: "I25",
  what: "an object whose spec changed is looked at soon, however many others wait",
  watch(_world, say) {
    let waiting: Urgent[] = [];
    let arrivals = 0;
    /** When the oldest change that no pass has seen came, by id. */
    const unseen = new Map<string, number>();
    /** Those that a pass is about: what comes meanwhile it sees, or another one follows at once. */
    const running = new Set<string>();
    return {
      started(process) {
        for (const controller of process.controllers.filter(comesAtOnce)) {
          const held = process.manager.cache.held().find(({ kind }) => kind === controller.kind);
          held?.store.subscribe(({ old, new: next }) => {
            const id = idOf(process, controller, next ?? old);
            if (next === undefined) {
              unseen.delete(id);
              waiting = waiting.filter((it) => it.id !== id);
              return;
            }
            if (running.has(id) || !process.manager.isActive()) return;
            const since = unseen.get(id) ?? arrivals++;
            unseen.set(id, since);
            if (isNewer(old, next) && waiting.length < watched) waiting.push({ id, process, since, overtaken: 0 });
          });
        }
      },
      pass({ process, controller, object }) {
        const id = idOf(process, controller, object);
        const since = unseen.get(id) ?? Number.POSITIVE_INFINITY;
        running.add(id);
        unseen.delete(id);
        if (waiting.length === 0) return;
        waiting = waiting.filter((it) => it.process.isAlive && it.id !== id);
        for (const it of waiting) {
          if (it.process !== process || since < it.since) continue;
          it.overtaken += 1;
          if (it.overtaken === most) say(`${it.id} had changed, and ${most} that came later were looked at first`);
        }
      },
      passed: ({ process, controller, object }) => void running.delete(idOf(process, controller, object)),
      end() {
        for (const { process, id } of waiting) {
          if (process.isAlive && process.manager.isActive()) say(`${id} had changed, and was never looked at`);
        }
      },
    };
  },
};

const comesAtOnce = ({ on, spacing }: Controller): boolean =>
  spacing === undefined && (on === undefined || on.includes("generation"));

function idOf(process: Process, controller: Controller, object: KubeObject | undefined): string {
  const { namespace = "", name = "" } = object?.metadata ?? {};
  return `${process.name} ${controller.name} ${namespace}/${name}`;
}

const isNewer = (old: KubeObject | undefined, next: KubeObject): boolean =>
  old?.metadata?.uid === next.metadata?.uid && (next.metadata?.generation ?? 0) > (old?.metadata?.generation ?? 0);
