// P24: the clock of a process is an hour off for a while, or stands still.
import type { Ms } from "@telltale/kinds";
import type { LocalClock } from "../local-clock.ts";
import { numberIn, type Perturbation } from "../perturbation.ts";
import { after, each, placesOf, spread } from "./places.ts";

const most = 12;
const minute: Ms = 60_000;
const hour: Ms = 60 * minute;
/** How long before somebody puts it right. */
const lasts: Ms = 10 * minute;
const stands: Ms = minute;

export const clocks: readonly Perturbation[] = [
  {
    id: "P24",
    what: "the clock of a process jumps by an hour, or stands still, and is put right later",
    // By a clock that is fast a deadline is over: what then happens cannot be taken back.
    expects: ({ by }) => (typeof by === "number" && by > 0 ? "own" : "same"),
    *plans(reference) {
      const places = spread(placesOf(reference), most);
      for (const [{ write }, by] of each(places, [hour, -hour, 0])) yield { p: "P24", write, by };
    },
    arm(fault, world) {
      const by = numberIn(fault, "by");
      after(world, numberIn(fault, "write"), ({ process: name }) => {
        const process = world.processes.find((it) => it.name === name);
        if (process === undefined) return;
        const { clock } = process;
        const says = by === 0 ? "stands still" : `jumps by ${by / minute} minutes`;
        world.do(`the clock of ${name} ${says}`, () => wrong(clock, by), "fault");
        const until = by === 0 ? stands : lasts;
        world.busyFor(until);
        world.clock.after(until, () => {
          world.do(`the clock of ${name} is right again`, () => right(clock, by), "fault");
          // What was put off until a time that the slow clock showed comes an hour late; later still if it was slow before.
          if (by < 0 && process.manager.gauges.queues().some(({ delayed }) => delayed > 0))
            world.busyFor(clock.slack + hour + minute);
        });
      });
    },
  },
];

function wrong(clock: LocalClock, by: Ms): void {
  if (by === 0) clock.stand();
  else clock.jump(by);
}

function right(clock: LocalClock, by: Ms): void {
  if (by === 0) clock.go();
  else clock.jump(-by);
}
