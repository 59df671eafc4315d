// The command lines and the environment of each step. Pure.
import type { Step } from "../error-class.ts";
import type { Inputs } from "../inputs.ts";
import { type Layout, variableFiles } from "./layout.ts";

/** The arguments of a step. Nothing of them goes through a shell. */
export function argumentsOf(step: Step, { args, ...inputs }: Inputs, layout: Layout): readonly string[] {
  const files = variableFiles({ args, ...inputs }, layout.folder).map((path) => `-var-file=${path}`);
  switch (step) {
    case "init":
      return ["init", "-input=false", "-no-color", ...args.init];
    case "push":
      return ["state", "push", layout.errored];
    case "validate":
      return ["validate", "-json"];
    case "plan":
      return [
        "plan",
        "-input=false",
        "-no-color",
        "-detailed-exitcode",
        "-lock=false",
        `-out=${layout.plan}`,
        ...files,
        ...args.plan,
      ];
    case "apply":
      // Together with a saved plan the program takes no options of planning.
      return args.apply.length === 0
        ? ["apply", "-json", "-input=false", layout.plan]
        : ["apply", "-json", "-auto-approve", "-input=false", ...files, ...args.apply];
    case "outputs":
      return ["output", "-json"];
    case "destroy":
      return ["destroy", "-json", "-auto-approve", "-input=false", ...files, ...args.destroy];
  }
}

/** Nothing of the operator's own environment: no token of its account, no kubeconfig, no credentials of a proxy. What is ours, nothing replaces. */
export function environmentOf(inputs: Inputs, layout: Layout, path: string): Readonly<Record<string, string>> {
  return {
    ...inputs.env,
    PATH: path,
    LANG: "C.UTF-8",
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    CHECKPOINT_DISABLE: "1",
    TF_CLI_CONFIG_FILE: layout.settings,
    ...(inputs.hasLog ? { TF_LOG: "INFO", TF_LOG_PATH: layout.log } : {}),
    // By its home a process is known to be ours.
    HOME: layout.home,
    TMPDIR: layout.temporary,
  };
}
