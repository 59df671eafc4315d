// `telltale crds` and `telltale rbac`: manifests to look at, to keep, or to give to kubectl.
import type { KubeObject } from "@telltale/kinds";
import { jsonOf, yamlOf } from "../install/print.ts";
import { rolesOf } from "../install/roles.ts";
import type { InstallOptions, Operator } from "../operators/operator.ts";
import { chosen } from "../operators/table.ts";
import type { Call, Run } from "../program/command.ts";
import { exit } from "../program/problem.ts";

export const crds: Run = (call) => print(call, (operator, options) => operator.crds(options));
export const rbac: Run = (call) => print(call, rolesOf);

async function print(call: Call, of: (operator: Operator, options: InstallOptions) => readonly KubeObject[]) {
  const operators = await chosen(call.words.length === 0 ? undefined : call.words.join(","));
  const objects = operators.flatMap((operator) => of(operator, installOptions(call, operator)));
  call.out.write(call.flags.has("json") ? `${jsonOf(objects)}\n` : yamlOf(objects));
  return exit.well;
}

export const installOptions = ({ values, flags, env, settings }: Call, operator: Operator): InstallOptions => ({
  namespace: values["namespace"] ?? operator.namespace,
  settings: operator.settings(env, settings[operator.name] ?? {}),
  webhooks: flags.has("webhooks"),
});
