// The spec of a Workspace, as Crossplane's provider-terraform has it: once as the provider takes it, and once as it stands in
// a WorkspaceTemplate, where every text may hold `${name}`.
import { Enum, Fields, Flag, List, Opaque, Optional, type Static, Text } from "@telltale/kinds";

/** Where a module comes from. */
export const moduleSources = ["Remote", "Inline", "Flux"] as const;
export const inlineFormats = ["HCL", "JSON"] as const;
export const deletionPolicies = ["Orphan", "Delete"] as const;
export const varFileSources = ["ConfigMapKey", "SecretKey"] as const;

const keyRef = () => Fields({ namespace: Text(), name: Text(), key: Text() });
/** Where an output, sensitive or not, is written to. */
export const secretRef = () => Fields({ name: Text({ minLength: 1 }), namespace: Text({ minLength: 1 }) });
const args = () => Optional(List(Text()));

const common = {
  module: Text({ description: "The module itself when Inline, else where it is" }),
  entrypoint: Optional(Text({ description: "The folder in the module to run in" })),
  vars: Optional(List(Fields({ key: Text(), value: Text() }))),
  varmap: Optional(Opaque({ description: "Variables of any type" })),
  env: Optional(
    List(
      Fields({
        name: Text(),
        value: Optional(Text()),
        configMapKeyRef: Optional(keyRef()),
        secretKeyRef: Optional(keyRef()),
      }),
    ),
  ),
  initArgs: args(),
  planArgs: args(),
  applyArgs: args(),
  destroyArgs: args(),
  enableTerraformCLILogging: Optional(Flag()),
} as const;

const refs = { configMapKeyRef: Optional(keyRef()), secretKeyRef: Optional(keyRef()) } as const;

export const WorkspaceSpec = Fields({
  deletionPolicy: Optional(Enum(deletionPolicies, { default: "Delete" })),
  managementPolicies: Optional(List(Text(), { default: ["*"] })),
  providerConfigRef: Optional(Fields({ name: Text() }, { default: { name: "default" } })),
  writeConnectionSecretToRef: Optional(secretRef()),
  forProvider: Fields({
    source: Enum(moduleSources),
    inlineFormat: Optional(Enum(inlineFormats)),
    ...common,
    varFiles: Optional(
      List(
        Fields({
          source: Enum(varFileSources),
          format: Optional(Enum(inlineFormats, { default: "HCL" })),
          ...refs,
        }),
      ),
    ),
  }),
});
export type WorkspaceSpec = Static<typeof WorkspaceSpec>;

/** Without enums and defaults: a text that is not rendered yet may be anything, and defaults are the Workspace's business. */
export const WorkspaceTemplateBody = Fields({
  deletionPolicy: Optional(Text()),
  managementPolicies: Optional(List(Text())),
  providerConfigRef: Optional(Fields({ name: Text() })),
  writeConnectionSecretToRef: Optional(secretRef()),
  forProvider: Fields({
    source: Text({ description: "Inline, Remote or Flux" }),
    inlineFormat: Optional(Text()),
    ...common,
    varFiles: Optional(List(Fields({ source: Text(), format: Optional(Text()), ...refs }))),
  }),
});
export type WorkspaceTemplateBody = Static<typeof WorkspaceTemplateBody>;
