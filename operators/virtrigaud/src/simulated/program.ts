// The simulated host as a provider's program: for people who want to see the operator at work without a hypervisor. Nothing is kept: a
// restart begins with an empty host.
import { systemRandom } from "@telltale/clock";
import { type Env, Settings } from "@telltale/runtime";
import type { Method } from "../contract/contract.ts";
import type { Program } from "../sdk/run.ts";
import { refuse, repeat } from "./faults.ts";
import { SimulatedHost } from "./host.ts";
import { type ProfileName, profiles } from "./profile.ts";

/** What can be made to fail by the environment, and the method that it is. */
const failures: Readonly<Record<string, Method>> = {
  validate: "validate",
  create: "create",
  delete: "delete",
  power: "power",
  reconfigure: "reconfigure",
  describe: "describe",
  task_status: "taskStatus",
  snapshot_create: "snapshotCreate",
  snapshot_delete: "snapshotDelete",
  snapshot_revert: "snapshotRevert",
  clone: "clone",
  image_prepare: "imagePrepare",
};

/** What fails from the start, and how late every answer is: `MOCK_FAILURE_MODE`, `MOCK_SLOW_MODE`. */
export function trouble(host: SimulatedHost, env: Env): void {
  const settings = new Settings(env);
  const mode = settings.choice("MOCK_FAILURE_MODE", ["", "all", ...Object.keys(failures)], "");
  const isSlow = settings.flag("MOCK_SLOW_MODE", false);
  if (settings.errors.length > 0) throw new Error(settings.errors.join("; "));
  for (const [name, method] of Object.entries(failures)) {
    if (mode !== "all" && mode !== name) continue;
    host.script(method, repeat(refuse("INTERNAL", `${name} fails, because MOCK_FAILURE_MODE says so`)));
  }
  if (isSlow) host.latency = [100, 600];
}

export const simulatedProgram: Program = {
  name: "virtrigaud-simulated",
  version: "0.1.0",
  flags: { like: `the family that it behaves like: ${Object.keys(profiles).join(", ")} (complete)` },
  async start({ flags, env, clock }) {
    const like = flags["like"] ?? "complete";
    if (!isProfile(like)) throw new Error(`--like is ${like}; set it to one of ${Object.keys(profiles).join(", ")}`);
    const host = new SimulatedHost({ clock, random: systemRandom, like });
    if (like === "mock") host.furnish();
    trouble(host, env);
    return { handlers: host.handlers };
  },
};

const isProfile = (name: string): name is ProfileName => Object.hasOwn(profiles, name);
