// Crossplane's ProviderConfig, as far as it matters to a run: text that is added to every module.
import { defineKind, Fields, Optional, Text } from "@telltale/kinds";
import { terraformGroup } from "../names.ts";

export const ProviderConfig = defineKind({
  group: terraformGroup,
  version: "v1beta1",
  kind: "ProviderConfig",
  scope: "Cluster",
  spec: Fields({ configuration: Optional(Text()) }),
});
