// The folder of a Workspace: which files it has, and what they say. Pure.
import { join } from "node:path";
import type { Inputs } from "../inputs.ts";
import { declaresBackend } from "../module.ts";

/** The paths of one Workspace's folder. */
export interface Layout {
  readonly folder: string;
  /** Where the program is started. */
  readonly cwd: string;
  /** What a process of ours is known by. */
  readonly home: string;
  readonly temporary: string;
  readonly settings: string;
  readonly state: string;
  readonly errored: string;
  readonly plan: string;
  /** What is known of the plan: `{ revision, total }`. */
  readonly planned: string;
  readonly initialised: string;
  readonly journal: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: string;
  readonly log: string;
}

export function layoutOf(root: string, uid: string, entrypoint = ""): Layout {
  const folder = join(root, uid);
  const cwd = join(folder, entrypoint);
  return {
    folder,
    cwd,
    home: join(folder, "home"),
    temporary: join(folder, "tmp"),
    settings: join(folder, "terraform.rc"),
    state: join(folder, "terraform.tfstate"),
    errored: join(cwd, "errored.tfstate"),
    plan: join(folder, "tfplan"),
    planned: join(folder, "plan.json"),
    initialised: join(folder, "init.json"),
    journal: join(folder, "run.json"),
    stdout: join(folder, "run.ndjson"),
    stderr: join(folder, "run.err"),
    exit: join(folder, "exit.json"),
    log: join(folder, "terraform.log"),
  };
}

/** The files of a module and its variables, by their path. */
export function moduleFiles(inputs: Inputs, { folder, cwd, settings }: Layout): Readonly<Record<string, string>> {
  const { module, format, provider, entrypoint } = inputs;
  const up = entrypoint === "" ? "" : "../".repeat(entrypoint.split("/").length);
  const backend = `terraform {\n  backend "local" {\n    path = "${up}terraform.tfstate"\n  }\n}\n`;
  const hasBackend = declaresBackend(module) || (provider !== undefined && declaresBackend(provider));
  return {
    [settings]: "disable_checkpoint = true\n",
    [join(cwd, format === "JSON" ? "main.tf.json" : "main.tf")]: module,
    ...(provider === undefined ? {} : { [join(cwd, "capt-provider-config.tf")]: provider }),
    ...(hasBackend ? {} : { [join(cwd, "capt_override.tf")]: backend }),
    [join(cwd, "capt.auto.tfvars.json")]: `${JSON.stringify(inputs.variables)}\n`,
    ...Object.fromEntries(
      variableFiles(inputs, folder).map((path, i) => [path, inputs.variableFiles[i]?.text ?? ""] as const),
    ),
  };
}

/** Which files of a module's folder may be from another generation. */
export const isOfModule = (name: string): boolean =>
  /^(?:main\.tf(?:\.json)?|capt-provider-config\.tf|capt_override\.tf|capt\.auto\.tfvars\.json)$/.test(name);

/** Which files of the Workspace's folder may be. */
export const isOfRun = (name: string): boolean => /^capt-\d+\.tfvars(?:\.json)?$|^(?:tfplan|plan\.json)$/.test(name);

export const variableFiles = (inputs: Inputs, folder: string): readonly string[] =>
  inputs.variableFiles.map(({ format }, i) => join(folder, `capt-${i}.tfvars${format === "JSON" ? ".json" : ""}`));
