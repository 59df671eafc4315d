// Which program runs Workspaces: Crossplane's provider where it is there, else a program that is found here, else none. Nothing is
// simulated unless the flag names it.
import type { Client } from "@telltale/client";
import { isNotFound } from "@telltale/client";
import type { Clock } from "@telltale/clock";
import { CustomResourceDefinition, Lease } from "@telltale/kinds/builtin";
import type { RunnerConfig } from "../config.ts";
import type { ServerKinds } from "../server.ts";
import type { Engine } from "./engine.ts";
import { missingEngine } from "./missing-engine.ts";
import { definitionName, leaseSelector, providerAt } from "./presence.ts";
import { processEngine } from "./process/process-engine.ts";
import { systemMachine } from "./process/system-machine.ts";
import { simulatedEngine } from "./simulated/simulated-engine.ts";

export type Choice =
  | { readonly as: "none"; readonly why: string } // another program runs them
  | { readonly as: "missing"; readonly why: string } // no program does, and each Workspace says so
  | ({ readonly as: "tofu" | "terraform" } & Program)
  | { readonly as: "simulated"; readonly why: string };

/** A program that was found, and its version. */
export interface Program {
  readonly file: string;
  readonly version: string;
}

/** What there is to choose from. */
export interface Finding {
  /** How Crossplane's provider was seen to be there; undefined where it was not. */
  provider(): Promise<string | undefined>;
  program(name: "tofu" | "terraform"): Promise<Program | undefined>;
}

/** The oldest versions that know everything we use. */
const oldest = { tofu: [1, 6], terraform: [1, 4] } as const;

/** Rejects where a program is asked for by name and is not there. */
export async function chooseRunner(kind: RunnerConfig["kind"], finding: Finding): Promise<Choice> {
  if (kind === "none") return { as: "none", why: "--workspace-runner is none" };
  if (kind === "simulated") return { as: "simulated", why: "--workspace-runner is simulated" };
  if (kind !== "auto") {
    const found = await finding.program(kind);
    if (found !== undefined && isNewEnough(kind, found)) return { as: kind, ...found };
    const seen = found === undefined ? "is not on the PATH" : `on the PATH is version ${found.version}`;
    const fix = `install ${kind} ${oldest[kind].join(".")} or newer, or set --workspace-runner to auto`;
    throw new Error(`--workspace-runner is ${kind}, and it ${seen}; ${fix}`);
  }
  const provider = await finding.provider();
  if (provider !== undefined) return { as: "none", why: provider };
  for (const name of ["tofu", "terraform"] as const) {
    const found = await finding.program(name);
    if (found !== undefined && isNewEnough(name, found)) return { as: name, ...found };
  }
  const why =
    "Crossplane's provider-terraform is not installed, and neither tofu 1.6 nor terraform 1.4 or newer is on the PATH";
  return { as: "missing", why };
}

function isNewEnough(name: "tofu" | "terraform", { version }: Program): boolean {
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  const [leastMajor, leastMinor] = oldest[name];
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

/** Asks the server whether Crossplane's provider is there. */
export async function findProvider(
  client: Client,
  clock: Clock,
  { Workspace }: Pick<ServerKinds, "Workspace">,
): Promise<string | undefined> {
  const absent = (error: unknown): undefined => {
    if (isNotFound(error)) return undefined;
    throw error;
  };
  return providerAt(
    {
      definition: () => client.get(CustomResourceDefinition, definitionName).catch(absent),
      leases: async () => (await client.list(Lease, { fieldSelector: leaseSelector })).items,
      workspaces: async () => (await client.list(Workspace).catch(absent))?.items ?? [],
    },
    clock.now(),
  );
}

export interface EngineOptions {
  readonly clock: Clock;
  /** The folder of all runs. */
  readonly root: string;
  /** What runs find programs by. */
  readonly path: string;
}

export function engineFor(choice: Exclude<Choice, { as: "none" }>, { clock, root, path }: EngineOptions): Engine {
  if (choice.as === "missing") return missingEngine();
  if (choice.as === "simulated") return simulatedEngine({ clock });
  const { as: name, file, version } = choice;
  return processEngine({ name, file, version, root, path, clock, machine: systemMachine(clock) });
}
