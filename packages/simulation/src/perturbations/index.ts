// All ways in which the world goes wrong, by their number.
import type { Fault } from "../fault.ts";
import type { Perturbation } from "../perturbation.ts";
import { crashes } from "./crashes.ts";
import { messages } from "./messages.ts";

export const perturbations: readonly Perturbation[] = [...crashes, ...messages];

export function perturbationOf({ p }: Fault): Perturbation {
  const found = perturbations.find(({ id }) => id === p);
  if (found === undefined)
    throw new TypeError(`there is no perturbation ${p}; there are ${perturbations.map(({ id }) => id).join(", ")}`);
  return found;
}
