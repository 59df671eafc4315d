// A process of a shard group with work to do: it takes keys up that it may act on, and work takes its time.
import type { Ms } from "@telltale/kinds";
import { type Shards, shard } from "../../src/lease/shards.ts";
import { namespace, type Process, type World } from "./world.ts";

export interface Member extends Process {
  readonly shards: Shards;
  readonly stop: AbortController;
  readonly work: Set<Work>;
  /** Begins work on a key if that is allowed, and says whether it did. */
  begin(key: string, takes: Ms): boolean;
}

export interface Work {
  readonly key: string;
  /** Whether the lease has been good all the time since it began: only then is others' keeping away promised. */
  covered: boolean;
}

export const group = "operator";

export function member(w: World, name: string, identity = name): Member {
  const process = w.process(name);
  const shards = shard({ ...process, namespace, name: group, identity });
  const stop = new AbortController();
  const work = new Set<Work>();
  const waiting = new Set<() => void>();
  const made: Member = {
    ...process,
    shards,
    stop,
    work,
    begin(key, takes) {
      if (!shards.owns(key)) return false;
      const item = { key, covered: true };
      work.add(item);
      process.clock.after(takes, () => {
        work.delete(item);
        for (const look of [...waiting]) look();
      });
      return true;
    },
  };
  shards.onChange(
    (mine) =>
      new Promise((resolve) => {
        const look = () => {
          if ([...work].some(({ key }) => !mine(key))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  );
  shards.start(stop.signal);
  return made;
}
