// Conditions of a CAPTControlPlane as values.
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import { type Said, saying, type TypeOf } from "../said.ts";

export type PlaneType = TypeOf<typeof CAPTControlPlane>;
export type PlaneSaid<T extends PlaneType = PlaneType> = Said<typeof CAPTControlPlane, T>;
export const say = saying<typeof CAPTControlPlane>();
