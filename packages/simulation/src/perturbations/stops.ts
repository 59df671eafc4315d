// P35, beside those of the reference: the process is asked to end in the middle of its work, as whoever rolls out an update does.
import { numberIn, type Perturbation } from "../perturbation.ts";
import { after, placesOf, spread } from "./places.ts";

const most = 24;

export const stops: readonly Perturbation[] = [
  {
    id: "P35",
    what: "the process is asked to end after a write, and another one takes its place",
    *plans(reference) {
      for (const { write } of spread(placesOf(reference), most)) yield { p: "P35", write };
    },
    arm(fault, world) {
      after(world, numberIn(fault, "write"), ({ process: name }) => {
        const process = world.process(name);
        if (process !== undefined) world.stop(process);
      });
    },
  },
];
