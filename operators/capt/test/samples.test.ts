// The samples as a person applies them: the server takes each of them strictly, and their modules need no download.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { files, modulesOf, type Samples, samples } from "./samples.ts";

let stage: Samples;
beforeEach(async () => {
  stage = await samples();
});
afterEach(() => stage.server.stop());

const objectsOf = async (file: string) => (await stage.apply(file)).map(({ object }) => object);

describe.each(files)("%s", (file) => {
  test("is accepted, and kubectl has nothing to warn of", async () => {
    for (const { status, warnings, object } of await stage.apply(file))
      expect([status, warnings], JSON.stringify(object)).toEqual([201, []]);
  });

  test("names only templates, Clusters' parts and Secrets that it brings along", async () => {
    const objects = await objectsOf(file);
    const brought = objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`);
    const named = [...JSON.stringify(objects).matchAll(/"(\w+)Ref":\{[^{}]*?"name":"([^"]+)"/g)].map(
      ([, ref = "", name = ""]) => [ref, name] as const,
    );
    const kindOf: Record<string, string | undefined> = {
      vpcTemplate: "WorkspaceTemplate",
      workspaceTemplate: "WorkspaceTemplate",
      kubeconfigTemplate: "WorkspaceTemplate",
      template: "WorkspaceTemplate",
      infrastructure: "CAPTCluster",
      controlPlane: "CAPTControlPlane",
      secretKey: "Secret",
    };
    const wanted = named.flatMap(([ref, name]) => (kindOf[ref] === undefined ? [] : [`${kindOf[ref]} ${name}`]));
    // The templates of a ClusterClass use those of the smallest sample.
    if (file !== "cluster-class.yaml") expect(wanted.filter((it) => !brought.includes(it))).toEqual([]);
  });

  test("has every blank of its templates filled in by the operator", async () => {
    for (const { template, spec } of modulesOf(await objectsOf(file))) {
      const left = JSON.stringify({ ...spec, forProvider: { ...spec.forProvider, module: "" } }).match(/\$\{\w+\}/g);
      expect(left ?? [], template).toEqual([]);
      expect(spec.forProvider.module.match(/(?<!\$)\$\{\w+\}/g) ?? [], template).toEqual([]);
    }
  });

  test("has modules of what is built into Terraform only", async () => {
    for (const { spec } of modulesOf(await objectsOf(file))) {
      const { module } = spec.forProvider;
      expect(module).not.toMatch(/^\s*(provider|terraform|module)\s/m);
      for (const [, kind] of module.matchAll(/^\s*(?:resource|data)\s+"(\w+)"/gm)) expect(kind).toBe("terraform_data");
    }
  });
});
