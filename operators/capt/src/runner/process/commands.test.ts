import { describe, expect, it } from "vitest";
import type { Inputs } from "../inputs.ts";
import { argumentsOf, environmentOf } from "./commands.ts";
import { isOfModule, isOfRun, layoutOf, moduleFiles } from "./layout.ts";

const none = { init: [], plan: [], apply: [], destroy: [] };
const inputs = (more: Partial<Inputs> = {}): Inputs => ({
  module: "# m",
  format: "HCL",
  entrypoint: "",
  variables: { a: 1 },
  variableFiles: [
    { format: "HCL", text: "b = 1" },
    { format: "JSON", text: "{}" },
  ],
  env: {},
  args: none,
  hasLog: false,
  ...more,
});
const layout = layoutOf("/runs", "u");
const files = ["-var-file=/runs/u/capt-0.tfvars", "-var-file=/runs/u/capt-1.tfvars.json"];

describe("12.4 the command line of each step", () => {
  it("has our options first, then the Workspace's own", () => {
    const args = { init: ["-upgrade"], plan: ["-refresh=false"], apply: ["-parallelism=2"], destroy: ["-lock=false"] };
    const it = inputs({ args });
    expect(argumentsOf("init", it, layout)).toEqual(["init", "-input=false", "-no-color", "-upgrade"]);
    expect(argumentsOf("validate", it, layout)).toEqual(["validate", "-json"]);
    expect(argumentsOf("plan", it, layout)).toEqual([
      ...["plan", "-input=false", "-no-color", "-detailed-exitcode", "-lock=false", "-out=/runs/u/tfplan"],
      ...files,
      "-refresh=false",
    ]);
    expect(argumentsOf("outputs", it, layout)).toEqual(["output", "-json"]);
    expect(argumentsOf("destroy", it, layout)).toEqual([
      ...["destroy", "-json", "-auto-approve", "-input=false"],
      ...files,
      "-lock=false",
    ]);
  });

  it("applies the saved plan, and plans anew where there are options of its own", () => {
    expect(argumentsOf("apply", inputs(), layout)).toEqual(["apply", "-json", "-input=false", "/runs/u/tfplan"]);
    const own = inputs({ args: { ...none, apply: ["-parallelism=2"] } });
    expect(argumentsOf("apply", own, layout)).toEqual([
      ...["apply", "-json", "-auto-approve", "-input=false"],
      ...files,
      "-parallelism=2",
    ]);
  });
});

describe("12.3 the environment", () => {
  it("is ours and the Workspace's, and what is ours stays so", () => {
    const env = environmentOf(
      inputs({ env: { AWS_REGION: "x", HOME: "/elsewhere", PATH: "/x", TF_CLI_CONFIG_FILE: "/x" }, hasLog: true }),
      layout,
      "/bin",
    );
    expect(env).toEqual({
      PATH: "/bin",
      LANG: "C.UTF-8",
      TF_IN_AUTOMATION: "1",
      TF_INPUT: "0",
      CHECKPOINT_DISABLE: "1",
      TF_CLI_CONFIG_FILE: "/runs/u/terraform.rc",
      TF_LOG: "INFO",
      TF_LOG_PATH: "/runs/u/terraform.log",
      AWS_REGION: "x",
      HOME: "/runs/u/home",
      TMPDIR: "/runs/u/tmp",
    });
  });
});

describe("12.2 the folder of a Workspace", () => {
  it("has the module, its variables, and a local backend where it names none", () => {
    expect(moduleFiles(inputs({ provider: "provider {}" }), layout)).toEqual({
      "/runs/u/terraform.rc": "disable_checkpoint = true\n",
      "/runs/u/main.tf": "# m",
      "/runs/u/capt-provider-config.tf": "provider {}",
      "/runs/u/capt_override.tf": 'terraform {\n  backend "local" {\n    path = "terraform.tfstate"\n  }\n}\n',
      "/runs/u/capt.auto.tfvars.json": '{"a":1}\n',
      "/runs/u/capt-0.tfvars": "b = 1",
      "/runs/u/capt-1.tfvars.json": "{}",
    });
    const remote = moduleFiles(inputs({ module: 'terraform {\n backend "s3" {}\n}' }), layout);
    expect(Object.keys(remote)).not.toContain("/runs/u/capt_override.tf");
  });

  it("has the module where the entrypoint says, and the state at the top", () => {
    const made = moduleFiles(
      inputs({ entrypoint: "a/b", format: "JSON", module: "{}" }),
      layoutOf("/runs", "u", "a/b"),
    );
    expect(Object.keys(made)).toContain("/runs/u/a/b/main.tf.json");
    expect(made["/runs/u/a/b/capt_override.tf"]).toContain('path = "../../terraform.tfstate"');
  });

  it("is cleared of what another generation left, and of nothing else", () => {
    const names = ["main.tf", "main.tf.json", "capt_override.tf", "capt-12.tfvars", "tfplan", "plan.json"];
    expect(names.filter((name) => isOfModule(name) || isOfRun(name))).toEqual(names);
    const others = ["terraform.tfstate", "errored.tfstate", "run.json", "init.json", ".terraform", "my.tf"];
    expect(others.filter((name) => isOfModule(name) || isOfRun(name))).toEqual([]);
  });
});
