// The kinds of `policy/v1`.
import type * as policy from "kubernetes-types/policy/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "policy", version: "v1" };

/** Created at `pods/eviction`; no path is named after it. */
export const Eviction = builtin<policy.Eviction>()({ ...v1, kind: "Eviction" });
export type Eviction = policy.Eviction;

export const PodDisruptionBudget = builtin<policy.PodDisruptionBudget>()({
  ...v1,
  kind: "PodDisruptionBudget",
  shortNames: ["pdb"],
  status: true,
});
export type PodDisruptionBudget = policy.PodDisruptionBudget;
