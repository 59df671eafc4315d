import { describe, expect, test } from "vitest";
import type { WorkspaceTemplateBody } from "../kinds/workspace-spec.ts";
import { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { render } from "./render.ts";

type Body = { -readonly [K in keyof WorkspaceTemplateBody]?: WorkspaceTemplateBody[K] };

function templated(
  forProvider: Partial<WorkspaceTemplateBody["forProvider"]> = {},
  body: Body = {},
): WorkspaceTemplate {
  return {
    apiVersion: WorkspaceTemplate.apiVersion,
    kind: WorkspaceTemplate.kind,
    metadata: { name: "vpc", namespace: "t1" },
    spec: { template: { spec: { ...body, forProvider: { source: "Inline", module: "output {}", ...forProvider } } } },
  };
}

function applying(spec: Partial<WorkspaceTemplateApply["spec"]> = {}, name = "demo-vpc"): WorkspaceTemplateApply {
  return {
    apiVersion: WorkspaceTemplateApply.apiVersion,
    kind: WorkspaceTemplateApply.kind,
    metadata: { name, namespace: "t1" },
    spec: { templateRef: { name: "vpc" }, ...spec },
  };
}

function rendered(...[template, apply, allowed = []]: [WorkspaceTemplate, WorkspaceTemplateApply, string[]?]) {
  const result = render(template, apply, allowed);
  if (result.as !== "rendered") throw new Error(result.message);
  return result;
}

function refusal(...[template, apply, allowed = []]: [WorkspaceTemplate, WorkspaceTemplateApply, string[]?]) {
  const result = render(template, apply, allowed);
  return result.as === "refused" ? `${result.reason}: ${result.message}` : result.as;
}

describe("rendering", () => {
  test("puts variables into every text, quotes and all", () => {
    const template = templated({
      module: "x",
      vars: [{ key: "name", value: "${vpc_name}" }],
      varmap: { deep: ["${vpc_name}", 3] },
      env: [{ name: "TF_VAR_a", value: "${vpc_name}" }],
    });
    const { spec } = rendered(template, applying({ variables: { vpc_name: 'a"}b' } }));
    expect(spec.forProvider.vars).toEqual([{ key: "name", value: 'a"}b' }]);
    expect(spec.forProvider.varmap).toEqual({ deep: ['a"}b', 3] });
    expect(spec.forProvider.env).toEqual([{ name: "TF_VAR_a", value: 'a"}b' }]);
  });

  test("WORKSPACE_NAME is the name without -apply, and nobody can give it another", () => {
    const template = templated({ module: "${WORKSPACE_NAME}" });
    const apply = applying({ variables: { WORKSPACE_NAME: "other" } }, "demo-cp-eks-controlplane-apply");
    expect(rendered(template, apply).spec.forProvider.module).toBe("demo-cp-eks-controlplane");
  });

  test("module text takes in only what cannot be code", () => {
    const template = templated({ module: 'name = "${n}"', vars: [{ key: "n", value: "${n}" }] });
    expect(rendered(template, applying({ variables: { n: "a b._:/@+=,-9" } })).spec.forProvider.module).toContain(
      "a b._",
    );
    const unsafe = refusal(template, applying({ variables: { n: 'marker"}' } }));
    expect(unsafe).toBe("UnsafeVariable: variable n has characters that may not stand in a module");
    expect(refusal(template, applying({ variables: { n: "a\nb" } }))).toMatch(/^UnsafeVariable/);
    const elsewhere = templated({ module: "x", vars: [{ key: "n", value: "${n}" }] });
    expect(refusal(elsewhere, applying({ variables: { n: 'marker"}' } }))).toBe("rendered");
  });

  test("Terraform's own expressions reach it unchanged", () => {
    const module = "${substr(sha256(terraform_data.vpc.id), 0, 17)} ${var.cluster} $${k}";
    const variables = { k: "x", var: "x" };
    expect(rendered(templated({ module }), applying({ variables })).spec.forProvider.module).toBe(module);
  });

  test("the template itself is not touched", () => {
    const template = templated({ vars: [{ key: "a", value: "${a}" }] });
    const before = JSON.stringify(template);
    rendered(template, applying({ variables: { a: "b" } }));
    expect(JSON.stringify(template)).toBe(before);
  });
});

describe("the connection Secret", () => {
  const own = { name: "own", namespace: "t1" };
  const inner = { name: "${WORKSPACE_NAME}-inner", namespace: "t1" };
  const outer = { name: "outer", namespace: "t1" };
  const both = { ...templated({}, { writeConnectionSecretToRef: inner }) };
  const all = { ...both, spec: { ...both.spec, writeConnectionSecretToRef: outer } };
  const plain = templated();
  const last = { ...plain, spec: { ...plain.spec, writeConnectionSecretToRef: outer } };

  test.each([
    ["the apply's comes first", all, applying({ writeConnectionSecretToRef: own }), own],
    ["then the template's Workspace's, rendered", all, applying(), { name: "demo-vpc-inner", namespace: "t1" }],
    ["then the template's", last, applying(), outer],
    ["else it is named after the Workspace", plain, applying(), { name: "demo-vpc-connection", namespace: "t1" }],
  ] as const)("%s", (_what, template, apply, expected) => {
    expect(rendered(template, apply).spec.writeConnectionSecretToRef).toEqual(expected);
  });
});

describe("other namespaces", () => {
  const away = { namespace: "kube-system", name: "s", key: "k" };
  test.each([
    [
      "writeConnectionSecretToRef",
      templated({}, { writeConnectionSecretToRef: { name: "s", namespace: "kube-system" } }),
    ],
    ["forProvider.varFiles[0].secretKeyRef", templated({ varFiles: [{ source: "SecretKey", secretKeyRef: away }] })],
    [
      "forProvider.varFiles[0].configMapKeyRef",
      templated({ varFiles: [{ source: "ConfigMapKey", configMapKeyRef: away }] }),
    ],
    ["forProvider.env[0].secretKeyRef", templated({ env: [{ name: "TF_VAR_a", secretKeyRef: away }] })],
    ["forProvider.env[0].configMapKeyRef", templated({ env: [{ name: "TF_VAR_a", configMapKeyRef: away }] })],
  ] as const)("SEC-1 %s may not reach into one", (at, template) => {
    expect(refusal(template, applying())).toBe(
      `NamespaceNotAllowed: ${at} is in namespace kube-system, which is not allowed`,
    );
    expect(refusal(template, applying(), ["kube-system"])).toBe("rendered");
  });

  test("SEC-1 a namespace that a variable brings along is judged as well", () => {
    const template = templated({ env: [{ name: "TF_VAR_a", secretKeyRef: { ...away, namespace: "${ns}" } }] });
    expect(refusal(template, applying({ variables: { ns: "t2" } }))).toMatch(/^NamespaceNotAllowed/);
    expect(refusal(template, applying({ variables: { ns: "t1" } }))).toBe("rendered");
  });

  test("SEC-3 a template of another namespace has to be shared, or its namespace allowed", () => {
    const template = { ...templated(), metadata: { name: "vpc", namespace: "platform" } };
    expect(refusal(template, applying())).toBe(
      "NamespaceNotAllowed: WorkspaceTemplate platform/vpc is not shared with other namespaces",
    );
    expect(refusal(template, applying(), ["platform"])).toBe("rendered");
    const labels = { "capt.infrastructure.cluster.x-k8s.io/shared": "true" };
    expect(refusal({ ...template, metadata: { ...template.metadata, labels } }, applying())).toBe("rendered");
  });
});

describe("what cannot be used", () => {
  test.each([
    ["forProvider.module is empty", { module: " \n" }],
    ["spec.forProvider.source is not one of Remote, Inline, Flux", { source: "${source}" }],
    ["forProvider.initArgs[1]: -backend-config is not allowed", { initArgs: ["-upgrade", "-backend-config=x"] }],
    ["forProvider.applyArgs[0]: -state is not allowed", { applyArgs: ["--state", "x"] }],
    ["forProvider.planArgs[0]: -chdir is not allowed", { planArgs: ["-chdir=.."] }],
    ["forProvider.destroyArgs[0]: -state-out is not allowed", { destroyArgs: ["-state-out=x"] }],
    ["forProvider.entrypoint is not a folder inside the module", { entrypoint: "a/../../b" }],
    ["forProvider.entrypoint is not a folder inside the module", { entrypoint: "/etc" }],
  ])("SEC-5 SEC-6 %s", (words, forProvider) => {
    expect(refusal(templated(forProvider), applying())).toMatch(/^InvalidTemplate: /);
    expect(refusal(templated(forProvider), applying())).toContain(words);
  });

  test("an entrypoint inside the module is fine", () => {
    expect(refusal(templated({ entrypoint: "envs/prod" }), applying())).toBe("rendered");
  });
});

describe("the revision", () => {
  test("has 16 hex digits, and is the same for the same spec however it was written", () => {
    const one = rendered(templated({ entrypoint: "a", module: "m" }), applying());
    const two = rendered(templated({ module: "m", entrypoint: "a" }), applying());
    expect(one.revision).toMatch(/^[0-9a-f]{16}$/);
    expect(two.revision).toBe(one.revision);
  });

  test("is another one when a variable that is used changes, and no other", () => {
    const template = templated({ vars: [{ key: "a", value: "${a}" }] });
    const revision = (variables: Record<string, string>) => rendered(template, applying({ variables })).revision;
    expect(revision({ a: "1" })).not.toBe(revision({ a: "2" }));
    expect(revision({ a: "1", b: "1" })).toBe(revision({ a: "1", b: "2" }));
  });
});
