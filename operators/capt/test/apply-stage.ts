// Applies on a stage where only their controller works: what people do to them, and what is there afterwards.
import { expect } from "vitest";
import { type Config, standardConfig } from "../src/config.ts";
import { WorkspaceTemplate, WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { workspaceName } from "../src/names.ts";
import { workspaceTemplateApplies } from "../src/workspace-template-apply/controller.ts";
import { namespace, type Stage, type StageOptions, stage } from "./stage.ts";

export let it: Stage;

/** Nothing was complained of that the test did not take away. */
export async function end(): Promise<void> {
  await it.end();
  expect(it.complaints).toEqual([]);
}

export interface ApplyOptions extends Partial<StageOptions> {
  readonly allowed?: readonly string[];
  readonly config?: Partial<Config>;
}

/** Sets the stage that everything else here works on. */
export async function fresh({ allowed = [], config: more, ...options }: ApplyOptions = {}): Promise<Stage> {
  const config = { ...standardConfig, allowedSecretNamespaces: allowed, ...more };
  it = await stage({ controllers: ({ kinds }) => [workspaceTemplateApplies({ config, kinds })], ...options });
  return it;
}

export const template = (forProvider: object = {}, name = "vpc", more: object = {}) =>
  it.make(WorkspaceTemplate, {
    metadata: { name, ...more },
    spec: {
      template: {
        spec: {
          forProvider: {
            source: "Inline",
            module: 'output "vpc_id" { value = "x" }',
            vars: [{ key: "name", value: "${vpc_name}" }],
            ...forProvider,
          },
        },
      },
    },
  });

export const apply = (spec: object = {}, name = "demo-vpc", metadata: object = {}) =>
  it.make(WorkspaceTemplateApply, {
    metadata: { name, ...metadata },
    spec: { templateRef: { name: "vpc" }, variables: { vpc_name: "net" }, ...spec },
  });

export const nameOf = (name = "demo-vpc", of = namespace) => workspaceName({ namespace: of, name }, "Cluster");
export const workspaces = () => it.list(it.kinds.Workspace);
export const workspace = async (name = "demo-vpc") => it.get(it.kinds.Workspace, nameOf(name));
export const says = (type: string, name = "demo-vpc") => it.says(WorkspaceTemplateApply, name, type);
export const status = async (name = "demo-vpc") => (await it.get(WorkspaceTemplateApply, name))?.status ?? {};
export const patch = (merge: object, name = "demo-vpc") =>
  it.client.patch(WorkspaceTemplateApply, { name, namespace }, { merge });
export const workspaceWrites = () => it.writes().filter(({ path }) => path.includes("/workspaces/"));
export const edit = async (forProvider: object, name = "vpc") => {
  const merge = { spec: { template: { spec: { forProvider } } } };
  await it.client.patch(WorkspaceTemplate, { name, namespace }, { merge });
  await it.pass();
};
