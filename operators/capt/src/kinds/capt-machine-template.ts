// CaptMachineTemplate: what machines are cloned from. Its own shape is that of a group of nodes, which a CaptMachine is not;
// so it takes the fields of a CaptMachine as well.
import { Dictionary, defineKind, Enum, Fields, Int32, List, Optional, type Resource, Text } from "@telltale/kinds";
import { infrastructureGroup } from "../names.ts";
import { nodeGroupRef } from "./capt-machine.ts";
import { objectLabels, templateRef } from "./fields.ts";
import { infrastructureContract } from "./labels.ts";

const taint = Fields({
  key: Text({ minLength: 1 }),
  value: Optional(Text()),
  effect: Enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
});

export const CaptMachineTemplate = defineKind({
  group: infrastructureGroup,
  version: "v1beta1",
  kind: "CaptMachineTemplate",
  categories: ["cluster-api"],
  description: "What the machines of a pool look like, for whoever clones it: this operator makes nothing of it.",
  spec: Fields({
    template: Fields({
      metadata: objectLabels(),
      spec: Fields({
        workspaceTemplateRef: templateRef(),
        nodeType: Enum(["ManagedNodeGroup", "Fargate"]),
        instanceType: Optional(Text()),
        scaling: Optional(
          Fields({
            minSize: Optional(Int32({ minimum: 0 })),
            maxSize: Optional(Int32({ minimum: 1 })),
            desiredSize: Optional(Int32({ minimum: 0 })),
          }),
        ),
        labels: Optional(Dictionary(Text())),
        taints: Optional(List(taint)),
        additionalTags: Optional(Dictionary(Text())),
        nodeGroupRef: Optional(nodeGroupRef()),
        tags: Optional(Dictionary(Text())),
        providerID: Optional(Text()),
      }),
    }),
  }),
  crdLabels: infrastructureContract,
});
export type CaptMachineTemplate = Resource<typeof CaptMachineTemplate>;
