// What stands in the place of a runner where no program runs Workspaces: it begins no run, so that each Workspace can say so.
import type { Engine } from "./engine.ts";

/** What a user does to get a runner. */
export const noRunnerFix =
  "install tofu or terraform beside the operator and restart it, or install Crossplane's provider-terraform";

export function missingEngine(): Engine {
  const rejected = () => Promise.reject(new Error("no program runs Workspaces"));
  return {
    name: "none",
    run: rejected,
    resume: rejected,
    left: async () => undefined,
    stateOf: async () => undefined,
    clear: async () => {},
    abandon: async () => {},
    known: async () => [],
  };
}
