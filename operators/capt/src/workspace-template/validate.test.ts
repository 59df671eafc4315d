import { expect, test } from "vitest";
import type { WorkspaceTemplateBody } from "../kinds/workspace-spec.ts";
import { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { invalid } from "./validate.ts";

const template = (
  forProvider: Partial<WorkspaceTemplateBody["forProvider"]>,
  spec: object = {},
): WorkspaceTemplate => ({
  apiVersion: WorkspaceTemplate.apiVersion,
  kind: WorkspaceTemplate.kind,
  metadata: { name: "vpc", namespace: "t1" },
  spec: { template: { spec: { forProvider: { source: "Inline", module: "m", ...forProvider } } }, ...spec },
});

const ref = (namespace: string) => ({ namespace, name: "s", key: "k" });

test.each([
  ["forProvider.module is empty", template({ module: "" })],
  ["forProvider.source is none of Remote, Inline, Flux", template({ source: "Elsewhere" })],
  [
    "forProvider.vars[1].value has a placeholder that is none: write ${name}",
    template({
      vars: [
        { key: "a", value: "${a}" },
        { key: "b", value: "${b-c}" },
      ],
    }),
  ],
  ["forProvider.entrypoint has a placeholder that is none: write ${name}", template({ entrypoint: "envs/${env" })],
  ["forProvider.entrypoint is not a folder inside the module", template({ entrypoint: "../x" })],
  [
    "forProvider.initArgs[0]: -state is not allowed; take it out (allowed: -lock, -lock-timeout, -lockfile, -no-color, -upgrade)",
    template({ initArgs: ["-state=x"] }),
  ],
  [
    "forProvider.env[0].secretKeyRef is in namespace kube-system, which is not allowed",
    template({ env: [{ name: "TF_VAR_a", secretKeyRef: ref("kube-system") }] }),
  ],
  [
    "spec.writeConnectionSecretToRef is in namespace t2, which is not allowed",
    template({}, { writeConnectionSecretToRef: { name: "s", namespace: "t2" } }),
  ],
])("6.1 %s", (words, bad) => {
  expect(invalid(bad, [])).toBe(words);
});

test.each([
  ["a plain one", template({})],
  ["Terraform's own expressions in the module", template({ module: "${substr(a, 0, 1)} ${var.x" })],
  ["an argument that only an apply knows", template({ planArgs: ["${how}", "x"] })],
  ["a source that only an apply knows", template({ source: "${source}" })],
  [
    "a namespace that only an apply knows",
    template({ env: [{ name: "TF_VAR_a", secretKeyRef: ref("${namespace}") }] }),
  ],
  ["its own namespace", template({ env: [{ name: "TF_VAR_a", secretKeyRef: ref("t1") }] })],
])("6.1 %s is valid", (_what, good) => {
  expect(invalid(good, [])).toBeUndefined();
});

test("6.1 an allowed namespace is valid", () => {
  expect(invalid(template({ env: [{ name: "TF_VAR_a", secretKeyRef: ref("shared") }] }), ["shared"])).toBeUndefined();
});
