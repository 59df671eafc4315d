// From a template and its variables to the spec of a Workspace (6.3), or the reason why not. Pure.
import { canonicalJson, misfit, sha256Hex } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { Workspace } from "../kinds/workspace.ts";
import type { WorkspaceSpec } from "../kinds/workspace-spec.ts";
import type { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import type { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { defaultConnectionName, labels, workspaceBase } from "../names.ts";
import { unusable } from "../validate/run-options.ts";
import { namespacesOf } from "./spec-rules.ts";
import { substitute, substituteAll, UnsafeValue } from "./substitute.ts";

export type Rendered =
  | { readonly as: "rendered"; readonly spec: WorkspaceSpec; readonly revision: string }
  | {
      readonly as: "refused";
      readonly reason: "InvalidTemplate" | "UnsafeVariable" | "NamespaceNotAllowed";
      readonly message: SafeText;
    };

export type Refused = Extract<Rendered, { as: "refused" }>;

/** Namespaces, beside an object's own, that may be reached into. */
export type Allowed = readonly string[];

export function render(template: WorkspaceTemplate, apply: WorkspaceTemplateApply, allowed: Allowed): Rendered {
  const may = mayReach(apply, allowed);
  const foreign = notShared(template, may);
  if (foreign !== undefined) return foreign;
  let spec: WorkspaceSpec;
  try {
    spec = filled(template, apply);
  } catch (error) {
    if (!(error instanceof UnsafeValue)) throw error;
    return refused("UnsafeVariable", text`variable ${error.variable} has characters that may not stand in a module`);
  }
  for (const { at, namespace } of namespacesOf(spec)) {
    if (!may(namespace))
      return refused("NamespaceNotAllowed", text`${at} is in namespace ${namespace}, which is not allowed`);
  }
  const wrong = unusable(spec.forProvider) ?? misshapen(spec);
  if (wrong !== undefined) return refused("InvalidTemplate", wrong);
  return { as: "rendered", spec, revision: revisionOf(spec) };
}

/** First 16 hex digits of SHA-256 over the canonical JSON. */
export const revisionOf = (spec: WorkspaceSpec): string => sha256Hex(canonicalJson(spec), 16);

/** Whether Secrets of a namespace may be named: rules SEC-1 and SEC-2. */
export const mayReach =
  ({ metadata }: WorkspaceTemplateApply, allowed: Allowed) =>
  (namespace: string): boolean =>
    namespace === metadata.namespace || allowed.includes(namespace);

const refused = (reason: Refused["reason"], message: SafeText): Refused => ({ as: "refused", reason, message });

/** SEC-3: a template of another namespace has to be shared. */
function notShared({ metadata }: WorkspaceTemplate, may: (namespace: string) => boolean): Refused | undefined {
  const { namespace = "", name = "" } = metadata;
  if (may(namespace) || metadata.labels?.[labels.shared] === "true") return undefined;
  return refused(
    "NamespaceNotAllowed",
    text`WorkspaceTemplate ${namespace}/${name} is not shared with other namespaces`,
  );
}

/** Module text is code: only what cannot be any is put in. */
const isCode = (value: string): boolean => !/^[A-Za-z0-9 ._:/@+=,-]*$/.test(value);

function filled(template: WorkspaceTemplate, { metadata, spec }: WorkspaceTemplateApply): WorkspaceSpec {
  const base = workspaceBase(metadata.name ?? "");
  const variables = { ...spec.variables, WORKSPACE_NAME: base };
  const body = template.spec.template.spec;
  const { module, ...others } = body.forProvider;
  // A template's body is a spec with blanks; whether the result is one is checked by `misshapen`.
  const result = substituteAll({ ...body, forProvider: others }, variables) as WorkspaceSpec;
  return {
    ...result,
    forProvider: { ...result.forProvider, module: substitute(module, variables, isCode) },
    writeConnectionSecretToRef: spec.writeConnectionSecretToRef ??
      result.writeConnectionSecretToRef ??
      template.spec.writeConnectionSecretToRef ?? {
        name: defaultConnectionName(base),
        namespace: metadata.namespace ?? "",
      },
  };
}

/** What the server would refuse is said here, with the field and without its value. */
function misshapen(spec: WorkspaceSpec): SafeText | undefined {
  const wrong = misfit(Workspace.schema.spec, spec, "spec");
  return wrong === undefined ? undefined : text`the rendered spec does not fit a Workspace: ${wrong}`;
}
