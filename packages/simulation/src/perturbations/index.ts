// All ways in which the world goes wrong, by their number.
import type { Fault } from "../fault.ts";
import type { Perturbation } from "../perturbation.ts";
import { answers } from "./answers.ts";
import { children } from "./children.ts";
import { clocks } from "./clocks.ts";
import { crashes } from "./crashes.ts";
import { crowds } from "./crowd.ts";
import { foreign } from "./foreign.ts";
import { leaders } from "./leaders.ts";
import { lifecycle } from "./lifecycle.ts";
import { messages } from "./messages.ts";
import { outside } from "./outside.ts";
import { travels } from "./past.ts";
import { people } from "./people.ts";
import { recreations } from "./recreation.ts";
import { repeats } from "./repeats.ts";
import { servers } from "./server.ts";
import { specs } from "./specs.ts";
import { stops } from "./stops.ts";
import { watches } from "./watches.ts";

export const perturbations: readonly Perturbation[] = [
  ...crashes,
  ...messages,
  ...repeats,
  ...watches,
  ...travels,
  ...recreations,
  ...answers,
  ...servers,
  ...crowds,
  ...foreign,
  ...people,
  ...leaders,
  ...clocks,
  ...lifecycle,
  ...outside,
  ...children,
  ...specs,
  ...stops,
];

export function perturbationOf({ p }: Fault): Perturbation {
  const found = perturbations.find(({ id }) => id === p);
  if (found === undefined)
    throw new TypeError(`there is no perturbation ${p}; there are ${perturbations.map(({ id }) => id).join(", ")}`);
  return found;
}
