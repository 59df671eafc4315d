// What only real programs can say: that kubectl applies the samples without a warning, and that Terraform makes of their modules
// what the operator looks for, with nothing to download.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, send, startControlPlane, until } from "../../../tools/envtest/envtest.ts";
import { tofuFor } from "../../../tools/tofu/tofu.ts";
import { crds, definitions } from "./definitions.ts";
import { realPrograms } from "./real-stage.ts";
import { files, folder, type Module, modulesOf, samples } from "./samples.ts";

const assets = assetsFor("the samples of operators/capt");

describe.skipIf(assets === undefined)("the samples on a real API server", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    for (const crd of definitions()) await send(plane, "POST", crds, crd);
    for (const { spec } of definitions()) {
      const path = `/apis/${spec.group}/${spec.versions[0]?.name}/${spec.names.plural}`;
      await until(
        `${path} is served`,
        () => send(plane, "GET", path),
        ({ status }) => status === 200,
      );
    }
  });
  afterAll(() => plane?.stop());

  test.each(files)("%s is applied without a warning", (file) => {
    const args = ["--kubeconfig", plane.kubeconfig, "apply", "-f", join(fileURLToPath(folder), file)];
    const { status, stderr, stdout } = spawnSync(join(assets ?? "", "kubectl"), args, { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("created");
  });
});

const binary = realPrograms(tofuFor("the modules of the samples of operators/capt"))[0]?.file;

describe.skipIf(binary === undefined)("the modules of the samples in Terraform", () => {
  let root: string;
  const modules = new Map<string, Module>();
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "capt-samples-"));
    for (const file of files) {
      const stage = await samples();
      const made = await stage.apply(file);
      for (const it of modulesOf(made.map(({ object }) => object))) modules.set(it.template, it);
      await stage.server.stop();
    }
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** As the runner does it: variables in a file, nothing of our environment, nowhere to download from. */
  function run(template: string, more: Readonly<Record<string, unknown>> = {}) {
    const at = mkdtempSync(join(root, `${template}-`));
    const {
      module,
      vars = [],
      varmap = {},
      env: given = [],
    } = modules.get(template)?.spec.forProvider ?? { module: "" };
    const values = { ...varmap, ...Object.fromEntries(vars.map(({ key, value }) => [key, value])), ...more };
    writeFileSync(join(at, "main.tf"), module);
    writeFileSync(join(at, "capt.auto.tfvars.json"), JSON.stringify(values));
    writeFileSync(
      join(at, "cli.tfrc"),
      'provider_installation {\n  filesystem_mirror {\n    path = "nothing"\n  }\n}\n',
    );
    const env = {
      PATH: process.env["PATH"],
      HOME: at,
      TF_IN_AUTOMATION: "1",
      CHECKPOINT_DISABLE: "1",
      TF_CLI_CONFIG_FILE: join(at, "cli.tfrc"),
      ...Object.fromEntries(given.map(({ name, value }) => [name, value])),
    };
    const call = (...args: string[]) => spawnSync(binary ?? "", args, { cwd: at, env, encoding: "utf8" });
    const init = call("init", "-input=false", "-no-color");
    expect([init.status, init.stderr], init.stdout).toEqual([0, ""]);
    const apply = call("apply", "-input=false", "-no-color", "-auto-approve");
    const outputs = apply.status === 0 ? JSON.parse(call("output", "-json").stdout) : {};
    if (apply.status === 0) expect(call("destroy", "-input=false", "-auto-approve").status).toBe(0);
    return { apply, outputs: outputs as Record<string, { value: unknown; sensitive: boolean }> };
  }

  test.each(["vpc", "full-vpc"])("%s makes a network with zones", (template) => {
    const { apply, outputs } = run(template);
    expect(apply.stderr).toBe("");
    expect(outputs["vpc_id"]).toMatchObject({ value: expect.stringMatching(/^vpc-[0-9a-f]{17}$/), sensitive: false });
  });

  test("full-vpc has failure domains by name", () => {
    const { outputs } = run("full-vpc");
    expect(outputs["failure_domains"]?.value).toEqual({
      "eu-west-1a": { controlPlane: true },
      "eu-west-1b": { controlPlane: true },
      "eu-west-1c": { controlPlane: true },
    });
  });

  test.each(["cp", "full-cp", "existing-cp"])("%s makes a control plane with an endpoint", (template) => {
    const { apply, outputs } = run(template);
    expect(apply.stderr).toBe("");
    expect(outputs["cluster_endpoint"]?.value).toMatch(/^(https:\/\/[\w.]+(:\d+)?|[\d.]+:\d+)$/);
  });

  test.each(["cp", "existing-cp", "full-kubeconfig"])("%s has a kubeconfig, and keeps it secret", (template) => {
    const { outputs } = run(template);
    expect(outputs["kubeconfig"]).toMatchObject({ sensitive: true });
    expect(outputs["kubeconfig"]?.value).toContain('"current-context": "c"');
  });

  test("machine has an id, and one for Kubernetes", () => {
    const { outputs } = run("machine");
    expect(outputs["instance_id"]?.value).toMatch(/^i-[0-9a-f]{17}$/);
    expect(outputs["provider_id"]?.value).toBe(`demo:///${outputs["instance_id"]?.value}`);
  });

  test("bucket takes a variable from its file", () => {
    expect(run("bucket", { retention: 7 }).outputs["bucket"]?.value).toMatch(/^(logs|traces), kept for 7 days$/);
  });

  test("failing-vpc fails with its own words", () => {
    const { apply } = run("failing-vpc");
    expect(apply.status).toBe(1);
    expect(apply.stderr.replaceAll(/[│\s]+/g, " ")).toContain("The quota of networks in this region is used up.");
  });
});
