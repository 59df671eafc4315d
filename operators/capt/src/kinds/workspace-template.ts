// WorkspaceTemplate: a Workspace with blanks. It serves many applies and makes nothing itself.
import {
  column,
  conditions,
  Dictionary,
  defineKind,
  Fields,
  no,
  Optional,
  positive,
  type Resource,
  Text,
  yes,
} from "@telltale/kinds";
import { infrastructureGroup } from "../names.ts";
import { keepStatus } from "./failures.ts";
import { infrastructure } from "./labels.ts";
import { secretRef, WorkspaceTemplateBody } from "./workspace-spec.ts";

const spec = Fields({
  template: Fields({
    metadata: Optional(
      Fields({
        description: Optional(Text({ description: "For people" })),
        version: Optional(Text({ description: "For people" })),
        tags: Optional(Dictionary(Text(), { description: "For people" })),
      }),
    ),
    spec: WorkspaceTemplateBody,
  }),
  writeConnectionSecretToRef: Optional(secretRef()),
});

export const WorkspaceTemplate = defineKind({
  group: infrastructureGroup,
  version: "v1beta1",
  kind: "WorkspaceTemplate",
  categories: ["capt", "terraform"],
  description: "A Workspace with blanks, which a WorkspaceTemplateApply fills in.",
  spec,
  status: Fields({
    workspaceName: Text({ maxLength: 253, description: "Never set: a template serves many Workspaces" }),
  }),
  conditions: conditions(
    {
      Valid: positive({
        means: "The template can be rendered",
        present: "onceSet",
        reasons: {
          Valid: yes("It can"),
          InvalidTemplate: no("It cannot", "correct the field that the message names"),
        },
      }),
    },
    { top: "Valid" },
  ),
  generation: "onSuccess",
  failures: keepStatus,
  columns: [column("WORKSPACE", ".status.workspaceName"), column("AGE", ".metadata.creationTimestamp", "date")],
  crdLabels: infrastructure,
});
export type WorkspaceTemplate = Resource<typeof WorkspaceTemplate>;
